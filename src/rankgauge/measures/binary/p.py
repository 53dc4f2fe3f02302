"""P@k: precision at a rank."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankgauge.measures.forms import Form, Shape
from rankgauge.measures.measure import Cutoff, Example, Facts, Measure, TieRule
from rankgauge.numeric import FloatArray
from rankgauge.ranking import RankedLists, total

__all__ = ["P"]


@dataclass(frozen=True, kw_only=True)
class P(Measure):
    """The share of relevant documents among the first k.

    A list shorter than k is padded: the divisor stays k. With padded=False it is the length of the list, as in RankLib.
    """

    facts = Facts(
        name="P",
        title="Precision at k",
        formula=r"\frac{1}{k}\sum_{r=1}^{k} [g_r \ge \mathrm{rel}]",
        reference="van Rijsbergen, Information Retrieval, 1979",
        bounds=(0.0, 1.0),
        cutoff=Cutoff.REQUIRED,
        ties=TieRule.EXACT,
        graded=False,
        improves=True,
        attains=False,
        examples=(
            Example(measure="P@3", grades=(2, None, 1, 1), missed=(1,), value="2 / 3"),
            Example(measure="P(rel=2)@5", grades=(2, 1, 2), missed=(2,), value="2 / 5"),
        ),
    )
    cutoff: int | None = None
    rel: float | None = None
    padded: bool | None = None

    def contributions(self, lists: RankedLists) -> FloatArray:
        return self._found(lists) / self._divisor(lists)[..., np.newaxis]

    def values(self, lists: RankedLists) -> FloatArray:
        # Counts first and divides once, as the tools do: seven tenths are .7, not .1 seven times.
        return lists.rounded(total(self._found(lists)) / self._divisor(lists))

    def form(self) -> Form | None:
        if self.padded is False:
            return None  # the divisor is the length of the list
        k, rel = self.cutoff, self.rel
        assert k is not None
        assert rel is not None
        return Form(
            shape=Shape.LINEAR,
            worth=lambda lists: lists.relevant(rel).astype(float),
            weight=lambda ranks: np.full_like(ranks, 1.0 / k),
            cutoff=k,
        )

    def _divisor(self, lists: RankedLists) -> FloatArray:
        assert self.cutoff is not None
        whole = np.full_like(lists.retrieved, self.cutoff)
        return np.clip(lists.retrieved, 1.0, whole) if self.padded is False else whole

    def _found(self, lists: RankedLists) -> FloatArray:
        assert self.rel is not None
        lists = lists.top(self.cutoff)
        return lists.relevant(self.rel) * lists.weigh(np.ones_like, self.cutoff)
