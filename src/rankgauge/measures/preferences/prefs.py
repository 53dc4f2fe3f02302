"""Prefs: the share of preferences that the list fulfils, of documents and of groups of them."""

import numpy as np

from rankgauge.measures.measure import Facts, Measure, TieRule, choice, parameter, read_examples
from rankgauge.measures.preferred_pairs import AMONG, AMONG_WORDS, PreferredGroup, PreferredPairs, for_each_list
from rankgauge.numeric import BoolArray, FloatArray, ratio
from rankgauge.policies import JudgmentKind
from rankgauge.ranking import RankedLists

OVER = ("preferences", "pairs", "groups")
"""What counts the same: every preference, every pair of documents, or every group."""


class Prefs(Measure):
    """The share of preferences that the list fulfils: the preferred document is above the other, or alone retrieved.

    Preferences of several groups may contradict each other. By default each counts the same; over='pairs' lets each
    pair of documents count the same, however many groups compared them, and over='groups' each group, however many
    preferences it has. A pair of which nothing is retrieved is not fulfilled; among='seen' leaves such pairs out, and
    among='retrieved' those of which one document is missing too. trec_eval calls these prefs_simp, prefs_pair and
    prefs_avgjg, with the endings _imp and _ret.
    """

    facts = Facts(
        title="Preferences fulfilled",
        formula=r"\frac{|\{(a, b) : a \succ b, \; r_a < r_b\}|}{|\{(a, b) : a \succ b\}|}",
        reference="Carterette & Bennett, Evaluation measures for preference judgments, SIGIR 2008; trec_eval 9.0.8, "
        "prefs_simp, prefs_pair, prefs_avgjg",
        graded=True,
        judgments=JudgmentKind.PREFERENCES,
        examples=read_examples("""
            Prefs of 2,0 - 1,1 0,2 | 1,0 = (4 + 2) / (5 + 5)
            Prefs(over='pairs', among='seen') of 2,0 1,1 | 0,0 1,0 = (1/2 + 1 + 1 + 1 + 1) / 5
            Prefs(over='groups', among='retrieved') of 1,0 2,1 0,2 | 3,0 = (2/3 + 0/3) / 2
        """),
    )
    over: str = choice("unit of preferences", OVER, "what counts the same: preferences, pairs or groups")
    among: str = choice("choice of preferences", AMONG, AMONG_WORDS)

    def values(self, lists: RankedLists) -> FloatArray:
        kernel = {"pairs": self._by_pair, "groups": self._by_group}.get(self.over or "", self._by_preference)
        return for_each_list(lists, kernel)

    def _by_preference(self, pairs: PreferredPairs) -> float:
        counted = pairs.counts * pairs.among(self.among or "all")
        return float(ratio((counted * pairs.above).sum(), counted.sum()))

    def _by_pair(self, pairs: PreferredPairs) -> float:
        counted = pairs.counts * pairs.among(self.among or "all")
        either = counted + counted.T
        shares = np.divide(counted * pairs.above, either, where=either > 0, out=np.zeros_like(either))
        return float(ratio(shares.sum(), np.asarray(np.count_nonzero(either) / 2.0)))

    def _by_group(self, pairs: PreferredPairs) -> float:
        among = pairs.among(self.among or "all")
        counted = np.array([(group.prefers & among).sum() for group in pairs.groups], dtype=np.float64)
        fulfilled = np.array([(group.prefers * among * pairs.above).sum() for group in pairs.groups])
        if not counted.any():
            return np.nan
        return float((fulfilled / np.maximum(counted, 1.0)).sum() / len(counted))


class PrefsRnonrel(Measure):
    """The share of preferences fulfilled within a group, the mean over groups, if each group had as many documents of
    level 0 as above it.

    So the number of documents that were judged not relevant does not decide. Of more such documents than R the first R
    count, fewer are made up by ones that no list retrieves. Values are trec_eval's, which counts pairs of documents of
    level 0 too in groups of one subgroup. retrieved=True looks at retrieved documents alone.
    """

    facts = Facts(
        title="Preferences fulfilled, with R non-relevant documents",
        formula=r"\frac{1}{G}\sum_G \frac{|\{(a, b) : a \succ b, \; r_a < r_b\}|}{|\{(a, b) : a \succ b\}|}, \quad "
        r"|\{b : l_b = 0\}| = |\{a : l_a > 0\}|",
        reference="trec_eval 9.0.8, prefs_avgjg_Rnonrel, prefs_avgjg_Rnonrel_ret",
        graded=True,
        improves=False,
        better=True,
        ties=TieRule.SAMPLED,
        judgments=JudgmentKind.PREFERENCES,
        examples=read_examples("""
            PrefsRnonrel of 2,1 - 1,0 | 0,0 = ((3 + 2) / (3 + 2) + 1/3) / 2
            PrefsRnonrel(retrieved=True) of 0,1 2,2 | 1,0 = (0/1 + (0 + 4) / (1 + 4)) / 2
        """),
    )
    retrieved: bool = parameter(default=False, words="count retrieved documents alone")

    def values(self, lists: RankedLists) -> FloatArray:
        return for_each_list(lists, self._mean_share)

    def _mean_share(self, pairs: PreferredPairs) -> float:
        return float(np.mean([self._share(pairs, group) for group in pairs.groups])) if pairs.groups else np.nan

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
        asked = self._pairs_of_group(pairs, group, r) & both
        return float(ratio((asked & fulfils).sum(), asked.sum()))

    def _pairs_of_group(self, pairs: PreferredPairs, group: PreferredGroup, r: int) -> BoolArray:
        """Which pairs a group of one subgroup asks for: the preferences among its upper levels, and every document,
        those of the lowest level included, above the first R of the lowest level.

        Where fewer than R have the lowest level, trec_eval reads past their end; here these are all there are.
        """
        lowest = group.level == np.nanmin(group.level)
        first = _among_first(pairs.order, lowest, r)
        seen = ~np.isnan(group.level)
        upper: BoolArray = group.prefers & ~lowest
        return upper | (seen[:, np.newaxis] & first)


def _among_first(order: FloatArray, chosen: BoolArray, count: int) -> BoolArray:
    """Return which documents are among the first so many of those chosen."""
    places = np.flatnonzero(chosen)
    kept = np.zeros_like(chosen)
    kept[places[np.argsort(order[places])[:count]]] = True
    return kept
