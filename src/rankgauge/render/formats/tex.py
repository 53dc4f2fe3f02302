"""tex: LaTeX tables with the rules of booktabs; headings and notes are comments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from rankgauge.render.format import Medium, Report, ReportFormat
from rankgauge.render.passages import Bullets, Heading, Latex, LatexSpan, Notes, Paragraph, Passage
from rankgauge.render.table import ReportTable

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
    "†": r"$\dagger$",
}


def write(report: Report, stream: TextIO) -> None:
    """The tables, and the rest as comments."""
    stream.write(HEAD)
    for place, passage in enumerate(report.document(Medium.LATEX).passages):
        if place and isinstance(passage, Heading):
            stream.write("\n")
        stream.writelines(_lines(passage))


def escape(text: str) -> str:
    """Return the text with LaTeX's own characters as letters."""
    return text if isinstance(text, Latex) else "".join(_SPECIAL.get(character, character) for character in text)


def _lines(passage: Passage) -> Iterator[str]:
    if isinstance(passage, ReportTable):
        yield _tabular(passage)
    elif isinstance(passage, Heading):
        yield f"% {passage.title}\n"
    elif isinstance(passage, Paragraph):
        yield f"% {passage.words}\n"
    elif isinstance(passage, Notes):
        yield from (f"% {subject}: {' '.join(words.split())}\n" for subject, words in passage.rows)
    elif isinstance(passage, Bullets):
        yield from (f"% {line}\n" for line in passage.lines)


def _tabular(shown: ReportTable) -> str:
    """Return a table with the rules of booktabs; a track, which only a page can draw, is an empty cell.

    Numbers end at the same place, so that their points are below each other; marks that follow them stand beside it.
    """
    sides = "".join(
        "r@{}l" if isinstance(column.name, LatexSpan) else "r" if column.right else "l" for column in shown.heads
    )
    rows = [[escape(cell) if isinstance(cell, str) else "" for cell in row] for row in shown.cells]
    for line, n in shown.strong:
        rows[line][n] = rf"\textbf{{{rows[line][n]}}}"
    names = [escape(column.name) for column in shown.heads]
    header, *lines = (" & ".join(row) + r" \\" for row in [names, *rows])
    body = [r"\toprule", header, r"\midrule", *lines, r"\bottomrule"]
    lines = [f"\\begin{{tabular}}{{{sides}}}", *body, r"\end{tabular}"]
    if shown.caption:
        words = [rf"\caption{{{escape(shown.caption)}}}", rf"\label{{{shown.label}}}"]
        lines = [r"\begin{table}", r"\centering", *words, *lines, r"\end{table}"]
    return "\n".join(lines) + "\n"


LATEX = ReportFormat(
    name="tex", title="LaTeX tables (booktabs)", endings=(".tex",), needs="document", write=write
).register()
