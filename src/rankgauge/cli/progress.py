"""A bar for long work on a terminal, and nothing in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress


@contextmanager
def told() -> Iterator[Callable[[int, int, str], None]]:
    """A function to call with how many parts of the work are done, of how many, and the name of the current one."""
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
