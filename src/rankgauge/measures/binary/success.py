"""Success@k: whether the first k have a relevant document."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankgauge.measures.forms import Form, Shape
from rankgauge.measures.measure import Cutoff, Example, Facts, Measure, TieRule
from rankgauge.numeric import FloatArray
from rankgauge.ranking import RankedLists

__all__ = ["Success"]


@dataclass(frozen=True, kw_only=True)
class Success(Measure):
    """1 if a relevant document stands among the first k, else 0; with ties, the chance of it."""

    facts = Facts(
        name="Success",
        title="Success at k",
        formula=r"\max_{r \le k} [g_r \ge \mathrm{rel}]",
        reference="Craswell & Hawking, Overview of the TREC 2004 Web track; trec_eval, m_success",
        bounds=(0.0, 1.0),
        cutoff=Cutoff.REQUIRED,
        ties=TieRule.EXACT,
        graded=False,
        improves=True,
        attains=False,
        examples=(
            Example(measure="Success@3", grades=(0, None, 2, 1), missed=(1,), value="1"),
            Example(measure="Success(rel=2)@3", grades=(1, None, 1, 2), missed=(3,), value="0"),
        ),
    )
    cutoff: int | None = None
    rel: float | None = None

    def form(self) -> Form:
        return Form(shape=Shape.CASCADE, worth=self._found, weight=np.ones_like, cutoff=self.cutoff)

    def _found(self, lists: RankedLists) -> FloatArray:
        assert self.rel is not None
        return lists.relevant(self.rel).astype(float)
