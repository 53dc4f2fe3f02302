"""The formats of one kind of report, by name and by the ending of a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TextIO, TypeVar

from rankgauge.report.base import chosen

__all__ = ["Writer", "Writers"]

Told = TypeVar("Told")


@dataclass(frozen=True, kw_only=True)
class Writer(Generic[Told]):
    """How something is written: the format's name, what it is, the endings of files that hold it."""

    name: str
    title: str
    endings: tuple[str, ...]
    write: Callable[[Told, TextIO], None]


class Writers(Generic[Told]):
    """The formats that a kind of report has."""

    def __init__(self, *writers: Writer[Told]) -> None:
        self._writers = {writer.name: writer for writer in writers}

    def registry(self) -> Mapping[str, Writer[Told]]:
        """Every format by its name."""
        return dict(self._writers)

    def find(self, target: str) -> tuple[Writer[Told], Path | None]:
        """The format that an output names: `json` is a format, `report.html` a file whose ending says it."""
        return chosen(target, self._writers)
