"""The tables of a comparison: means, pairs, who is above whom, queries that differ most, how measures agree."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from rankgauge.comparison import Comparison, PairVerdict
from rankgauge.evaluation.query_documents import labelled
from rankgauge.measures import Measure
from rankgauge.plain_table import PlainTable
from rankgauge.render.numbers import interval, number, p_value, share, signed
from rankgauge.render.passages import ReportTable

MOST = 45
"""How many pairs of a measure a table for people lists: all pairs of ten runs."""

NAMED = 6
"""How many beaten runs a table names before it counts them."""

UP, DOWN, OPEN, UNTOLD = "+", "−", "·", "?"
"""Marks of a matrix: the run of the row is above that of the column by more than luck, below it, or neither."""

MARKS: Mapping[str, str] = {
    PairVerdict.BETTER.value: UP,
    PairVerdict.HIGHER.value: UP,
    PairVerdict.WORSE.value: DOWN,
    PairVerdict.LOWER.value: DOWN,
    PairVerdict.OPEN.value: OPEN,
    PairVerdict.EQUAL.value: "=",
    PairVerdict.UNTOLD.value: UNTOLD,
}
OPPOSITE = {UP: DOWN, DOWN: UP}


def label(comparison: Comparison, run: str) -> str:
    """A short name: a letter, or a number where there are more runs than letters."""
    place = comparison.runs.index(run)
    return chr(ord("a") + place) if len(comparison.runs) <= 26 else str(place + 1)


def grid(comparison: Comparison, measure: Measure) -> dict[tuple[str, str], str]:
    """The mark of each ordered pair of runs that was tested."""
    found = {}
    rows = comparison.pair_table.where("measure", str(measure)).rows("run", "other", "verdict")
    for run, other, verdict in rows:
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


def means(comparison: Comparison) -> ReportTable:
    """A row per measure and run, the highest mean first."""
    rows = []
    for measure in comparison.measures:
        above = beaten(comparison, measure)
        found = comparison.mean_table.where("measure", str(measure)).ordered("mean", falling=True)
        for place, row in enumerate(found.named()):
            run, beats = row["run"], above[row["run"]]
            ends, queries = interval(row["low"], row["high"]), str(row["queries"])
            listed = ", ".join(beats) if len(beats) <= NAMED else f"{len(beats)} runs"
            first = "" if place else str(measure)
            rows.append((first, label(comparison, run), run, number(row["mean"]), ends, queries, listed))
    header = ("measure", "", "run", "mean", "95 % interval", "queries", "above")
    return ReportTable(title="Means", header=header, rows=tuple(rows), numbers=("mean", "queries"))


def pairs(comparison: Comparison, *, most: int | None = MOST) -> ReportTable:
    """A row per measure and pair; of many pairs those with the least p-values."""
    rows = []
    for measure in comparison.measures:
        found = comparison.pair_table.where("measure", str(measure))
        if most is not None and len(found) > most:
            found = found.ordered("corrected", "p").take(range(most))
        for place, row in enumerate(found.named()):
            rows.append(("" if place else str(measure), *_pair(row)))
    better = all(measure.facts.more_is_better for measure in comparison.measures)
    tally = "won/tied/lost" if better else "higher/tied/lower"
    names = ("difference", "p", "corrected", "effect", tally, "needed")
    header = ("measure", "run", "other", "difference", "95 % interval", *names[1:3], "verdict", *names[3:])
    return ReportTable(title="Pairs", header=header, rows=tuple(rows), numbers=names)


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


def matrix(comparison: Comparison, measure: Measure) -> ReportTable:
    """Who is above whom: a row and a column per run, the highest mean first."""
    found, order = grid(comparison, measure), comparison.ordered(measure)
    labels = [label(comparison, run) for run in order]
    rows = tuple(
        (label(comparison, run), run, *("" if run == other else found[run, other] for other in order)) for run in order
    )
    return ReportTable(title=f"Who is above whom by {measure}", header=("", "run", *labels), rows=rows)


def movers(comparison: Comparison, texts: Mapping[str, str] = MappingProxyType({})) -> ReportTable:
    """The queries on which two runs are furthest apart; `texts` is what people typed, by query."""
    return _queries("Queries that differ most", comparison.mover_table, texts)


def every_query(comparison: Comparison) -> ReportTable:
    """Both values of each query and pair, and their difference."""
    return _queries("Every query", comparison.query_table, {})


def _queries(title: str, table: PlainTable, texts: Mapping[str, str]) -> ReportTable:
    rows = []
    last = None
    for row in table.named():
        query, text = row["query"], texts.get(row["query"])
        named = (labelled(text, query) if text else query, row["run"], row["other"])
        ends = (number(row["value"]), number(row["other_value"]), signed(row["difference"]))
        rows.append(("" if row["measure"] == last else row["measure"], *named, *ends))
        last = row["measure"]
    names = ("value", "other's value", "difference")
    header = ("measure", "query", "run", "other", *names)
    return ReportTable(title=title, header=header, rows=tuple(rows), numbers=names)


def sensitivity(comparison: Comparison) -> ReportTable:
    """How many pairs of runs each measure separates."""
    rows = [
        (row["measure"], str(row["pairs"]), str(row["separated_alone"]), str(row["separated"]), share(row["share"], 1))
        for row in comparison.sensitivity_table.named()
    ]
    header = ("measure", "pairs", "uncorrected", "separated", "share")
    return ReportTable(title="How well measures tell runs apart", header=header, rows=tuple(rows), numbers=header[1:])


def agreement(comparison: Comparison) -> ReportTable:
    """How alike each pair of measures orders the runs."""
    rows = [
        (row["measure"], row["other"], number(row["tau_b"]), number(row["tau_ap"]))
        for row in comparison.agreement_table.named()
    ]
    header = ("measure", "other", "tau-b", "tau-AP")
    return ReportTable(title="How alike measures order the runs", header=header, rows=tuple(rows), numbers=header[2:])
