"""The contract of a format: how labels are read from a file, and tasks written into one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rankgauge.active.labels import Label
from rankgauge.active.tasks import Task
from rankgauge.io import Head
from rankgauge.io.source import Source

__all__ = ["SKIP", "LabelFile", "LabelFormat", "graded"]

SKIP = ("skip", "cannot be judged", "can't be judged", "cantbejudged", "unjudgeable")
"""What stands in the place of a grade where a document cannot be judged."""


@dataclass(frozen=True, kw_only=True)
class LabelFile:
    """The labels of a file, and how many of its rows have no grade yet."""

    labels: tuple[Label, ...]
    blank: int = 0


@dataclass(frozen=True, kw_only=True)
class LabelFormat:
    """A format of labels, and of tasks where it has a writer."""

    name: str
    title: str
    endings: tuple[str, ...]
    recognise: Callable[[Head], bool]
    """Whether a file that begins so may be in this format."""
    read: Callable[[Source, str], LabelFile]
    """The labels of a file, and whose they are where it names nobody."""
    write: Callable[[Sequence[Task]], str] | None = None


def graded(cell: str | None) -> tuple[bool, str | None]:
    """Whether there is a label in a cell, and its grade; None: it cannot be judged."""
    said = (cell or "").strip()
    return bool(said), None if said.casefold() in SKIP else said or None
