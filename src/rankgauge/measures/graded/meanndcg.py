"""MeanNDCG, nDCGRel and RnDCG: nDCG averaged over ranks."""

import numpy as np

from rankgauge.measures.gains import cumulate, discount, final, gains, ideal_gains
from rankgauge.measures.graded.ndcg import DCG
from rankgauge.measures.measure import OPEN, Facts, Measure, TieRule, read_examples
from rankgauge.numeric import FloatArray, ratio
from rankgauge.ranking import RankedLists, total


class MeanNDCG(Measure):
    """The mean of nDCG@1, nDCG@2 … nDCG@n, where n is the length of the list."""

    facts = Facts(
        title="Mean of nDCG over all ranks of the list",
        formula=r"\frac{1}{n}\sum_{k=1}^{n} \mathrm{nDCG}@k",
        reference="Qin, Liu, Xu & Li, LETOR: a benchmark collection for research on learning to rank for information "
        "retrieval, Information Retrieval 2010",
        graded=True,
        attains=True,
        examples=read_examples("""
            MeanNDCG of 1 2 = (1/2 + (1/log2(2) + 2/log2(3)) / (2/log2(2) + 1/log2(3))) / 2
            MeanNDCG(gain='exp', discount='letor') of - 1 2 0 | 2 = (0/3 + 1/6 + (1 + 3/log2(3)) / (6 + 1/log2(3)) \
                + (1 + 3/log2(3)) / (6 + 1/log2(3))) / 4
        """),
        counts_unjudged=True,
    )
    gain: str = OPEN
    discount: str = OPEN
    gains: tuple[tuple[float, float], ...] | None = None

    def values(self, lists: RankedLists) -> FloatArray:
        if lists.tied:
            return self._where_defined(lists, total(self.amounts(lists)))
        # nDCG at every rank, then their sum, then one division: LETOR's own digits follow from it.
        ranks = np.arange(1.0, int(lists.retrieved.max(initial=0)) + 1)
        added = np.zeros((*lists.ranks.shape[:-1], len(ranks) + 1))  # what the document at each rank adds to DCG
        place = np.where(lists.hits, lists.ranks - 1, len(ranks)).astype(np.intp)
        np.put_along_axis(added, place, self._dcg(self.discount).amounts(lists), axis=-1)
        dcg = np.cumsum(added[..., :-1], axis=-1)
        here = np.where(ranks <= lists.retrieved[..., np.newaxis], ratio(dcg, self._ideal(lists, ranks)), 0.0)
        return self._where_defined(lists, total(here) / np.maximum(lists.retrieved, 1.0))

    def amounts(self, lists: RankedLists) -> FloatArray:
        """Return what each hit adds: at rank r it is in nDCG@r and all that follow, divided by each of their ideals."""
        n = lists.retrieved[..., np.newaxis]
        ranks = np.arange(1.0, int(lists.retrieved.max(initial=0)) + 1)
        inverse = np.where(ranks <= n, ratio(np.ones_like(ranks), self._ideal(lists, ranks)), 0.0)
        following = np.cumsum(inverse[..., ::-1], axis=-1)[..., ::-1]
        worth = discount(self.discount)(ranks) * following / np.maximum(n, 1.0)
        # What each hit's place is worth by its list's own table, the group's mean where tied.
        sums = np.concatenate([np.zeros((*worth.shape[:-1], 1)), np.cumsum(worth, axis=-1)], axis=-1)
        first = lists.ranks if lists.first is None else lists.first
        size = np.ones_like(first) if lists.size is None else lists.size
        low, length = np.where(lists.hits, first - 1, 0.0), np.where(lists.hits, size, 1.0)
        low_sum, high_sum = (np.take_along_axis(sums, end.astype(np.intp), axis=-1) for end in (low, low + length))
        places = np.where(lists.hits, (high_sum - low_sum) / length, 0.0)
        return self._where_defined(lists, self._dcg("none").amounts(lists), hits=True) * places

    def _dcg(self, discount_: str) -> DCG:
        return DCG(gain=self.gain, discount=discount_, gains=self.gains)

    def _ideal(self, lists: RankedLists, ranks: FloatArray) -> FloatArray:
        """Return DCG of the ideal order at each rank; past the last judged document it stays as it is."""
        best = ideal_gains(lists, self.gain, self.gains)
        if best.shape[-1] == 0:
            return np.zeros((*best.shape[:-1], len(ranks)))
        return cumulate(best, discount(self.discount))[..., np.minimum(ranks, best.shape[-1]).astype(np.intp) - 1]

    def _where_defined(self, lists: RankedLists, values: FloatArray, *, hits: bool = False) -> FloatArray:
        """Return the values, NaN where nothing that was judged gains anything."""
        none = self._ideal(lists, np.ones(1))[..., 0] == 0
        return np.where(none[..., np.newaxis] if hits else none, np.nan, values)


class nDCGRel(Measure):
    """The mean of nDCG at the ranks of all documents with a gain; at the list's end for those not retrieved."""

    facts = Facts(
        title="nDCG averaged over the relevant documents",
        formula=r"\frac{1}{R}\left(\sum_{r : \gamma_r > 0} nDCG@r + (R - R_{ret})\, nDCG\right)",
        reference="trec_eval 9.0.8, ndcg_rel",
        ties=TieRule.SAMPLED,
        graded=True,
        improves=False,
        attains=True,
        examples=read_examples("""
            nDCGRel of 1 - 2 | 1 = (1/2 + 2 * (1 + 2/log2(4)) / (2 + 1/log2(3) + 1/log2(4))) / 3
            nDCGRel(gains={1: 3, 2: 7}) of 0 2 1 = (7/log2(3) + 7/log2(3) + 3/log2(4)) / (7 + 3/log2(3)) / 2
            nDCGRel of 0.5 | 0.5 = (1 + .5 / (.5 + .5/log2(3))) / 2
        """),
    )
    gain: str = OPEN
    discount: str = OPEN
    gains: tuple[tuple[float, float], ...] | None = None

    def values(self, lists: RankedLists) -> FloatArray:
        weight = discount(self.discount)
        ideal = ideal_gains(lists, self.gain, self.gains)
        gained = gains(lists, self.gain, self.gains)
        best = cumulate(ideal, weight)
        best = np.concatenate([np.zeros((*best.shape[:-1], 1)), best], axis=-1)
        running = np.cumsum(gained * lists.weigh(weight), axis=-1)
        last = np.minimum(np.where(lists.hits, lists.ranks, 0.0), ideal.shape[-1]).astype(np.intp)
        there = np.where(gained > 0, ratio(running, np.take_along_axis(best, last, axis=-1)), 0.0)
        missed = (ideal > 0).sum(axis=-1) - (gained > 0).sum(axis=-1)
        whole = missed * final(running) / np.where(final(best) > 0, final(best), 1.0)
        return ratio(total(there) + whole, (ideal > 0).sum(axis=-1).astype(float))


class RnDCG(Measure):
    """The mean of nDCG at the ranks where the ideal order steps down to a lower gain, and at the end of the list.

    nDCG jumps at those ranks, which lie elsewhere for each query; measured there, queries can be compared. The end
    counts if at least two documents are below the last step: trec_eval ignores a single one.
    """

    facts = Facts(
        title="nDCG averaged over the steps of the ideal order",
        formula=r"\frac{1}{|S|}\sum_{k \in S} nDCG@k, \quad S = \{k : \gamma^*_k > \gamma^*_{k+1}\} \cup \{n\}",
        reference="trec_eval 9.0.8, Rndcg",
        graded=True,
        attains=True,
        examples=read_examples("""
            RnDCG of 1 - 2 0 0 | 1 = (1/2 + (1 + 2/log2(4)) / (2 + 1/log2(3) + 1/log2(4)) + (1 + 2/log2(4)) / (2 \
                + 1/log2(3) + 1/log2(4))) / 3
            RnDCG(gains={1: 3, 2: 7}) of 1 2 | 1 = (3/7 + (3 + 7/log2(3)) / (7 + 3/log2(3) + 3/log2(4))) / 2
            RnDCG of 0 1 = 0
            RnDCG of 0 1 0 = (0 + 1/log2(3)) / 2
            RnDCG of 0 2 | 1 = (0 + 2/log2(3) / (2 + 1/log2(3))) / 2
            RnDCG(rel=0.5) of 0.25 0.5 = (.25/.5 + (.25 + .5/log2(3)) / (.5 + .25/log2(3))) / 2
            RnDCG(rel=2) of 1 0 = nan
        """),
        counts_unjudged=True,
    )
    gain: str = OPEN
    discount: str = OPEN
    gains: tuple[tuple[float, float], ...] | None = None
    rel: float = OPEN
    """The least grade of a relevant document; a query without one has no value."""

    def values(self, lists: RankedLists) -> FloatArray:
        ideal = ideal_gains(lists, self.gain, self.gains)
        gained, weight = gains(lists, self.gain, self.gains), discount(self.discount)
        best = cumulate(ideal, weight)
        summed, steps = np.zeros_like(lists.retrieved), np.zeros_like(lists.retrieved)
        for step in np.unique(ideal[ideal > 0])[::-1]:
            inside, there = ideal >= step, (ideal == step).any(axis=-1)
            dcg = total(gained * lists.weigh(weight, inside.sum(axis=-1).astype(float)))
            value = ratio(dcg, np.max(best, axis=-1, where=inside, initial=0.0))
            summed, steps = summed + np.where(there, value, 0.0), steps + there
        end = (steps > 0) & (lists.retrieved > (ideal > 0).sum(axis=-1) + 1)
        whole = ratio(total(gained * lists.weigh(weight)), final(best))
        mean = ratio(summed + np.where(end, whole, 0.0), steps + end)
        return np.where(lists.total_relevant(self.rel) > 0, mean, np.nan)
