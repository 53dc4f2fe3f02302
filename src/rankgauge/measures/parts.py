"""The parts that measures are made of: gains, discounts, ratios, precisions at hits, stop models, cascades."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from rankgauge.errors import InputError, UnknownNameError
from rankgauge.ranking import RankedLists
from rankgauge.ranking.lists import FloatArray, Weight

__all__ = [
    "DISCOUNTS",
    "GAINS",
    "cascade",
    "cumulated_precision",
    "discount",
    "gains",
    "ratio",
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


def ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """The quotient, NaN where the denominator is 0."""
    safe = np.where(denominator == 0, 1.0, denominator)
    return np.where(denominator == 0, np.nan, numerator / safe)


def cumulated_precision(lists: RankedLists, relevant: FloatArray, cutoff: float | None = None) -> FloatArray:
    """The precision at each relevant hit's rank, 0 elsewhere.

    Where documents are tied, the mean over their orders (McSherry & Najork 2008): a relevant document of a group that
    begins at rank a with m documents, r of them relevant, stands at each of the m ranks equally often, and before it
    in the group stand (r − 1)/(m − 1) of the places' documents.
    """
    before, within = lists.earlier(relevant)
    ranks = np.where(lists.hits, lists.ranks, 1.0)
    inside = lists.ranks <= (np.inf if cutoff is None else cutoff)
    strict = np.where(inside, relevant * (before + 1.0) / ranks, 0.0)
    if lists.first is None or lists.size is None:
        return strict
    inverse = lists.weigh(lambda r: 1.0 / r, cutoff)
    places = lists.weigh(np.ones_like, cutoff) - np.where(lists.hits, lists.first, 0.0) * inverse
    mates = (within - 1.0) / np.maximum(np.where(lists.hits, lists.size, 1.0) - 1.0, 1.0)
    return np.where(lists.size > 1, relevant * ((before + 1.0) * inverse + mates * places), strict)


def stop_probability(lists: RankedLists, max_grade: float) -> FloatArray:
    """How likely a user stops at each hit: (2^g − 1) / 2^max_grade; 0 for unjudged ones and padding."""
    top = np.max(lists.grades, initial=-np.inf, where=lists.judged)
    if top > max_grade:
        raise InputError(
            f"a grade of {top:g} is above max_grade={max_grade:g}",
            hint=f"Name the top of the scale: ERR(max_grade={top:g}).",
        )
    return np.asarray(gains(lists, "exp") / np.exp2(max_grade))


def cascade(lists: RankedLists, stop: FloatArray, weight: Weight, cutoff: float | None = None) -> FloatArray:
    """What each hit adds to Σ weight(rank) · stop · Π (1 − stop of those before).

    Where documents are tied, the mean over their orders: by symmetry the chance to pass the first s places of a group
    is A_s, the mean of Π(1 − stop) over its subsets of s documents, so the place s + 1 adds A_s − A_{s+1}. The
    group's sum is shared among its hits in proportion to their stop probabilities.
    """
    passed = np.cumprod(1.0 - stop, axis=-1)
    reached = np.concatenate([np.ones((*stop.shape[:-1], 1)), passed[..., :-1]], axis=-1)
    strict: FloatArray = stop * reached * lists.weigh(weight, cutoff)
    if lists.first is None or lists.size is None:
        return strict
    added = np.where(lists.size > 1, 0.0, strict)
    limit = np.inf if cutoff is None else cutoff
    for row in np.ndindex(stop.shape[:-1]):
        _add_tied_groups(added[row], lists.first[row], lists.size[row], stop[row], reached[row], weight, limit)
    return added


def _add_tied_groups(
    added: FloatArray,
    first: FloatArray,
    size: FloatArray,
    stop: FloatArray,
    reached: FloatArray,
    weight: Weight,
    limit: float,
) -> None:
    """Fills in what the tied groups of one list add."""
    starts = np.flatnonzero(np.diff(first, prepend=np.nan) != 0)
    for start, end in zip(starts, [*starts[1:], len(first)], strict=True):
        places = int(min(first[start] + size[start] - 1, limit) - first[start] + 1) if size[start] > 1 else 0
        group = stop[start:end]
        if places <= 0 or not group.any():
            continue
        chance = _chance_to_pass(group, int(size[start]), places)
        ranks = first[start] + np.arange(places)
        share = reached[start] * np.dot(weight(ranks), chance[:-1] - chance[1:])
        added[start:end] = share * group / group.sum()


def _chance_to_pass(stop: FloatArray, size: int, places: int) -> FloatArray:
    """A_s for s = 0..places: the mean of Π(1 − stop) over the subsets of s of `size` documents."""
    stops = stop[stop > 0]
    h = len(stops)
    mean = np.zeros(h + 1)  # mean[j]: the same over subsets of j of the documents that can stop a user
    mean[0] = 1.0
    for n, p in enumerate(stops, start=1):
        j = np.arange(1, n + 1)
        mean[1 : n + 1] = ((n - j) * mean[1 : n + 1] + j * (1.0 - p) * mean[:n]) / n
    # How many of the h are among s of all: hypergeometric, built up one place at a time.
    chance = np.empty(places + 1)
    among = np.zeros(h + 1)
    among[0] = 1.0
    for s in range(places + 1):
        chance[s] = among @ mean
        left = size - s
        if left == 0:
            break
        j = np.arange(h + 1)
        drawn = among * (h - j) / left
        among = among - drawn
        among[1:] += drawn[:-1]
    return chance
