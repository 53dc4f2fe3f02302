"""A bar for long work on a terminal, and nothing in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from rich.progress import Progress

__all__ = ["followed", "told"]

Item = TypeVar("Item")


def followed(items: Sequence[tuple[Item, str]]) -> Iterator[tuple[Item, str]]:
    """The items with their names, and a bar on stderr that says which one is worked on and vanishes at the end."""
    if not sys.stderr.isatty():
        yield from items
        return
    with _bar() as progress:
        task = progress.add_task("", total=len(items))
        for item in items:
            progress.update(task, description=item[1])
            yield item
            progress.advance(task)


@contextmanager
def told() -> Iterator[Callable[[int, int, str], None]]:
    """What is to be told how many parts of the work are done, of how many, and the last one's name; shown as a bar."""
    if not sys.stderr.isatty():
        yield lambda done, parts, name: None
        return
    with _bar() as progress:
        task = progress.add_task("", total=None)
        yield lambda done, parts, name: progress.update(task, completed=done, total=parts, description=name)


def _bar() -> Progress:
    """A bar on stderr that vanishes at the end."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    return Progress(*columns, console=Console(stderr=True), transient=True)
