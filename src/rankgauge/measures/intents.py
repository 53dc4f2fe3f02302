"""Subtopics as the intents of users: what each is worth, what its relevant documents gain, and means over them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from rankgauge.errors import ParameterError
from rankgauge.measures.exact_order import exact
from rankgauge.measures.forms import cascade
from rankgauge.numeric import BoolArray, FloatArray, IndexArray, ratio
from rankgauge.ranking import RankedLists, total
from rankgauge.ranking.lists import Weight

GREEDY = float(np.e / (np.e - 1.0))
"""How many times the gain of the greedy order the best order may have (Nemhauser, Wolsey & Fisher 1978)."""


def intents(lists: RankedLists, rel: float | None = None) -> FloatArray:
    """What each subtopic of a query is worth (queries × subtopics), 0 where there is none.

    With `rel`, a subtopic that no judged document is relevant to is worth nothing: nobody could serve it.
    """
    assert lists.facets is not None
    weights = np.nan_to_num(lists.facets.weights)
    return weights if rel is None else np.where((lists.facets.pool >= rel).any(axis=-2), weights, 0.0)


def intent_sum(values: FloatArray, weights: FloatArray) -> FloatArray:
    """The sum over the subtopics by their weights."""
    return total(np.where(weights > 0, values, 0.0) * weights)


def intent_mean(values: FloatArray, weights: FloatArray) -> FloatArray:
    """The mean over the subtopics by their weights, NaN where none has any; added first and divided once."""
    return ratio(intent_sum(values, weights), total(weights))


def check_share(name: str, parameter: str, value: float | None) -> None:
    """An error for a parameter that is not from 0 to 1; one that is open is decided later."""
    if value is not None and not 0 <= value <= 1:
        raise ParameterError(name, parameter, "from 0 to 1", value)


@dataclass(frozen=True, kw_only=True)
class Novelty:
    """What documents gain that repeat one another: for each subtopic, the first relevant document gains 1, and each
    further one 1 − alpha times what the one before it gained, all by the weights of their ranks.

    Summed over subtopics with the weights of the discount it is α-DCG, with those of 1 / rank ERR-IA, with those of a
    steady patience NRBP (Clarke, Craswell, Soboroff & Ashkan 2011).
    """

    rel: float
    alpha: float
    weight: Weight
    cutoff: int | None = None

    def of(self, lists: RankedLists) -> FloatArray:
        """The gain of each list: the sum over its subtopics.

        A user who stops at a relevant document with probability alpha gains alpha times as much: this is a cascade,
        whose mean over the orders of tied documents has a closed form.
        """
        each = lists.by_facet.top(self.cutoff)
        relevant = each.relevant(self.rel).astype(float)
        if self.alpha == 0:
            gained = relevant * each.weigh(self.weight, self.cutoff)
        else:
            gained = cascade(each, self.alpha * relevant, self.weight, self.cutoff) / self.alpha
        return intent_sum(total(gained), intents(lists, self.rel))

    def most(self, ranks: int) -> float:
        """What a subtopic gains at most, in so many ranks: a relevant document at every one."""
        at = np.arange(1.0, ranks + 1)
        return float(total((1.0 - self.alpha) ** (at - 1.0) * self.weight(at)))

    def against_ideal(self, lists: RankedLists, order: str | None) -> FloatArray:
        """The gain of each list, divided by that of the ideal order of the judged documents."""
        assert lists.facets is not None
        find = ORDERS[order or "greedy"]
        key = (find, self.rel, self.alpha, self.cutoff, None if find is _greedy else self.weight)
        if key not in lists.facets.orders:
            lists.facets.orders[key] = find(self, lists.facets.pool >= self.rel, intents(lists, self.rel))
        return ratio(self.of(lists), self.of(ordered(lists, lists.facets.orders[key])))


def _greedy(gain: Novelty, relevant: BoolArray, weights: FloatArray) -> IndexArray:
    """The order in which each document is the one that gains most after those before it (queries × ranks), down to the
    cutoff; −1 past the last relevant one.

    Of documents that gain the same, the first one is taken: the pool has them in falling order of their ids, as ndeval
    does. Gains are added over the subtopics in their order, and so are equal where ndeval's are.
    """
    left: BoolArray = np.asarray(relevant.any(axis=-1))
    ranks = min(int(left.sum(axis=-1).max(initial=0)), relevant.shape[-2] if gain.cutoff is None else gain.cutoff)
    worth: FloatArray = weights.copy()
    chosen = np.zeros((*relevant.shape[:-2], ranks), dtype=np.int64)
    for rank in range(ranks):
        gained = total(np.where(relevant, worth[..., np.newaxis, :], 0.0))
        best = np.argmax(np.where(left, gained, -1.0), axis=-1)[..., np.newaxis]
        chosen[..., rank : rank + 1] = np.where(left.any(axis=-1, keepdims=True), best, -1)
        np.put_along_axis(left, best, False, axis=-1)
        served = np.take_along_axis(relevant, best[..., np.newaxis], axis=-2)[..., 0, :]
        worth *= np.where(served, 1.0 - gain.alpha, 1.0)
    return chosen


def _exact(gain: Novelty, relevant: BoolArray, weights: FloatArray) -> IndexArray:
    """The best order; −1 past the last relevant document."""
    if relevant.ndim == 2:
        return np.asarray(_exact(gain, relevant[np.newaxis], weights[np.newaxis])[0])
    chosen = _greedy(gain, relevant, weights)
    discount = gain.weight(np.arange(1.0, chosen.shape[-1] + 1))
    for row, length in enumerate((chosen >= 0).sum(axis=-1).tolist()):
        chosen[row, :length] = exact(relevant[row], weights[row], gain.alpha, discount[:length])
    return chosen


ORDERS: Mapping[str, Callable[[Novelty, BoolArray, FloatArray], IndexArray]] = {"greedy": _greedy, "exact": _exact}
"""How the ideal order is found, by name."""


def ordered(lists: RankedLists, chosen: IndexArray) -> RankedLists:
    """The judged documents of the same queries in an order: their places in the pool, −1 past the last."""
    assert lists.facets is not None
    found = chosen >= 0
    grades = np.take_along_axis(lists.facets.pool, chosen[..., np.newaxis], axis=-2)
    grades = np.where(found[..., np.newaxis], grades, np.nan)
    return RankedLists(
        ranks=np.where(found, np.arange(1.0, chosen.shape[-1] + 1), np.nan),
        grades=np.fmax.reduce(grades, axis=-1),
        ideal=lists.ideal,
        retrieved=found.sum(axis=-1).astype(np.float64),
        facets=replace(lists.facets, grades=grades),
    )
