"""Where a command reads and writes: input that Ctrl-C may end, output that appears whole or not at all."""

from __future__ import annotations

import io
import signal
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from rankgauge.errors import InputError


def heed(*sources: Path) -> None:
    """Lets Ctrl-C end a wait for input. The handler that polars sets when it is imported would let the wait go on.

    Nobody waits for files, so nothing is done, or imported, if all of the `sources` are.
    """
    if sources and all(source.is_file() for source in sources):
        return
    import polars  # noqa: F401 - the handler is mended after polars has set it

    if hasattr(signal, "siginterrupt"):
        signal.siginterrupt(signal.SIGINT, True)


def spare(inputs: Iterable[Path | None], outputs: Iterable[Path | None]) -> None:
    """An error if an output is the same file as an input, or as another output: nothing that is read is overwritten."""
    taken = [path for path in inputs if path is not None]
    for output in outputs:
        if output is None:
            continue
        if any(_is_same(output, path) for path in taken):
            raise InputError(
                "is read or written already, and would be overwritten",
                path=output,
                hint="Name another file for the output.",
            )
        taken.append(output)


def refuse_lost(*outputs: Path | None) -> None:
    """An error for an output that cannot be a file: it should show before the work, not after."""
    for output in outputs:
        if output is not None and not output.resolve().parent.is_dir():
            raise InputError("no such folder", path=output.parent)
        if output is not None and output.is_dir():
            raise InputError("is a directory, not a file", path=output)


def _is_same(one: Path, other: Path) -> bool:
    if one.exists() and other.exists():
        return one.is_file() and one.samefile(other)  # a device such as /dev/null may be named twice
    return one.resolve() == other.resolve()


@contextmanager
def opened(path: Path | None) -> Iterator[TextIO]:
    """A stream to write to: the standard output if no path is given."""
    if path is None:
        yield sys.stdout
        sys.stdout.flush()  # a reader who has gone shows here, not when Python ends
        return
    from rankgauge.io.output import writing

    with writing(path) as raw:
        stream = io.TextIOWrapper(raw, encoding="utf-8", newline="")
        yield stream
        stream.flush()
        stream.detach()
