"""A simulation for a terminal."""

from __future__ import annotations

from typing import TextIO

from rankgauge.report.formats.text import console, escaped, pairs, ruled
from rankgauge.report.simulate import content
from rankgauge.report.simulate.shown import Shown

__all__ = ["write"]


def write(shown: Shown, stream: TextIO) -> None:
    """The tables, each under its title, and the notes."""
    out = console(stream)
    for table in content.tables(shown):
        out.print(f"[bold]{escaped(table.title)}[/bold]")
        drawn = ruled(*(escaped(name) for name in table.header), numbers=tuple(map(escaped, table.numbers)))
        for row in table.rows:
            drawn.add_row(*(escaped(cell) for cell in row))
        out.print(drawn, "")
    pairs(content.notes(shown), out)
