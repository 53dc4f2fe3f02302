"""Prefs: which documents of a query are preferred to which, and how many of these preferences the list fulfils.

Documents are compared in groups, each of which is what one assessor says. A group with one subgroup prefers each
document to those of lower levels. A group with several prefers what one of them says, and what follows from several:
where a is preferred to b in one and b to c in another, a is preferred to c.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property, partial

import numpy as np

from rankgauge.errors import InputError
from rankgauge.measures.measure import Aggregate, Facts, Measure, TieRule, choice, parameter, read_examples
from rankgauge.numeric import BoolArray, FloatArray, ratio
from rankgauge.policies import JudgmentKind
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


def for_each_list(lists: RankedLists, kernel: Callable[[PreferredPairs], float]) -> FloatArray:
    """Return the kernel's value of the preferences on each list of a block."""
    facets = lists.facets
    assert facets is not None
    if CACHED not in facets.orders:
        facets.orders[CACHED] = _relations(facets.pool, facets.weights, facets.groups)  # type: ignore[assignment]
    shape = (lists.retrieved.size, lists.ranks.shape[-1])
    every_rank, every_place = lists.ranks.reshape(shape), facets.places.reshape(shape)
    every_first = every_rank if lists.first is None else lists.first.reshape(shape)
    values = np.empty(shape[0])
    for row, groups in enumerate(facets.orders[CACHED]):
        judged, hits = len(groups[0].level) if groups else 0, ~np.isnan(every_rank[row])
        at = every_place[row, hits].astype(np.intp)
        first, rank, order = np.full(judged, np.inf), np.full(judged, np.inf), np.empty(judged)
        first[at], rank[at] = every_first[row, hits], every_rank[row, hits]
        order[np.lexsort((-np.arange(judged), rank))] = np.arange(float(judged))
        values[row] = kernel(PreferredPairs(groups=groups, first=first, order=order))
    return values.reshape(lists.retrieved.shape)


def _relations(pool: FloatArray, weights: FloatArray, numbers: FloatArray | None) -> list[list[PreferredGroup]]:
    """Return the groups of each query."""
    facets, rows = weights.shape[-1], math.prod(weights.shape[:-1])
    levels, known = pool.reshape(rows, pool.shape[-2], facets), ~np.isnan(weights.reshape(rows, facets))
    names = np.broadcast_to(np.arange(float(facets)), known.shape) if numbers is None else numbers.reshape(rows, facets)
    relations = []
    for row, there in enumerate(known):
        judged = ~np.isnan(levels[row][:, there]).all(axis=-1)
        listed = levels[row][: int(judged.sum())]
        listed = np.where(listed > UNJUDGED, listed, np.nan)
        relations.append([_group(listed[:, there & (names[row] == name)]) for name in np.unique(names[row][there])])
    return relations


def _group(levels: FloatArray) -> PreferredGroup:
    """Return the group of some subgroups (documents × subgroups)."""
    prefers, level = np.zeros((len(levels), len(levels)), dtype=bool), np.full(len(levels), np.nan)
    for column in levels.T:
        prefers |= column[:, np.newaxis] > column
        level = np.where(np.isnan(column), level, column)
    mixed = int((~np.isnan(levels)).any(axis=0).sum()) > 1
    if mixed:
        further = np.zeros_like(prefers)
        while not (further == prefers).all():  # until nothing new follows
            further, prefers = prefers, prefers | (prefers.astype(np.float32) @ prefers.astype(np.float32) > 0)
        if (prefers & prefers.T).any():
            raise InputError(
                "preferences of one group contradict each other: a document is preferred to one preferred to it",
                hint="Contradictions between people are fine: give each of them a group.",
            )
    return PreferredGroup(prefers=prefers, level=level, mixed=mixed)


OVER = ("preferences", "pairs", "groups")
"""What counts the same: every preference, every pair of documents, or every group."""

AMONG = ("all", "seen", "retrieved")
AMONG_WORDS = "which preferences count: all, those with a retrieved document (seen), or with two (retrieved); open: all"
"""Which pairs of documents count, by name and in words."""

preference_facts = partial(Facts, graded=True, judgments=JudgmentKind.PREFERENCES)
preference_count_facts = partial(preference_facts, bounds=(0.0, math.inf), aggregate=Aggregate.SUM)
"""The facts of a share of preferences, and of a number of them, which is added over the queries."""


class Prefs(Measure):
    """The share of preferences that the list fulfils: the preferred document is above the other, or alone retrieved.

    Preferences of several groups may contradict each other. By default each counts the same; over='pairs' lets each
    pair of documents count the same, however many groups compared them, and over='groups' each group, however many
    preferences it has. A pair of which nothing is retrieved is not fulfilled; among='seen' leaves such pairs out, and
    among='retrieved' those of which one document is missing too. trec_eval calls these prefs_simp, prefs_pair and
    prefs_avgjg, with the endings _imp and _ret.
    """

    facts = preference_facts(
        title="Preferences fulfilled",
        formula=r"\frac{|\{(a, b) : a \succ b, \; r_a < r_b\}|}{|\{(a, b) : a \succ b\}|}",
        reference="Carterette & Bennett, Evaluation measures for preference judgments, SIGIR 2008; trec_eval 9.0.8, "
        "prefs_simp, prefs_pair, prefs_avgjg",
        examples=read_examples("""
            Prefs of 2,0 - 1,1 0,2 | 1,0 = (4 + 2) / (5 + 5)
            Prefs(over='pairs', among='seen') of 2,0 1,1 | 0,0 1,0 = (1/2 + 1 + 1 + 1 + 1) / 5
            Prefs(over='groups', among='retrieved') of 1,0 2,1 0,2 | 3,0 = (2/3 + 0/3) / 2
        """),
    )
    over: str = choice("unit of preferences", OVER, "what counts the same: preferences, pairs or groups")
    among: str = choice("choice of preferences", AMONG, AMONG_WORDS)

    def values(self, lists: RankedLists) -> FloatArray:
        return for_each_list(lists, self._share)

    def _share(self, pairs: PreferredPairs) -> float:
        among = pairs.among(self.among or "all")
        if self.over == "groups":
            numbers = np.array([(group.prefers & among).sum() for group in pairs.groups], dtype=np.float64)
            fulfilled = np.array([(group.prefers * among * pairs.above).sum() for group in pairs.groups])
            return float((fulfilled / np.maximum(numbers, 1.0)).sum() / len(numbers)) if numbers.any() else np.nan
        counted = pairs.counts * among
        if self.over == "pairs":
            either = counted + counted.T
            shares = np.divide(counted * pairs.above, either, where=either > 0, out=np.zeros_like(either))
            return float(ratio(shares.sum(), np.asarray(np.count_nonzero(either) / 2.0)))
        return float(ratio((counted * pairs.above).sum(), counted.sum()))


class PrefsRnonrel(Measure):
    """The share of preferences fulfilled within a group, the mean over groups, if each group had as many documents of
    level 0 as above it.

    So the number of documents that were judged not relevant does not decide. Of more such documents than R the first R
    count, fewer are made up by ones that no list retrieves. Values are trec_eval's, which counts pairs of documents of
    level 0 too in groups of one subgroup. retrieved=True looks at retrieved documents alone.
    """

    facts = preference_facts(
        title="Preferences fulfilled, with R non-relevant documents",
        formula=r"\frac{1}{G}\sum_G \frac{|\{(a, b) : a \succ b, \; r_a < r_b\}|}{|\{(a, b) : a \succ b\}|}, \quad "
        r"|\{b : l_b = 0\}| = |\{a : l_a > 0\}|",
        reference="trec_eval 9.0.8, prefs_avgjg_Rnonrel, prefs_avgjg_Rnonrel_ret",
        improves=False,
        better=True,
        ties=TieRule.SAMPLED,
        examples=read_examples("""
            PrefsRnonrel of 2,1 - 1,0 | 0,0 = ((3 + 2) / (3 + 2) + 1/3) / 2
            PrefsRnonrel(retrieved=True) of 0,1 2,2 | 1,0 = (0/1 + (0 + 4) / (1 + 4)) / 2
        """),
    )
    retrieved: bool = parameter(default=False, words="count retrieved documents alone")

    def values(self, lists: RankedLists) -> FloatArray:
        def mean_share(pairs: PreferredPairs) -> float:
            return float(np.mean([self._share(pairs, group) for group in pairs.groups])) if pairs.groups else np.nan

        return for_each_list(lists, mean_share)

    def _share(self, pairs: PreferredPairs, group: PreferredGroup) -> float:
        relevant = group.level > 0
        # In trec_eval's groups of several subgroups, levels below 0 are neither relevant nor of level 0.
        rest = group.level == 0 if group.mixed else group.level <= 0
        counted = pairs.retrieved if self.retrieved else np.ones_like(relevant)
        r, n = int((relevant & counted).sum()), int((rest & counted).sum())
        fulfils = (pairs.order[:, np.newaxis] < pairs.order) & pairs.retrieved[:, np.newaxis]
        both = counted[:, np.newaxis] & counted
        if r >= n:
            prefers = group.prefers & both
            made_up = np.array([(relevant & pairs.retrieved).sum(), relevant.sum()]) * (r - n)
            return float(ratio((prefers & fulfils).sum() + made_up[0], prefers.sum() + made_up[1]))
        if group.mixed:
            # trec_eval keeps R documents of level 0, where R counts all relevant ones even if only retrieved count.
            kept = ~rest | _among_first(pairs.order, rest & counted, int(relevant.sum())) | (rest & ~counted)
            prefers = group.prefers & both & kept[:, np.newaxis] & kept
            return float(ratio((prefers & fulfils).sum(), prefers.sum()))
        # A group of one subgroup asks for the preferences among its upper levels, and for every document, those of the
        # lowest level included, above the first R of the lowest level. Where fewer than R have the lowest level,
        # trec_eval reads past their end; here these are all there are.
        lowest, seen = group.level == np.nanmin(group.level), ~np.isnan(group.level)
        asked = (group.prefers & ~lowest) | (seen[:, np.newaxis] & _among_first(pairs.order, lowest, r))
        asked &= both
        return float(ratio((asked & fulfils).sum(), asked.sum()))


def _among_first(order: FloatArray, chosen: BoolArray, count: int) -> BoolArray:
    """Return which documents are among the first so many of those chosen."""
    places = np.flatnonzero(chosen)
    kept = np.zeros_like(chosen)
    kept[places[np.argsort(order[places])[:count]]] = True
    return kept


class NumPrefs(Measure):
    """The number of preferences, whatever is retrieved."""

    facts = preference_count_facts(
        title="Preferences",
        formula=r"|\{(a, b) : a \succ b\}|",
        reference="trec_eval 9.0.8, prefs_num_prefs_poss",
        ties=TieRule.IMMUNE,
        improves=False,
        examples=read_examples("""
            NumPrefs of 2,0 - 1,1 | 0,0 = 3 + 2
            NumPrefs of 1,2 1,0 | 2,1 = 2 + 3
        """),
    )

    def values(self, lists: RankedLists) -> FloatArray:
        return for_each_list(lists, lambda pairs: float(pairs.counts.sum()))


class NumPrefsFul(Measure):
    """The number of preferences that the list fulfils; among='retrieved' counts those of two retrieved documents."""

    facts = preference_count_facts(
        title="Preferences fulfilled, as a number",
        formula=r"|\{(a, b) : a \succ b, \; r_a < r_b\}|",
        reference="trec_eval 9.0.8, prefs_num_prefs_ful, prefs_num_prefs_ful_ret",
        examples=read_examples("""
            NumPrefsFul of 2,0 - 1,1 | 0,0 = 3 + 1
            NumPrefsFul(among='retrieved') of 2,0 1,1 | 0,0 = 1
        """),
    )
    among: str = choice("choice of preferences", AMONG, AMONG_WORDS)

    def values(self, lists: RankedLists) -> FloatArray:
        among = self.among or "all"
        return for_each_list(lists, lambda pairs: float((pairs.counts * pairs.among(among) * pairs.above).sum()))
