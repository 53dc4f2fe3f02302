"""Recall levels: how many relevant documents a level needs, and the precision that is left there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

import numpy as np

from rankgauge.measures.parts import cumulated_precision
from rankgauge.numeric import BoolArray, FloatArray
from rankgauge.ranking import RankedLists

__all__ = ["ROUNDINGS", "interpolated_precision", "reached"]


def _ceiling(level: float, R: FloatArray) -> FloatArray:
    """The least whole number from level · R on, of the level as it is written: 0.7 · 10 is 7, not a bit more."""
    written = Fraction(str(float(level)))
    return np.asarray(-(-R.astype(np.int64) * written.numerator // written.denominator), dtype=np.float64)


ROUNDINGS: Mapping[str, Callable[[float, FloatArray], FloatArray]] = {
    "ceiling": _ceiling,
    "trec_eval": lambda level, R: np.floor(level * R + 0.9),  # up to 9.0: the ceiling, for whole tenths
    "nearest": lambda level, R: np.floor(level * R + 0.5),  # trec_eval 10: lround
}
"""How many of R relevant documents a recall level needs, by name."""


def reached(lists: RankedLists, rel: float, needed: FloatArray) -> BoolArray:
    """Whether a list has as many relevant documents as needed."""
    return np.asarray(lists.relevant(rel).sum(axis=-1) >= needed)


def interpolated_precision(lists: RankedLists, rel: float, needed: FloatArray) -> FloatArray:
    """The greatest precision at any rank from that of the needed-th relevant document on; 0 where it is missing.

    Precision is greatest at relevant documents, so only these are looked at. `lists` are in strict order.
    """
    relevant = lists.relevant(rel)
    precision = cumulated_precision(lists, relevant.astype(float))
    enough = np.cumsum(relevant, axis=-1) >= needed[..., np.newaxis]
    return np.asarray(np.max(np.where(enough, precision, 0.0), axis=-1, initial=0.0))
