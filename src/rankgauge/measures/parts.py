"""The parts that measures are made of: gains, discounts, ratios, precisions at hits, stop models, cascades."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from rankgauge.errors import InputError, UnknownNameError
from rankgauge.numeric import BoolArray, FloatArray, IndexArray
from rankgauge.ranking import RankedLists
from rankgauge.ranking.lists import Weight, group_edges

__all__ = [
    "DISCOUNTS",
    "GAINS",
    "STOPS",
    "Levels",
    "cascade",
    "cumulated_precision",
    "discount",
    "discounted",
    "final",
    "gains",
    "ideal_gains",
    "stop_probability",
]


def _table(*values: float) -> Weight:
    """A gain table: grade → gain, 0 for grades past its end and for grades between."""

    def gain(grades: FloatArray) -> FloatArray:
        grown = np.zeros(grades.shape)
        for grade, value in enumerate(values):
            grown[grades == grade] = value
        return grown

    return gain


GAINS: Mapping[str, Weight] = {
    "linear": lambda grades: grades,
    "exp": lambda grades: np.exp2(grades) - 1.0,
    "yahoo": lambda grades: (np.exp2(grades) - 1.0) / 16.0,  # the challenge's evaluate.py: (2 ** g - 1) / 16
    "ranklib": lambda grades: np.exp2(np.trunc(grades)) - 1.0,  # DCGScorer: the label is cut to an int first
    "letor": _table(0, 1, 3),  # Eval-Score-3.0 and 4.0: a grade of 3 or more finds no entry and gains nothing
    "mslr": _table(0, 1, 3, 7, 15),  # eval_score_mslr.pl: the same with two more entries
}
"""What a grade is worth, by name."""


def _letor(ranks: FloatArray) -> FloatArray:
    return 1.0 / np.where(ranks < 2, 1.0, np.log2(np.maximum(ranks, 2.0)))


DISCOUNTS: Mapping[str, Weight] = {
    "log2": lambda ranks: 1.0 / np.log2(ranks + 1.0),
    "letor": _letor,  # ranks 1 and 2 undiscounted, then 1 / log2(rank)
    "log2+2": lambda ranks: 1.0 / np.log2(ranks + 2.0),  # as ROMIP prints it
    "ln": lambda ranks: 1.0 / np.log(ranks + 1.0),
    "none": lambda ranks: np.ones_like(ranks),
}
"""What a rank is worth, by name."""


DISCOUNTED: Mapping[str, Callable[[FloatArray, FloatArray], FloatArray]] = {
    "letor": lambda gained, ranks: np.where(ranks < 3, gained, gained * np.log(2.0) / np.log(np.maximum(ranks, 2.0))),
    "ln": lambda gained, ranks: gained / np.log(ranks + 1.0),
}
"""Discounts of tools that print more digits than 1 / divisor keeps: the gain goes through their own arithmetic."""


def discounted(lists: RankedLists, gained: FloatArray, name: str, cutoff: float | None = None) -> FloatArray:
    """The gain of each hit after the discount of that name, 0 past the cutoff; the mean over the places where tied."""
    if name not in DISCOUNTED or lists.tied:
        return gained * lists.weigh(discount(name), cutoff)
    inside = lists.ranks <= (np.inf if cutoff is None else cutoff)
    return np.where(inside, DISCOUNTED[name](gained, np.where(inside, lists.ranks, 1.0)), 0.0)


def discount(name: str) -> Weight:
    """The discount of that name."""
    if name not in DISCOUNTS:
        raise UnknownNameError("discount", name, DISCOUNTS)
    return DISCOUNTS[name]


def gains(lists: RankedLists, name: str, table: tuple[tuple[float, float], ...] | None = None) -> FloatArray:
    """The gain of each hit; 0 for unjudged ones and padding.

    `table` maps grades to gains in place of the named gain; a grade that it does not list keeps its own value.
    """
    if name not in GAINS:
        raise UnknownNameError("gain", name, GAINS)
    known = np.where(lists.judged, lists.grades, 0.0)
    if table is None:
        return np.where(lists.judged, GAINS[name](known), 0.0)
    mapped = known.copy()
    for grade, gain in table:
        mapped[known == grade] = gain
    return np.where(lists.judged, mapped, 0.0)


def ideal_gains(lists: RankedLists, name: str, table: tuple[tuple[float, float], ...] | None = None) -> FloatArray:
    """The gains of the judged documents from the highest down, 0 where a document gains nothing and in padding.

    It is the gain that orders them, not the grade: a table may give a low grade the higher gain.
    """
    found = np.maximum(gains(lists.ideal_order(), name, table), 0.0)
    return found if table is None else -np.sort(-found, axis=-1)


def final(running: FloatArray) -> FloatArray:
    """The last of the running sums on the last axis, 0 where there is none."""
    return running[..., -1] if running.shape[-1] else np.zeros(running.shape[:-1])


def cumulated_precision(lists: RankedLists, relevant: FloatArray, cutoff: float | None = None) -> FloatArray:
    """The precision at each relevant hit's rank, 0 elsewhere.

    Where documents are tied, the mean over their orders (McSherry & Najork 2008): a relevant document of a group that
    begins at rank a with m documents, r of them relevant, stands at each of the m ranks equally often, and before it
    in the group stand (r − 1)/(m − 1) of the places' documents.
    """
    before, within = lists.earlier(relevant)
    ranks = np.where(lists.hits, lists.ranks, 1.0)
    inside = lists.ranks <= (np.inf if cutoff is None else cutoff)
    strict = np.where(inside, lists.rounded(relevant * (before + 1.0) / ranks), 0.0)
    if lists.first is None or lists.size is None:
        return strict
    inverse = lists.weigh(lambda r: 1.0 / r, cutoff)
    places = lists.weigh(np.ones_like, cutoff) - np.where(lists.hits, lists.first, 0.0) * inverse
    mates = (within - 1.0) / np.maximum(np.where(lists.hits, lists.size, 1.0) - 1.0, 1.0)
    return np.where(lists.size > 1, relevant * ((before + 1.0) * inverse + mates * places), strict)


@dataclass(frozen=True, kw_only=True, eq=False)
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
        """The levels of each query of a block."""
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
        """What each hit adds to the sum, over the levels, of weight · precision at the hits that reach the level."""
        added = np.zeros(lists.grades.shape)
        for level in range(self.grade.shape[-1]):
            relevant = lists.grades >= self.grade[..., level, np.newaxis]
            added += weights[..., level, np.newaxis] * cumulated_precision(lists, relevant.astype(float), cutoff)
        return added


STOPS: Mapping[str, str] = {"formula": "exp", "whole": "ranklib"}
"""The gains that stand for chances to stop where grades outside the scale pass, by the name of the rule."""


def stop_probability(lists: RankedLists, max_grade: float, rule: str | None = None) -> FloatArray:
    """How likely a user stops at each hit: (2^g − 1) / 2^max_grade; 0 for unjudged ones and padding.

    A grade above the scale is no chance and refused, unless a rule of `STOPS` takes the formula for whatever it gives.
    """
    if rule is not None:
        return np.asarray(gains(lists, STOPS[rule]) / np.exp2(max_grade))
    top = np.max(lists.grades, initial=-np.inf, where=lists.judged)
    if top > max_grade:
        raise InputError(
            f"a grade of {top:g} is above max_grade={max_grade:g}",
            hint=f"Name the top of the scale: ERR(max_grade={top:g}).",
        )
    return np.asarray(gains(lists, "exp") / np.exp2(max_grade))


def cascade(lists: RankedLists, stop: FloatArray, weight: Weight, cutoff: float | None = None) -> FloatArray:
    """What each hit adds to Σ weight(rank) · stop · Π (1 − stop of those before).

    Where documents are tied, the mean over their orders: which places of the group the h documents take that can stop
    a user, and in which order they stand there, are independent. So the group adds Σ_j (A_{j−1} − A_j) · W_j, with
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
        share = reached[lead] * (-np.diff(_chance_to_pass(stop[group])) * worth[which]).sum(axis=-1)
        added[group] = stop[group] * (share / stop[group].sum(axis=-1))[:, np.newaxis]
    return added


def _cells_by_group(first: FloatArray, wanted: BoolArray) -> Iterator[tuple[IndexArray, ...]]:
    """Where the wanted cells of each tie group are (groups × cells); groups with as many cells come together."""
    start, _ = group_edges(first)
    cells = np.nonzero(wanted)
    # A group is known by its list and its first column; its cells follow one another.
    opens = np.any([np.diff(axis, prepend=-1) for axis in (*cells[:-1], start[cells])], axis=0)
    starts = np.flatnonzero(opens)
    counts = np.diff(starts, append=len(opens))
    for h in np.unique(counts):
        yield tuple(axis[starts[counts == h, np.newaxis] + np.arange(h)] for axis in cells)


def _chance_to_pass(stop: FloatArray) -> FloatArray:
    """For each group of h documents, the mean of Π(1 − stop) over its subsets of j documents, j = 0..h."""
    h = stop.shape[-1]
    mean = np.zeros((len(stop), h + 1))
    mean[:, 0] = 1.0
    for n in range(1, h + 1):
        j = np.arange(1, n + 1)
        passing = (1.0 - stop[:, n - 1, np.newaxis]) * mean[:, :n]
        mean[:, 1 : n + 1] = ((n - j) * mean[:, 1 : n + 1] + j * passing) / n
    return mean


def _worth_of_places(first: FloatArray, size: FloatArray, h: int, weight: Weight, limit: float) -> FloatArray:
    """The mean weight of the 1st, 2nd, … h-th place taken, where h documents take random places of each group.

    Place by place: `taken[j]` is the chance that j of the h stand before it.
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
