"""Prefs: the share of preferences that the list fulfils."""

import numpy as np

from rankgauge.measures.measure import Example, Facts, Measure, choice
from rankgauge.measures.preferred_pairs import AMONG, AMONG_WORDS, PreferredPairs, preferred_pairs
from rankgauge.numeric import FloatArray, ratio
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
        examples=(
            Example("Prefs", ((2, 0), None, (1, 1), (0, 2)), missed=((1, 0),), value="(4 + 2) / (5 + 5)"),
            Example(
                "Prefs(over='pairs', among='seen')",
                ((2, 0), (1, 1)),
                missed=((0, 0), (1, 0)),
                value="(1/2 + 1 + 1 + 1 + 1) / 5",
            ),
            Example(
                "Prefs(over='groups', among='retrieved')",
                ((1, 0), (2, 1), (0, 2)),
                missed=((3, 0),),
                value="(2/3 + 0/3) / 2",
            ),
        ),
    )
    over: str = choice("unit of preferences", OVER, "what counts the same: preferences, pairs or groups")
    among: str = choice("choice of preferences", AMONG, AMONG_WORDS)

    def values(self, lists: RankedLists) -> FloatArray:
        kernel = {"pairs": self._by_pair, "groups": self._by_group}.get(self.over or "", self._by_preference)
        found = np.array([kernel(pairs) for pairs in preferred_pairs(lists)], dtype=np.float64)
        return found.reshape(lists.retrieved.shape)

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
