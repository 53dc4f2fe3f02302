"""The formats of a ROMIP report by name and by the ending of a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TextIO

from rankgauge.errors import InputError, UnknownNameError
from rankgauge.report.romip import data, html, markdown, text
from rankgauge.report.romip.words import Words
from rankgauge.romip import TrackResult

__all__ = ["FORMATS", "Write", "find"]

Write = Callable[[TrackResult, Words, TextIO], None]

FORMATS: Mapping[str, Write] = {
    "table": text.write,
    "md": markdown.write,
    "csv": data.write_csv,
    "json": data.write_json,
    "html": html.write,
}
ENDINGS: Mapping[str, str] = {".txt": "table", ".md": "md", ".csv": "csv", ".json": "json", ".html": "html"}


def find(target: str) -> tuple[Write, Path | None]:
    """How to write to an output: `md` is a format, `romip.html` a file whose ending says it."""
    if target in FORMATS:
        return FORMATS[target], None
    path = Path(target)
    if path.suffix in ENDINGS:
        return FORMATS[ENDINGS[path.suffix]], path
    if path.suffix:
        hint = f"Known endings: {', '.join(sorted(ENDINGS))}."
        raise InputError(f"no output format belongs to the ending {path.suffix}", path=path, hint=hint)
    raise UnknownNameError("output format", target, FORMATS)
