"""xinfAP, xinfNDCG and statAP: inferred from strata of which a sample was judged."""

import numpy as np

from rankgauge.measures.gains import GAINS
from rankgauge.measures.measure import OPEN, Measure, read_examples
from rankgauge.measures.strata import FromStrata, Strata, above, over_documents, over_strata, sample_facts
from rankgauge.numeric import FloatArray, ratio

SMOOTHING = (1e-5, 3e-5)
"""What keeps a share from 0/0 where nothing above was judged: above and below the line (sample_eval.pl)."""


class xinfAP(FromStrata, Measure):
    """Average precision, inferred from a pool in strata, of each of which a random part was judged.

    The precision at a relevant document is estimated from the judged ones above it, stratum by stratum: a document that
    was not judged is taken to be relevant as often as the judged ones of its stratum above are, one outside the pool
    never. A judged document of a stratum that was sampled at one in five stands for five.
    """

    facts = sample_facts(
        title="Inferred average precision of a stratified sample",
        formula=r"\frac{1}{R_{\mathrm{est}}}\sum_{r} \frac{N_s}{n_s} \frac{1}{r}(1 + \sum_t N_{tr}"
        r" \frac{a_{tr} + \varepsilon}{n_{tr} + 3\varepsilon}), \quad R_{\mathrm{est}} = \sum_s \frac{N_s}{n_s} R_s",
        reference="Yilmaz, Kanoulas & Aslam, A simple and efficient sampling method for estimating AP and NDCG, SIGIR "
        "2008; NIST's sample_eval.pl, infAP",
        knows_pool=True,
        examples=read_examples("""
            # The first stratum is judged throughout; of the second, one of the two documents: it stands for both.
            xinfAP of 1,. - 0,. .,1 | .,? = (1 + 2 * (1 + 2 * (1 + 1e-5) / (2 + 3e-5)) / 4) / (1 + 2)
            xinfAP(rel=2) of .,? 2,. 1,. .,2 = ((1 + 1/3) / 2 + 2 * (1 + 1/3 + 2 * (1 + 1e-5) / (2 + 3e-5)) / 4) \
                / (1 + 2)
            xinfAP of 0,. - | .,0 = nan
        """),
    )
    rel: float = OPEN

    def infer(self, strata: Strata) -> FloatArray:
        relevant = strata.relevant(self.rel)
        good, seen = above(relevant), above(strata.drawn)
        there = above(strata.members) / strata.listed[..., np.newaxis, :]
        expected = 1.0 + over_strata(there * (good + SMOOTHING[0]) / (seen + SMOOTHING[1]))
        stands = over_strata(relevant * strata.expansion[..., np.newaxis, :])
        return ratio(np.nansum(stands * expected / strata.ranks, axis=-1), strata.total_relevant(self.rel))


class xinfNDCG(FromStrata, Measure):
    """nDCG, inferred from a pool in strata, of each of which a random part was judged.

    A stratum adds the mean discounted gain of its judged documents in the list, times how many documents of it the list
    has. The ideal order has as many documents of each grade as the sample stands for, rounded. The discount is
    1 / log2(1 + rank); sample_eval.pl's infNDCG ends at rank 1000: xinfNDCG@1000.
    """

    facts = sample_facts(
        title="Inferred nDCG of a stratified sample",
        formula=r"\frac{1}{I_{\mathrm{est}}}\sum_s \frac{N_{sk}}{n_{sk}}"
        r" \sum_{r \le k} \frac{\mathrm{gain}(g_{rs})}{\log_2(1 + r)},"
        r" \quad I_{\mathrm{est}} = \sum_{r=1}^{k} \frac{\mathrm{gain}(g^*_r)}{\log_2(1 + r)}",
        reference="Yilmaz, Kanoulas & Aslam, A simple and efficient sampling method for estimating AP and NDCG, SIGIR "
        "2008; NIST's sample_eval.pl, infNDCG",
        graded=True,
        knows_pool=True,
        examples=read_examples("""
            # Of the second stratum, one of the two documents in the list is judged: there are two 2s, by estimate.
            xinfNDCG of 1,. .,? - .,2 | 0,. = (1/log2(2) + 2 * 2/log2(5)) / (2/log2(2) + 2/log2(3) + 1/log2(4))
            xinfNDCG(gain='exp')@2 of .,3 2,. 1,. | .,? = (7/log2(2) + 3/log2(3)) / (7/log2(2) + 7/log2(3))
        """),
    )
    cutoff: int | None = None
    gain: str = OPEN

    def infer(self, strata: Strata) -> FloatArray:
        inside = (strata.ranks <= (np.inf if self.cutoff is None else self.cutoff))[..., np.newaxis]
        worth = np.where(strata.hits > 0, GAINS[self.gain](np.maximum(np.nan_to_num(strata.hits), 0.0)), 0.0)
        discounted = (
            inside * strata.drawn * worth / np.log2(1.0 + np.nan_to_num(strata.ranks, nan=1.0))[..., np.newaxis]
        )
        there, seen = over_documents(inside * strata.members), over_documents(inside * strata.drawn)
        gained = there * np.divide(over_documents(discounted), seen, out=np.zeros(np.shape(seen)), where=seen > 0)
        return ratio(over_strata(gained / strata.listed), self._ideal(strata))

    def _ideal(self, strata: Strata) -> FloatArray:
        """Return the DCG of the ideal order of as many documents of each grade as the sample stands for."""
        levels = np.unique(strata.pool[strata.pool > 0])[::-1]
        worth = GAINS[self.gain](levels)
        start = total = np.zeros(np.shape(strata.samples)[:-1])
        for level, gain in zip(levels[np.argsort(-worth, kind="stable")], -np.sort(-worth), strict=True):
            end = start + np.floor(strata.total(strata.pool == level) + 0.5)
            total = total + gain * (self._discounts(end) - self._discounts(start))
            start = end
        return total

    def _discounts(self, count: FloatArray) -> FloatArray:
        """Return the sum of the discounts of the first ranks, so many or down to the cutoff."""
        last = count if self.cutoff is None else np.minimum(count, self.cutoff)
        ranks = np.arange(1.0, float(np.max(last, initial=0.0)) + 1)
        return np.asarray(np.append(0.0, np.cumsum(1.0 / np.log2(1.0 + ranks)))[last.astype(np.int64)])


class statAP(FromStrata, Measure):
    """Average precision from a sample: a relevant document that was drawn with a chance of π stands for 1/π of them,
    also where it counts towards the precision of those below.

    Where strata are given instead of chances, π is the judged share of the document's stratum.
    """

    facts = sample_facts(
        title="Average precision of a sample with known chances",
        formula=r"\frac{1}{R_{\mathrm{est}}}\sum_{r} \frac{1}{\pi_r} [g_r \ge \mathrm{rel}] \frac{1}{r}"
        r"(1 + \sum_{i < r} \frac{[g_i \ge \mathrm{rel}]}{\pi_i}),"
        r" \quad R_{\mathrm{est}} = \sum_d \frac{[g_d \ge \mathrm{rel}]}{\pi_d}",
        reference="Aslam & Pavlu, A practical sampling strategy for efficient retrieval evaluation, 2007; Carterette, "
        "Pavlu, Kanoulas, Aslam & Allan, Evaluation over thousands of queries, SIGIR 2008",
        examples=read_examples("""
            # The first stratum is judged throughout; of the second, one of the two documents: π = 1/2.
            statAP of .,1 - 1,. 0,. | .,? 1,. = (2 * 1/1 + (1 + 2) / 3) / (2 + 1 + 1)
            statAP(rel=2) of 1,. 2,. .,2 = (1/2 + (1 + 1) / 3) / 2
        """),
    )
    rel: float = OPEN

    def infer(self, strata: Strata) -> FloatArray:
        stands = over_strata(strata.relevant(self.rel) * strata.expansion[..., np.newaxis, :])
        before = np.cumsum(stands, axis=-1) - stands
        return ratio(np.nansum(stands * (1.0 + before) / strata.ranks, axis=-1), strata.total_relevant(self.rel))
