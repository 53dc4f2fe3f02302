"""Agreement of a judge with people, and intervals for pairs whose queries are independent, but not the pairs within."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import polars as pl

from rankgauge.audit.judge.pairs import GradedPairs
from rankgauge.judgments.agreement import WEIGHTS, cohen
from rankgauge.judgments.coefficient import Tally
from rankgauge.judgments.coefficients.usual import alpha
from rankgauge.numeric import FloatArray, IndexArray, ratio

Statistic = Callable[[FloatArray], FloatArray]
"""Counts (samples × …) in, a value for each sample out."""

RESAMPLES = 2000

CELLS = 1 << 22
"""How many cells of resampled counts are held at once."""

FEWEST_CLUSTERS = 5
"""With fewer queries no interval is shown."""

FEWEST = 20
"""With fewer labels no agreement is shown: one label more would change the picture."""

TAIL = 0.025
"""The chance on each side of an interval of 95 %."""


def bootstrap_interval(
    counts: FloatArray, statistic: Statistic, *, rng: np.random.Generator, resamples: int = RESAMPLES
) -> tuple[float, float]:
    """Return the 95 % interval over queries of a statistic of counts (queries × …) that are added up.

    Percentiles are taken further out, as Student's t is wider than the normal distribution: with few queries plain ones
    are too narrow (Hesterberg, The American Statistician 2015). NaN for fewer than five queries.
    """
    if len(counts) < FEWEST_CLUSTERS:
        return np.nan, np.nan
    return percentiles(resampled_values(counts, statistic, rng=rng, resamples=resamples), len(counts))


def resampled_values(
    counts: FloatArray, statistic: Statistic, *, rng: np.random.Generator, resamples: int = RESAMPLES
) -> FloatArray:
    """The statistic in samples of whole queries with replacement, some at a time: counts may have many columns."""
    queries = len(counts)
    times = rng.multinomial(queries, np.full(queries, 1 / queries), size=resamples).astype(np.float64)
    flat, parts = counts.reshape(queries, -1), 1 + resamples * counts[0].size // CELLS
    drawn = (statistic((some @ flat).reshape(-1, *counts.shape[1:])) for some in np.array_split(times, parts))
    return np.concatenate(list(drawn))


def percentiles(values: FloatArray, queries: int, *, measured: float | None = None) -> tuple[float, float]:
    """Return the percentiles of resampled values that make a 95 % interval, for so many queries.

    `measured` is the value itself, for a statistic that resampling alone lowers, such as a rank correlation:
    percentiles then move by as much (Efron's bias-corrected interval).
    """
    from scipy.special import ndtr, ndtri, stdtrit

    known = values[~np.isnan(values)]
    if len(known) < len(values) / 2 or queries < FEWEST_CLUSTERS:
        return np.nan, np.nan
    reach = np.sqrt(queries / (queries - 1)) * stdtrit(queries - 1, TAIL)
    shift = 0.0
    if measured is not None:
        below = ((known < measured).sum() + (known == measured).sum() / 2) / len(known)
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


def contrast(values: FloatArray, weights: FloatArray, query: IndexArray, inside: FloatArray) -> Contrast:
    """Return the mean of a value inside a part, held against the rest, with errors that are summed by query.

    `inside` (pairs) is 1 inside and 0 outside. NaN where there are too few queries for an interval or a test.
    """
    part, rest = weights * inside, weights * (1 - inside)
    if not part.any():
        return Contrast(*[np.nan] * 5)
    mean, other = (float(w @ values / w.sum()) if w.any() else np.nan for w in (part, rest))
    names, at = np.unique(query, return_inverse=True)
    queries = len(np.unique(query[inside > 0]))

    def error(pull: FloatArray) -> float:
        if queries < FEWEST_CLUSTERS:
            return np.nan
        return float(np.sqrt(queries / (queries - 1) * (np.bincount(at, pull, len(names)) ** 2).sum()))

    pull = part * (values - mean) / part.sum()
    apart = np.nan if np.isnan(other) else error(pull - rest * (values - other) / rest.sum())
    return contrast_means(mean, error(pull), other, apart, queries)


def contrast_means(mean: float, error: float, other: float, apart: float, n: int) -> Contrast:
    """Return a mean with its interval by Student's t for n independent parts, held against another.

    `error` is the standard error of the mean, `apart` that of the difference.
    """
    from scipy.special import stdtr, stdtrit

    freedom = max(n - 1, 1)
    half = -float(stdtrit(freedom, TAIL)) * error
    p = float(2 * stdtr(freedom, -abs(mean - other) / apart)) if apart > 0 else np.nan
    return Contrast(mean, mean - half, mean + half, mean - other, p)


@dataclass(frozen=True, kw_only=True, eq=False)
class Comparable:
    """Grades of people and of a judge that may be compared one by one; `labelled` are the pairs that have both.

    `levels` (grades) are those of both, `people` and `judge` (labelled) positions among them. `own` (pairs) are
    the judge's own grades. `words` says what was done to the grades, if anything.
    """

    pairs: GradedPairs
    labelled: IndexArray
    levels: FloatArray
    people: IndexArray
    judge: IndexArray
    rel: float
    own: FloatArray
    words: str = ""

    @classmethod
    def from_pairs(cls, pairs: GradedPairs, judge: str, *, rel: float) -> Comparable:
        """Return the labelled pairs; where one side only says relevant or not, both do."""
        labelled = np.flatnonzero(pairs.labelled)
        own, whole = pairs.own[judge], pairs.judges[judge]
        people, given, words = pairs.people[labelled], whole[labelled], []
        if not np.array_equal(whole, np.maximum(own, 0.0)):
            words += [
                f"its grades, {own.min():g} to {own.max():g}, are put on people's scale, up to {whole.max():g}; "
                "AUC is of its own"
            ]
        elif below := int((own < 0).sum()):
            words += [f"{below:,} of its {len(own):,} grades are below 0 and count as 0; AUC is of its own"]
        if np.isin(people, (0.0, 1.0)).all() != np.isin(whole, (0.0, 1.0)).all():
            people, given = ((grade >= rel).astype(np.float64) for grade in (people, given))
            words += [f"scales differ, so grades are compared as relevant or not, at {rel:g} or more"]
        levels = np.unique(np.concatenate([people, given]))
        return cls(
            pairs=pairs,
            labelled=labelled,
            levels=levels,
            people=np.searchsorted(levels, people),
            judge=np.searchsorted(levels, given),
            rel=rel,
            own=own,
            words="; ".join(words),
        )

    @property
    def errors(self) -> FloatArray:
        """The judge's grade less people's."""
        return np.asarray(self.levels[self.judge] - self.levels[self.people])

    def confusion(self) -> FloatArray:
        """What the pairs of each query stand for, by people's and the judge's grade (queries × levels × levels)."""
        return _count_labels(self.pairs, self.people, self.judge, (len(self.levels), len(self.levels)))


def count_scores(pairs: GradedPairs, score: FloatArray, *, rel: float) -> FloatArray:
    """What labels stand for by query, by whether they are relevant, and by rising score (queries × 2 × scores)."""
    labelled = np.flatnonzero(pairs.labelled)
    levels, level = np.unique(score[labelled], return_inverse=True)
    return _count_labels(pairs, (pairs.people[labelled] >= rel).astype(np.int64), level, (2, len(levels)))


def _count_labels(pairs: GradedPairs, row: IndexArray, column: IndexArray, shape: tuple[int, int]) -> FloatArray:
    """Return what labels stand for by query, row and column."""
    labelled = np.flatnonzero(pairs.labelled)
    queries, query = np.unique(pairs.query[labelled], return_inverse=True)
    counts = np.zeros((len(queries), *shape))
    np.add.at(counts, (query, row, column), pairs.weights[labelled])
    return counts


def agreement(compared: Comparable, *, seed: int = 0) -> pl.DataFrame:
    """Return a row per coefficient: coefficient, value, low, high, pairs, queries; no value for too few labels.

    AUC is resampled as the comparison of several judges is: a judge has one interval wherever it is shown.
    """
    confusion, separation = compared.confusion(), count_scores(compared.pairs, compared.own, rel=compared.rel)
    queries, pairs = len(confusion), len(compared.labelled)
    rows, rng = [], np.random.default_rng(seed)
    for name, kernel in STATISTICS.items():
        counts, rng = (separation, np.random.default_rng(seed)) if name == "auc" else (confusion, rng)
        statistic, value, low, high = partial(kernel, levels=compared.levels), np.nan, np.nan, np.nan
        if pairs >= FEWEST:
            value = float(statistic(counts.sum(axis=0)[np.newaxis])[0])
            low, high = bootstrap_interval(counts, statistic, rng=rng)
        rows.append({"coefficient": name, "value": value, "low": low, "high": high, "pairs": pairs, "queries": queries})
    return pl.DataFrame(rows)


def auc(counts: FloatArray) -> FloatArray:
    """Return the chance that a relevant pair has the higher grade than one that is not, equal grades counting by half.

    `counts` (… × 2 × grades) has the pairs that are not relevant and those that are, by rising grade. NaN without both.
    """
    below = np.cumsum(counts[..., 0, :], axis=-1) - counts[..., 0, :] / 2
    pairs = counts[..., 0, :].sum(axis=-1) * counts[..., 1, :].sum(axis=-1)
    return ratio((counts[..., 1, :] * below).sum(axis=-1), pairs)


def _identical(counts: FloatArray, levels: FloatArray) -> FloatArray:
    return ratio(np.trace(counts, axis1=-2, axis2=-1), counts.sum(axis=(-2, -1)))


def _kappa(counts: FloatArray, levels: FloatArray, weights: str) -> FloatArray:
    return cohen(counts, levels, weights)


def _alpha(counts: FloatArray, levels: FloatArray) -> FloatArray:
    """Krippendorff's alpha of two assessors: a kind of item for each cell."""
    size = len(levels)
    kinds = np.zeros((size, size, size))
    for grade in range(size):
        kinds[grade, :, grade] += 1
        kinds[:, grade, grade] += 1
    tally = Tally(grades=levels, counts=kinds.reshape(-1, size), weights=counts.reshape(len(counts), -1))
    return alpha(tally, "ordinal")


STATISTICS: Mapping[str, Callable[..., FloatArray]] = {
    "identical": _identical,
    **{name: partial(_kappa, weights=name) for name in WEIGHTS},
    "alpha": _alpha,
    "auc": lambda counts, levels: auc(counts),
}
"""The coefficients by name: counts (samples × people's grades × judge's grades) in, a value for each sample out."""


def confusion_table(compared: Comparable) -> pl.DataFrame:
    """Return a row per cell: people's grade, the judge's, pairs, and the cell's share of the people's grade."""
    size = len(compared.levels)
    pairs = np.bincount(compared.people * size + compared.judge, minlength=size * size)
    weighed = compared.confusion().sum(axis=0)
    share = ratio(weighed, np.broadcast_to(weighed.sum(axis=1, keepdims=True), weighed.shape))
    grades = {"people": np.repeat(compared.levels, size), "judge_grade": np.tile(compared.levels, size)}
    return pl.DataFrame({**grades, "pairs": pairs.astype(np.int64), "share": share.ravel()})
