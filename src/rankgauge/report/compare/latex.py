"""A comparison as LaTeX: the table of means with marks of what is above what, as papers print it, and the pairs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TextIO

import polars as pl

from rankgauge.comparison import Comparison
from rankgauge.measures import Measure
from rankgauge.report.compare import content
from rankgauge.report.compare.notes import notes
from rankgauge.report.compare.shown import Shown
from rankgauge.report.numbers import number

__all__ = ["escaped", "tabular", "write"]

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


def write(shown: Shown, stream: TextIO) -> None:
    """The means, the pairs, what measures are worth, and the notes as comments."""
    comparison = shown.comparison
    stream.write(HEAD + _means(comparison))
    for table in list(content.tables(shown))[1:]:
        header, rows = [escaped(name) for name in table.header], [[escaped(cell) for cell in row] for row in table.rows]
        sides = "".join("r" if name in table.numbers else "l" for name in table.header)
        stream.write(f"\n% {table.title}\n" + tabular(sides, header, rows))
    stream.writelines(f"% {subject}: {words}\n" for subject, words in notes(shown))


def escaped(text: str) -> str:
    """The text with LaTeX's own characters as letters."""
    return "".join(_SPECIAL.get(character, character) for character in text)


def tabular(sides: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table with the rules of booktabs."""
    lines = [" & ".join(row) + r" \\" for row in rows]
    body = [r"\toprule", " & ".join(header) + r" \\", r"\midrule", *lines, r"\bottomrule"]
    return "\n".join([f"\\begin{{tabular}}{{{sides}}}", *body, r"\end{tabular}"]) + "\n"


def _means(comparison: Comparison) -> str:
    """A row per run, a column per measure; the best is bold, and superscripts name the runs that it is above."""
    columns = [_column(comparison, measure) for measure in comparison.measures]
    rows = [
        (content.label(comparison, run), escaped(run), *cells)
        for run, *cells in zip(comparison.runs, *columns, strict=True)
    ]
    header = ("", "run", *(escaped(str(measure)) for measure in comparison.measures))
    return "% Means; a superscript names the runs that the run is above\n" + tabular(
        "ll" + "l" * len(columns), header, rows
    )


def _column(comparison: Comparison, measure: Measure) -> list[str]:
    above = content.beaten(comparison, measure)
    means = comparison.means.filter(pl.col("measure") == str(measure))
    top = comparison.ordered(measure)[0]
    cells = []
    for run, mean in means.select("run", "mean").iter_rows():
        shown = rf"\textbf{{{number(mean)}}}" if run == top else number(mean)
        separator = "" if len(comparison.runs) <= 26 else ","
        cells.append(shown + (f"$^{{{separator.join(above[run])}}}$" if above[run] else ""))
    return cells
