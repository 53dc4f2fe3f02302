"""NumPrefs: how many preferences there are, and how many the list fulfils."""

import math

from rankgauge.measures.measure import Aggregate, Facts, Measure, TieRule, choice, read_examples
from rankgauge.measures.preferred_pairs import AMONG, AMONG_WORDS, for_each_list
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
        examples=read_examples("""
            NumPrefs of 2,0 - 1,1 | 0,0 = 3 + 2
            NumPrefs of 1,2 1,0 | 2,1 = 2 + 3
        """),
    )

    def values(self, lists: RankedLists) -> FloatArray:
        return for_each_list(lists, lambda pairs: float(pairs.counts.sum()))


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
        examples=read_examples("""
            NumPrefsFul of 2,0 - 1,1 | 0,0 = 3 + 1
            NumPrefsFul(among='retrieved') of 2,0 1,1 | 0,0 = 1
        """),
    )
    among: str = choice("choice of preferences", AMONG, AMONG_WORDS)

    def values(self, lists: RankedLists) -> FloatArray:
        among = self.among or "all"
        return for_each_list(lists, lambda pairs: float((pairs.counts * pairs.among(among) * pairs.above).sum()))
