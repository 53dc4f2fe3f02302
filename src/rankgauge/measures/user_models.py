"""User models that say how likely a user goes on after each rank: gain per document read (the C/W/L framework).

A user at rank i goes on with probability C(i). The share of the reading that rank i gets is then W(i) = Π C(j < i) /
Σ Π C, and a measure is Σ W(i) · gain(i). Moffat, Bailey, Scholer & Thomas, Incorporating user expectations and behavior
into the measurement of search effectiveness, TOIS 2017.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from rankgauge.constraints import real_number
from rankgauge.measures.measure import Facts, TieRule, parameter
from rankgauge.numeric import FloatArray
from rankgauge.ranking import RankedLists

reader_facts = partial(Facts, graded=True, ties=TieRule.SAMPLED)
"""The facts of a measure of a user who goes on from rank to rank."""

DEPTH = 1000
"""How deep users read at most, as in cwl_eval, its authors' tool."""

ROWS = 1000
"""How many lists are worked on at once."""

Continuation = Callable[[FloatArray, FloatArray, FloatArray], FloatArray]
"""The chance to go on: from ranks, the gain at each, and the gain of all up to it."""


ENDS: Mapping[str, Callable[[Any], dict[str, Any]]] = {
    "max_rel": lambda top: {"max_grade": top},
    "min_rel": lambda low: {"min_grade": low},
}
"""ir-measures' names of the ends of the scale."""


def lowest_grade() -> Any:
    """Return the parameter `min_grade`."""
    return parameter(default=0.0, words="the highest grade that gains nothing")


def wanted_gain() -> Any:
    """Return the parameter `T`."""
    words = "how much gain the user wants: 1 is one document of the top grade"
    return parameter(real_number(positive=True), default=1.0, words=words)


def gain_shares(lists: RankedLists, low: float, top: float) -> FloatArray:
    """Return the gain of each hit, from 0 for the lowest grade to 1 for the top of the scale."""
    return np.asarray(np.clip((np.where(lists.judged, lists.grades, low) - low) / max(top - low, 1e-300), 0.0, 1.0))


class ReadsOn:
    """A measure of a user who goes on from rank to rank: `goes_on` says how likely."""

    shorthands = ENDS
    min_grade: float
    max_grade: float

    def values(self, lists: RankedLists) -> FloatArray:
        """Return the gain per document, down to the cutoff where there is one."""
        gain = gain_shares(lists, self.min_grade, self.max_grade)
        return gain_per_document(lists, gain, self.goes_on, getattr(self, "cutoff", DEPTH))

    def goes_on(self, ranks: FloatArray, gain: FloatArray, gained: FloatArray) -> FloatArray:
        """Return the chance to go on: from ranks, the gain at each, and the gain of all up to it."""
        raise NotImplementedError


def gain_per_document(lists: RankedLists, gain: FloatArray, goes_on: Continuation, depth: float = DEPTH) -> FloatArray:
    """Return the expected gain of each document that a user reads, who stops at the depth at the latest."""
    shape, width = lists.ranks.shape[:-1], lists.ranks.shape[-1]
    rows = math.prod(shape)
    ranks, worth = lists.ranks.reshape(rows, width), gain.reshape(rows, width)
    parts = [
        _gain_per_document(ranks[start : start + ROWS], worth[start : start + ROWS], goes_on, int(depth))
        for start in range(0, rows, ROWS)
    ]
    return np.concatenate(parts).reshape(shape) if parts else np.zeros(shape)


def _gain_per_document(ranks: FloatArray, worth: FloatArray, goes_on: Continuation, depth: int) -> FloatArray:
    dense = np.zeros((len(ranks), depth))
    row, column = np.nonzero(ranks <= depth)
    dense[row, ranks[row, column].astype(np.intp) - 1] = worth[row, column]
    chance = goes_on(np.arange(1.0, depth + 1), dense, np.cumsum(dense, axis=-1))
    reached = np.cumprod(np.concatenate([np.ones((len(ranks), 1)), chance[:, :-1]], axis=-1), axis=-1)
    return np.asarray((reached * dense).sum(axis=-1) / reached.sum(axis=-1))
