"""What a reader of files has to say that is no error: rows that were left out, judgments that were merged.

A result takes the notes on its own files along (`Result.notes`). Where nobody listens they are Python's warnings.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from os import PathLike

from rankgauge.errors import InputWarning

_listener: ContextVar[list[str] | None] = ContextVar("listener", default=None)


def note(words: str, path: str | PathLike[str] | None = None) -> None:
    """Says something about a file or a table."""
    said, listener = words if path is None else f"{path}: {words}", _listener.get()
    if listener is None:
        warnings.warn(said, InputWarning, stacklevel=2)
    elif said not in listener:
        listener.append(said)


@contextmanager
def heard() -> Iterator[list[str]]:
    """Within the block, the notes of this thread go to the list."""
    listener: list[str] = []
    token = _listener.set(listener)
    try:
        yield listener
    finally:
        _listener.reset(token)
