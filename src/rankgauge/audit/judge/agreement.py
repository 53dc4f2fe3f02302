"""Agreement of judges with people, alone and combined: queries are independent, but not the pairs within.

Several judges stand beside each other: how many independent ones they are worth, and the best for a price.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import NamedTuple

import numpy as np
import polars as pl

from rankgauge.audit.judge.pairs import GradedPairs
from rankgauge.judgments.agreement import WEIGHTS, cohen
from rankgauge.judgments.coefficient import Tally
from rankgauge.judgments.coefficients.usual import alpha
from rankgauge.numeric import FloatArray, IndexArray, ratio
from rankgauge.statistics.intervals import student_quantile, student_tail

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
    from scipy.special import ndtr, ndtri

    known = values[~np.isnan(values)]
    if len(known) < len(values) / 2 or queries < FEWEST_CLUSTERS:
        return np.nan, np.nan
    reach = np.sqrt(queries / (queries - 1)) * student_quantile(queries - 1, TAIL)
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
    freedom = max(n - 1, 1)
    half = -float(student_quantile(freedom, TAIL)) * error
    p = float(2 * student_tail(freedom, abs(mean - other) / apart)) if apart > 0 else np.nan
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
    "identical": lambda counts, levels: ratio(np.trace(counts, axis1=-2, axis2=-1), counts.sum(axis=(-2, -1))),
    **{name: partial(lambda counts, levels, name: cohen(counts, levels, name), name=name) for name in WEIGHTS},
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


FOLDS, RIDGE = 10, 1.0

MOST = 8
"""Of more judges than these not every panel is tried."""


def combine_judges(pairs: GradedPairs, *, rel: float, seed: int) -> dict[str, FloatArray]:
    """Return the combinations of all judges, as grades of every pair.

    The majority is the median grade, the lower one of two. `fitted` is the chance that people find the pair relevant,
    by a logistic regression on the steps of all judges; no query takes part in the fit of its own chances.
    """
    grades = np.stack(list(pairs.judges.values()))
    combined = {"majority": np.sort(grades, axis=0)[(len(grades) - 1) // 2], "mean": grades.mean(axis=0)}
    fitted = _fit(pairs, grades, rel, seed)
    return combined if fitted is None else combined | {"fitted": fitted}


def separation(pairs: GradedPairs, scores: Mapping[str, FloatArray], *, rel: float, seed: int) -> pl.DataFrame:
    """A row per judge or combination: name, auc, low, high, and how far its AUC is from the best single judge's."""
    counts = {name: count_scores(pairs, score, rel=rel) for name, score in scores.items()}
    values = {name: float(auc(count.sum(axis=0))) for name, count in counts.items()}
    drawn = {name: resampled_values(count, auc, rng=np.random.default_rng(seed)) for name, count in counts.items()}
    best = max(pairs.judges, key=lambda name: np.nan_to_num(values[name], nan=-1.0))
    rows = []
    for name, one in counts.items():
        low, high = percentiles(drawn[name], len(one))
        apart = (np.nan, np.nan) if name == best else percentiles(drawn[name] - drawn[best], len(one))
        row = {"judge": name, "auc": values[name], "low": low, "high": high, "best": name == best}
        row["difference"] = values[name] - values[best]
        rows.append({**row, "difference_low": apart[0], "difference_high": apart[1]})
    return pl.DataFrame(rows)


class Independence(NamedTuple):
    """How many judges with unrelated errors the judges are worth, with an interval, and how alike their errors are."""

    number: float
    low: float
    high: float
    correlation: float


def independence(pairs: GradedPairs, *, seed: int) -> Independence:
    """The number k² / Σ r of the k judges, where r are the correlations of their errors, each with itself included.

    An error is a judge's grade less people's; what each judge is off by on average counts for nothing. The mean of so
    many judges with unrelated errors would vary as much as the mean of these. Intervals resample whole queries.
    """
    labelled, size = np.flatnonzero(pairs.labelled), len(pairs.judges)
    errors = np.stack([np.ones(len(labelled)), *(g[labelled] - pairs.people[labelled] for g in pairs.judges.values())])
    query = np.unique(pairs.query[labelled], return_inverse=True)[1]
    products = (pairs.weights[labelled] * errors[:, np.newaxis] * errors).reshape(-1, len(labelled))
    moments: FloatArray = np.stack([np.bincount(query, row) for row in products], axis=1).astype(np.float64)

    def correlations(summed: FloatArray) -> FloatArray:
        moment = summed.reshape(-1, size + 1, size + 1) / summed[:, :1, np.newaxis]
        covariance = moment[:, 1:, 1:] - moment[:, 1:, :1] * moment[:, :1, 1:]
        spread = np.sqrt(np.diagonal(covariance, axis1=1, axis2=2))
        return ratio(covariance, spread[:, :, np.newaxis] * spread[:, np.newaxis])

    def worth(summed: FloatArray) -> FloatArray:
        return np.asarray(size**2 / correlations(summed).sum(axis=(1, 2)))

    whole = moments.sum(axis=0)[np.newaxis]
    alike = (correlations(whole).sum() - size) / (size * (size - 1))
    return Independence(
        float(worth(whole)[0]), *bootstrap_interval(moments, worth, rng=np.random.default_rng(seed)), float(alike)
    )


def panels(pairs: GradedPairs, costs: Mapping[str, float], *, rel: float, seed: int) -> pl.DataFrame:
    """The best panels for their price, dearer ones only if they are better: a row of `separation` each, with `cost`.

    A panel's score is the mean of its judges' grades. `costs` are by judge; without those of all, a judge costs 1.
    """
    priced = costs if all(name in costs for name in pairs.judges) else dict.fromkeys(pairs.judges, 1.0)
    tried = [panel for size in range(1, len(priced) + 1) for panel in combinations(pairs.judges, size)]
    scores = {" + ".join(panel): np.mean([pairs.judges[name] for name in panel], axis=0) for panel in tried}
    frame = separation(pairs, scores, rel=rel, seed=seed)
    frame = frame.with_columns(cost=pl.Series([sum(priced[name] for name in panel) for panel in tried]))
    frame = frame.sort("cost", "auc", descending=[False, True], maintain_order=True)
    return frame.filter(pl.col("auc") > pl.col("auc").cum_max().shift(1, fill_value=-1.0))


def _fit(pairs: GradedPairs, grades: FloatArray, rel: float, seed: int) -> FloatArray | None:
    """Return chances by queries that took no part in the fit; None for too few queries with labels."""
    judged = np.unique(pairs.query[pairs.labelled])
    if len(judged) < FEWEST:
        return None
    columns = [(grade >= level).astype(np.float64) for grade in grades for level in np.unique(grade)[1:][:12]]
    x = np.column_stack([np.ones(grades.shape[1]), *columns])
    y = np.where(pairs.labelled, pairs.people >= rel, 0.0)
    fold = np.random.default_rng(seed).permutation(len(pairs.queries)) % min(FOLDS, len(judged))
    logits = np.zeros(len(x))
    for number in np.unique(fold):
        out = fold[pairs.query] == number
        used = ~out & pairs.labelled
        logits[out] = x[out] @ _logistic(x[used], y[used], pairs.weights[used])
    return np.asarray(1.0 / (1.0 + np.exp(-logits)))


def _logistic(x: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the coefficients of a ridge regression of logits, by Newton's steps."""
    beta, ridge = np.zeros(x.shape[1]), np.full(x.shape[1], RIDGE)
    ridge[0] = 1e-3
    for _ in range(30):
        p = 1.0 / (1.0 + np.exp(-np.clip(x @ beta, -30, 30)))
        slope = x.T @ (weights * (y - p)) - ridge * beta
        curve = (x * (weights * p * (1 - p))[:, np.newaxis]).T @ x + np.diag(ridge)
        step = np.linalg.solve(curve, slope)
        beta = beta + np.clip(step, -2, 2)
        if np.abs(step).max() < 1e-8:
            break
    return np.asarray(beta, dtype=np.float64)
