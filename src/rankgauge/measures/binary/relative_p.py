"""RelativeP@k: precision at a rank against the best that is possible there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankgauge.measures.measure import Cutoff, Example, Facts, Measure, TieRule
from rankgauge.numeric import FloatArray, ratio
from rankgauge.ranking import RankedLists, total

__all__ = ["RelativeP"]


@dataclass(frozen=True, kw_only=True)
class RelativeP(Measure):
    """The precision at k, divided by the highest precision possible at k: precision up to R, recall from there on."""

    facts = Facts(
        name="RelativeP",
        title="Relative precision at k",
        formula=r"\frac{1}{\min(k, R)}\sum_{r=1}^{k} [g_r \ge \mathrm{rel}]",
        reference="trec_eval 9.0.8, relative_P",
        bounds=(0.0, 1.0),
        cutoff=Cutoff.REQUIRED,
        ties=TieRule.EXACT,
        graded=False,
        improves=True,
        attains=True,
        examples=(
            Example(measure="RelativeP@3", grades=(2, None, 0, 1), missed=(1,), value="1 / 3"),
            Example(measure="RelativeP(rel=2)@3", grades=(2, 1, 0, 2), missed=(1,), value="1 / 2"),
            Example(measure="RelativeP@3", grades=(0, None), value="nan"),
        ),
    )
    cutoff: int | None = None
    rel: float | None = None

    def contributions(self, lists: RankedLists) -> FloatArray:
        return ratio(self._found(lists), self._possible(lists)[..., np.newaxis])

    def values(self, lists: RankedLists) -> FloatArray:
        return ratio(total(self._found(lists)), self._possible(lists))

    def _found(self, lists: RankedLists) -> FloatArray:
        assert self.rel is not None
        lists = lists.top(self.cutoff)
        return lists.relevant(self.rel) * lists.weigh(np.ones_like, self.cutoff)

    def _possible(self, lists: RankedLists) -> FloatArray:
        assert self.rel is not None
        assert self.cutoff is not None
        return np.minimum(lists.total_relevant(self.rel), float(self.cutoff))
