"""table: ROMIP's tables for a terminal."""

from __future__ import annotations

from typing import TextIO

from rich.table import Table

from rankgauge.report.formats.text import console, escaped, ruled, text_width
from rankgauge.report.romip.layout import Drawn, Section, sections
from rankgauge.report.romip.words import Words
from rankgauge.romip import TrackResult
from rankgauge.romip.metrics import LEVELS

__all__ = ["write"]


def write(outcome: TrackResult, words: Words, stream: TextIO) -> None:
    """A section per relevance table, then the notes."""
    out = console(stream)
    out.print(f"[bold]{words.tracks[outcome.track]}[/bold]")
    for section in sections(outcome, words):
        out.print(f"\n[bold]{section.name}[/bold]: {section.meaning}")
        out.print(section.counted)
        if not section.lines:
            out.print(words.nothing)
            continue
        out.print(_metrics(section, outcome, words))
        for drawn in section.curves:
            out.print(f"\n{escaped(drawn.title)}")
            out.print(_curve(drawn, words))
    out.print()
    for text in (*(f"* {words.best}",) * (len(outcome.runs) > 1), *(words.note(note) for note in outcome.notes)):
        out.print(escaped(text), width=text_width())


def _metrics(section: Section, outcome: TrackResult, words: Words) -> Table:
    runs = tuple(escaped(run) for run in outcome.runs)
    table = ruled(words.metric, *runs, numbers=runs)
    several = any(any(line.best) for line in section.lines)
    for line in section.lines:
        marks = (" *" if best else "  " * several for best in line.best)
        table.add_row(line.label, *(cell + mark for cell, mark in zip(line.cells, marks, strict=True)))
    return table


def _curve(drawn: Drawn, words: Words) -> Table:
    header = (words.recall, *(escaped(run) for run in drawn.points))
    table = ruled(*header, numbers=header)
    for place, level in enumerate(LEVELS):
        table.add_row(f"{level:.1f}", *drawn.cells(place))
    return table
