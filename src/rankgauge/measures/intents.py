"""Subtopics as the intents of users: what each is worth, what its relevant documents gain, and means over them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import TypeAlias

import numpy as np

from rankgauge.errors import ParameterError
from rankgauge.measures.exact_order import exact
from rankgauge.measures.forms import cascade
from rankgauge.measures.gains import DISCOUNTS
from rankgauge.numeric import BoolArray, FloatArray, IndexArray, ratio
from rankgauge.ranking import RankedLists, total
from rankgauge.records import record

Discounted: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]
"""What gains at some ranks are worth: gains and ranks in, worths out, by the arithmetic of ndeval."""

Value: TypeAlias = Callable[[RankedLists], FloatArray]

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


def by_log(gained: FloatArray, ranks: FloatArray) -> FloatArray:
    """The discount of DCG."""
    return np.asarray(gained * DISCOUNTS["log2"](ranks))


def by_rank(gained: FloatArray, ranks: FloatArray) -> FloatArray:
    """The discount of expected reciprocal rank."""
    return gained / ranks


@record
class ByPatience:
    """The discount of a user who goes on with probability beta: its powers, multiplied one by one."""

    beta: float

    def __call__(self, gained: FloatArray, ranks: FloatArray) -> FloatArray:
        last = int(np.max(ranks, initial=1.0))
        powers = _powers(self.beta, 1 << (last - 1).bit_length())
        return np.asarray(gained * powers[ranks.astype(np.int64) - 1])


@lru_cache(maxsize=16)
def _powers(base: float, count: int) -> FloatArray:
    return np.cumprod(np.concatenate([[1.0], np.full(count - 1, base)]))


@record
class Novelty:
    """What documents gain that repeat one another: for each subtopic, the first relevant document gains 1, and each
    further one 1 − alpha times what the one before it gained, all by the weights of their ranks.

    Summed over subtopics with the weights of the discount it is α-DCG, with those of 1 / rank ERR-IA, with those of a
    steady patience NRBP (Clarke, Craswell, Soboroff & Ashkan 2011).
    """

    rel: float
    alpha: float
    discounted: Discounted
    cutoff: int | None = None

    def of(self, lists: RankedLists) -> FloatArray:
        """The gain of each list: the sum over its ranks; where documents are tied, the mean over their orders."""
        lists = lists.top(self.cutoff)
        strict = self._strict(lists)
        if lists.size is None:
            return strict
        return np.where((lists.size > 1).any(axis=-1), self._mean_over_ties(lists), strict)

    def _strict(self, lists: RankedLists) -> FloatArray:
        """The gain of lists in which nothing is tied, multiplied and added in ndeval's order: a value halfway between
        two printed ones depends on it, and so does the difference of two runs that gain the same."""
        assert lists.facets is not None
        relevant = lists.facets.grades >= self.rel
        left = np.where(relevant, 1.0 - self.alpha, 1.0)
        worth = np.concatenate([intents(lists, self.rel)[..., np.newaxis, :], left[..., :-1, :]], axis=-2)
        gained = total(np.where(relevant, np.cumprod(worth, axis=-2), 0.0))
        inside = lists.ranks <= (np.inf if self.cutoff is None else self.cutoff)
        return total(np.where(inside, self.discounted(gained, np.where(inside, lists.ranks, 1.0)), 0.0))

    def _mean_over_ties(self, lists: RankedLists) -> FloatArray:
        """The mean gain over the orders of tied documents.

        A user who stops at a relevant document with probability alpha gains alpha times as much: this is a cascade,
        whose mean over the orders has a closed form.
        """
        each = lists.by_facet
        relevant = each.relevant(self.rel).astype(float)
        if self.alpha == 0:
            gained = relevant * each.weigh(self._weight, self.cutoff)
        else:
            gained = cascade(each, self.alpha * relevant, self._weight, self.cutoff) / self.alpha
        return intent_sum(total(gained), intents(lists, self.rel))

    def _weight(self, ranks: FloatArray) -> FloatArray:
        return self.discounted(np.ones_like(ranks), ranks)

    def share(self, lists: RankedLists) -> FloatArray:
        """The gain of each list, as a share of what documents would gain that were all relevant to every subtopic."""
        assert self.cutoff is not None
        worth = total(intents(lists, self.rel))[..., np.newaxis]
        left = np.full((*worth.shape[:-1], self.cutoff - 1), 1.0 - self.alpha)
        each = np.cumprod(np.concatenate([worth, left], axis=-1), axis=-1)
        return ratio(self.of(lists), total(self.discounted(each, np.arange(1.0, self.cutoff + 1))))

    def against_ideal(self, lists: RankedLists, order: str | None, value: Value) -> FloatArray:
        """The value of each list, divided by that of the ideal order of the judged documents."""
        assert lists.facets is not None
        find = ORDERS[order or "greedy"]
        key = (find, self.rel, self.alpha, self.cutoff, None if find is _greedy else self.discounted)
        if key not in lists.facets.orders:
            lists.facets.orders[key] = find(self, lists)
        return ratio(value(lists), value(ordered(lists, lists.facets.orders[key])))


def _relevant(gain: Novelty, lists: RankedLists) -> BoolArray:
    """Which judged documents are relevant to which subtopics (queries × documents × subtopics)."""
    assert lists.facets is not None
    return lists.facets.pool >= gain.rel


def _greedy(gain: Novelty, lists: RankedLists) -> IndexArray:
    """The order in which each document is the one that gains most after those before it (queries × ranks), down to the
    cutoff; −1 past the last relevant one.

    Of documents that gain the same, the first one is taken: the pool has them in falling order of their ids, as ndeval
    does. Gains are added over the subtopics in their order, and so are equal where ndeval's are.
    """
    relevant, worth = _relevant(gain, lists), intents(lists, gain.rel)
    left: BoolArray = np.asarray(relevant.any(axis=-1))
    ranks = min(int(left.sum(axis=-1).max(initial=0)), relevant.shape[-2] if gain.cutoff is None else gain.cutoff)
    chosen = np.zeros((*relevant.shape[:-2], ranks), dtype=np.int64)
    for rank in range(ranks):
        gained = total(np.where(relevant, worth[..., np.newaxis, :], 0.0))
        best = np.argmax(np.where(left, gained, -1.0), axis=-1)[..., np.newaxis]
        chosen[..., rank : rank + 1] = np.where(left.any(axis=-1, keepdims=True), best, -1)
        np.put_along_axis(left, best, False, axis=-1)
        served = np.take_along_axis(relevant, best[..., np.newaxis], axis=-2)[..., 0, :]
        worth = worth * np.where(served, 1.0 - gain.alpha, 1.0)
    return chosen


def _exact(gain: Novelty, lists: RankedLists) -> IndexArray:
    """The best order; −1 past the last relevant document."""
    if lists.ranks.ndim == 1:
        return np.asarray(_exact(gain, lists.taken(None))[0])
    relevant, weights, chosen = _relevant(gain, lists), intents(lists, gain.rel), _greedy(gain, lists)
    ranks = np.arange(1.0, chosen.shape[-1] + 1)
    discount = gain.discounted(np.ones_like(ranks), ranks)
    for row, length in enumerate((chosen >= 0).sum(axis=-1).tolist()):
        query = None if lists.names is None else lists.names[row]
        chosen[row, :length] = exact(relevant[row], weights[row], gain.alpha, discount[:length], query)
    return chosen


ORDERS: Mapping[str, Callable[[Novelty, RankedLists], IndexArray]] = {"greedy": _greedy, "exact": _exact}
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
