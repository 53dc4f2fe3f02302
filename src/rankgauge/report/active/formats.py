"""The formats of a campaign's report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from rankgauge.report.active import data, page, text
from rankgauge.report.active.shown import Shown
from rankgauge.report.base import chosen

__all__ = ["Format", "find", "registry"]


@dataclass(frozen=True, kw_only=True)
class Format:
    """How a campaign is written: its name, what it is, the endings of files that hold it."""

    name: str
    title: str
    endings: tuple[str, ...]
    write: Callable[[Shown, TextIO], None]


_FORMATS = (
    Format(name="table", title="text for people", endings=(".txt",), write=text.write),
    Format(name="html", title="one page with a chart, readable offline", endings=(".html", ".htm"), write=page.write),
    Format(name="json", title="one object with everything in it", endings=(".json",), write=data.write),
)


def registry() -> Mapping[str, Format]:
    """Every format of a campaign by its name."""
    return {format_.name: format_ for format_ in _FORMATS}


def find(target: str) -> tuple[Format, Path | None]:
    """The format that an output names: `json` is a format, `estimate.html` a file whose ending says it."""
    return chosen(target, registry())
