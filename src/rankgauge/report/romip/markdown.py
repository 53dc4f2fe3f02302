"""md: ROMIP's tables as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from rankgauge.report.formats.markdown import table
from rankgauge.report.romip.layout import Line, sections
from rankgauge.report.romip.words import Words
from rankgauge.romip import TrackResult
from rankgauge.romip.metrics import LEVELS

__all__ = ["write"]


def write(outcome: TrackResult, words: Words, stream: TextIO) -> None:
    """A section per relevance table, then the notes as a list."""
    stream.write(f"# {words.tracks[outcome.track]}\n")
    for section in sections(outcome, words):
        stream.write(f"\n## {section.name}\n\n{section.meaning}; {section.counted}\n\n")
        if not section.lines:
            stream.write(f"{words.nothing}\n")
            continue
        rows = [_row(line) for line in section.lines]
        stream.write(table((words.metric, *outcome.runs), rows, right=outcome.runs))
        for drawn in section.curves:
            levels = [(f"{level:.1f}", *drawn.cells(place)) for place, level in enumerate(LEVELS)]
            header = (words.recall, *outcome.runs)
            stream.write(f"\n{drawn.title}\n\n{table(header, levels, right=header)}")
    stream.write(f"\n## {words.remarks}\n\n")
    stream.writelines(f"- {words.note(note)}\n" for note in outcome.notes)


def _row(line: Line) -> Sequence[str]:
    cells = (f"**{cell}**" if best else cell for cell, best in zip(line.cells, line.best, strict=True))
    return line.label, *cells
