"""muAP and NDCNG: average precision and nDCG that do not depend on the scale of the grades."""

import numpy as np

from rankgauge.constraints import real_number
from rankgauge.measures.forms import Levels
from rankgauge.measures.gains import discount
from rankgauge.measures.measure import OPEN, Facts, Measure, parameter, read_examples
from rankgauge.numeric import FloatArray
from rankgauge.ranking import RankedLists, total


class muAP(Measure):
    """The mean of average precision over every grade in use as the least relevant one, each weighed by its distance
    from the next lower grade.

    Only the distances count, relative to each other: grades multiplied by a factor give the same value. On two levels,
    the lower one 0, it is AP. On a scale that does not begin at 0, `lowest` is its lowest grade.
    """

    facts = Facts(
        title="µAP, average precision over multiple grades",
        formula=r"\frac{\sum_{t \in L} d_t \, \mathrm{AP}(\mathrm{rel}=t)}{\sum_{t \in L} d_t}, "
        r"\quad d_t = t - \max\{s \in L \cup \{0\} : s < t\}",
        reference="Scheel, Lommatzsch & Albayrak, Performance measures for multi-graded relevance, SPIM 2011",
        graded=True,
        examples=read_examples("""
            muAP of 1 - 4 2 | 2 = (1 * (1/1 + 2/3 + 3/4)/4 + 1 * (1/3 + 2/4)/3 + 2 * (1/3)/1) / 4
            muAP(lowest=1) of 2 1 4 = (1 * (1/1 + 2/3)/2 + 2 * (1/3)/1) / 3
            muAP@2 of 1 3 3 | 1 = (1 * (1/1 + 2/2)/4 + 2 * (1/2)/2) / 3
        """),
    )
    lowest: float = parameter(real_number(), default=0.0)
    cutoff: int | None = None

    def amounts(self, lists: RankedLists) -> FloatArray:
        lists = lists.shift_grades(self.lowest)
        levels = Levels.of(lists)
        return levels.precision(lists.top(self.cutoff), levels.step / levels.reached, self.cutoff)

    def divisor(self, lists: RankedLists) -> FloatArray:
        return np.asarray(Levels.of(lists.shift_grades(self.lowest)).step.sum(axis=-1))


class NDCNG(Measure):
    """Discounted cumulative normalised gain against that of the ideal order: a grade gains 2^(g/m) − 1, with m the
    highest grade of the query's judged documents.

    Grades multiplied by a factor give the same value. A grade of 0 or less gains nothing. On a scale that does not
    begin at 0, `lowest` is its lowest grade.
    """

    facts = Facts(
        title="Normalised discounted cumulative normalised gain",
        formula=r"\frac{\sum_{r=1}^{k} (2^{g_r/m} - 1)\,d(r)}{\sum_{r=1}^{k} (2^{g^*_r/m} - 1)\,d(r)}, \quad m = g^*_1",
        reference="Scheel, Lommatzsch & Albayrak, Performance measures for multi-graded relevance, SPIM 2011",
        graded=True,
        attains=True,
        examples=read_examples("""
            NDCNG@3 of 1 - 2 2 | 1 = ((2**(1/2) - 1) + 1/log2(4)) / (1 + 1/log2(3) + (2**(1/2) - 1)/log2(4))
            NDCNG of 1 3 | 4 = ((2**(1/4) - 1) + (2**(3/4) - 1)/log2(3)) / (1 + (2**(3/4) - 1)/log2(3) \
                + (2**(1/4) - 1)/log2(4))
            NDCNG(lowest=1) of 2 1 3 = ((2**(1/2) - 1) + 1/log2(4)) / (1 + (2**(1/2) - 1)/log2(3))
            NDCNG of 0.25 0.5 = ((2**(1/2) - 1) + 1/log2(3)) / (1 + (2**(1/2) - 1)/log2(3))
        """),
    )
    lowest: float = parameter(real_number(), default=0.0)
    cutoff: int | None = None
    discount: str = OPEN

    def divisor(self, lists: RankedLists) -> FloatArray:
        return total(self.amounts(lists.ideal_order()))

    def amounts(self, lists: RankedLists) -> FloatArray:
        lists = lists.top(self.cutoff).shift_grades(self.lowest)
        highest = np.max(lists.ideal, axis=-1, keepdims=True, initial=0.0, where=lists.ideal > 0)
        grades = np.where(lists.grades > 0, lists.grades, 0.0)
        gain = np.exp2(grades / np.where(highest > 0, highest, 1.0)) - 1.0
        return gain * lists.weigh(discount(self.discount), self.cutoff)
