"""Lambdas: the gradient that LambdaMART follows, for any measure under any dialect.

Burges, From RankNet to LambdaRank to LambdaMART, MSR-TR-2010-82: each pair of documents pulls its better one up and
the other down with the slope of the logistic loss, times what their swap would change. The better one is the one that
gives the larger value when it comes first.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankgauge.numeric import BoolArray, FloatArray, IndexArray
from rankgauge.ranking.arrays import pad_groups
from rankgauge.ranking.rules import graded
from rankgauge.training.objective import Discounted, Objective
from rankgauge.training.swaps import swaps_of

CELLS = 1 << 18
"""How many pairs are computed together: few enough for the cache."""


@dataclass(frozen=True, kw_only=True, eq=False)
class _Lists:
    """Lists of similar length: their documents and grades, padded with NaN."""

    documents: IndexArray
    grades: FloatArray
    norms: FloatArray
    """What the value of each list is divided by."""

    @cached_property
    def listed(self) -> BoolArray:
        """Where there is a document."""
        return ~np.isnan(self.grades)


@dataclass(frozen=True, kw_only=True, eq=False)
class Lambdas:
    """The slope and the curvature of the objective by each document's score."""

    objective: Objective
    tops: int
    """One document of each pair is among the first `tops`."""
    most: int
    rng: np.random.Generator

    def __call__(self, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
        swaps = swaps_of(self.objective, self.most)
        slopes, curves = np.zeros(len(scores)), np.zeros(len(scores))
        for lists in self._lists:
            padded = np.where(lists.listed, scores[lists.documents], -np.inf)
            order = np.argsort(-padded, axis=1, kind="stable")
            documents, grades, padded = (
                np.take_along_axis(values, order, axis=1) for values in (lists.documents, lists.grades, padded)
            )
            tops = min(self.tops, padded.shape[1])
            gains = swaps.gains(grades, tops, self.rng) / lists.norms[:, np.newaxis, np.newaxis]
            slope, curve = _pulled(np.where(lists.listed, padded, 0.0), gains)
            slopes[documents[lists.listed]], curves[documents[lists.listed]] = slope[lists.listed], curve[lists.listed]
        return slopes, curves

    @cached_property
    def _lists(self) -> list[_Lists]:
        documents, dialect = self.objective.documents, self.objective.dialect
        grades = dialect.rescaled(documents.grades) if dialect.rescales else documents.grades
        norms = self.objective.ideal if isinstance(self.objective, Discounted) else np.ones(len(documents.sizes))
        number = np.arange(len(grades), dtype=np.float64)
        found = []
        for rows, (padded, numbers) in pad_groups(documents.sizes, graded(grades, dialect.negative), number):
            places = np.nan_to_num(numbers).astype(np.int64)
            step = max(CELLS // (padded.shape[1] * min(self.tops, padded.shape[1])), 1)
            for at in range(0, len(rows), step):
                some = slice(at, at + step)
                found.append(_Lists(documents=places[some], grades=padded[some], norms=norms[rows[some]]))
        return found


def _pulled(scores: FloatArray, gains: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The slopes and curvatures of lists in the order of their scores, from what swaps of their documents gain."""
    lists, tops, width = gains.shape
    # Most swaps are of documents with equal grades, and change nothing.
    pair = np.flatnonzero(gains)
    line, lower = pair // width, pair % width
    row = line // tops
    lower += row * width
    upper = line - row * tops + row * width
    gain, ahead = gains.ravel()[pair], scores.ravel()[upper] - scores.ravel()[lower]
    # If a swap gains, the upper document should be below: it is pulled down, and the lower one up.
    wrong = 0.5 + 0.5 * np.tanh(np.copysign(0.5, gain) * ahead)  # the logistic function, computed by a faster one
    force = gain * wrong
    bend = np.abs(force) * (1.0 - wrong)
    cells = lists * width
    slope, curve = (
        np.bincount(upper, amount, minlength=cells) + np.bincount(lower, sign * amount, minlength=cells)
        for amount, sign in ((force, -1.0), (bend, 1.0))
    )
    return np.asarray(slope, dtype=float).reshape(lists, width), np.asarray(curve, dtype=float).reshape(lists, width)
