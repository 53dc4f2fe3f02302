"""Several judges: beside each other, by their majority, their mean, and fitted to people's labels."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

from rankgauge.audit.judge.agreement import FEWEST, percentiles
from rankgauge.audit.judge.pairs import GradedPairs
from rankgauge.numeric import BoolArray, FloatArray, IndexArray

FOLDS = 10
RIDGE = 1.0
RESAMPLES = 500

MAJORITY, MEAN, FITTED = "majority", "mean", "fitted"


def combined(pairs: GradedPairs, *, rel: float, seed: int) -> dict[str, FloatArray]:
    """The combinations of all judges, as grades of every pair.

    The majority is the median grade, the lower one of two. `fitted` is the chance that people find the pair relevant,
    by a logistic regression on the steps of all judges; no query takes part in the fit of its own chances.
    """
    grades = np.stack(list(pairs.judges.values()))
    found = {
        MAJORITY: np.sort(grades, axis=0)[(len(grades) - 1) // 2],
        MEAN: grades.mean(axis=0),
    }
    fitted = _fit(pairs, grades, rel, seed)
    return found if fitted is None else found | {FITTED: fitted}


def separation(pairs: GradedPairs, scores: Mapping[str, FloatArray], *, rel: float, seed: int) -> pl.DataFrame:
    """A row per judge or combination: name, auc, low, high, and how far its AUC is from the best single judge's."""
    labelled = np.flatnonzero(pairs.labelled)
    relevant = pairs.people[labelled] >= rel
    weights, query = pairs.weights[labelled], np.unique(pairs.query[labelled], return_inverse=True)[1]
    queries = int(query.max(initial=0)) + 1
    rng = np.random.default_rng(seed)
    times = rng.multinomial(queries, np.full(queries, 1 / queries), size=RESAMPLES).astype(np.float64)
    weighed = {name: _Separation(score[labelled], relevant, weights, query) for name, score in scores.items()}
    values = {name: float(one(np.ones((1, queries)))[0]) for name, one in weighed.items()}
    drawn = {name: one(times) for name, one in weighed.items()}
    best = max(pairs.judges, key=lambda name: np.nan_to_num(values[name], nan=-1.0))
    rows = []
    for name in scores:
        low, high = percentiles(drawn[name], queries)
        apart = (np.nan, np.nan) if name == best else percentiles(drawn[name] - drawn[best], queries)
        rows.append(
            {
                "judge": name,
                "auc": values[name],
                "low": low,
                "high": high,
                "best": name == best,
                "difference": values[name] - values[best],
                "difference_low": apart[0],
                "difference_high": apart[1],
            }
        )
    return pl.DataFrame(rows)


class _Separation:
    """The AUC of a score for any weights of the queries: sorted once."""

    def __init__(self, score: FloatArray, relevant: BoolArray, weights: FloatArray, query: IndexArray) -> None:
        _, level = np.unique(score, return_inverse=True)
        cells = query * (int(level.max(initial=0)) + 1) + level
        size = (int(query.max(initial=0)) + 1, int(level.max(initial=0)) + 1)
        self.good, self.bad = (
            np.bincount(cells, weights * mask, minlength=size[0] * size[1]).reshape(size)
            for mask in (relevant, ~relevant)
        )

    def __call__(self, times: FloatArray) -> FloatArray:
        good, bad = times @ self.good, times @ self.bad
        below = np.cumsum(bad, axis=1) - bad / 2
        pairs = good.sum(axis=1) * bad.sum(axis=1)
        return np.where(pairs > 0, (good * below).sum(axis=1) / np.where(pairs > 0, pairs, 1.0), np.nan)


def _fit(pairs: GradedPairs, grades: FloatArray, rel: float, seed: int) -> FloatArray | None:
    """Chances by queries that took no part in the fit; None for too few queries with labels."""
    judged = np.unique(pairs.query[pairs.labelled])
    if len(judged) < FEWEST:
        return None
    columns = [(grade >= level).astype(np.float64) for grade in grades for level in np.unique(grade)[1:][:12]]
    x = np.column_stack([np.ones(grades.shape[1]), *columns])
    y = np.where(pairs.labelled, pairs.people >= rel, 0.0)
    fold = np.random.default_rng(seed).permutation(len(pairs.queries)) % min(FOLDS, len(judged))
    found = np.zeros(len(x))
    for number in np.unique(fold):
        out = fold[pairs.query] == number
        used = ~out & pairs.labelled
        found[out] = x[out] @ _logistic(x[used], y[used], pairs.weights[used])
    return np.asarray(1.0 / (1.0 + np.exp(-found)))


def _logistic(x: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    """The coefficients of a ridge regression of logits, by Newton's steps."""
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
