"""A campaign for a terminal."""

from __future__ import annotations

from typing import TextIO

from rankgauge.report.active import content
from rankgauge.report.active.shown import Shown
from rankgauge.report.formats.text import console, escaped, pairs, text_width

__all__ = ["write"]


def write(shown: Shown, stream: TextIO) -> None:
    """The estimate, and what it rests on."""
    out = console(stream)
    out.print(f"[bold]{escaped(content.headline(shown))}[/bold]\n", width=text_width())
    pairs(content.notes(shown), out)
