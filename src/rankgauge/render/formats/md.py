"""md: Markdown tables with the notes as a list, to paste into a text."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import TextIO

from rankgauge.errors import printable
from rankgauge.render.format import Medium, Report, ReportFormat
from rankgauge.render.passages import Bullets, Details, Heading, Notes, Paragraph, Passage
from rankgauge.render.table import ReportTable


def write(report: Report, stream: TextIO) -> None:
    """The document, with a blank line between its passages."""
    passages = report.document(Medium.MARKDOWN).passages
    stream.write(printable("\n".join(text for passage in passages for text in _text(passage))))


def table(shown: ReportTable) -> str:
    """Write a table in Markdown."""
    rows = [[str(cell) for cell in row] for row in shown.cells]
    for line, n in shown.strong:
        rows[line][n] = f"**{rows[line][n]}**"
    rule = ["---:" if column.right else "---" for column in shown.heads]
    lines = [
        [column.name for column in shown.heads],
        rule,
        *([cell.replace("|", r"\|") for cell in row] for row in rows),
    ]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _text(passage: Passage) -> Iterator[str]:
    """Yield the passage as text, if Markdown has a way to show it."""
    if isinstance(passage, Heading):
        yield f"{'#' * passage.level} {passage.title}\n"
    elif isinstance(passage, Paragraph):
        yield f"{passage.words}\n"
    elif isinstance(passage, Notes):
        yield "".join(f"- **{subject}**: {' '.join(words.split())}\n" for subject, words in passage.rows)
    elif isinstance(passage, Bullets):
        yield "".join(f"- {line}\n" for line in passage.lines)
    elif isinstance(passage, ReportTable):
        yield table(passage)
    elif isinstance(passage, Details):  # GitHub and GitLab unfold it
        yield f"<details>\n<summary>{escape(passage.summary)}</summary>\n"
        yield from (text for part in passage.passages for text in _text(part))
        yield "</details>\n"


MARKDOWN = ReportFormat(name="md", title="Markdown tables", endings=(".md",), needs="document", write=write).register()
