"""A comparison by segments of queries: every pair in every segment, and where a mean hides a loss."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rankgauge.comparison.tables import PairVerdict, verdicts
from rankgauge.evaluation.segments import NONE
from rankgauge.plain_table import PlainTable
from rankgauge.render.numbers import count, interval, number, p_value, signed
from rankgauge.render.table import INTERVAL, QUERIES, Column, ReportTable
from rankgauge.statistics import outcomes
from rankgauge.statistics.correction import CORRECTIONS, Correction, Family

if TYPE_CHECKING:
    from rankgauge.comparison.comparison import Comparison

COLUMNS: Mapping[str, type] = {
    **dict.fromkeys(("by", "segment", "measure", "run", "other"), str),
    **dict.fromkeys(("mean", "other_mean", "difference", "low", "high", "p", "corrected"), float),
    "verdict": str,
    **dict.fromkeys(("wins", "ties", "losses", "queries"), int),
}
"""The columns of a table of pairs by segment."""


def correction_of(comparison: Comparison) -> Correction:
    """The comparison's correction; Tukey's compares runs, not segments, and Holm's takes its place."""
    own = comparison.settings.family_correction
    return CORRECTIONS.find("holm") if own.tests_alone else own


def segment_pairs(comparison: Comparison) -> PlainTable:
    """A row per segmentation, measure, segment and pair, corrected over the pairs and segments of each measure."""
    rows: list[tuple[Any, ...]] = []
    for one in comparison.by:
        segments = one.rows(comparison.queries)
        for measure in range(len(comparison.measures)):
            found = [_pairs(comparison, measure, places) for places in segments.values()]
            corrected = _correct(comparison, np.concatenate([part["p"] for part in found]))
            for (segment, places), part in zip(segments.items(), found, strict=True):
                part["corrected"], corrected = corrected[: len(part["p"])], corrected[len(part["p"]) :]
                part["untold"] = comparison.untold(measure, part["corrected"] < comparison.settings.alpha, places)
                rows += _rows(comparison, measure, (one.name, segment), part)
    return PlainTable.of_rows(COLUMNS, rows)


def hidden_losses(comparison: Comparison) -> Iterator[dict[str, Any]]:
    """Find the segments in which a run is worse by more than luck, while over all queries it is not.

    Each is the segment's row with what is so overall (`overall`, `overall_difference`). Without a baseline the run that
    loses may be the second of the pair: the row then says that the first is better.
    """
    whole = {(row["measure"], row["run"], row["other"]): row for row in comparison.pair_table.named()}
    told = {PairVerdict.WORSE.value} | ({PairVerdict.BETTER.value} if comparison.baseline is None else set())
    for row in comparison.segment_table.named():
        overall = whole[row["measure"], row["run"], row["other"]]
        if row["verdict"] in told and overall["verdict"] != row["verdict"]:
            yield row | {"overall": overall["verdict"], "overall_difference": overall["difference"]}


def _pairs(comparison: Comparison, measure: int, places: Any) -> dict[str, Any]:
    """The numbers of each pair on some of the queries."""
    settings, differences = comparison.settings, comparison.differences[measure][places]
    (run, other), values = comparison.paired, comparison.values[measure][places]
    known = ~np.isnan(differences)
    count = known.sum(axis=0)
    tested = settings.paired_test(differences, rng=settings.rng(), draws=settings.drawn(len(run)))
    both = [np.where(known, values[:, side], 0.0).sum(axis=0) / np.where(count, count, np.nan) for side in (run, other)]
    mean = np.where(known, differences, 0.0).sum(axis=0) / np.where(count, count, np.nan)
    reach, tally = np.ptp(comparison.limits(measure)), outcomes(differences)
    return {
        "means": both,
        "difference": mean,
        "ends": comparison.interval(differences).within(-reach, reach, mean),
        "p": np.where(np.isnan(tested.p), 1.0, tested.p),
        "tally": tally,
        "queries": count,
    }


def _correct(comparison: Comparison, p: Any) -> Any:
    settings, none = comparison.settings, np.zeros(len(p), dtype=np.intp)
    family = Family(p=p, values=np.zeros((0, 0)), first=none, second=none, rng=settings.rng(), draws=1)
    return correction_of(comparison).adjust(family)


def _rows(comparison: Comparison, measure: int, named: tuple[str, str], part: dict[str, Any]) -> list[tuple[Any, ...]]:
    asked, tally = comparison.measures[measure], part["tally"]
    separated = part["corrected"] < comparison.settings.alpha
    none = part["queries"] == 0
    alike = (tally.wins + tally.losses == 0) & ~none
    words = verdicts(asked, part["difference"], separated, alike, part["untold"] | none)
    numbers = (*part["means"], part["difference"], *part["ends"], part["p"], part["corrected"])
    pairs = zip(*comparison.paired, strict=True)
    return [
        (
            *named,
            str(asked),
            comparison.runs[run],
            comparison.runs[other],
            *(float(one[pair]) for one in numbers),
            words[pair],
            *(int(one[pair]) for one in (*tally, part["queries"])),
        )
        for pair, (run, other) in enumerate(pairs)
    ]


def pairs(comparison: Comparison) -> Iterator[ReportTable]:
    """By segmentation, a row per measure, segment and pair."""
    for segmentation in comparison.by:
        part = comparison.segment_table.where("by", segmentation.name)
        rows = [row for measure in comparison.measures for row in part.where("measure", str(measure)).named()]
        columns = (
            Column("measure", once=True),
            Column(segmentation.name, "segment"),
            *(Column("run"), Column("other")),
            Column("mean", format=number),
            Column("other's mean", "other_mean", number),
            Column("difference", format=signed),
            INTERVAL,
            Column("corrected", format=p_value),
            Column("verdict"),
            QUERIES,
        )
        yield ReportTable(title=f"By {segmentation.name}", columns=columns, rows=rows)


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
