"""What a reader of files has to say that is no error: rows that were left out, judgments that were merged, searches
that failed.

A result takes the notes on its own files along (`Result.notes`). Where nobody listens they are Python's warnings.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from os import PathLike

from rankgauge.errors import InputWarning

_listener: ContextVar[list[str] | None] = ContextVar("listener", default=None)
_failures: ContextVar[list[str] | None] = ContextVar("failures", default=None)

_names: dict[str, str] = {}
"""What users call the files that they know under other names, such as copies from git; all threads see it."""


def note(words: str, path: str | PathLike[str] | None = None) -> None:
    """Say something about a file or a table."""
    said, listener = words if path is None else f"{_names.get(str(path), path)}: {words}", _listener.get()
    if listener is None:
        warnings.warn(said, InputWarning, stacklevel=2)
    elif said not in listener:
        listener.append(said)


@contextmanager
def collecting_notes() -> Iterator[list[str]]:
    """Within the block, the notes of this thread go to the list."""
    listener: list[str] = []
    token = _listener.set(listener)
    try:
        yield listener
    finally:
        _listener.reset(token)


@contextmanager
def renaming(names: Mapping[str, str]) -> Iterator[None]:
    """Within the block, notes on a path call it by the name that it has here."""
    _names.update(names)
    try:
        yield
    finally:
        for path in names:
            del _names[path]


@contextmanager
def failures() -> Iterator[list[str]]:
    """Within the block, collect the queries whose search failed; those of an inner block go to the outer list too."""
    failed: list[str] = []
    outer = _failures.get()
    token = _failures.set(failed)
    try:
        yield failed
    finally:
        _failures.reset(token)
        if outer is not None:
            outer.extend(failed)


def listening_failures() -> list[str] | None:
    """Return the list that collects failed searches; None if nobody does."""
    return _failures.get()
