"""A simulation as Markdown, to paste into a report."""

from __future__ import annotations

from typing import TextIO

from rankgauge.report.formats.markdown import table
from rankgauge.report.simulate import content
from rankgauge.report.simulate.shown import Shown

__all__ = ["write"]


def write(shown: Shown, stream: TextIO) -> None:
    """The tables under headings, and the notes as a list."""
    for part in content.tables(shown):
        stream.write(f"## {part.title}\n\n{table(part.header, part.rows, right=part.numbers)}\n")
    stream.writelines(f"- **{subject}**: {words}\n" for subject, words in content.notes(shown))
