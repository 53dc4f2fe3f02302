"""A comparison by segments of queries: every pair in every segment, and where a mean hides a loss."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rankgauge.comparison.verdicts import PairVerdict, verdicts
from rankgauge.plain_table import PlainTable
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
            corrected = _corrected(comparison, np.concatenate([part["p"] for part in found]))
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


def _corrected(comparison: Comparison, p: Any) -> Any:
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
