"""Cohen's kappa: how far two assessors agree above chance, where chance knows each one's habits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np

from rankgauge.numeric import FloatArray, ratio

__all__ = ["WEIGHTS", "cohen"]

Weights: TypeAlias = Callable[[FloatArray], FloatArray]
"""How bad it is to give one grade in place of another, from the difference of their numbers."""

WEIGHTS: Mapping[str, Weights] = {
    "kappa": lambda apart: (apart != 0).astype(np.float64),
    "kappa_linear": np.abs,
    "kappa_quadratic": np.square,
}
"""Weights of disagreement, by the column that they fill."""


def cohen(confusion: FloatArray, grades: FloatArray, weights: str = "kappa") -> FloatArray:
    """1 − Σ w o / Σ w e: the weighed disagreement against that of two assessors with the same habits who guess.

    `confusion` (… × levels × levels) counts the items by the two grades. Weights follow the grades' own numbers, so a
    level that nobody used changes nothing. Cohen, Educational and Psychological Measurement 1960; weighted,
    Psychological Bulletin 1968.
    """
    apart = WEIGHTS[weights](grades[:, np.newaxis] - grades)
    items = confusion.sum(axis=(-2, -1))
    rows, columns = confusion.sum(axis=-1), confusion.sum(axis=-2)
    guessed = rows[..., :, np.newaxis] * columns[..., np.newaxis, :]
    return 1.0 - ratio((confusion * apart).sum(axis=(-2, -1)) * items, (guessed * apart).sum(axis=(-2, -1)))
