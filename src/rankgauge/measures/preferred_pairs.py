"""Preferences: which documents of a query are preferred to which, and which of these the list fulfils.

Documents are compared in groups, each of which is what one assessor says. A group with one subgroup prefers each
document to those of lower levels. A group with several prefers what one of them says, and what follows from several:
where a is preferred to b in one and b to c in another, a is preferred to c.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from rankgauge.errors import InputError
from rankgauge.numeric import BoolArray, FloatArray
from rankgauge.ranking import UNJUDGED, RankedLists
from rankgauge.records import entity

CACHED = "preferences"
"""The name under which relations are kept beside the facets: all measures of preferences need the same."""


@entity
class PreferredGroup:
    """One group of a query: which judged document is preferred to which (documents × documents), the level of each
    document (NaN where the group has not seen it), and whether several subgroups make it up.

    A document of several subgroups has the level of the last one by name, as in trec_eval (form_jg_pa).
    """

    prefers: BoolArray
    level: FloatArray
    mixed: bool


@entity
class PreferredPairs:
    """The groups of a query, and where the list has the judged documents (∞ where it has not)."""

    groups: Sequence[PreferredGroup]
    first: FloatArray
    order: FloatArray
    """The place of each document: those of the list by rank, then the others by falling place in the pool, which is the
    rising order of their ids."""

    @cached_property
    def retrieved(self) -> BoolArray:
        """Which of the judged documents the list has."""
        return np.isfinite(self.first)

    @cached_property
    def both(self) -> BoolArray:
        """Where the list has both documents (documents × documents)."""
        return self.retrieved[:, np.newaxis] & self.retrieved

    @cached_property
    def either(self) -> BoolArray:
        """Where the list has one of the documents at least."""
        return self.retrieved[:, np.newaxis] | self.retrieved

    @cached_property
    def above(self) -> FloatArray:
        """How likely the first document is above the second: a document that is not retrieved is below all others,
        tied documents are in either order."""
        first, second = self.first[:, np.newaxis], self.first
        tied = (first == second) & self.both
        return np.where(tied, 0.5, (first < second).astype(np.float64))

    def among(self, name: str) -> BoolArray:
        """Return the pairs that count: all, those seen at least in part, or those retrieved."""
        return {"all": np.ones_like(self.both), "seen": self.either, "retrieved": self.both}[name]

    @cached_property
    def counts(self) -> FloatArray:
        """How many groups prefer each document to each other one."""
        counts = np.zeros(self.both.shape)
        for group in self.groups:
            counts += group.prefers
        return counts


AMONG = ("all", "seen", "retrieved")
AMONG_WORDS = "which preferences count: all, those with a retrieved document (seen), or with two (retrieved); open: all"
"""Which pairs of documents count, by name and in words."""


def for_each_list(lists: RankedLists, kernel: Callable[[PreferredPairs], float]) -> FloatArray:
    """Return the kernel's value of the preferences on each list of a block."""
    facets = lists.facets
    assert facets is not None
    if CACHED not in facets.orders:
        facets.orders[CACHED] = _relations(facets.pool, facets.weights, facets.groups)  # type: ignore[assignment]
    shape = (lists.retrieved.size, lists.ranks.shape[-1])
    ranks, places = lists.ranks.reshape(shape), facets.places.reshape(shape)
    first = ranks if lists.first is None else lists.first.reshape(shape)
    found = [
        kernel(_place(groups, ranks[row], first[row], places[row])) for row, groups in enumerate(facets.orders[CACHED])
    ]
    return np.array(found, dtype=np.float64).reshape(lists.retrieved.shape)


def _place(
    groups: Sequence[PreferredGroup], ranks: FloatArray, first: FloatArray, places: FloatArray
) -> PreferredPairs:
    """Return the groups with where a list has their documents."""
    judged = len(groups[0].level) if groups else 0
    at = places[~np.isnan(ranks)].astype(np.intp)
    found, strict = np.full((2, judged), np.inf)
    found[at], strict[at] = first[~np.isnan(ranks)], ranks[~np.isnan(ranks)]
    order = np.empty(judged)
    order[np.lexsort((-np.arange(judged), strict))] = np.arange(float(judged))
    return PreferredPairs(groups=groups, first=found, order=order)


def _relations(pool: FloatArray, weights: FloatArray, numbers: FloatArray | None) -> list[list[PreferredGroup]]:
    """Return the groups of each query."""
    facets, rows = weights.shape[-1], math.prod(weights.shape[:-1])
    levels, known = pool.reshape(rows, pool.shape[-2], facets), ~np.isnan(weights.reshape(rows, facets))
    names = np.broadcast_to(np.arange(float(facets)), known.shape) if numbers is None else numbers.reshape(rows, facets)
    found = []
    for row, there in enumerate(known):
        judged = ~np.isnan(levels[row][:, there]).all(axis=-1)
        listed = levels[row][: int(judged.sum())]
        listed = np.where(listed > UNJUDGED, listed, np.nan)
        found.append([_group(listed[:, there & (names[row] == name)]) for name in np.unique(names[row][there])])
    return found


def _group(levels: FloatArray) -> PreferredGroup:
    """Return the group of some subgroups (documents × subgroups)."""
    prefers, level = np.zeros((len(levels), len(levels)), dtype=bool), np.full(len(levels), np.nan)
    for column in levels.T:
        prefers |= column[:, np.newaxis] > column
        level = np.where(np.isnan(column), level, column)
    mixed = int((~np.isnan(levels)).any(axis=0).sum()) > 1
    if mixed:
        prefers = _close(prefers)
        if (prefers & prefers.T).any():
            raise InputError(
                "preferences of one group contradict each other: a document is preferred to one preferred to it",
                hint="Contradictions between people are fine: give each of them a group.",
            )
    return PreferredGroup(prefers=prefers, level=level, mixed=mixed)


def _close(prefers: BoolArray) -> BoolArray:
    """Return the relation with all that follows from it."""
    while True:
        further = prefers | (prefers.astype(np.float32) @ prefers.astype(np.float32) > 0)
        if (further == prefers).all():
            return further
        prefers = further
