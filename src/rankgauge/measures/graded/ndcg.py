"""DCG, and nDCG: discounted cumulated gain, by itself and against the ideal order's."""

from dataclasses import replace
from typing import Any

import numpy as np

from rankgauge.measures.forms import Form, Shape
from rankgauge.measures.gains import discount, discount_gains, gains
from rankgauge.measures.measure import OPEN, Facts, Measure, choice, parameter, read_examples
from rankgauge.numeric import FloatArray
from rankgauge.ranking import RankedLists, total


def _dcg(name: Any) -> dict[str, Any]:
    """Read ir-measures' `dcg=`: an optional gain and a discount, joined by a hyphen."""
    gain, _, discount_ = str(name).rpartition("-")
    return {"gain": gain or "linear", "discount": discount_}


class DCG(Measure):
    """The sum of the gains of the first k documents, each discounted by its rank."""

    facts = Facts(
        title="Discounted cumulated gain",
        formula=r"\sum_{r=1}^{k} \mathrm{gain}(g_r)\,d(r)",
        reference="Järvelin & Kekäläinen, Cumulated gain-based evaluation of IR techniques, TOIS 2002",
        bounds=(0.0, np.inf),
        graded=True,
        examples=read_examples("""
            DCG@3 of 1 - 2 2 | 1 = 1/log2(2) + 2/log2(4)
            DCG(dcg='exp-log2') of 0 3 1 = 7/log2(3) + 1/log2(4)
            DCG(gain='exp', discount='log2+2')@4 of 0 3 1 2 3 | 3 = 7/log2(4) + 1/log2(5) + 3/log2(6)
            DCG(gain='letor', discount='none') of 1 0 2 3 | 2 = 1 + 0 + 3 + 0
            DCG(gain='mslr', discount='letor') of 1 4 2 0 3 5 = 1 + 15 + 3/log2(3) + 0 + 7/log2(5) + 0
            DCG(gain='yahoo', discount='ln') of 1 4 = 1/16/log(2) + 15/16/log(3)
            DCG(gain='ranklib', discount='none') of 1.9 3 = 1 + 7
            DCG(rel=2)@3 of 1 2 3 2 = 2/log2(3) + 3/log2(4)
        """),
    )
    shorthands = {"dcg": _dcg}

    cutoff: int | None = None
    gain: str = OPEN
    discount: str = OPEN
    gains: tuple[tuple[float, float], ...] | None = None
    rel: float = parameter(default=0.0, words="grades below it gain nothing, as with ranx's `-l2`")

    def amounts(self, lists: RankedLists) -> FloatArray:
        lists = lists.top(self.cutoff)
        return discount_gains(lists, self._gains(lists), self.discount, self.cutoff)

    def form(self) -> Form | None:
        return Form(shape=Shape.LINEAR, worth=self._gains, weight=discount(self.discount), cutoff=self.cutoff)

    def _gains(self, lists: RankedLists) -> FloatArray:
        gained = gains(lists, self.gain, self.gains)
        return np.where(lists.grades < self.rel, 0.0, gained) if self.rel > 0 else gained

    def spelled(self) -> dict[str, Any]:
        """Return ir-measures' spelling where it has one: dcg='log2', dcg='exp-log2'."""
        spelled = super().spelled()
        if self.gain in ("linear", "exp") and self.discount == "log2":
            del spelled["gain"], spelled["discount"]
            return {"dcg": "log2" if self.gain == "linear" else "exp-log2", **spelled}
        return spelled


class nDCG(DCG):
    """Discounted cumulative gain, divided by that of the ideal order of the judged documents.

    With `rel` documents below that grade gain nothing, neither in the list nor in the ideal order, as in ranx. With
    `ideal_rel` only documents of at least that grade gain in the ideal order, as in trec_eval 8; lower grades still
    gain in the list, so that the value may be above 1. With ideal_depth='list' the ideal order ends where the list
    ends, as in Elasticsearch; with 'all' it goes on past the cutoff to the last judged document, as in Quepid. With
    'filled' it has a document of gain 1 in every place of the list, as in LlamaIndex until 0.12.1.
    """

    facts = Facts(
        title="Normalised discounted cumulative gain",
        formula=r"\frac{\sum_{r=1}^{k} \mathrm{gain}(g_r)\,d(r)}{\sum_{r=1}^{k} \mathrm{gain}(g^*_r)\,d(r)}",
        reference="Järvelin & Kekäläinen, Cumulated gain-based evaluation of IR techniques, TOIS 2002",
        graded=True,
        attains=True,
        examples=read_examples("""
            nDCG@3 of 1 - 2 2 | 1 = (1/log2(2) + 2/log2(4)) / (2/log2(2) + 2/log2(3) + 1/log2(4))
            nDCG(dcg='exp-log2')@2 of 1 3 3 | 2 = (1/log2(2) + 7/log2(3)) / (7/log2(2) + 7/log2(3))
            nDCG(gain='linear', discount='letor') of 0 2 0 1 | 1 = (2/1 + 1/log2(4)) / (2/1 + 1/1 + 1/log2(3))
            nDCG(rel=2)@3 of 1 3 - 2 | 2 1 = (3/log2(3)) / (3/log2(2) + 2/log2(3) + 2/log2(4))
            nDCG(gains={1: 5, 2: 2})@2 of 2 1 1 | 0 2 = (2 + 5/log2(3)) / (5 + 5/log2(3))
        """),
    )

    ideal_rel: float | None = None
    ideal_depth: str | None = choice("depth of the ideal ranking", ("cutoff", "list", "all", "filled"))

    def form(self) -> Form | None:
        return None  # the ideal order depends on all grades at once

    def numerator(self) -> Form | None:
        return super().form()

    def ideal(self) -> Form | None:
        form = super().form()
        if form is None or self.ideal_depth in ("list", "filled"):
            return None
        return replace(form, worth=self._ideal_gains, cutoff=self._ideal_cutoff)

    @property
    def _ideal_cutoff(self) -> int | None:
        return None if self.ideal_depth == "all" else self.cutoff

    def _ideal_gains(self, lists: RankedLists) -> FloatArray:
        """Return the gains in the ideal order: grades below `ideal_rel` gain nothing there."""
        least = -np.inf if self.ideal_rel is None else self.ideal_rel
        return np.where(lists.grades < least, 0.0, self._gains(lists))

    def divisor(self, lists: RankedLists) -> FloatArray:
        """Return DCG of the ideal order: by gain where a table of gains puts a low grade above a high one."""
        if self.ideal_depth == "filled":
            places = np.arange(1.0, min(np.max(lists.retrieved, initial=0.0), self.cutoff or np.inf) + 1)
            return np.asarray((places <= lists.retrieved[..., np.newaxis]) @ discount(self.discount)(places))
        lists = lists.without_copies_past(self.cutoff) if self.ideal_depth == "list" else lists
        ideal = lists.ideal_order(self._ideal_cutoff if self.gains is None else None)
        if self.ideal_rel is not None:
            ideal = replace(ideal, grades=np.where(ideal.grades < self.ideal_rel, 0.0, ideal.grades))
        if self.gains is not None:
            worth = np.where(ideal.judged, self._gains(ideal), -np.inf)
            order = np.argsort(-worth, axis=-1, kind="stable")
            ideal = replace(ideal, grades=np.take_along_axis(ideal.grades, order, axis=-1))
        if self.ideal_depth == "list":
            inside = ideal.ranks <= lists.retrieved[..., np.newaxis]
            ideal = replace(ideal, grades=np.where(inside, ideal.grades, 0.0))
        reach = self if self.ideal_depth != "all" else replace(self, cutoff=None)
        # Grades below 0 may make it negative: then there is nothing to divide by, as in trec_eval and RankLib.
        return np.maximum(total(reach.amounts(ideal)), 0.0)
