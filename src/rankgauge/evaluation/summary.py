"""VALUES → SUMMARY: means, spreads and intervals, and how many queries were empty, short, missing or tied."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from rankgauge.measures import Aggregate, Measure
from rankgauge.numeric import FloatArray, IndexArray
from rankgauge.plain_table import PlainTable
from rankgauge.statistics.intervals import MEAN_INTERVALS, Interval, geometric_mean, limits

LEVEL = 0.95
"""The confidence level: how often such an interval covers the mean over all queries of this kind."""

SAMPLE = "sample"
"""The interval of what a sample of judgments leaves open: it takes more than values."""

INTERVALS: Mapping[str, str] = {
    **MEAN_INTERVALS,
    SAMPLE: "what a sample of judgments leaves open for these queries (xinfAP, xinfNDCG, statAP)",
}

KINDS: Mapping[str, type] = {
    "measure": str,
    **dict.fromkeys(("mean", "low", "high", "sd", "geometric_mean"), float),
    **dict.fromkeys(("queries", "empty", "short", "missing", "tied"), int),
    **dict.fromkeys(("worst", "best", "sampling_error", "judged"), float),
}
"""The columns of a summary."""


def summarise(
    measures: Sequence[Measure],
    matrix: FloatArray,
    *,
    counts: Mapping[str, IndexArray],
    judged: Sequence[float],
    bounds: tuple[FloatArray, FloatArray],
    errors: FloatArray,
    ends: Interval,
    single: bool = False,
) -> PlainTable:
    """Return a row per measure.

    `matrix` is queries × measures, NaN where a query is left out; `judged` (measures) is the share of the documents
    that a measure looks at which are judged; `bounds` are the same under the worst and the best
    order of ties; `errors` (measures) are the standard errors of the means that come from sampling orders of ties;
    `ends` are the intervals of the means; `single` adds up in single precision.
    """
    means = _over(measures, matrix, single)
    ends = bound_intervals(measures, ends, means, matrix)
    known = ~np.isnan(matrix)
    return PlainTable.of(
        KINDS,
        {
            "measure": [str(measure) for measure in measures],
            "mean": means,
            "low": ends.low,
            "high": ends.high,
            "sd": [_deviation(column[kept]) for column, kept in zip(matrix.T, known.T, strict=True)],
            "geometric_mean": geometric_mean(matrix),
            "queries": known.sum(axis=0),
            **counts,
            "worst": _over(measures, bounds[0], single),
            "best": _over(measures, bounds[1], single),
            "sampling_error": errors,
            "judged": judged,
        },
    )


def _over(measures: Sequence[Measure], matrix: FloatArray, single: bool) -> list[float]:
    columns = zip(measures, matrix.T, strict=True)
    return [measure.facts.aggregate.over(column, single=single) for measure, column in columns]


def bound_intervals(
    measures: Sequence[Measure], ends: Interval, means: Sequence[float], matrix: FloatArray
) -> Interval:
    """The intervals as far as the measures reach; NaN for a sum and a geometric mean, which no such interval is of."""
    reach = [limits(measure.facts.bounds, column) for measure, column in zip(measures, matrix.T, strict=True)]
    least, most = np.array(reach).reshape(-1, 2).T
    averaged = np.array([measure.facts.aggregate is Aggregate.MEAN for measure in measures], dtype=bool)
    within = ends.within(least, most, means)
    return Interval(*(np.where(averaged, end, np.nan) for end in within))


def _deviation(values: FloatArray) -> float:
    return float(np.std(values, ddof=1)) if len(values) > 1 else np.nan
