"""RprecMult: precision at a multiple of R."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankgauge.errors import ParameterError
from rankgauge.measures.measure import Cutoff, Example, Facts, Measure, TieRule
from rankgauge.numeric import FloatArray, ratio
from rankgauge.ranking import RankedLists, total

__all__ = ["RprecMult"]


@dataclass(frozen=True, kw_only=True)
class RprecMult(Measure):
    """The precision after a multiple of R documents, R being the number of relevant ones.

    It meets every query at the same milestone, so low multiples show precision, high ones recall. A rank that is not
    whole is rounded as trec_eval does: up from a tenth on.
    """

    facts = Facts(
        name="RprecMult",
        title="Precision at a multiple of R",
        formula=r"\frac{1}{k}\sum_{r=1}^{k} [g_r \ge \mathrm{rel}], \quad k = \lfloor m R + 0.9 \rfloor",
        reference="trec_eval 9.0.8, Rprec_mult",
        bounds=(0.0, 1.0),
        cutoff=Cutoff.NONE,
        ties=TieRule.EXACT,
        graded=False,
        improves=True,
        attains=False,
        examples=(
            Example(measure="RprecMult(multiple=0.5)", grades=(1, 0, 2, 1), missed=(1, 1), value="2 / 3"),
            Example(measure="RprecMult(multiple=2, rel=2)", grades=(2, 0, 1), missed=(2,), value="1 / 4"),
            Example(measure="RprecMult(multiple=1)", grades=(0, None), value="nan"),
            Example(measure="RprecMult", grades=(1, 0, 2), missed=(1,), value="2 / 3"),
        ),
    )
    multiple: float = 1.0
    rel: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.multiple > 0:
            raise ParameterError("RprecMult", "multiple", "above 0", self.multiple)

    def contributions(self, lists: RankedLists) -> FloatArray:
        k = self._rank(lists)
        return ratio(self._found(lists, k), k[..., np.newaxis])

    def values(self, lists: RankedLists) -> FloatArray:
        k = self._rank(lists)
        return ratio(total(self._found(lists, k)), k)

    def _rank(self, lists: RankedLists) -> FloatArray:
        assert self.rel is not None
        return np.floor(self.multiple * lists.total_relevant(self.rel) + 0.9)

    def _found(self, lists: RankedLists, k: FloatArray) -> FloatArray:
        assert self.rel is not None
        return lists.relevant(self.rel) * lists.weigh(np.ones_like, k)
