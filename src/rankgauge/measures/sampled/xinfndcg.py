"""xinfNDCG: nDCG inferred from strata of the pool that were sampled at different rates."""

import numpy as np

from rankgauge.measures.gains import GAINS
from rankgauge.measures.measure import OPEN, Cutoff, Example, Facts, Measure, TieRule
from rankgauge.measures.strata import FromStrata, Strata, over_documents, over_strata
from rankgauge.numeric import FloatArray, ratio
from rankgauge.policies import JudgmentKind
from rankgauge.ranking import UNJUDGED

NOT = float("nan")
"""A document is not in the stratum."""


class xinfNDCG(FromStrata, Measure):
    """nDCG, inferred from a pool in strata, of each of which a random part was judged.

    A stratum adds the mean discounted gain of its judged documents in the list, times how many documents of it the list
    has. The ideal order has as many documents of each grade as the sample stands for, rounded. The discount is
    1 / log2(1 + rank); sample_eval.pl's infNDCG ends at rank 1000: xinfNDCG@1000.
    """

    facts = Facts(
        name="xinfNDCG",
        title="Inferred nDCG of a stratified sample",
        formula=r"\frac{1}{I_{\mathrm{est}}}\sum_s \frac{N_{sk}}{n_{sk}}"
        r" \sum_{r \le k} \frac{\mathrm{gain}(g_{rs})}{\log_2(1 + r)},"
        r" \quad I_{\mathrm{est}} = \sum_{r=1}^{k} \frac{\mathrm{gain}(g^*_r)}{\log_2(1 + r)}",
        reference="Yilmaz, Kanoulas & Aslam, A simple and efficient sampling method for estimating AP and NDCG, SIGIR "
        "2008; NIST's sample_eval.pl, infNDCG",
        bounds=(0.0, np.inf),
        cutoff=Cutoff.OPTIONAL,
        ties=TieRule.SAMPLED,
        graded=True,
        improves=False,
        better=True,
        knows_pool=True,
        judgments=JudgmentKind.SAMPLES,
        examples=(
            # Of the second stratum, one of the two documents in the list is judged: there are two 2s, by estimate.
            Example(
                "xinfNDCG",
                ((1, NOT), (NOT, UNJUDGED), None, (NOT, 2)),
                missed=((0, NOT),),
                value="(1/log2(2) + 2 * 2/log2(5)) / (2/log2(2) + 2/log2(3) + 1/log2(4))",
            ),
            Example(
                "xinfNDCG(gain='exp')@2",
                ((NOT, 3), (2, NOT), (1, NOT)),
                missed=((NOT, UNJUDGED),),
                value="(7/log2(2) + 3/log2(3)) / (7/log2(2) + 7/log2(3))",
            ),
        ),
    )
    cutoff: int | None = None
    gain: str = OPEN

    def inferred(self, strata: Strata) -> FloatArray:
        """The estimate from strata."""
        inside = (strata.ranks <= (np.inf if self.cutoff is None else self.cutoff))[..., np.newaxis]
        worth = np.where(strata.hits > 0, GAINS[self.gain](np.maximum(np.nan_to_num(strata.hits), 0.0)), 0.0)
        discounted = (
            inside * strata.drawn * worth / np.log2(1.0 + np.nan_to_num(strata.ranks, nan=1.0))[..., np.newaxis]
        )
        there, seen = over_documents(inside * strata.members), over_documents(inside * strata.drawn)
        gained = there * np.divide(over_documents(discounted), seen, out=np.zeros(np.shape(seen)), where=seen > 0)
        return ratio(over_strata(gained / strata.listed), self._ideal(strata))

    def _ideal(self, strata: Strata) -> FloatArray:
        """The DCG of the ideal order of as many documents of each grade as the sample stands for."""
        levels = np.unique(strata.pool[strata.pool > 0])[::-1]
        worth = GAINS[self.gain](levels)
        start = total = np.zeros(np.shape(strata.samples)[:-1])
        for level, gain in zip(levels[np.argsort(-worth, kind="stable")], -np.sort(-worth), strict=True):
            end = start + np.floor(strata.total(strata.pool == level) + 0.5)
            total = total + gain * (self._discounts(end) - self._discounts(start))
            start = end
        return total

    def _discounts(self, count: FloatArray) -> FloatArray:
        """The sum of the discounts of the first ranks, so many or down to the cutoff."""
        last = count if self.cutoff is None else np.minimum(count, self.cutoff)
        ranks = np.arange(1.0, float(np.max(last, initial=0.0)) + 1)
        return np.asarray(np.append(0.0, np.cumsum(1.0 / np.log2(1.0 + ranks)))[last.astype(np.int64)])
