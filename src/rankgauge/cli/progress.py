"""A bar for long work on a terminal, and nothing in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TypeVar

__all__ = ["followed"]

Item = TypeVar("Item")


def followed(items: Sequence[tuple[Item, str]]) -> Iterator[tuple[Item, str]]:
    """The items with their names, and a bar on stderr that says which one is worked on and vanishes at the end."""
    if not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=len(items))
        for item in items:
            progress.update(task, description=item[1])
            yield item
            progress.advance(task)
