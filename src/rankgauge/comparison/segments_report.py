"""Evaluations and comparisons by segments of queries: their tables, and what the means over all queries hide."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rankgauge.comparison import PairVerdict
from rankgauge.comparison.segments import correction_of, hidden_losses
from rankgauge.evaluation.segments import NONE
from rankgauge.render.numbers import count, interval, number, p_value, signed
from rankgauge.render.passages import ReportTable

if TYPE_CHECKING:
    from rankgauge.comparison import Comparison


def pairs(comparison: Comparison) -> Iterator[ReportTable]:
    """By segmentation, a row per measure, segment and pair."""
    found = comparison.segment_table
    for one in comparison.by:
        rows = []
        for measure in map(str, comparison.measures):
            for place, row in enumerate(found.where("by", one.name).where("measure", measure).named()):
                values = (number(row["mean"]), number(row["other_mean"]), signed(row["difference"]))
                tested = (p_value(row["corrected"]), row["verdict"], str(row["queries"]))
                named = ("" if place else measure, row["segment"], row["run"], row["other"])
                rows.append((*named, *values, interval(row["low"], row["high"]), *tested))
        numbers = ("mean", "other's mean", "difference", "corrected", "queries")
        header = ("measure", one.name, "run", "other", *numbers[:3], "95 % interval", "corrected", "verdict", "queries")
        yield ReportTable(title=f"By {one.name}", header=header, rows=rows, numbers=numbers)


def losses(comparison: Comparison) -> str:
    """Name the segment in which the first measure falls most, of those where it falls by more than luck."""
    rows = comparison.segment_table.where("measure", str(comparison.measures[0])).named()
    worse = sorted(
        (row for row in rows if row["verdict"] == PairVerdict.WORSE.value), key=lambda row: row["difference"]
    )
    if not worse:
        return ""
    row, more = worse[0], len(worse) - 1
    others = f", and {more} more" if more else ""
    whose = "" if len(comparison.runs) == 2 else f"{row['run']} is "
    return f"; {whose}worse for {row['by']} {row['segment']} ({signed(row['difference'])}){others}"


def pair_notes(comparison: Comparison) -> Iterator[tuple[str, str]]:
    """What a mean over all queries hides, how segments are corrected, and how many queries have none."""
    for row in hidden_losses(comparison):
        overall = f"{row['overall']} ({signed(row['overall_difference'])})"
        ends, queries = interval(row["low"], row["high"]), count(row["queries"], "query", "queries")
        loss = f"{signed(row['difference'])}, {ends}, {queries}"
        where = f"for {row['by']} {row['segment']} it is {row['verdict']} ({loss})"
        yield (
            "hidden",
            f"{row['measure']} of {row['run']} against {row['other']} is {overall} over all queries; {where}",
        )
    correction = correction_of(comparison)
    yield "segments", f"{correction.title}, over the pairs and segments of each measure; intervals are not corrected"
    for one in comparison.by:
        missing = len(one.rows(comparison.queries).get(NONE, ()))
        if missing:
            yield NONE, f"{count(missing, 'query has', 'queries have')} no {one.name}"
