"""Q: the Q-measure, average precision blended with cumulated gain."""

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from rankgauge.constraints import real_number
from rankgauge.measures.gains import gains
from rankgauge.measures.measure import OPEN, Facts, Measure, parameter, read_examples
from rankgauge.numeric import FloatArray, IndexArray
from rankgauge.ranking import RankedLists
from rankgauge.ranking.lists import group_edges

QueryWeight: TypeAlias = Callable[[IndexArray, FloatArray], FloatArray]
"""What a rank of a query is worth: queries and ranks in, weights out."""


class Q(Measure):
    """The mean, over all relevant documents, of the blended ratio at their ranks: relevant documents and gain so far,
    against the rank and the gain of the ideal order.

    `beta` says how much the gain counts: with 0 it is AP. Documents below `rel` neither count nor gain. A better
    document higher up can lower the value: (1, 4, 0) has less than (0, 4, 1), for its first document is where the
    ideal order has the 4.
    """

    facts = Facts(
        title="Q-measure",
        formula=r"\frac{1}{R}\sum_{r=1}^{k} [g_r \ge \mathrm{rel}] \, "
        r"\frac{\mathrm{count}(r) + \beta\,\mathrm{cg}(r)}{r + \beta\,\mathrm{cg}^*(r)}",
        reference="Sakai, Ranking the NTCIR systems based on multigrade relevance, AIRS 2004",
        graded=True,
        improves=False,
        better=True,
        examples=read_examples("""
            Q of 1 - 3 2 | 2 = ((1 + 1)/(1 + 3) + (2 + 4)/(3 + 7) + (3 + 6)/(4 + 8)) / 4
            Q(beta=10, gain='exp')@2 of 1 2 2 | 1 = ((1 + 10*1)/(1 + 10*3) + (2 + 10*4)/(2 + 10*6)) / 4
        """),
    )
    cutoff: int | None = None
    beta: float = parameter(real_number(), default=1.0)
    gain: str = OPEN
    rel: float = OPEN

    def divisor(self, lists: RankedLists) -> FloatArray:
        return lists.total_relevant(self.rel)

    def amounts(self, lists: RankedLists) -> FloatArray:
        """Return the blended ratio at each relevant hit's rank, 0 elsewhere.

        Where documents are tied, the mean over their orders, as for the precision in AP: given a hit's place, every
        other document of its group is before it equally often.
        """
        ideal = self._addends(lists.ideal_order()) - lists.ideal_order().relevant(self.rel)
        lists = lists.top(self.cutoff)
        relevant, amounts = lists.relevant(self.rel), self._addends(lists)
        before, within = lists.earlier(amounts)
        best = _cumulate(ideal)
        inverse = _weigh(lists, lambda query, rank: 1.0 / (rank + best(query, rank)), self.cutoff)
        if lists.first is None or lists.size is None:
            return relevant * (before + amounts) * inverse
        share = _weigh(lists, lambda query, rank: rank / (rank + best(query, rank)), self.cutoff)
        first, size = (np.where(lists.hits, values, 1.0) for values in (lists.first, lists.size))
        mates = (within - amounts) / np.maximum(size - 1.0, 1.0)
        return relevant * ((before + amounts) * inverse + mates * (share - first * inverse))

    def _addends(self, lists: RankedLists) -> FloatArray:
        """Return what each relevant hit adds to the ratio's numerator: 1 and β times its gain."""
        return np.where(lists.relevant(self.rel), 1.0 + self.beta * gains(lists, self.gain), 0.0)


def _cumulate(amounts: FloatArray) -> QueryWeight:
    """Return the sum of a query's amounts up to a rank."""
    rows = np.cumsum(np.pad(_rows(amounts), ((0, 0), (1, 0))), axis=-1)
    return lambda query, rank: rows[query, np.minimum(rank, rows.shape[-1] - 1).astype(np.intp)]


def _rows(values: FloatArray) -> FloatArray:
    """Return the values as queries × hits, be it one list or a block."""
    return values.reshape(math.prod(values.shape[:-1]), values.shape[-1])


def _weigh(lists: RankedLists, weight: QueryWeight, cutoff: float | None) -> FloatArray:
    """Return as `lists.weigh`, with a weight that differs from query to query."""
    ranks = _rows(lists.ranks)
    hits = ~np.isnan(ranks)
    first = ranks if lists.first is None else _rows(lists.first)
    size = np.ones_like(ranks) if lists.size is None else _rows(lists.size)
    lead = hits & (group_edges(first)[0] == np.arange(ranks.shape[-1]))
    begin, documents = first[lead], size[lead]
    end = np.minimum(begin + documents - 1, np.inf if cutoff is None else cutoff)
    places = np.maximum(end - begin + 1, 0).astype(np.intp)
    group = np.repeat(np.arange(len(places)), places)
    rank = begin[group] + np.arange(len(group)) - (np.cumsum(places) - places)[group]
    worth = np.bincount(group, weights=weight(np.nonzero(lead)[0][group], rank), minlength=len(places)) / documents
    spread = np.zeros(ranks.shape)
    spread[hits] = worth[np.cumsum(lead)[hits.ravel()] - 1]
    return spread.reshape(lists.ranks.shape)
