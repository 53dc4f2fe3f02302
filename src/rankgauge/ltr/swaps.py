"""Swaps: what a query's value gains where two documents change places; what LambdaMART weighs pairs by.

Where a value is made of worths of grades and weights of ranks, or of precisions, the gain has a closed form; for any
other measure the swapped lists go through its own kernel.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from rankgauge.ltr.objective import Discounted, Objective
from rankgauge.measures import Measure
from rankgauge.measures.binary.ap import AP
from rankgauge.measures.forms import Form, Shape
from rankgauge.measures.measure import DEFAULTS
from rankgauge.numeric import BoolArray, FloatArray, IndexArray
from rankgauge.ranking import RankedLists

__all__ = ["Cascading", "Linear", "Precisions", "Rescored", "Swaps", "swaps_of"]

CELLS = 1 << 20
"""How many grades of swapped lists are looked at together."""


class Swaps(ABC):
    """What swaps change, for lists of grades in the order of their scores, filled up with NaN."""

    @abstractmethod
    def gains(self, grades: FloatArray, tops: int, rng: np.random.Generator) -> FloatArray:
        """By how much the value grows where the documents at two places change them (lists × tops × places).

        The first place is among the first `tops`, the second is behind it; elsewhere, and on padding, it is 0.
        """


def swaps_of(objective: Objective, most: int) -> Swaps:
    """The swaps of an objective; `most` of a list are tried where there is no closed form."""
    kernel = objective.dialect.read(objective.measure).bound(DEFAULTS)
    if isinstance(objective, Discounted):
        return Linear(form=objective.form)
    form = kernel.form()
    if form is not None and form.shape in _SHAPES:
        return _SHAPES[form.shape](form)
    if type(kernel) in _MEASURES:
        return _MEASURES[type(kernel)](kernel)
    return Rescored(kernel=kernel, most=most)


@dataclass(frozen=True, kw_only=True)
class Linear(Swaps):
    """Σ w_r u_r: the difference of worths times that of weights."""

    form: Form

    def gains(self, grades: FloatArray, tops: int, rng: np.random.Generator) -> FloatArray:
        worth, weight = _parts(self.form, grades)
        pairs = (worth[:, np.newaxis] - worth[:, :tops, np.newaxis]) * (weight[:tops, np.newaxis] - weight)
        return np.asarray(pairs * _behind(grades, tops))


@dataclass(frozen=True, kw_only=True)
class Cascading(Swaps):
    """Σ w_r p_r Π (1 − p before): for a swap of i and j, R_i (p_j − p_i) (w_i − M_ij − E_ij w_j).

    R_i is the chance to come as far as i, E_ij the chance to pass what stands between them, and M_ij what that adds.
    """

    form: Form

    def gains(self, grades: FloatArray, tops: int, rng: np.random.Generator) -> FloatArray:
        stop, weight = _parts(self.form, grades)
        reached = _before(_products(1.0 - stop), 1.0)
        found = np.zeros((len(stop), tops, stop.shape[1]))
        for i in range(tops):
            later = stop[:, i + 1 :]
            passed = _before(_products(1.0 - later), 1.0)
            between = _before(np.cumsum(weight[i + 1 :] * later * passed, axis=1), 0.0)
            moved = weight[i] - between - passed * weight[i + 1 :]
            found[:, i, i + 1 :] = reached[:, i, np.newaxis] * (later - stop[:, i, np.newaxis]) * moved
        return np.asarray(found * _behind(grades, tops))


@dataclass(frozen=True, kw_only=True)
class Precisions(Swaps):
    """Σ relevant_r C_r / r over R: a swap moves one precision, and adds or takes 1 / r at each between."""

    kernel: AP

    def gains(self, grades: FloatArray, tops: int, rng: np.random.Generator) -> FloatArray:
        assert self.kernel.rel is not None
        relevant = (grades >= self.kernel.rel).astype(np.float64)
        rank = np.arange(1.0, grades.shape[1] + 1)
        weight = (rank <= (self.kernel.cutoff or np.inf)) / rank
        counted, shared = np.cumsum(relevant, axis=1), np.cumsum(relevant * weight, axis=1)
        upper = (_before(counted, 0.0) + 1.0) * weight - shared
        lower = _before(shared, 0.0) - counted * weight
        pairs = upper[:, :tops, np.newaxis] + lower[:, np.newaxis]
        pairs *= relevant[:, np.newaxis] - relevant[:, :tops, np.newaxis]
        R = np.maximum(relevant.sum(axis=1), 1.0)
        return np.asarray(pairs / R[:, np.newaxis, np.newaxis] * _behind(grades, tops))


@dataclass(frozen=True, kw_only=True)
class Rescored(Swaps):
    """Any measure: the swapped lists are scored.

    Behind the first `tops` only the grade matters, so that one document stands for all of its grade. Where more than
    `most` swaps of a list are left, as many are drawn, and stand for the others.
    """

    kernel: Measure
    most: int

    def gains(self, grades: FloatArray, tops: int, rng: np.random.Generator) -> FloatArray:
        whole = self.kernel.depth != tops
        alike = np.broadcast_to(np.arange(grades.shape[1]), grades.shape) if whole else _alike(grades, tops)
        differ = (grades[:, np.newaxis] != grades[:, :tops, np.newaxis]) & _behind(grades, tops)
        tried = differ & (alike == np.arange(grades.shape[1]))[:, np.newaxis]
        found, scale = np.zeros(differ.shape), self._thinned(tried, rng)
        at = np.nonzero(tried)
        found[at] = self._changed(grades, *at) * scale[at[0]]
        copied = np.broadcast_to(alike[:, np.newaxis], differ.shape)
        return np.asarray(np.take_along_axis(found, copied, axis=2) * differ)

    def _thinned(self, tried: BoolArray, rng: np.random.Generator) -> FloatArray:
        """Keeps at most so many swaps of each list, and says what each of them stands for."""
        counts = tried.sum(axis=(1, 2))
        for row in np.flatnonzero(counts > self.most).tolist():
            places = np.flatnonzero(tried[row])
            left_out = rng.permutation(places)[self.most :]
            tried[row].reshape(-1)[left_out] = False
        return np.asarray(np.maximum(counts / self.most, 1.0))

    def _changed(self, grades: FloatArray, row: IndexArray, i: IndexArray, j: IndexArray) -> FloatArray:
        ideal = -np.sort(-grades, axis=1)
        before = self._values(grades, ideal)
        found = np.zeros(len(row))
        step = max(CELLS // grades.shape[1], 1)
        for start in range(0, len(row), step):
            some = slice(start, start + step)
            swapped, line = grades[row[some]], np.arange(len(row[some]))
            swapped[line, i[some]], swapped[line, j[some]] = grades[row[some], j[some]], grades[row[some], i[some]]
            found[some] = self._values(swapped, ideal[row[some]]) - before[row[some]]
        return np.nan_to_num(found, nan=0.0)

    def _values(self, grades: FloatArray, ideal: FloatArray) -> FloatArray:
        return self.kernel.score(_lists(grades, ideal))


def _lists(grades: FloatArray, ideal: FloatArray) -> RankedLists:
    listed = ~np.isnan(grades)
    ranks = np.where(listed, np.arange(1.0, grades.shape[1] + 1), np.nan)
    return RankedLists(ranks=ranks, grades=grades, ideal=ideal, retrieved=listed.sum(axis=1).astype(np.float64))


def _parts(form: Form, grades: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The worth of each document and the weight of each place, 0 past the cutoff."""
    worth = form.worth(_lists(grades, grades))
    rank = np.arange(1.0, grades.shape[1] + 1)
    limit = np.inf if form.cutoff is None else form.cutoff
    return worth, np.where(rank <= limit, form.weight(np.minimum(rank, limit)), 0.0)


def _behind(grades: FloatArray, tops: int) -> BoolArray:
    """Where the second place is behind the first, and both are taken."""
    place = np.arange(grades.shape[1])
    return np.asarray((place > place[:tops, np.newaxis]) & ~np.isnan(grades)[:, np.newaxis])


def _before(sums: FloatArray, first: float) -> FloatArray:
    """Sums or products of what stands before each place."""
    return np.concatenate([np.full((len(sums), 1), first), sums[:, :-1]], axis=1)[:, : sums.shape[1]]


def _products(factors: FloatArray) -> FloatArray:
    return np.asarray(np.cumprod(factors, axis=1), dtype=np.float64)


def _alike(grades: FloatArray, tops: int) -> IndexArray:
    """For each place the first behind the tops with the same grade; tops, and padding, stand for themselves."""
    alike = np.broadcast_to(np.arange(grades.shape[1]), grades.shape).copy()
    for grade in np.unique(grades[:, tops:][~np.isnan(grades[:, tops:])]):
        same = grades == grade
        same[:, :tops] = False
        alike = np.where(same, same.argmax(axis=1)[:, np.newaxis], alike)
    return alike


Made: TypeAlias = Callable[[Form], Swaps]

_SHAPES: Mapping[Shape, Made] = {
    Shape.LINEAR: lambda form: Linear(form=form),
    Shape.CASCADE: lambda form: Cascading(form=form),
}
_MEASURES: Mapping[type[Measure], Callable[[Measure], Swaps]] = {AP: lambda kernel: Precisions(kernel=kernel)}  # type: ignore[arg-type]
"""Measures that are no such sums, but whose swaps have a closed form all the same."""
