"""Intervals and tests for pairs that are grouped by query: pairs of one query are alike, queries are independent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl

from rankgauge.audit.judge.pairs import GradedPairs, binary
from rankgauge.judgments.agreement import cohen
from rankgauge.judgments.coefficient import Tally
from rankgauge.judgments.coefficients.usual import alpha
from rankgauge.numeric import FloatArray, IndexArray, ratio

RESAMPLES = 2000

FEWEST_CLUSTERS = 5
"""With fewer queries no interval is shown."""


def resampled(
    counts: FloatArray,
    statistic: Callable[[FloatArray], FloatArray],
    *,
    rng: np.random.Generator,
    level: float = 0.95,
    resamples: int = RESAMPLES,
) -> tuple[float, float]:
    """The bootstrap interval over queries of a statistic of counts (queries × …) that are added up.

    Percentiles are taken further out, as Student's t is wider than the normal distribution: with few queries plain ones
    are too narrow (Hesterberg, The American Statistician 2015). NaN for fewer than five queries.
    """
    queries = len(counts)
    if queries < FEWEST_CLUSTERS:
        return np.nan, np.nan
    times = rng.multinomial(queries, np.full(queries, 1 / queries), size=resamples).astype(np.float64)
    drawn = (times @ counts.reshape(queries, -1)).reshape(resamples, *counts.shape[1:])
    return percentiles(statistic(drawn), queries, level)


def percentiles(
    values: FloatArray, queries: int, level: float = 0.95, *, found: float | None = None
) -> tuple[float, float]:
    """The percentiles of resampled values that make an interval, for so many queries.

    `found` is the value itself, for a statistic that resampling alone lowers, such as a rank correlation: percentiles
    then move by as much (Efron's bias-corrected interval).
    """
    from scipy.special import ndtr, ndtri, stdtrit

    known = values[~np.isnan(values)]
    if len(known) < len(values) / 2 or queries < FEWEST_CLUSTERS:
        return np.nan, np.nan
    reach = np.sqrt(queries / (queries - 1)) * stdtrit(queries - 1, (1 - level) / 2)
    shift = 0.0
    if found is not None:
        below = ((known < found).sum() + (known == found).sum() / 2) / len(known)
        shift = float(ndtri(np.clip(below, 0.5 / len(known), 1 - 0.5 / len(known))))
    low, high = np.quantile(known, ndtr([2 * shift + reach, 2 * shift - reach]))
    return float(low), float(high)


class Contrast(NamedTuple):
    """A mean inside a part of the pairs with its interval, how far it is from that of the rest, and a p-value."""

    mean: float
    low: float
    high: float
    apart: float
    p: float


def contrast(
    values: FloatArray, weights: FloatArray, query: IndexArray, inside: FloatArray, level: float = 0.95
) -> Contrast:
    """The mean of a value inside a part, held against the rest, with errors that are summed by query.

    `inside` (pairs) is 1 inside and 0 outside. NaN where there are too few queries for an interval or a test.
    """
    from scipy.special import stdtr, stdtrit

    part, rest = weights * inside, weights * (1 - inside)
    if not part.any():
        return Contrast(*[np.nan] * 5)
    mean, other = (float(w @ values / w.sum()) if w.any() else np.nan for w in (part, rest))
    _, at = np.unique(query, return_inverse=True)
    pull = part * (values - mean) / part.sum()
    error, queries = _error(pull, at, len(np.unique(query[inside > 0])))
    half = float(stdtrit(max(queries - 1, 1), (1 + level) / 2)) * error
    if np.isnan(other):
        return Contrast(mean, mean - half, mean + half, np.nan, np.nan)
    both, _ = _error(pull - rest * (values - other) / rest.sum(), at, queries)
    p = 2 * stdtr(max(queries - 1, 1), -abs(mean - other) / both) if both > 0 else np.nan
    return Contrast(mean, mean - half, mean + half, mean - other, float(p))


def _error(pull: FloatArray, at: IndexArray, queries: int) -> tuple[float, int]:
    """The standard error of a sum of pulls, those of a query together; NaN with too few queries."""
    if queries < FEWEST_CLUSTERS:
        return np.nan, queries
    summed = np.bincount(at, pull)
    return float(np.sqrt(queries / (queries - 1) * (summed**2).sum())), queries


FEWEST = 20
"""With fewer labels no agreement is shown: one label more would change the picture."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Comparable:
    """Grades of people and of a judge that may be compared one by one; `labelled` are the pairs that have both.

    `levels` (grades) are those of both, `people` and `judge` (labelled) positions among them. `fine` (labelled) is the
    judge's own grade. `words` says what was done to the grades, if anything.
    """

    pairs: GradedPairs
    labelled: IndexArray
    levels: FloatArray
    people: IndexArray
    judge: IndexArray
    fine: FloatArray
    relevant: IndexArray
    words: str = ""

    @classmethod
    def of(cls, pairs: GradedPairs, judge: str, *, rel: float) -> Comparable:
        """The labelled pairs; where one side only says relevant or not, both do."""
        labelled = np.flatnonzero(pairs.labelled)
        own, whole = pairs.own[judge], pairs.judges[judge]
        people, given, words = pairs.people[labelled], whole[labelled], ""
        if not np.array_equal(whole, np.maximum(own, 0.0)):
            words = (
                f"its grades, {own.min():g} to {own.max():g}, are put on people's scale, up to {whole.max():g}; "
                "AUC is of its own"
            )
        elif below := int((own < 0).sum()):
            words = f"{below:,} of its {len(own):,} grades are below 0 and count as 0; AUC is of its own"
        if binary(pairs.people) != binary(whole):
            people, given = ((grade >= rel).astype(np.float64) for grade in (people, given))
            cut = f"scales differ, so grades are compared as relevant or not, at {rel:g} or more"
            words = f"{words}; {cut}" if words else cut
        levels = np.unique(np.concatenate([people, given]))
        return cls(
            pairs=pairs,
            labelled=labelled,
            levels=levels,
            people=np.searchsorted(levels, people),
            judge=np.searchsorted(levels, given),
            fine=own[labelled],
            relevant=(pairs.people[labelled] >= rel).astype(np.int64),
            words=words,
        )

    @property
    def errors(self) -> FloatArray:
        """The judge's grade less people's."""
        return np.asarray(self.levels[self.judge] - self.levels[self.people])

    def confusion(self) -> FloatArray:
        """What the pairs of each query stand for, by people's and the judge's grade (queries × levels × levels)."""
        return self._count(self.people, self.judge, len(self.levels))

    def separation(self) -> FloatArray:
        """The same by whether people find it relevant and the judge's own grade (queries × 2 × grades)."""
        own, position = np.unique(self.fine, return_inverse=True)
        return self._count(self.relevant, position.astype(np.int64), len(own))[:, :2]

    def _count(self, row: IndexArray, column: IndexArray, width: int) -> FloatArray:
        height = max(width, 2)
        queries, query = np.unique(self.pairs.query[self.labelled], return_inverse=True)
        cells = (query * height + row) * width + column
        counts = np.bincount(cells, self.pairs.weights[self.labelled], minlength=len(queries) * height * width)
        return counts.astype(np.float64).reshape(len(queries), height, width)


def agreement(found: Comparable, *, rng: np.random.Generator, level: float = 0.95) -> pl.DataFrame:
    """A row per coefficient: coefficient, value, low, high, pairs, queries; no value for too few labels."""
    confusion, separation = found.confusion(), found.separation()
    queries, pairs = len(confusion), len(found.labelled)
    rows = []
    for name, statistic in STATISTICS.items():
        counts = separation if name == "auc" else confusion
        value = low = high = np.nan
        if pairs >= FEWEST:
            value = float(statistic(counts.sum(axis=0)[np.newaxis], found.levels)[0])
            low, high = resampled(counts, lambda c, s=statistic: s(c, found.levels), rng=rng, level=level)  # type: ignore[misc]
        rows.append({"coefficient": name, "value": value, "low": low, "high": high, "pairs": pairs, "queries": queries})
    return pl.DataFrame(rows)


def auc(counts: FloatArray) -> FloatArray:
    """The chance that a relevant pair has the higher grade than one that is not, equal grades counting by half.

    `counts` (… × 2 × grades) has the pairs that are not relevant and those that are, by rising grade. NaN without both.
    """
    below = np.cumsum(counts[..., 0, :], axis=-1) - counts[..., 0, :] / 2
    pairs = counts[..., 0, :].sum(axis=-1) * counts[..., 1, :].sum(axis=-1)
    return ratio((counts[..., 1, :] * below).sum(axis=-1), pairs)


def _identical(counts: FloatArray, levels: FloatArray) -> FloatArray:
    return ratio(np.trace(counts, axis1=-2, axis2=-1), counts.sum(axis=(-2, -1)))


def _alpha(counts: FloatArray, levels: FloatArray) -> FloatArray:
    """Krippendorff's alpha of two assessors: a kind of item for each cell."""
    size = len(levels)
    kinds = np.zeros((size, size, size))
    for grade in range(size):
        kinds[grade, :, grade] += 1
        kinds[:, grade, grade] += 1
    tally = Tally(grades=levels, counts=kinds.reshape(-1, size), weights=counts.reshape(len(counts), -1))
    return alpha(tally, "ordinal")


STATISTICS: Mapping[str, Callable[[FloatArray, FloatArray], FloatArray]] = {
    "identical": _identical,
    "kappa": lambda counts, levels: cohen(counts, levels, "kappa"),
    "kappa_linear": lambda counts, levels: cohen(counts, levels, "kappa_linear"),
    "kappa_quadratic": lambda counts, levels: cohen(counts, levels, "kappa_quadratic"),
    "alpha": _alpha,
    "auc": lambda counts, levels: auc(counts),
}
"""The coefficients by name: counts (samples × people's grades × judge's grades) in, a value for each sample out."""


def confusion_table(found: Comparable) -> pl.DataFrame:
    """A row per cell: people's grade, the judge's, pairs, and the cell's share of the people's grade."""
    size = len(found.levels)
    pairs = np.bincount(found.people * size + found.judge, minlength=size * size).reshape(size, size)
    weighed = found.confusion().sum(axis=0)
    share = ratio(weighed, np.broadcast_to(weighed.sum(axis=1, keepdims=True), weighed.shape))
    row, column = (axis.ravel() for axis in np.indices(pairs.shape))
    return pl.DataFrame(
        {
            "people": found.levels[row],
            "judge_grade": found.levels[column],
            "pairs": pairs.ravel().astype(np.int64),
            "share": share.ravel(),
        }
    )
