"""table: a table for people, with notes below; colours only on a terminal."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TextIO, cast

import polars as pl
from rich.console import Console
from rich.table import Table

from rankgauge.measures import Aggregate, Measure, TieRule
from rankgauge.report.base import Format, Report
from rankgauge.report.notes import notes
from rankgauge.report.numbers import interval, value

__all__ = ["TEXT", "console", "escaped", "pairs", "ruled", "text_width"]

WIDTH, ENDLESS = 80, 10_000


def console(stream: TextIO) -> Console:
    """A console that cuts no table short: lines that are too long for a terminal are wrapped by it."""
    if stream.isatty():
        return Console(file=stream, highlight=False, width=ENDLESS)
    return Console(file=cast(TextIO, _Trimmed(stream)), highlight=False, width=ENDLESS, color_system=None)


def text_width() -> int:
    """How wide a paragraph may be: 80 columns, or as many as the terminal has."""
    return min(WIDTH, shutil.get_terminal_size((WIDTH, 24)).columns)


class _Trimmed:
    """A stream without the blanks that fill a table's cells up at the end of its lines."""

    def __init__(self, stream: TextIO) -> None:
        self.stream, self.encoding = stream, stream.encoding

    def write(self, text: str) -> int:
        return self.stream.write("\n".join(line.rstrip(" ") for line in text.split("\n")))

    def flush(self) -> None:
        self.stream.flush()

    def isatty(self) -> bool:
        return False


def ruled(*columns: str, numbers: tuple[str, ...] = ()) -> Table:
    """An empty table without lines, whose numbers stand to the right."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for column in columns:
        table.add_column(column, justify="right" if column in numbers else "left", no_wrap=True)
    return table


def pairs(rows: Iterable[tuple[str, str]], out: Console) -> None:
    """Subjects and what there is to say of them, side by side, the words wrapped."""
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, style="cyan")
    table.add_column(overflow="fold")
    for subject, words in rows:
        table.add_row(escaped(subject), escaped(words))
    out.print(table, width=text_width())


def escaped(text: str) -> str:
    """Brackets as they are, not as rich's markup."""
    return text.replace("[", r"\[")


def write(report: Report, stream: TextIO) -> None:
    """The values per query where wanted, the summary, and the notes."""
    out = console(stream)
    if report.per_query:
        out.print(_values(report))
        out.print()
    if report.overall:
        out.print(_summary(report))
        out.print()
        pairs(notes(report), out)


def _summary(report: Report) -> Table:
    runs = ("run",) if report.several else ()
    table = ruled("measure", *runs, "mean", "95 % interval", "queries", numbers=("mean", "queries"))
    for measure in report.measures:
        rows = report.summary.filter(pl.col("measure") == str(measure))
        best = _best(measure, rows) if report.several else None
        for place, row in enumerate(rows.iter_rows(named=True)):
            run = (escaped(row["run"]),) if report.several else ()
            mark = {None: "", row["run"]: " *"}.get(best, "  ")
            table.add_row("" if place else escaped(str(measure)), *run, *_cells(measure, row, mark))
    return table


def _cells(measure: Measure, row: Mapping[str, Any], mark: str) -> Iterator[str]:
    mean = value(measure, row["mean"]) + mark
    yield f"[bold]{mean}[/bold]" if mark.strip() else mean
    # The interval is one of a mean; a sum and a geometric mean have none.
    plain = measure.facts.aggregate is Aggregate.MEAN
    yield escaped(interval(row["low"], row["high"])) if plain else ""
    yield str(row["queries"])


def _best(measure: Measure, rows: pl.DataFrame) -> str | None:
    """The run with the highest mean; None where higher is not better, or where runs are equal."""
    facts = measure.facts
    ordered = facts.attains or (facts.improves and facts.ties is not TieRule.IMMUNE)
    comparable = ordered and facts.aggregate is not Aggregate.SUM
    top = rows.filter(pl.col("mean") == pl.col("mean").max())
    return str(top["run"][0]) if comparable and len(top) == 1 else None


def _values(report: Report) -> Table:
    """A row per query, a column per measure, under each run's name."""
    names = [str(measure) for measure in report.measures]
    runs = ("run",) if report.several else ()
    table = ruled(*runs, "query", *names, numbers=tuple(names))
    for run, result in report.results.items():
        for query, row in zip(result.queries, result.matrix, strict=True):
            cells = [value(measure, v) for measure, v in zip(report.measures, row.tolist(), strict=True)]
            table.add_row(*((escaped(run),) if report.several else ()), escaped(query), *cells)
    return table


TEXT = Format(name="table", title="a table for people, with notes", endings=(".txt",), write=write).register()
