"""Where a command writes: the standard output, or a file that appears whole or not at all."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from rankgauge.io.target import writing

__all__ = ["opened"]


@contextmanager
def opened(path: Path | None) -> Iterator[TextIO]:
    """A stream to write to: the standard output where no path is given."""
    if path is None:
        yield sys.stdout
        sys.stdout.flush()  # a reader who has gone shows here, not when Python ends
        return
    with writing(path) as raw:
        stream = io.TextIOWrapper(raw, encoding="utf-8", newline="")
        yield stream
        stream.flush()
        stream.detach()
