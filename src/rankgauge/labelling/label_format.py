"""The contract of a label format, and the files between a campaign and its assessors: tasks go out, labels come in."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import ClassVar

from rankgauge.errors import InputError, UnknownNameError
from rankgauge.files import Head
from rankgauge.files.output import writing
from rankgauge.files.source import Source
from rankgauge.labelling.labels import Label, Task
from rankgauge.labelling.pool_rows import TEXTS
from rankgauge.registry import Registered, Registry

LABEL_FORMATS: Registry[LabelFormat] = Registry(
    "format of labels", "rankgauge.labelling.label_formats", order=lambda known: known.place
)

SKIP = ("skip", "cannot be judged", "can't be judged", "cantbejudged", "unjudgeable")
"""What assessors write in place of a grade if a document cannot be judged."""


@dataclass(frozen=True, kw_only=True)
class LabelFile:
    """The labels of a file, how many of its rows have no grade yet, and the columns that are not read."""

    labels: tuple[Label, ...]
    blank: int = 0
    unread: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class LabelFormat(Registered):
    """A format of label files, and of task files if it has a writer."""

    registry: ClassVar[Registry[LabelFormat]] = LABEL_FORMATS

    name: str
    title: str
    endings: tuple[str, ...]
    place: int
    """A file is tried as one format after another, by rising place: those with the clearest marks come first."""
    recognise: Callable[[Head], bool]
    """Whether a file that begins like this may be in the format."""
    read: Callable[[Source, str], Iterable[Sequence[Label]]]
    """The labels of each row of a file, none if it has no grade yet; labels without an assessor get the name given."""
    write: Callable[[Sequence[Task]], str] | None = None
    unread: Callable[[Head], Iterable[str]] = lambda head: ()
    """The columns of a file that say nothing of a label."""


def read_labels(path: str | os.PathLike[str], format: str | None = None, *, assessor: str) -> LabelFile:
    """The labels in a file, whose format is recognised by its beginning; `assessor` made those that name none."""
    source = Source.of(os.fspath(path))
    head = Head(source=source)
    chosen = LABEL_FORMATS.find(format) if format else next(f for f in LABEL_FORMATS.values() if f.recognise(head))
    rows = list(chosen.read(source, assessor))
    return LabelFile(
        labels=tuple(chain.from_iterable(rows)),
        blank=sum(not row for row in rows),
        unread=tuple(name for name in chosen.unread(head) if name not in TEXTS),
    )


def write_tasks(tasks: Sequence[Task], path: str | os.PathLike[str], format: str | None = None) -> None:
    """Write tasks to a file, in the format that belongs to its ending."""
    write = task_format(path, format).write
    assert write is not None
    with writing(os.fspath(path)) as file:
        file.write(write(tasks).encode())


def task_format(path: str | os.PathLike[str], format: str | None = None) -> LabelFormat:
    """Return the format of a task file: the one that is named, or the one that belongs to the file's ending."""
    writable = {name: known for name, known in LABEL_FORMATS.items() if known.write is not None}
    if format is not None:
        if format not in writable:
            raise UnknownNameError("format of tasks", format, writable)
        return writable[format]
    ending = Path(path).suffix.lower()
    format_ = next((known for known in writable.values() if ending in known.endings), None)
    if format_ is None:
        raise InputError(
            f"no format of tasks has the ending {ending}" if ending else "the file name has no ending",
            path=os.fspath(path),
            hint=f"Tasks can be written to {', '.join(task_endings())}.",
        )
    return format_


def task_endings() -> dict[str, str]:
    """Return the endings of files that tasks can be written to, with what their formats are."""
    writable = [known for known in LABEL_FORMATS.values() if known.write is not None]
    return {ending: known.title for known in writable for ending in known.endings}


def read_grade(cell: str | None) -> tuple[bool, str | None]:
    """Say whether there is a label in a cell, and its grade; None: it cannot be judged."""
    said = (cell or "").strip()
    return bool(said), None if said.casefold() in SKIP else said or None
