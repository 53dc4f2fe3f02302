"""Means over the queries of several folds, with their standard errors."""

from __future__ import annotations

import numpy as np

from rankgauge.experiments.claims import Number
from rankgauge.numeric import FloatArray, IndexArray

__all__ = ["folded", "folded_number"]


def folded(values: FloatArray, fold: IndexArray) -> tuple[FloatArray, FloatArray]:
    """The mean over folds of the mean over a fold's queries (the last axis), and its standard error.

    Queries without a value (NaN) are left out. The folds' standard errors are those of their queries' values, added in
    quadrature. Of differences between two rankers on the same queries they are paired errors.
    """
    means, errors = [], []
    for number in np.unique(fold):
        part = values[..., fold == number]
        n = (~np.isnan(part)).sum(axis=-1)
        means.append(np.nanmean(part, axis=-1))
        errors.append(np.nanstd(part, axis=-1, ddof=1) / np.sqrt(n))
    return np.mean(means, axis=0), np.sqrt((np.array(errors) ** 2).sum(axis=0)) / len(errors)


def folded_number(values: FloatArray, fold: IndexArray) -> Number:
    """The same as a number: of one value per query."""
    mean, error = folded(values, fold)
    return Number(value=float(mean), error=float(error))
