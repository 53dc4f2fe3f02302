"""A bar for long work on a terminal; in a pipe nothing, or for very long work a line now and then."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress


EVERY = 60.0
"""How many seconds lie between two lines of a log."""


@contextmanager
def told(*, log: bool = False) -> Iterator[Callable[[int, int, str], None]]:
    """A function to call with how many parts of the work are done, of how many, and the name of the current one.

    With `log`, lines on stderr say it where there is no terminal for a bar.
    """
    if not sys.stderr.isatty():
        yield ProgressLog() if log else lambda done, parts, name: None
        return
    with _bar() as progress:
        task = progress.add_task("", total=None)
        yield lambda done, parts, name: progress.update(task, completed=done, total=parts, description=name)


class ProgressLog:
    """Says on stderr how much work there is, after the first part how long it will take, then at most once a minute
    how far it is."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._begun: tuple[int, float] | None = None
        self._last = -math.inf

    def __call__(self, done: int, parts: int, name: str) -> None:
        """Print a line, if it is time for one."""
        now = self._clock()
        if self._begun is None or done < self._begun[0]:
            self._begun, self._last = (done, now), -math.inf
            before = f", {done} of them done before" if done else ""
            self._print(f"{parts} parts of work{before}; how long they take is known after the first")
            return
        first, start = self._begun
        if done < parts and now - self._last < EVERY:
            return
        self._last = now
        spent = now - start
        left = spent / max(done - first, 1) * (parts - done)
        rest = f", about {_duration(left)} left" if done < parts else ""
        self._print(f"{done} of {parts} parts done in {_duration(spent)}{rest}")

    def _print(self, words: str) -> None:
        print(f"rankgauge: {words}", file=sys.stderr, flush=True)


def _duration(seconds: float) -> str:
    """A time in the largest fitting unit."""
    for unit, size in (("h", 3600.0), ("min", 60.0)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"


def _bar() -> Progress:
    """A bar on stderr that vanishes at the end."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    return Progress(*columns, console=Console(stderr=True), transient=True)
