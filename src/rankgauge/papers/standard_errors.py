"""Means with their standard errors: over the queries of several folds, and by the jackknife over trials."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rankgauge.numeric import FloatArray, IndexArray
from rankgauge.papers.claims import Number


def fold_means(values: FloatArray, fold: IndexArray) -> tuple[FloatArray, FloatArray]:
    """The mean over folds of each fold's mean over its queries (the last axis), and its standard error.

    Queries without a value (NaN) are left out. Each fold has the standard error of its queries' mean; the folds' errors
    are added in quadrature. For differences between two rankers on the same queries these are paired errors.
    """
    means, errors = [], []
    for number in np.unique(fold):
        part = values[..., fold == number]
        n = (~np.isnan(part)).sum(axis=-1)
        means.append(np.nanmean(part, axis=-1))
        errors.append(np.nanstd(part, axis=-1, ddof=1) / np.sqrt(n))
    return np.mean(means, axis=0), np.sqrt((np.array(errors) ** 2).sum(axis=0)) / len(errors)


def fold_number(values: FloatArray, fold: IndexArray) -> Number:
    """The same for one value per query, as a number."""
    mean, error = fold_means(values, fold)
    return Number(value=float(mean), error=float(error))


def jackknife(values: FloatArray, statistic: Callable[[FloatArray], FloatArray]) -> Number:
    """A statistic of the means over trials (the last axis), with its jackknife standard error.

    The statistic takes means with one more axis at the end and works on the axes before it. For the mean itself the
    error is the usual s/√n. Efron & Tibshirani, An Introduction to the Bootstrap, 1993, chapter 11.
    """
    n = values.shape[-1]
    added = values.sum(axis=-1, keepdims=True)
    whole = statistic(added / n)
    without = statistic((added - values) / (n - 1))
    error = np.sqrt((n - 1) / n * ((without - without.mean()) ** 2).sum())
    return Number(value=float(whole[0]), error=float(error))
