"""tex: LaTeX tables with the rules of booktabs; headings and notes are comments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TextIO

from rankgauge.report.document import (
    Bullets,
    Heading,
    Latex,
    Medium,
    Notes,
    Paragraph,
    Passage,
    Recommendations,
    ReportTable,
    Track,
)
from rankgauge.report.format import Report, ReportFormat

HEAD = "% \\usepackage{booktabs}\n"

_SPECIAL = {
    "\\": r"\textbackslash{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "−": "$-$",
    "+": "$+$",
    "<": "$<$",
    ">": "$>$",
    "–": "--",
    "·": r"$\cdot$",
    "∞": r"$\infty$",
}


def write(report: Report, stream: TextIO) -> None:
    """The tables, and the rest as comments."""
    stream.write(HEAD)
    for place, passage in enumerate(report.document(Medium.LATEX).passages):
        if place and isinstance(passage, Heading):
            stream.write("\n")
        stream.writelines(_lines(passage))


def escaped(text: str) -> str:
    """The text with LaTeX's own characters as letters."""
    return text if isinstance(text, Latex) else "".join(_SPECIAL.get(character, character) for character in text)


def tabular(sides: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table with the rules of booktabs."""
    lines = [" & ".join(row) + r" \\" for row in rows]
    body = [r"\toprule", " & ".join(header) + r" \\", r"\midrule", *lines, r"\bottomrule"]
    return "\n".join([f"\\begin{{tabular}}{{{sides}}}", *body, r"\end{tabular}"]) + "\n"


def _lines(passage: Passage) -> Iterator[str]:
    if isinstance(passage, ReportTable):
        yield _tabular(passage)
    elif isinstance(passage, Heading):
        yield f"% {passage.title}\n"
    elif isinstance(passage, Paragraph):
        yield f"% {passage.words}\n"
    elif isinstance(passage, Notes | Recommendations):
        yield from (f"% {subject}: {' '.join(words.split())}\n" for subject, words in passage.rows)
    elif isinstance(passage, Bullets):
        yield from (f"% {line}\n" for line in passage.lines)


def _tabular(shown: ReportTable) -> str:
    sides = "".join("r" if name in shown.numbers else "l" for name in shown.header)
    rows = [
        [rf"\textbf{{{cell}}}" if (line, n) in shown.strong else cell for n, cell in enumerate(map(_cell, row))]
        for line, row in enumerate(shown.rows)
    ]
    return tabular(sides, [escaped(name) for name in shown.header], rows)


def _cell(cell: str | Track) -> str:
    return escaped(cell) if isinstance(cell, str) else ""


LATEX = ReportFormat(
    name="tex", title="LaTeX tables (booktabs)", endings=(".tex",), needs="document", write=write
).register()
