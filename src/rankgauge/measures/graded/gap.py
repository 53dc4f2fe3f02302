"""GAP: graded average precision."""

import numpy as np

from rankgauge.constraints import Constraint
from rankgauge.measures.forms import Levels
from rankgauge.measures.measure import Facts, Measure, parameter, read_examples
from rankgauge.numeric import FloatArray
from rankgauge.ranking import RankedLists

SHARES = Constraint(
    "a table of grades and shares of users, as in {1: 0.5, 2: 0.3, 3: 0.2}",
    lambda table: any(share for _, share in table) and min(share for _, share in table) >= 0,
)


class GAP(Measure):
    """Average precision for users who differ in the lowest grade that counts as relevant to them.

    `thresholds` gives each grade the share of users who draw the line there; without it, every point of the scale is
    as likely, so that a pair of documents counts with the lower of their grades. On two levels it is AP.
    """

    facts = Facts(
        title="Graded average precision",
        formula=r"\frac{\sum_{r=1}^{k} \frac{1}{r} \sum_{i \le r} \min(G(g_i), G(g_r))}{\sum_{i=1}^{R} G(g^*_i)}, "
        r"\quad G(g) = \sum_{t \le g} p_t",
        reference="Robertson, Kanoulas & Yilmaz, Extending average precision to graded relevance judgments, SIGIR 2010",
        graded=True,
        examples=read_examples("""
            GAP of 1 - 3 2 | 2 = (1/1 + (1 + 3)/3 + (1 + 2 + 2)/4) / (1 + 3 + 2 + 2)
            GAP(thresholds={1: 0.2, 2: 0.8})@2 of 1 2 2 | 1 = (0.2/1 + (0.2 + 1.0)/2) / (0.2 + 1.0 + 1.0 + 0.2)
        """),
    )
    cutoff: int | None = None
    thresholds: tuple[tuple[float, float], ...] | None = parameter(SHARES, default=None)

    def amounts(self, lists: RankedLists) -> FloatArray:
        levels = Levels.of(lists)
        return levels.precision(lists.top(self.cutoff), self._weights(levels), self.cutoff)

    def divisor(self, lists: RankedLists) -> FloatArray:
        levels = Levels.of(lists)
        return np.asarray((self._weights(levels) * levels.reached).sum(axis=-1))

    def _weights(self, levels: Levels) -> FloatArray:
        """Return the share of users who draw the line at each level."""
        return self._users_served(levels.grade) - self._users_served(levels.grade - levels.step)

    def _users_served(self, grades: FloatArray) -> FloatArray:
        """Return G: the share of users to whom a document of that grade is relevant."""
        if self.thresholds is None:
            return grades
        shares = np.zeros_like(grades)
        for grade, share in self.thresholds:
            shares += np.where(grades >= grade, share, 0.0)
        return shares
