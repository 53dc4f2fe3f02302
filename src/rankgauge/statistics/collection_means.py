"""Means over collections, and how far they may be off: for queries alone, and for the choice of collections too.

A collection's value is the mean over its queries; a run's mean is the weighted mean over collections. Two questions
have two errors:

- *on these collections* only queries are drawn anew: Σ w² s²/n, with the degrees of freedom of Welch and Satterthwaite;
- *on a collection like these* the collections are drawn too, which holds both levels at once: Σ w² r²/(1 − w) of the
  residuals r, with the degrees of freedom of Bell and McCaffrey (Survey Methodology 2002). With equal weights that is
  s²/C with C − 1 degrees of freedom, which is also what a balanced mixed model gives.

Ranks hold for all runs at once. Every pair of runs has its t; the chance that the largest of them all is so far from
its truth is found by resampling. Two runs whose t is above that are apart. A run's rank is then at least 1 plus the
runs that are above it, and at most the number of runs minus those below it: Mogstad, Romano, Shaikh & Wilhelm,
Inference for ranks, Rev. Econ. Stud. 2024.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from rankgauge.numeric import BoolArray, FloatArray, IndexArray
from rankgauge.statistics.intervals import student_quantile, student_tail

STEPS = 60
"""Halvings in the search for a variance."""


class MeanErrors(NamedTuple):
    """The covariance of the runs' means (runs × runs), and the degrees of freedom of each difference of two runs.

    On the diagonal of `freedom` are those of the means themselves.
    """

    covariance: FloatArray
    freedom: FloatArray

    @property
    def alone(self) -> FloatArray:
        """The standard error of each run's mean."""
        return np.sqrt(np.diagonal(self.covariance))

    @property
    def paired(self) -> FloatArray:
        """The standard error of each difference of two runs' means; 0 where two runs never differ."""
        own = np.diagonal(self.covariance)
        squared = own[:, np.newaxis] + own - 2 * self.covariance
        tiny = 1e-13 * (own[:, np.newaxis] + own)
        return np.sqrt(np.where(squared > tiny, squared, 0.0))

    def half_widths(self, level: float) -> FloatArray:
        """Return half the width of the interval of each run's mean."""
        return np.asarray(student_quantile(np.diagonal(self.freedom), (1 + level) / 2) * self.alone)


def query_errors(values: Sequence[FloatArray], weights: FloatArray) -> MeanErrors:
    """Return the errors of queries alone, of values (queries × runs) by collection; NaN if one has a single query."""
    runs = values[0].shape[1]
    total, slack = np.zeros((runs, runs)), np.zeros((runs, runs))
    for matrix, weight in zip(values, weights, strict=True):
        n = len(matrix)
        if n < 2:
            return MeanErrors(total * np.nan, total * np.nan)
        centred = matrix - matrix.mean(axis=0)
        part = weight**2 * (centred.T @ centred) / (n * (n - 1))
        total += part
        slack += _differences(part) ** 2 / (n - 1)
    freedom = _differences(total) ** 2 / np.where(slack > 0, slack, np.nan)
    return MeanErrors(total, np.nan_to_num(freedom, nan=1.0))


def _differences(covariance: FloatArray) -> FloatArray:
    """Return the variance of each difference, and on the diagonal that of each mean."""
    own = np.diagonal(covariance)
    variance = own[:, np.newaxis] + own - 2 * covariance
    np.fill_diagonal(variance, own)
    return np.maximum(variance, 0.0)


def leverage(weights: FloatArray) -> tuple[FloatArray, float]:
    """Return the factors of squared residuals, and the degrees of freedom of their sum; weights add up to 1."""
    factors = weights**2 / np.maximum(1 - weights, 1e-12)
    maker = np.eye(len(weights)) - weights  # residuals are values minus their weighted mean
    form = maker.T @ (factors[:, np.newaxis] * maker)
    return factors, float(np.trace(form) ** 2 / max(float((form**2).sum()), 1e-300))


def collection_errors(means: FloatArray, weights: FloatArray) -> MeanErrors:
    """Return the errors where collections are drawn too, of means (collections × runs)."""
    factors, freedom = leverage(weights)
    residuals = means - weights @ means
    covariance = residuals.T @ (factors[:, np.newaxis] * residuals)
    return MeanErrors(covariance, np.full(covariance.shape, freedom if len(weights) > 1 else np.nan))


def p_values(difference: FloatArray, error: FloatArray, freedom: FloatArray) -> FloatArray:
    """Return the chance of a difference so far from 0, by Student's t; 1 where two runs never differ."""
    known = error > 0
    t = np.abs(difference) / np.where(known, error, 1.0)
    certain = np.where(difference == 0, 1.0, 0.0)
    return np.where(np.isnan(error), np.nan, np.where(known, np.minimum(2 * student_tail(freedom, t), 1.0), certain))


class Heterogeneity(NamedTuple):
    """How much a difference changes from collection to collection, beyond what queries explain."""

    variance: FloatArray
    """τ², the variance between collections."""
    share: FloatArray
    """I², the part of the spread that queries do not explain."""
    p: FloatArray
    """The chance of such a spread if the difference were the same everywhere (Cochran's Q)."""


def heterogeneity(differences: FloatArray, variances: FloatArray) -> Heterogeneity:
    """Return the spread of differences (collections × pairs) whose variances over queries are known.

    τ² is Paule and Mandel's (J. Res. NBS 1982): the one for which the weighted sum of squares is what it should be.
    """
    from scipy.special import gammaincc

    count = len(differences)
    least = np.max(variances, axis=0, initial=0.0) * 1e-9 + 1e-30
    known = np.maximum(variances, least)

    def squares(between: FloatArray) -> FloatArray:
        weight = 1 / (known + between)
        mean = (weight * differences).sum(axis=0) / weight.sum(axis=0)
        return np.asarray((weight * (differences - mean) ** 2).sum(axis=0))

    low = np.zeros(differences.shape[1])
    cochran, high = squares(low), np.ptp(differences, axis=0) ** 2 * count + least
    for _ in range(STEPS):
        middle = (low + high) / 2
        above = squares(middle) > count - 1
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    variance = np.where(cochran > count - 1, (low + high) / 2, 0.0)
    share = np.maximum(0.0, 1 - (count - 1) / np.maximum(cochran, 1e-300))
    return Heterogeneity(variance, share, np.asarray(gammaincc((count - 1) / 2, cochran / 2)))


def prediction_reach(between: FloatArray, error: FloatArray, count: int, level: float = 0.95) -> FloatArray:
    """Return half the width of the interval for the difference on one more collection (Higgins et al., JRSS A 2009)."""
    return np.asarray(student_quantile(max(count - 2, 1), (1 + level) / 2) * np.sqrt(between + error**2))


BLOCK = 128
"""How many resamples are worked on at once: memory does not grow with their number."""

Pairs = tuple[IndexArray, IndexArray]
"""The places of both runs of each pair."""

Singles = np.ndarray[Any, np.dtype[Any]]
"""Numbers of single precision: there are many of them, and the largest of each resample needs no more."""


class Resamples(NamedTuple):
    """What resamples show: the largest |t| of each, over all pairs and the chosen ones, and who came first."""

    largest: FloatArray
    chosen: FloatArray
    first: FloatArray


def query_resamples(
    mean: FloatArray, errors: MeanErrors, chosen: Pairs | None, *, rng: np.random.Generator, draws: int
) -> Resamples:
    """Resample what other queries of the same collections would show: normal means with the errors' covariance."""
    values, vectors = np.linalg.eigh(errors.covariance)
    root = (vectors * np.sqrt(np.maximum(values, 0.0))).T.astype(np.float32)
    changing = np.triu(errors.paired + np.diag(errors.alone)) > 0  # what never changes has no degrees of freedom
    inverse, freedom = _inverse(errors), float(np.min(errors.freedom[changing], initial=np.inf))
    parts = []
    for size in _blocks(draws):
        moved = rng.standard_normal((size, len(root)), dtype=np.float32) @ root
        scale = np.sqrt(rng.chisquare(freedom, size) / freedom) if np.isfinite(freedom) else np.ones(size)
        every, some = (np.sqrt(squared) / scale for squared in _both(chosen, moved, inverse))
        parts.append((every, some, _first(mean, moved)))
    return _join(parts)


def collection_resamples(
    means: FloatArray, weights: FloatArray, chosen: Pairs | None, *, rng: np.random.Generator, draws: int
) -> Resamples:
    """Resample collections (means: collections × runs): each residual keeps or changes its sign, all runs together.

    The spread is computed anew in each resample, so that few collections have the wide tails that they should have.
    """
    factors, _ = leverage(weights)
    centre = weights @ means
    residuals = means - centre
    inverse, count = _inverse(collection_errors(means, weights)), len(weights)
    weighted = (weights[:, np.newaxis] * residuals).astype(np.float32)
    spread = None if np.ptp(weights) < 1e-12 else (factors[:, np.newaxis] * residuals).astype(np.float32)
    parts = []
    for size in _blocks(draws):
        signs = (2 * rng.integers(0, 2, (size, count), dtype=np.int8) - 1).astype(np.float32)
        moved = signs @ weighted
        if spread is None:  # t grows with the share u of the spread that the mean takes
            share = (np.minimum(u, count - 1 - 1e-6) for u in _both(chosen, moved, inverse))
            every, some = (np.sqrt(u / (1 - u / (count - 1))) for u in share)
        else:
            every, some = map(np.sqrt, _both(chosen, moved, inverse, signs @ spread, float(factors.sum())))
        # Who comes first: normal multiples of the residuals, with the tails of a spread from so few collections.
        scale = np.sqrt(count / np.maximum(rng.chisquare(max(count - 1, 1), (size, 1)), 1e-9))
        drawn = rng.standard_normal((size, count), dtype=np.float32) @ weighted
        parts.append((every, some, _first(centre, drawn * scale)))
    return _join(parts)


def adjust_p(t: FloatArray, largest: FloatArray) -> FloatArray:
    """Return the chance that the largest |t| of all pairs is so large by luck: a p-value that holds for all at once."""
    below = np.searchsorted(np.sort(largest), np.abs(t) * (1 - 1e-6), side="left")
    return np.asarray(np.where(np.isnan(t), np.nan, (1 + len(largest) - below) / (1 + len(largest))))


def rank_ends(above: BoolArray) -> tuple[IndexArray, IndexArray]:
    """Return the least and the greatest rank of each run, where `above` says which run of a row is above a column's."""
    return 1 + above.sum(axis=0), len(above) - above.sum(axis=1)


def group_letters(apart: BoolArray, order: IndexArray) -> list[str]:
    """Return letters such that two runs share one exactly if they are not apart; the first group is a.

    Piepho, An algorithm for a letter-based representation of all-pairwise comparisons, JCGS 2004.
    """
    groups = {(1 << len(order)) - 1}
    for row, run in enumerate(order):
        for column in range(row + 1, len(order)):
            if apart[run, order[column]]:
                both = (1 << row) | (1 << column)
                split = {group for group in groups if group & both == both}
                parts = {group & ~(1 << place) for group in split for place in (row, column)}
                kept = groups - split
                groups = kept | {p for p in parts if not any(p | o == o and p != o for o in kept | parts)}
    listed = sorted(groups, key=lambda group: (group & -group, group))
    letters, between = [""] * len(order), "" if len(listed) <= 26 else " "
    for place, run in enumerate(order):
        letters[run] = between.join(_letter(n) for n, group in enumerate(listed) if group >> place & 1)
    return letters


def _letter(number: int) -> str:
    """Return a, b … z, aa, ab …"""
    before, last = divmod(number, 26)
    return (_letter(before - 1) if before else "") + chr(ord("a") + last)


def _inverse(errors: MeanErrors) -> Singles:
    """Return 1 over the squared error of each difference, 0 where two runs never differ."""
    squared = errors.paired**2
    return np.where(squared > 0, 1 / np.where(squared > 0, squared, 1.0), 0.0).astype(np.float32)


def _blocks(draws: int) -> Iterator[int]:
    """Yield how many resamples to draw at a time."""
    return (min(BLOCK, draws - start) for start in range(0, draws, BLOCK))


def _both(chosen: Pairs | None, *drawn: Any) -> tuple[FloatArray, FloatArray]:
    """Return the largest squared t over all pairs, and over the chosen ones; None are all of them."""
    every = _largest(None, *drawn)
    return every, every if chosen is None else _largest(chosen, *drawn)


def _largest(
    pairs: Pairs | None,
    moved: Singles,
    inverse: Singles,
    aside: Singles | None = None,
    factor: float = 0.0,
) -> FloatArray:
    """Return the largest squared t of each resample (resamples × runs), over all pairs or some of them."""
    runs = moved.shape[1]
    by_run, across = np.ascontiguousarray(moved.T), None if aside is None else np.ascontiguousarray(aside.T)
    largest = np.zeros(len(moved), dtype=np.float32)
    for run in range(runs) if pairs is None else np.unique(pairs[1]):
        others: slice | IndexArray = slice(run + 1, None) if pairs is None else pairs[0][pairs[1] == run]
        gap = by_run[others] - by_run[run]
        if not len(gap):
            continue
        if across is None:
            gap *= gap
            gap *= inverse[run, others, np.newaxis]
        else:
            scale = inverse[run, others, np.newaxis]
            spread = 1 + scale * gap * (factor * gap - 2 * (across[others] - across[run]))
            gap = scale * gap * gap / np.maximum(spread, 1e-6)
        np.maximum(largest, gap.max(axis=0), out=largest)
    return largest.astype(np.float64)


def _first(mean: FloatArray, moved: Singles) -> IndexArray:
    return np.bincount((mean.astype(np.float32) + moved).argmax(axis=1), minlength=len(mean))


def _join(parts: list[tuple[FloatArray, FloatArray, IndexArray]]) -> Resamples:
    largest, chosen, first = zip(*parts, strict=True)
    counts = np.sum(first, axis=0)
    return Resamples(np.concatenate(largest), np.concatenate(chosen), counts / counts.sum())
