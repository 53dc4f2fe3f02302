"""muAP: average precision averaged over the grades in use."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankgauge.measures.measure import Cutoff, Example, Facts, Measure, TieRule
from rankgauge.measures.precision import Levels
from rankgauge.numeric import FloatArray, ratio
from rankgauge.ranking import RankedLists, total

__all__ = ["muAP"]


@dataclass(frozen=True, kw_only=True)
class muAP(Measure):
    """The mean of average precision over every grade in use as the least relevant one, each weighed by its distance
    from the next lower grade.

    Neither the number of levels nor the size of the numbers changes the weights: grades multiplied by a factor give
    the same value, and on two levels it is AP.
    """

    facts = Facts(
        name="muAP",
        title="µAP, average precision over multiple grades",
        formula=r"\frac{\sum_{t \in L} d_t \, \mathrm{AP}(\mathrm{rel}=t)}{\sum_{t \in L} d_t}, "
        r"\quad d_t = t - \max\{s \in L \cup \{0\} : s < t\}",
        reference="Scheel, Lommatzsch & Albayrak, Performance measures for multi-graded relevance, SPIM 2011",
        bounds=(0.0, 1.0),
        cutoff=Cutoff.OPTIONAL,
        ties=TieRule.EXACT,
        graded=True,
        improves=True,
        attains=False,
        examples=(
            Example(
                measure="muAP",
                grades=(1, None, 4, 2),
                missed=(2,),
                value="(1 * (1/1 + 2/3 + 3/4)/4 + 1 * (1/3 + 2/4)/3 + 2 * (1/3)/1) / 4",
            ),
            Example(
                measure="muAP@2",
                grades=(1, 3, 3),
                missed=(1,),
                value="(1 * (1/1 + 2/2)/4 + 2 * (1/2)/2) / 3",
            ),
        ),
    )
    cutoff: int | None = None

    def contributions(self, lists: RankedLists) -> FloatArray:
        added, weight = self._added(lists)
        return ratio(added, weight[..., np.newaxis])

    def values(self, lists: RankedLists) -> FloatArray:
        added, weight = self._added(lists)
        return ratio(total(added), weight)

    def _added(self, lists: RankedLists) -> tuple[FloatArray, FloatArray]:
        """What each hit adds to the weighted sum of average precisions, and the sum of the weights."""
        levels = Levels.of(lists)
        added = levels.precision(lists.top(self.cutoff), levels.step / levels.reached, self.cutoff)
        return added, levels.step.sum(axis=-1)
