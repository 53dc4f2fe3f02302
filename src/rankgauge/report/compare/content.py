"""What every report of a comparison tells, as headings and rows of text."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from rankgauge.comparison import Comparison, PairVerdict
from rankgauge.measures import Measure
from rankgauge.report.compare.shown import Shown
from rankgauge.report.numbers import interval, number, share

__all__ = [
    "DOWN",
    "MOST",
    "OPEN",
    "UP",
    "Table",
    "beaten",
    "grid",
    "headline",
    "label",
    "matrix",
    "means",
    "p_value",
    "pairs",
    "signed",
    "tables",
]

MOST = 45
"""How many pairs of a measure a table for people lists: all pairs of ten runs."""

NAMED = 6
"""How many beaten runs a table names before it counts them."""

UP, DOWN, OPEN = "+", "−", "·"
"""Marks of a matrix: the run of the row is above that of the column by more than luck, below it, or neither."""

MARKS: Mapping[str, str] = {
    PairVerdict.BETTER.value: UP,
    PairVerdict.HIGHER.value: UP,
    PairVerdict.WORSE.value: DOWN,
    PairVerdict.LOWER.value: DOWN,
    PairVerdict.OPEN.value: OPEN,
    PairVerdict.EQUAL.value: "=",
}
OPPOSITE = {UP: DOWN, DOWN: UP}


@dataclass(frozen=True, kw_only=True)
class Table:
    """A title, headings, rows, and which of the columns hold numbers."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: tuple[str, ...] = ()


def tables(shown: Shown) -> Iterator[Table]:
    """The tables of a report, in order."""
    comparison = shown.comparison
    yield means(comparison)
    yield pairs(comparison)
    if shown.matrix:
        yield from (matrix(comparison, measure) for measure in comparison.measures)
    yield _movers(comparison)
    if shown.agreement:
        yield _sensitivity(comparison)
        if len(comparison.measures) > 1:
            yield _agreement(comparison)


def headline(comparison: Comparison) -> str:
    """One sentence on the first measure: who is above whom by more than luck."""
    measure, base = comparison.measures[0], comparison.baseline
    found = grid(comparison, measure)
    if base is not None:
        above = sum(found[run, base] == UP for run in comparison.runs if run != base)
        verb = "are" if above > 1 else "is"
        return f"{above or 'None'} of {len(comparison.runs) - 1} runs {verb} above {base} by more than luck ({measure})"
    first, *rest = comparison.ordered(measure)
    rivals = [run for run in rest if found[first, run] != UP]
    if not rivals:
        return f"{first} is above every other run by more than luck ({measure})"
    return f"{first} leads by {measure}, but not by more than luck: {rivals[0]} may be as good"


def label(comparison: Comparison, run: str) -> str:
    """A short name: a letter, or a number where there are more runs than letters."""
    place = comparison.runs.index(run)
    return chr(ord("a") + place) if len(comparison.runs) <= 26 else str(place + 1)


def grid(comparison: Comparison, measure: Measure) -> dict[tuple[str, str], str]:
    """The mark of each ordered pair of runs that was tested."""
    found = {}
    rows = comparison.pairs.filter(pl.col("measure") == str(measure)).select("run", "other", "verdict")
    for run, other, verdict in rows.iter_rows():
        mark = MARKS[verdict]
        found[run, other], found[other, run] = mark, OPPOSITE.get(mark, mark)
    return found


def beaten(comparison: Comparison, measure: Measure) -> dict[str, list[str]]:
    """By run, the labels of the runs that it is above by more than luck."""
    found = grid(comparison, measure)
    return {
        run: [label(comparison, other) for other in comparison.runs if found.get((run, other)) == UP]
        for run in comparison.runs
    }


def means(comparison: Comparison) -> Table:
    """A row per measure and run, the best first."""
    rows = []
    for measure in comparison.measures:
        above = beaten(comparison, measure)
        found = comparison.means.filter(pl.col("measure") == str(measure)).sort(
            "mean", descending=True, maintain_order=True
        )
        for place, row in enumerate(found.iter_rows(named=True)):
            run = row["run"]
            rows.append(
                (
                    "" if place else str(measure),
                    label(comparison, run),
                    run,
                    number(row["mean"]),
                    interval(row["low"], row["high"]),
                    str(row["queries"]),
                    ", ".join(above[run]) if len(above[run]) <= NAMED else f"{len(above[run])} runs",
                )
            )
    header = ("measure", "", "run", "mean", "95 % interval", "queries", "above")
    return Table(title="Means", header=header, rows=tuple(rows), numbers=("mean", "queries"))


def pairs(comparison: Comparison, *, most: int | None = MOST) -> Table:
    """A row per measure and pair; of many pairs those with the least p-values."""
    rows = []
    for measure in comparison.measures:
        found = comparison.pairs.filter(pl.col("measure") == str(measure))
        if most is not None and len(found) > most:
            found = found.sort("corrected", "p", maintain_order=True).head(most)
        for place, row in enumerate(found.iter_rows(named=True)):
            rows.append(("" if place else str(measure), *_pair(row)))
    names = ("difference", "p", "corrected", "effect", "won/tied/lost", "needed")
    header = ("measure", "run", "other", "difference", "95 % interval", *names[1:3], "verdict", *names[3:])
    return Table(title="Pairs", header=header, rows=tuple(rows), numbers=names)


def _pair(row: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        row["run"],
        row["other"],
        signed(row["difference"]),
        interval(row["low"], row["high"]),
        p_value(row["p"]),
        p_value(row["corrected"]),
        row["verdict"],
        signed(row["effect"], 2),
        f"{row['wins']}/{row['ties']}/{row['losses']}",
        f"{row['needed']:,.0f}" if math.isfinite(row["needed"]) else "–",
    )


def matrix(comparison: Comparison, measure: Measure) -> Table:
    """Who is above whom: a row and a column per run, the best first."""
    found, order = grid(comparison, measure), comparison.ordered(measure)
    labels = [label(comparison, run) for run in order]
    rows = tuple(
        (label(comparison, run), run, *("" if run == other else found[run, other] for other in order)) for run in order
    )
    return Table(title=f"Who is above whom by {measure}", header=("", "run", *labels), rows=rows)


def _movers(comparison: Comparison) -> Table:
    rows = []
    last = None
    for row in comparison.movers.iter_rows(named=True):
        ends = (number(row["value"]), number(row["other_value"]), signed(row["difference"]))
        rows.append(("" if row["measure"] == last else row["measure"], row["query"], row["run"], row["other"], *ends))
        last = row["measure"]
    names = ("value", "other's value", "difference")
    header = ("measure", "query", "run", "other", *names)
    return Table(title="Queries that differ most", header=header, rows=tuple(rows), numbers=names)


def _sensitivity(comparison: Comparison) -> Table:
    rows = [
        (row["measure"], str(row["pairs"]), str(row["separated_alone"]), str(row["separated"]), share(row["share"], 1))
        for row in comparison.sensitivity.iter_rows(named=True)
    ]
    header = ("measure", "pairs", "uncorrected", "separated", "share")
    return Table(title="How well measures tell runs apart", header=header, rows=tuple(rows), numbers=header[1:])


def _agreement(comparison: Comparison) -> Table:
    rows = [
        (row["measure"], row["other"], number(row["tau_b"]), number(row["tau_ap"]))
        for row in comparison.agreement.iter_rows(named=True)
    ]
    header = ("measure", "other", "tau-b", "tau-AP")
    return Table(title="How alike measures order the runs", header=header, rows=tuple(rows), numbers=header[2:])


def signed(amount: float, decimals: int = 4) -> str:
    """A difference with its sign."""
    if math.isnan(amount):
        return "–"
    return f"{amount:+.{decimals}f}".replace("-", "−").replace("inf", "∞")


def p_value(p: float) -> str:
    """Four decimals, or that it is less than they show."""
    return "<0.0001" if p < 0.0001 else f"{p:.4f}"
