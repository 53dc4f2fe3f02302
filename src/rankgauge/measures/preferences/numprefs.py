"""NumPrefs: how many preferences there are."""

import math

import numpy as np

from rankgauge.measures.measure import Aggregate, Example, Facts, Measure, TieRule
from rankgauge.measures.preferred_pairs import preferred_pairs
from rankgauge.numeric import FloatArray
from rankgauge.policies import JudgmentKind
from rankgauge.ranking import RankedLists


class NumPrefs(Measure):
    """The number of preferences, whatever is retrieved."""

    facts = Facts(
        title="Preferences",
        formula=r"|\{(a, b) : a \succ b\}|",
        reference="trec_eval 9.0.8, prefs_num_prefs_poss",
        bounds=(0.0, math.inf),
        ties=TieRule.IMMUNE,
        graded=True,
        improves=False,
        aggregate=Aggregate.SUM,
        judgments=JudgmentKind.PREFERENCES,
        examples=(
            Example("NumPrefs", ((2, 0), None, (1, 1)), missed=((0, 0),), value="3 + 2"),
            Example("NumPrefs", ((1, 2), (1, 0)), missed=((2, 1),), value="2 + 3"),
        ),
    )

    def values(self, lists: RankedLists) -> FloatArray:
        found = [pairs.counts.sum() for pairs in preferred_pairs(lists)]
        return np.array(found, dtype=np.float64).reshape(lists.retrieved.shape)
