"""nDCG: discounted cumulative gain against the ideal order's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rankgauge.measures.base import Cutoff, Example, Facts, Measure, TieRule
from rankgauge.measures.parts import discount, gains, ratio
from rankgauge.ranking import RankedLists, total
from rankgauge.ranking.lists import FloatArray

__all__ = ["nDCG"]


def _dcg(name: str) -> dict[str, Any]:
    """ir-measures' `dcg=`: an optional gain and a discount, joined by a hyphen."""
    gain, _, discount_ = name.rpartition("-")
    return {"gain": gain or "linear", "discount": discount_}


@dataclass(frozen=True, kw_only=True)
class nDCG(Measure):
    """Discounted cumulative gain, divided by that of the ideal order of the judged documents."""

    facts = Facts(
        name="nDCG",
        title="Normalised discounted cumulative gain",
        formula=r"\frac{\sum_{r=1}^{k} \mathrm{gain}(g_r)\,d(r)}{\sum_{r=1}^{k} \mathrm{gain}(g^*_r)\,d(r)}",
        reference="Järvelin & Kekäläinen, Cumulated gain-based evaluation of IR techniques, TOIS 2002",
        bounds=(0.0, 1.0),
        cutoff=Cutoff.OPTIONAL,
        ties=TieRule.EXACT,
        graded=True,
        improves=True,
        attains=True,
        examples=(
            Example(
                measure="nDCG@3",
                grades=(1, None, 2, 2),
                missed=(1,),
                value="(1/log2(2) + 2/log2(4)) / (2/log2(2) + 2/log2(3) + 1/log2(4))",
            ),
            Example(
                measure="nDCG(dcg='exp-log2')@2",
                grades=(1, 3, 3),
                missed=(2,),
                value="(1/log2(2) + 7/log2(3)) / (7/log2(2) + 7/log2(3))",
            ),
            Example(
                measure="nDCG(gain='linear', discount='letor')",
                grades=(0, 2, 0, 1),
                missed=(1,),
                value="(2/1 + 1/log2(4)) / (2/1 + 1/1 + 1/log2(3))",
            ),
        ),
    )
    shorthands = {"dcg": _dcg}

    cutoff: int | None = None
    gain: str | None = None
    discount: str | None = None
    gains: tuple[tuple[float, float], ...] | None = None

    def contributions(self, lists: RankedLists) -> FloatArray:
        ideal = total(self._gained(lists.ideal_order()))
        return ratio(self._gained(lists), ideal[..., None])

    def values(self, lists: RankedLists) -> FloatArray:
        return ratio(total(self._gained(lists)), total(self._gained(lists.ideal_order())))

    def _gained(self, lists: RankedLists) -> FloatArray:
        assert self.gain is not None and self.discount is not None
        lists = lists.top(self.cutoff)
        return gains(lists, self.gain, self.gains) * lists.weigh(discount(self.discount), self.cutoff)

    def spelled(self) -> dict[str, Any]:
        """ir-measures' spelling where it has one: dcg='log2', dcg='exp-log2'."""
        spelled = super().spelled()
        if self.gain in ("linear", "exp") and self.discount == "log2":
            del spelled["gain"], spelled["discount"]
            return {"dcg": "log2" if self.gain == "linear" else "exp-log2", **spelled}
        return spelled
