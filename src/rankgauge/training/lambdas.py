"""Lambdas: the gradient that LambdaMART follows, for any measure under any dialect.

Burges, From RankNet to LambdaRank to LambdaMART, MSR-TR-2010-82: each pair of documents pulls its better one up and
the other down with the slope of the logistic loss, times what their swap would change. The better one is the one that
gives the larger value when it comes first.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankgauge.measures import Measure
from rankgauge.measures.forms import Form, Shape
from rankgauge.numeric import BoolArray, FloatArray, IndexArray
from rankgauge.ranking import RankedLists
from rankgauge.ranking.arrays import pad_groups
from rankgauge.ranking.rules import graded
from rankgauge.training.objective import Discounted, Divisor, Objective, taken_apart, weights_of

SWAPPED = 1 << 20
"""How many grades of swapped lists are scored together."""


class Swaps(ABC):
    """What swaps change, for lists of grades in the order of their scores, padded with NaN."""

    @abstractmethod
    def gains(self, grades: FloatArray, tops: int, rng: np.random.Generator) -> FloatArray:
        """How much the value grows when the documents at two places are swapped (lists × tops × places).

        The first place is among the first `tops`, the second is behind it; elsewhere, and on padding, it is 0.
        """


def swaps_of(objective: Objective, most: int) -> Swaps:
    """The swaps of an objective; without a closed form, `most` of each list are tried."""
    if isinstance(objective, Discounted):  # what the sum is divided by is up to the objective
        return Linear(form=objective.form)
    form, divisor = taken_apart(objective.kernel)
    if form is not None and form.shape in _CLOSED:
        return _CLOSED[form.shape](form=form, divisor=divisor)
    return Rescored(kernel=objective.kernel, most=most)


@dataclass(frozen=True, kw_only=True)
class _Closed(Swaps):
    """The swaps of a form, in closed form."""

    form: Form
    divisor: Divisor | None = None

    def gains(self, grades: FloatArray, tops: int, rng: np.random.Generator) -> FloatArray:
        lists = _lists(grades, grades if self.divisor is None else -np.sort(-grades, axis=1))
        weight = weights_of(self.form, np.arange(1.0, grades.shape[1] + 1))
        found = self._gains(self.form.worth(lists), weight, tops) * _behind(grades, tops)
        divisor = None if self.divisor is None else self.divisor(lists)
        if divisor is None:
            return np.asarray(found)
        return np.asarray(found / np.where(divisor > 0, divisor, np.inf)[:, np.newaxis, np.newaxis])

    @abstractmethod
    def _gains(self, worth: FloatArray, weight: FloatArray, tops: int) -> FloatArray:
        """The gains from the worth of each document and the weight of each place, 0 past the cutoff."""


class Linear(_Closed):
    """Σ w_r u_r: the difference of worths times that of weights."""

    def _gains(self, worth: FloatArray, weight: FloatArray, tops: int) -> FloatArray:
        return (worth[:, np.newaxis] - worth[:, :tops, np.newaxis]) * (weight[:tops, np.newaxis] - weight)


class Cascading(_Closed):
    """Σ w_r p_r Π (1 − p before): for a swap of i and j, R_i (p_j − p_i) (w_i − M_ij − E_ij w_j).

    R_i is the chance to reach i, E_ij the chance to pass everything between i and j, and M_ij what that adds.
    """

    def _gains(self, worth: FloatArray, weight: FloatArray, tops: int) -> FloatArray:
        reached = _before(np.cumprod(1.0 - worth, axis=1, dtype=np.float64), 1.0)
        found = np.zeros((len(worth), tops, worth.shape[1]))
        for i in range(tops):
            later = worth[:, i + 1 :]
            passed = _before(np.cumprod(1.0 - later, axis=1, dtype=np.float64), 1.0)
            between = _before(np.cumsum(weight[i + 1 :] * later * passed, axis=1), 0.0)
            moved = weight[i] - between - passed * weight[i + 1 :]
            found[:, i, i + 1 :] = reached[:, i, np.newaxis] * (later - worth[:, i, np.newaxis]) * moved
        return found


class Precisions(_Closed):
    """Σ relevant_r C_r / r: a swap moves one precision, and adds or removes 1 / r at each relevant rank between."""

    def _gains(self, worth: FloatArray, weight: FloatArray, tops: int) -> FloatArray:
        counted, shared = np.cumsum(worth, axis=1), np.cumsum(worth * weight, axis=1)
        upper = (_before(counted, 0.0) + 1.0) * weight - shared
        lower = _before(shared, 0.0) - counted * weight
        pairs = upper[:, :tops, np.newaxis] + lower[:, np.newaxis]
        pairs *= worth[:, np.newaxis] - worth[:, :tops, np.newaxis]
        return np.asarray(pairs)


_CLOSED: Mapping[Shape, type[_Closed]] = {Shape.LINEAR: Linear, Shape.CASCADE: Cascading, Shape.PRECISION: Precisions}


@dataclass(frozen=True, kw_only=True)
class Rescored(Swaps):
    """Any measure: the swapped lists are scored.

    Behind the first `tops` only the grade matters, so one document represents all of its grade. If more than `most`
    swaps of a list remain, that many are drawn at random and weighted up.
    """

    kernel: Measure
    most: int

    def gains(self, grades: FloatArray, tops: int, rng: np.random.Generator) -> FloatArray:
        whole = self.kernel.depth != tops
        alike = np.broadcast_to(np.arange(grades.shape[1]), grades.shape) if whole else _alike(grades, tops)
        differ = (grades[:, np.newaxis] != grades[:, :tops, np.newaxis]) & _behind(grades, tops)
        tried = differ & (alike == np.arange(grades.shape[1]))[:, np.newaxis]
        found, scale = np.zeros(differ.shape), self._thin(tried, rng)
        at = np.nonzero(tried)
        found[at] = self._change(grades, *at) * scale[at[0]]
        copied = np.broadcast_to(alike[:, np.newaxis], differ.shape)
        return np.asarray(np.take_along_axis(found, copied, axis=2) * differ)

    def _thin(self, tried: BoolArray, rng: np.random.Generator) -> FloatArray:
        """Keeps at most `most` swaps of each list; gives the weight of each list's swaps."""
        counts = tried.sum(axis=(1, 2))
        for row in np.flatnonzero(counts > self.most).tolist():
            places = np.flatnonzero(tried[row])
            left_out = rng.permutation(places)[self.most :]
            tried[row].reshape(-1)[left_out] = False
        return np.asarray(np.maximum(counts / self.most, 1.0))

    def _change(self, grades: FloatArray, row: IndexArray, i: IndexArray, j: IndexArray) -> FloatArray:
        ideal = -np.sort(-grades, axis=1)
        before = self.kernel.score(_lists(grades, ideal))
        found = np.zeros(len(row))
        step = max(SWAPPED // grades.shape[1], 1)
        for start in range(0, len(row), step):
            some = slice(start, start + step)
            swapped, line = grades[row[some]], np.arange(len(row[some]))
            swapped[line, i[some]], swapped[line, j[some]] = grades[row[some], j[some]], grades[row[some], i[some]]
            found[some] = self.kernel.score(_lists(swapped, ideal[row[some]])) - before[row[some]]
        return np.nan_to_num(found, nan=0.0)


def _lists(grades: FloatArray, ideal: FloatArray) -> RankedLists:
    listed = ~np.isnan(grades)
    ranks = np.where(listed, np.arange(1.0, grades.shape[1] + 1), np.nan)
    return RankedLists(ranks=ranks, grades=grades, ideal=ideal, retrieved=listed.sum(axis=1).astype(np.float64))


def _behind(grades: FloatArray, tops: int) -> BoolArray:
    """Where the second place is behind the first, and both hold a document."""
    place = np.arange(grades.shape[1])
    return np.asarray((place > place[:tops, np.newaxis]) & ~np.isnan(grades)[:, np.newaxis])


def _before(sums: FloatArray, first: float) -> FloatArray:
    """Sums or products of everything before each place."""
    return np.concatenate([np.full((len(sums), 1), first), sums[:, :-1]], axis=1)[:, : sums.shape[1]]


def _alike(grades: FloatArray, tops: int) -> IndexArray:
    """For each place the first one behind the tops with the same grade; for tops and padding, the place itself."""
    alike = np.broadcast_to(np.arange(grades.shape[1]), grades.shape).copy()
    for grade in np.unique(grades[:, tops:][~np.isnan(grades[:, tops:])]):
        same = grades == grade
        same[:, :tops] = False
        alike = np.where(same, same.argmax(axis=1)[:, np.newaxis], alike)
    return alike


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
            slope, curve = _pull(np.where(lists.listed, padded, 0.0), gains)
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


def _pull(scores: FloatArray, gains: FloatArray) -> tuple[FloatArray, FloatArray]:
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
