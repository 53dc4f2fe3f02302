"""How large a difference is, whatever its p-value: standardised, and counted."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankgauge.numeric import FloatArray, IndexArray

__all__ = ["Outcomes", "cohen_dz", "outcomes"]


class Outcomes(NamedTuple):
    """How many queries were won, tied and lost by the first run."""

    wins: IndexArray
    ties: IndexArray
    losses: IndexArray


def cohen_dz(differences: npt.ArrayLike) -> FloatArray:
    """The mean difference over the standard deviation of the differences.

    NaN for fewer than two queries, 0 where no difference is other than 0, ±∞ where all are the same. Cohen, Statistical
    power analysis for the behavioral sciences, 1988.
    """
    values = np.asarray(differences, dtype=np.float64)
    known = ~np.isnan(values)
    n = known.sum(axis=0)
    mean = np.where(known, values, 0.0).sum(axis=0) / np.maximum(n, 1)
    squares = (np.where(known, values - mean, 0.0) ** 2).sum(axis=0)
    spread = np.sqrt(squares / np.maximum(n - 1, 1))
    flat = spread <= 1e-14 * np.abs(mean)
    effect = mean / np.where(flat, 1.0, spread)
    constant = np.where(mean == 0, 0.0, np.copysign(np.inf, mean))
    return np.asarray(np.where(n < 2, np.nan, np.where(flat, constant, effect))[()])


def outcomes(differences: npt.ArrayLike) -> Outcomes:
    """Wins, ties and losses; a query without a pair is none of them."""
    values = np.asarray(differences, dtype=np.float64)
    return Outcomes(*(np.asarray(side.sum(axis=0)) for side in (values > 0, values == 0, values < 0)))
