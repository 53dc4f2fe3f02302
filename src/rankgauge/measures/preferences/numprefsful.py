"""NumPrefsFul: how many preferences the list fulfils."""

import math

import numpy as np

from rankgauge.measures.measure import Aggregate, Example, Facts, Measure, choice
from rankgauge.measures.preferred_pairs import AMONG, AMONG_WORDS, preferred_pairs
from rankgauge.numeric import FloatArray
from rankgauge.policies import JudgmentKind
from rankgauge.ranking import RankedLists


class NumPrefsFul(Measure):
    """The number of preferences that the list fulfils; among='retrieved' counts those of two retrieved documents."""

    facts = Facts(
        title="Preferences fulfilled, as a number",
        formula=r"|\{(a, b) : a \succ b, \; r_a < r_b\}|",
        reference="trec_eval 9.0.8, prefs_num_prefs_ful, prefs_num_prefs_ful_ret",
        bounds=(0.0, math.inf),
        graded=True,
        aggregate=Aggregate.SUM,
        judgments=JudgmentKind.PREFERENCES,
        examples=(
            Example("NumPrefsFul", ((2, 0), None, (1, 1)), missed=((0, 0),), value="3 + 1"),
            Example("NumPrefsFul(among='retrieved')", ((2, 0), (1, 1)), missed=((0, 0),), value="1"),
        ),
    )
    among: str = choice("choice of preferences", AMONG, AMONG_WORDS)

    def values(self, lists: RankedLists) -> FloatArray:
        found = [
            (pairs.counts * pairs.among(self.among or "all") * pairs.above).sum() for pairs in preferred_pairs(lists)
        ]
        return np.array(found, dtype=np.float64).reshape(lists.retrieved.shape)
