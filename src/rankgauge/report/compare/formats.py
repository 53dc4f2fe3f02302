"""The formats of a comparison's report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from rankgauge.report.base import chosen
from rankgauge.report.compare import data, latex, markdown, page, text
from rankgauge.report.compare.shown import Shown

__all__ = ["Format", "Shown", "find", "registry"]


@dataclass(frozen=True, kw_only=True)
class Format:
    """How a comparison is written: its name, what it is, the endings of files that hold it."""

    name: str
    title: str
    endings: tuple[str, ...]
    write: Callable[[Shown, TextIO], None]


_FORMATS = (
    Format(name="table", title="tables for people, with notes", endings=(".txt",), write=text.write),
    Format(name="html", title="one page with charts, readable offline", endings=(".html", ".htm"), write=page.write),
    Format(name="md", title="Markdown tables", endings=(".md",), write=markdown.write),
    Format(name="tex", title="LaTeX tables (booktabs)", endings=(".tex",), write=latex.write),
    Format(name="csv", title="a line per measure and pair", endings=(".csv",), write=data.write_csv),
    Format(name="json", title="one object with everything in it", endings=(".json",), write=data.write_json),
)


def registry() -> Mapping[str, Format]:
    """Every format of a comparison by its name."""
    return {format_.name: format_ for format_ in _FORMATS}


def find(target: str) -> tuple[Format, Path | None]:
    """The format that an output names: `tex` is a format, `compare.html` a file whose ending says it."""
    return chosen(target, registry())
