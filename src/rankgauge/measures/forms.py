"""The form of a measure: how worths of grades and weights of ranks make its value.

Closed forms of moments, line searches and lambdas follow from it. A measure whose value depends on anything else has
no form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum

import numpy as np

from rankgauge.numeric import BoolArray, FloatArray, IndexArray
from rankgauge.ranking import RankedLists
from rankgauge.ranking.lists import Weight, group_edges
from rankgauge.records import entity, record


def cumulated_precision(lists: RankedLists, relevant: FloatArray, cutoff: float | None = None) -> FloatArray:
    """Return the precision at each relevant hit's rank, 0 elsewhere.

    Where documents are tied, the mean over their orders (McSherry & Najork 2008): a relevant document of a group that
    begins at rank a with m documents, r of them relevant, is at each of the m ranks equally often, and before it
    in the group (r − 1)/(m − 1) of the places hold relevant documents.
    """
    before, within = lists.earlier(relevant)
    ranks = np.where(lists.hits, lists.ranks, 1.0)
    inside = lists.ranks <= (np.inf if cutoff is None else cutoff)
    strict = np.where(inside, lists.round_quotients(relevant * (before + 1.0) / ranks), 0.0)
    if lists.first is None or lists.size is None:
        return strict
    inverse = lists.weigh(lambda r: 1.0 / r, cutoff)
    places = lists.weigh(np.ones_like, cutoff) - np.where(lists.hits, lists.first, 0.0) * inverse
    mates = (within - 1.0) / np.maximum(np.where(lists.hits, lists.size, 1.0) - 1.0, 1.0)
    return np.where(lists.size > 1, relevant * ((before + 1.0) * inverse + mates * places), strict)


@entity
class Levels:
    """The distinct positive grades of each query's judged documents, from the highest down (queries × levels).

    `step` is a grade's distance from the next lower one in use (from 0 for the lowest), `reached` how many judged
    documents have at least that grade. Queries with fewer levels are padded with steps of 0.
    """

    grade: FloatArray
    step: FloatArray
    reached: FloatArray

    @classmethod
    def of(cls, lists: RankedLists) -> Levels:
        """Return the levels of each query of a block."""
        grade = np.where(lists.ideal > 0, lists.ideal, 0.0)
        step = -np.diff(grade, append=0.0)
        reached = np.broadcast_to(np.arange(1.0, grade.shape[-1] + 1), grade.shape)
        # The last document of each level is the one with a step below it.
        most = int(np.max((step > 0).sum(axis=-1), initial=0))
        order = np.argsort(step <= 0, axis=-1, kind="stable")[..., :most]
        return cls(
            **{
                name: np.take_along_axis(values, order, axis=-1)
                for name, values in (("grade", grade), ("step", step), ("reached", reached))
            }
        )

    def precision(self, lists: RankedLists, weights: FloatArray, cutoff: float | None = None) -> FloatArray:
        """Return what each hit adds to the sum over the levels of weight · precision at hits that reach the level."""
        added = np.zeros(lists.grades.shape)
        for level in range(self.grade.shape[-1]):
            relevant = lists.grades >= self.grade[..., level, np.newaxis]
            added += weights[..., level, np.newaxis] * cumulated_precision(lists, relevant.astype(float), cutoff)
        return added


class Shape(Enum):
    """How worths and weights make a value."""

    LINEAR = "linear"  # Σ weight(rank) · worth
    CASCADE = "cascade"  # Σ weight(rank) · worth · Π (1 − worth of those before)
    PRECISION = "precision"  # Σ worth · precision at the rank; worths are 0 or 1, weight(rank) is 1 / rank
    OTHER = "other"  # anything else


@record
class Form:
    """A measure taken apart: the worth of each hit by its grade, the weight of a rank, and the last rank that counts.

    In a cascade the worth is the chance that a user stops.
    """

    shape: Shape
    worth: Callable[[RankedLists], FloatArray]
    weight: Weight
    cutoff: float | None = None

    def contributions(self, lists: RankedLists) -> FloatArray:
        """Return what each hit adds to the value; where documents are tied, the mean over their orders."""
        lists = lists.top(self.cutoff)
        worth = self.worth(lists)
        match self.shape:
            case Shape.CASCADE:
                return cascade(lists, worth, self.weight, self.cutoff)
            case Shape.PRECISION:
                return cumulated_precision(lists, worth, self.cutoff)
        return worth * lists.weigh(self.weight, self.cutoff)


def cascade(lists: RankedLists, stop: FloatArray, weight: Weight, cutoff: float | None = None) -> FloatArray:
    """Return what each hit adds to Σ weight(rank) · stop · Π (1 − stop of those before).

    Where documents are tied, the mean over their orders: which places of the group the h documents take that can stop
    a user, and in which order, are independent. So the group adds Σ_j (A_{j−1} − A_j) · W_j, with
    A_j the mean of Π(1 − stop) over the subsets of j of the h, and W_j the mean weight of the j-th place taken. The
    group's sum is shared among its hits in proportion to their stop probabilities.
    """
    passed = np.cumprod(1.0 - stop, axis=-1)
    reached = np.concatenate([np.ones((*stop.shape[:-1], 1)), passed[..., :-1]], axis=-1)
    strict: FloatArray = stop * reached * lists.weigh(weight, cutoff)
    if lists.first is None or lists.size is None:
        return strict
    added = np.where(lists.size > 1, 0.0, strict)
    limit = np.inf if cutoff is None else cutoff
    for group in _cells_by_group(lists.first, (stop > 0) & (lists.size > 1)):
        lead = tuple(axis[:, 0] for axis in group)
        shapes, which = np.unique([lists.first[lead], lists.size[lead]], axis=1, return_inverse=True)
        worth = _worth_of_places(shapes[0], shapes[1], stop[group].shape[-1], weight, limit)
        share = reached[lead] * (-np.diff(chance_to_pass(stop[group])) * worth[which]).sum(axis=-1)
        added[group] = stop[group] * (share / stop[group].sum(axis=-1))[:, np.newaxis]
    return added


def _cells_by_group(first: FloatArray, wanted: BoolArray) -> Iterator[tuple[IndexArray, ...]]:
    """Yield where the wanted cells of each tie group are (groups × cells); groups with as many cells come together."""
    start, _ = group_edges(first)
    cells = np.nonzero(wanted)
    # A group is known by its list and its first column; its cells follow one another.
    opens = np.any([np.diff(axis, prepend=-1) for axis in (*cells[:-1], start[cells])], axis=0)
    starts = np.flatnonzero(opens)
    counts = np.diff(starts, append=len(opens))
    for h in sorted(set(counts.tolist())):  # `np.unique` would import masked arrays
        yield tuple(axis[starts[counts == h, np.newaxis] + np.arange(h)] for axis in cells)


def chance_to_pass(stop: FloatArray) -> FloatArray:
    """Return for each group of h documents the mean of Π(1 − stop) over its subsets of j documents, j = 0..h."""
    h = stop.shape[-1]
    mean = np.zeros((len(stop), h + 1))
    mean[:, 0] = 1.0
    for n in range(1, h + 1):
        j = np.arange(1, n + 1)
        passing = (1.0 - stop[:, n - 1, np.newaxis]) * mean[:, :n]
        mean[:, 1 : n + 1] = ((n - j) * mean[:, 1 : n + 1] + j * passing) / n
    return mean


def _worth_of_places(first: FloatArray, size: FloatArray, h: int, weight: Weight, limit: float) -> FloatArray:
    """Return the mean weight of the 1st, 2nd, … h-th place taken, where h documents take random places of each group.

    Place by place: `taken[j]` is the chance that j of the h come before it.
    """
    j = np.arange(h)
    worth, taken = np.zeros((len(first), h)), np.zeros((len(first), h))
    taken[:, 0] = 1.0
    for place in range(int(np.max(np.minimum(size, limit - first + 1), initial=0))):
        rank = first + place
        inside = (place < size) & (rank <= limit)
        next_ = taken * (h - j) / np.maximum(size - place, 1.0)[:, np.newaxis]
        worth += np.where(inside, weight(rank), 0.0)[:, np.newaxis] * next_
        taken -= next_
        taken[:, 1:] += next_[:, :-1]
    return worth
