"""The formats of a simulation's report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from rankgauge.report.base import chosen
from rankgauge.report.simulate import data, markdown, page, text
from rankgauge.report.simulate.shown import Shown

__all__ = ["Format", "find", "registry"]


@dataclass(frozen=True, kw_only=True)
class Format:
    """How a simulation is written: its name, what it is, the endings of files that hold it."""

    name: str
    title: str
    endings: tuple[str, ...]
    write: Callable[[Shown, TextIO], None]


_FORMATS = (
    Format(name="table", title="tables for people, with notes", endings=(".txt",), write=text.write),
    Format(name="html", title="one page with curves, readable offline", endings=(".html", ".htm"), write=page.write),
    Format(name="md", title="Markdown tables", endings=(".md",), write=markdown.write),
    Format(name="csv", title="a line per pool, method and budget", endings=(".csv",), write=data.write_csv),
    Format(name="json", title="one object with everything in it", endings=(".json",), write=data.write_json),
)


def registry() -> Mapping[str, Format]:
    """Every format of a simulation by its name."""
    return {format_.name: format_ for format_ in _FORMATS}


def find(target: str) -> tuple[Format, Path | None]:
    """The format that an output names: `md` is a format, `sim.html` a file whose ending says it."""
    return chosen(target, registry())
