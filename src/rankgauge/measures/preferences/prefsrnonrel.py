"""PrefsRnonrel: preferences fulfilled, with as many non-relevant documents as relevant ones."""

from dataclasses import field

import numpy as np

from rankgauge.measures.measure import Example, Facts, Measure, TieRule
from rankgauge.measures.preferred_pairs import PreferredGroup, PreferredPairs, preferred_pairs
from rankgauge.numeric import BoolArray, FloatArray, ratio
from rankgauge.policies import JudgmentKind
from rankgauge.ranking import RankedLists


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
        examples=(
            Example("PrefsRnonrel", ((2, 1), None, (1, 0)), missed=((0, 0),), value="((3 + 2) / (3 + 2) + 1/3) / 2"),
            Example(
                "PrefsRnonrel(retrieved=True)",
                ((0, 1), (2, 2)),
                missed=((1, 0),),
                value="(0/1 + (0 + 4) / (1 + 4)) / 2",
            ),
        ),
    )
    retrieved: bool = field(default=False, metadata={"words": "count retrieved documents alone"})

    def values(self, lists: RankedLists) -> FloatArray:
        found = [
            float(np.mean([self._share(pairs, group) for group in pairs.groups])) if pairs.groups else np.nan
            for pairs in preferred_pairs(lists)
        ]
        return np.array(found, dtype=np.float64).reshape(lists.retrieved.shape)

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
    """Which documents are among the first so many of those chosen."""
    places = np.flatnonzero(chosen)
    kept = np.zeros_like(chosen)
    kept[places[np.argsort(order[places])[:count]]] = True
    return kept
