"""A comparison for a terminal."""

from __future__ import annotations

from typing import TextIO

from rich.console import Console

from rankgauge.report.compare import content
from rankgauge.report.compare.content import Table
from rankgauge.report.compare.notes import notes
from rankgauge.report.compare.shown import Shown
from rankgauge.report.formats.text import console, escaped, pairs, ruled

__all__ = ["write"]


def write(shown: Shown, stream: TextIO) -> None:
    """The tables, each under its title, and the notes."""
    out = console(stream)
    for place, table in enumerate(content.tables(shown)):
        if place:
            out.print(f"\n[bold]{escaped(table.title)}[/bold]")
        _show(table, out)
    out.print()
    pairs(notes(shown), out)


def _show(table: Table, out: Console) -> None:
    drawn = ruled(*(escaped(name) for name in table.header), numbers=tuple(map(escaped, table.numbers)))
    for row in table.rows:
        drawn.add_row(*(escaped(cell) for cell in row))
    out.print(drawn)
