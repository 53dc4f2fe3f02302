"""AP: average precision."""

from __future__ import annotations

from dataclasses import dataclass

from rankgauge.measures.measure import Cutoff, Example, Facts, Measure, TieRule
from rankgauge.measures.parts import cumulated_precision
from rankgauge.numeric import FloatArray, ratio
from rankgauge.ranking import RankedLists

__all__ = ["AP"]


@dataclass(frozen=True, kw_only=True)
class AP(Measure):
    """The mean, over all relevant documents, of the precision at their ranks; 0 for those not retrieved."""

    facts = Facts(
        name="AP",
        title="Average precision",
        formula=r"\frac{1}{R}\sum_{r=1}^{k} [g_r \ge \mathrm{rel}] \, P@r",
        reference="Buckley & Voorhees, Evaluating evaluation measure stability, SIGIR 2000",
        bounds=(0.0, 1.0),
        cutoff=Cutoff.OPTIONAL,
        ties=TieRule.EXACT,
        graded=False,
        improves=True,
        attains=False,
        examples=(
            Example(measure="AP", grades=(1, 0, 2, None, 1), missed=(1,), value="(1/1 + 2/3 + 3/5) / 4"),
            Example(measure="AP(rel=2)@3", grades=(1, 2, 0, 2), missed=(2,), value="(1/2) / 3"),
        ),
    )
    cutoff: int | None = None
    rel: float | None = None

    def contributions(self, lists: RankedLists) -> FloatArray:
        assert self.rel is not None
        R = lists.total_relevant(self.rel)
        lists = lists.top(self.cutoff)
        precision = cumulated_precision(lists, lists.relevant(self.rel).astype(float), self.cutoff)
        return ratio(precision, R[..., None])

    def values(self, lists: RankedLists) -> FloatArray:
        assert self.rel is not None
        top = lists.top(self.cutoff)
        precision = cumulated_precision(top, top.relevant(self.rel).astype(float), self.cutoff)
        # trec_eval sums first and divides once; so do we, to the last digit.
        return ratio(lists.total(precision, upwards=True), lists.total_relevant(self.rel))
