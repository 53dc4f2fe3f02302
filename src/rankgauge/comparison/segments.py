"""A comparison by segments of queries: every pair in every segment, and where a mean hides a loss."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from rankgauge.comparison.tables import PairVerdict, verdicts
from rankgauge.errors import ParameterError
from rankgauge.evaluation.segments import NONE
from rankgauge.plain_table import PlainTable
from rankgauge.render.numbers import count, interval, number, p_value, with_sign
from rankgauge.render.table import INTERVAL, QUERIES, Column, ReportTable
from rankgauge.statistics.effects import outcomes
from rankgauge.statistics.intervals import column_means
from rankgauge.statistics.paired_test import CORRECTIONS, Correction, Family

if TYPE_CHECKING:
    from rankgauge.comparison.comparison import Comparison


def correction_of(comparison: Comparison) -> Correction:
    """Return the comparison's correction; Tukey's compares runs, not segments, and Holm's takes its place."""
    own = comparison.settings.family_correction
    return CORRECTIONS.find("holm") if own.tests_alone else own


def segment_pairs(comparison: Comparison) -> PlainTable:
    """List each segmentation, measure, segment and pair, corrected over the pairs and segments of each measure."""
    if not comparison.by:
        raise ParameterError("compare", "by", "given, such as by='kinds.csv'", None)
    tables: list[PlainTable] = []
    for one, (row, measure) in product(comparison.by, enumerate(comparison.measures)):
        segments = one.rows(comparison.queries)
        parts = [_test_pairs(comparison, row, places) for places in segments.values()]
        corrected = _correct(comparison, np.concatenate([part["p"] for part in parts]))
        for (segment, places), part, p in zip(segments.items(), parts, np.split(corrected, len(parts)), strict=True):
            separated, none = p < comparison.settings.alpha, part["queries"] == 0
            alike, untold = part["wins"] + part["losses"] == 0, comparison.untold(row, separated, places) | none
            part |= {"corrected": p, "verdict": verdicts(measure, part["difference"], separated, alike & ~none, untold)}
            named = {"by": [one.name] * len(p), "segment": [segment] * len(p)}
            tables.append(PlainTable.from_columns(named | part))
    return PlainTable.stack(tables)


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


def _test_pairs(comparison: Comparison, row: int, places: Any) -> dict[str, Any]:
    """Return the columns of each pair on some of the queries; the correction and the verdict follow."""
    settings, differences = comparison.settings, comparison.differences[row][places]
    both = [np.where(np.isnan(differences), np.nan, comparison.values[row][places][:, at]) for at in comparison.paired]
    (mean, count), reach = column_means(differences), np.ptp(comparison.limits(row))
    ends = comparison.interval(differences).within(-reach, reach, mean)
    p = settings.paired_test(differences, rng=settings.rng(), draws=settings.draws_for(differences.shape[1])).p
    return {
        **comparison.pair_names(row),
        "mean": column_means(both[0])[0],
        "other_mean": column_means(both[1])[0],
        "difference": mean,
        "low": ends.low,
        "high": ends.high,
        "p": np.where(np.isnan(p), 1.0, p),
        "corrected": p,
        "verdict": [],
        **outcomes(differences)._asdict(),
        "queries": count,
    }


def _correct(comparison: Comparison, p: Any) -> Any:
    settings, none = comparison.settings, np.zeros(len(p), dtype=np.intp)
    family = Family(p=p, values=np.zeros((0, 0)), first=none, second=none, rng=settings.rng(), draws=1)
    return correction_of(comparison).adjust(family)


def pairs(comparison: Comparison) -> Iterator[ReportTable]:
    """Yield, by segmentation, a row per measure, segment and pair."""
    for segmentation in comparison.by:
        part = comparison.segment_table.where("by", segmentation.name)
        rows = [row for measure in comparison.measures for row in part.where("measure", str(measure)).named()]
        columns = (
            Column("measure", once=True),
            Column(segmentation.name, "segment"),
            *(Column("run"), Column("other")),
            Column("mean", format=number),
            Column("other's mean", "other_mean", number),
            Column("difference", format=with_sign),
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
    return f"; {whose}worse for {row['by']} {row['segment']} ({with_sign(row['difference'])}){others}"


def pair_notes(comparison: Comparison) -> Iterator[tuple[str, str]]:
    """Yield what a mean over all queries hides, how segments are corrected, and how many queries have none."""
    for row in hidden_losses(comparison):
        overall = f"{row['overall']} ({with_sign(row['overall_difference'])})"
        ends, queries = interval(row["low"], row["high"]), count(row["queries"], "query", "queries")
        loss = f"{with_sign(row['difference'])}, {ends}, {queries}"
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
