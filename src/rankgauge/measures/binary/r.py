"""R@k: recall at a rank."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankgauge.measures.measure import Cutoff, Example, Facts, Measure, TieRule
from rankgauge.numeric import FloatArray, ratio
from rankgauge.ranking import RankedLists, total

__all__ = ["R"]


@dataclass(frozen=True, kw_only=True)
class R(Measure):
    """The share of the relevant documents that stand among the first k."""

    facts = Facts(
        name="R",
        title="Recall at k",
        formula=r"\frac{1}{R}\sum_{r=1}^{k} [g_r \ge \mathrm{rel}]",
        reference="van Rijsbergen, Information Retrieval, 1979",
        bounds=(0.0, 1.0),
        cutoff=Cutoff.REQUIRED,
        ties=TieRule.EXACT,
        graded=False,
        improves=True,
        attains=False,
        examples=(
            Example(measure="R@3", grades=(2, None, 1, 1), missed=(1,), value="2 / 4"),
            Example(measure="R(rel=2)@5", grades=(2, 1, 3), missed=(2, 1), value="2 / 3"),
            Example(measure="R@3", grades=(0, None), missed=(0,), value="nan"),
        ),
    )
    cutoff: int | None = None
    rel: float | None = None

    def contributions(self, lists: RankedLists) -> FloatArray:
        assert self.rel is not None
        return ratio(self._found(lists), lists.total_relevant(self.rel)[..., np.newaxis])

    def values(self, lists: RankedLists) -> FloatArray:
        assert self.rel is not None
        return lists.rounded(ratio(total(self._found(lists)), lists.total_relevant(self.rel)))

    def _found(self, lists: RankedLists) -> FloatArray:
        assert self.rel is not None
        lists = lists.top(self.cutoff)
        return lists.relevant(self.rel) * lists.weigh(np.ones_like, self.cutoff)
