"""Several judges: beside each other, combined, how many independent ones they are worth, and the best for a price."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import NamedTuple

import numpy as np
import polars as pl

from rankgauge.audit.judge.agreement import FEWEST, auc, bootstrap_interval, count_scores, percentiles, resampled_values
from rankgauge.audit.judge.pairs import GradedPairs
from rankgauge.numeric import FloatArray, ratio

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
    values = {name: float(auc(one.sum(axis=0))) for name, one in counts.items()}
    drawn = {name: resampled_values(one, auc, rng=np.random.default_rng(seed)) for name, one in counts.items()}
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
    """Chances by queries that took no part in the fit; None for too few queries with labels."""
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
