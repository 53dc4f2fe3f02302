"""Files between a campaign and its assessors: tasks go out, labels come in. One file per format."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from rankgauge.active.label_format import LabelFile, LabelFormat
from rankgauge.active.label_formats.csv import CSV
from rankgauge.active.label_formats.jsonl import JSONL
from rankgauge.active.label_formats.labelstudio import LABEL_STUDIO
from rankgauge.active.label_formats.qrels import QRELS
from rankgauge.active.tasks import Task
from rankgauge.errors import InputError, UnknownNameError
from rankgauge.io import Head
from rankgauge.io.source import Source
from rankgauge.io.target import writing

__all__ = ["LabelFile", "LabelFormat", "read_labels", "registry", "task_format", "write_tasks"]

_FORMATS = (LABEL_STUDIO, JSONL, CSV, QRELS)
"""The clearest marks first: what is none of the others is read as qrels."""


def registry() -> Mapping[str, LabelFormat]:
    """Every format by its name."""
    return {known.name: known for known in _FORMATS}


def read_labels(path: str | os.PathLike[str], format: str | None = None, *, assessor: str) -> LabelFile:
    """The labels in a file, whose format its first letters say; `assessor` is whose they are where it names nobody."""
    source = Source.of(os.fspath(path))
    head = Head(source=source)
    chosen = _named(format) if format else next(known for known in _FORMATS if known.recognise(head))
    return chosen.read(source, assessor)


def write_tasks(tasks: Sequence[Task], path: str | os.PathLike[str], format: str | None = None) -> None:
    """Tasks in a file, in the format that its name ends in."""
    write = task_format(path, format).write
    assert write is not None
    with writing(os.fspath(path)) as file:
        file.write(write(tasks).encode())


def task_format(path: str | os.PathLike[str], format: str | None = None) -> LabelFormat:
    """The format of a file of tasks, by its name's ending."""
    written = {known.name: known for known in _FORMATS if known.write is not None}
    if format is not None:
        if format not in written:
            raise UnknownNameError("format of tasks", format, written)
        return written[format]
    ending = Path(path).suffix.lower()
    found = next((known for known in written.values() if ending in known.endings), None)
    if found is None:
        endings = ", ".join(ending for known in written.values() for ending in known.endings)
        raise InputError(
            f"no format of tasks belongs to the ending {ending or 'of its name'}",
            path=os.fspath(path),
            hint=f"Known endings: {endings}.",
        )
    return found


def _named(name: str) -> LabelFormat:
    if name not in registry():
        raise UnknownNameError("format of labels", name, registry())
    return registry()[name]
