"""Subtopics as the intents of users: what each is worth, what its relevant documents gain, and means over them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache, partial
from typing import TypeAlias

import numpy as np

from rankgauge.errors import InputError
from rankgauge.measures.forms import cascade
from rankgauge.measures.gains import DISCOUNTS
from rankgauge.measures.measure import Facts
from rankgauge.numeric import BoolArray, FloatArray, IndexArray, ratio
from rankgauge.policies import JudgmentKind
from rankgauge.ranking import RankedLists, total
from rankgauge.records import record

Discounted: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]
"""What gains at some ranks are worth: gains and ranks in, worths out, by the arithmetic of ndeval."""

Value: TypeAlias = Callable[[RankedLists], FloatArray]

intent_facts = partial(Facts, judgments=JudgmentKind.SUBTOPICS)
"""The facts of a measure that asks for judgments by subtopic."""

GREEDY = float(np.e / (np.e - 1.0))
"""How many times the gain of the greedy order the best order may have (Nemhauser, Wolsey & Fisher 1978)."""


def intents(lists: RankedLists, rel: float | None = None) -> FloatArray:
    """Return what each subtopic of a query is worth (queries × subtopics), 0 where there is none.

    With `rel`, a subtopic that no judged document is relevant to is worth nothing: nobody could serve it.
    """
    assert lists.facets is not None
    weights = np.nan_to_num(lists.facets.weights)
    return weights if rel is None else np.where((lists.facets.pool >= rel).any(axis=-2), weights, 0.0)


def intent_sum(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the sum over the subtopics by their weights."""
    return total(np.where(weights > 0, values, 0.0) * weights)


def intent_mean(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the mean over the subtopics by their weights, NaN where none has any; added first and divided once."""
    return ratio(intent_sum(values, weights), total(weights))


def by_log(gained: FloatArray, ranks: FloatArray) -> FloatArray:
    """Return the discount of DCG."""
    return np.asarray(gained * DISCOUNTS["log2"](ranks))


def by_rank(gained: FloatArray, ranks: FloatArray) -> FloatArray:
    """Return the discount of expected reciprocal rank."""
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
        """Return the gain of each list: the sum over its ranks; where documents are tied, the mean over their orders.

        Where nothing is tied, it is multiplied and added in ndeval's order: a value halfway between two printed ones
        depends on it, and so does the difference of two runs that gain the same. Else, a user who stops at a relevant
        document with probability alpha gains alpha times as much: this is a cascade, whose mean has a closed form.
        """
        lists = lists.top(self.cutoff)
        assert lists.facets is not None
        weights, relevant = intents(lists, self.rel), lists.facets.grades >= self.rel
        left = np.where(relevant, 1.0 - self.alpha, 1.0)
        worth = np.concatenate([weights[..., np.newaxis, :], left[..., :-1, :]], axis=-2)
        gained = total(np.where(relevant, np.cumprod(worth, axis=-2), 0.0))
        inside = lists.ranks <= (np.inf if self.cutoff is None else self.cutoff)
        strict = total(np.where(inside, self.discounted(gained, np.where(inside, lists.ranks, 1.0)), 0.0))
        if lists.size is None:
            return strict
        each = lists.by_facet

        def weight(ranks: FloatArray) -> FloatArray:
            return self.discounted(np.ones_like(ranks), ranks)

        if self.alpha == 0:
            gained = each.relevant(self.rel) * each.weigh(weight, self.cutoff)
        else:
            stop = self.alpha * each.relevant(self.rel).astype(np.float64)
            gained = cascade(each, stop, weight, self.cutoff) / self.alpha
        return np.where((lists.size > 1).any(axis=-1), intent_sum(total(gained), weights), strict)

    def share(self, lists: RankedLists) -> FloatArray:
        """Return each list's gain as a share of that of documents that were all relevant to every subtopic."""
        assert self.cutoff is not None
        worth = total(intents(lists, self.rel))[..., np.newaxis]
        left = np.full((*worth.shape[:-1], self.cutoff - 1), 1.0 - self.alpha)
        each = np.cumprod(np.concatenate([worth, left], axis=-1), axis=-1)
        return ratio(self.of(lists), total(self.discounted(each, np.arange(1.0, self.cutoff + 1))))

    def against_ideal(self, lists: RankedLists, order: str | None, value: Value) -> FloatArray:
        """Return the value of each list, divided by that of the ideal order of the judged documents."""
        assert lists.facets is not None
        find = ORDERS[order or "greedy"]
        key = (find, self.rel, self.alpha, self.cutoff, None if find is _greedy else self.discounted)
        if key not in lists.facets.orders:
            lists.facets.orders[key] = find(self, lists)
        return ratio(value(lists), value(order_documents(lists, lists.facets.orders[key])))


def _greedy(gain: Novelty, lists: RankedLists) -> IndexArray:
    """Return the order in which each document gains most after those before it (queries × ranks), down to the cutoff;
    −1 past the last relevant one.

    Of documents that gain the same, the first one is taken: the pool has them in falling order of their ids, as ndeval
    does. Gains are added over the subtopics in their order, and so are equal where ndeval's are.
    """
    assert lists.facets is not None
    relevant, worth = lists.facets.pool >= gain.rel, intents(lists, gain.rel)
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
    """Return the best order; −1 past the last relevant document."""
    if lists.ranks.ndim == 1:
        return np.asarray(_exact(gain, lists.take(None))[0])
    assert lists.facets is not None
    relevant, weights, chosen = lists.facets.pool >= gain.rel, intents(lists, gain.rel), _greedy(gain, lists)
    ranks = np.arange(1.0, chosen.shape[-1] + 1)
    discount = gain.discounted(np.ones_like(ranks), ranks)
    for row, length in enumerate((chosen >= 0).sum(axis=-1).tolist()):
        query = None if lists.names is None else lists.names[row]
        chosen[row, :length] = exact(relevant[row], weights[row], gain.alpha, discount[:length], query)
    return chosen


ORDERS: Mapping[str, Callable[[Novelty, RankedLists], IndexArray]] = {"greedy": _greedy, "exact": _exact}
"""How the ideal order is found, by name."""


def order_documents(lists: RankedLists, chosen: IndexArray) -> RankedLists:
    """Return the judged documents of the same queries in an order: their places in the pool, −1 past the last."""
    assert lists.facets is not None
    there = chosen >= 0
    grades = np.take_along_axis(lists.facets.pool, chosen[..., np.newaxis], axis=-2)
    grades = np.where(there[..., np.newaxis], grades, np.nan)
    return RankedLists(
        ranks=np.where(there, np.arange(1.0, chosen.shape[-1] + 1), np.nan),
        grades=np.fmax.reduce(grades, axis=-1),
        ideal=lists.ideal,
        retrieved=there.sum(axis=-1).astype(np.float64),
        facets=replace(lists.facets, grades=grades),
    )


STEPS = 20_000
"""After how many steps the search is given up, for one query."""

SAME = 1e-12
"""By how much a better order has to be better."""

Kind = tuple[bool, ...]
"""Documents that are relevant to the same subtopics, which these are."""


class _GivenUpError(Exception):
    """The search takes too long."""


def exact(
    relevant: BoolArray, weights: FloatArray, alpha: float, discount: FloatArray, query: str | int | None = None
) -> IndexArray:
    """Return the best order of the documents of one query (documents × subtopics), as long as the discount."""
    each: list[Kind] = [tuple(row) for row in relevant.tolist()]
    counts = sorted(Counter(each).items())
    try:
        order = _best(tuple(counts), tuple(weights.tolist()), alpha, tuple(discount.tolist()))
    except _GivenUpError:
        of = "" if query is None else f" of query {query}"
        raise InputError(
            f"the exact ideal order{of} takes more than {STEPS} steps to find",
            hint=f"Cut the lists before rank {len(discount)}, leave the query out, or leave out ideal_order='exact': "
            "the order is then ndeval's greedy one.",
        ) from None
    left = {kind: [place for place, other in enumerate(each) if other == kind] for kind, _ in counts}
    return np.array([left[kind].pop(0) for kind in order], dtype=np.int64)


@lru_cache(maxsize=4096)  # runs share their judgments
def _best(
    counts: tuple[tuple[Kind, int], ...], weights: tuple[float, ...], alpha: float, discount: tuple[float, ...]
) -> list[Kind]:
    """Return the best order, by the kinds of its documents."""
    kinds = np.array([kind for kind, _ in counts], dtype=np.float64).reshape(len(counts), len(weights))
    numbers = np.array([count for _, count in counts])
    search = _OrderSearch(kinds, numbers, 1.0 - alpha, np.array(discount))
    search.extend([], numbers, np.array(weights), 0.0)
    return [counts[kind][0] for kind in search.order]


class _OrderSearch:
    """A search for the best `order` of kinds of documents, of which there are so many each; it tries the greedy one
    first."""

    def __init__(self, kinds: FloatArray, counts: IndexArray, left: float, discount: FloatArray) -> None:
        """`left` is what a relevant document leaves of a subtopic's worth for the next one."""
        self.kinds, self.discount = kinds, discount
        self.after = np.where(kinds > 0, left, 1.0)
        # Which kinds serve all that a kind serves, and more. While there are any, that kind can wait: to exchange the
        # two, or to take the better one instead, never loses anything.
        self.better = (kinds[:, np.newaxis] <= kinds).all(axis=-1) & ~np.eye(len(kinds), dtype=bool)
        # What the 1st, 2nd … document of a kind gains at most, as a share of what the first would.
        self.repeated = left ** np.arange(max(int(counts.max(initial=1)), 1))
        self.value, self.order, self.steps = -np.inf, list[int](), 0
        self.seen: dict[tuple[int, ...], float] = {}

    def extend(self, order: list[int], counts: IndexArray, worth: FloatArray, value: float) -> None:
        """Try all orders that begin so, of documents of which so many are left."""
        if len(order) == len(self.discount):
            if value > self.value + SAME:
                self.value, self.order = value, order
            return
        gains = self.kinds @ worth
        if self._is_hopeless(order, counts, gains, value):
            return
        next_ = (counts > 0) & ~(self.better & (counts > 0)).any(axis=-1)
        for kind in np.argsort(-gains, kind="stable").tolist():
            if next_[kind]:
                fewer = counts.copy()
                fewer[kind] -= 1
                gained = value + float(self.discount[len(order)] * gains[kind])
                self.extend([*order, kind], fewer, worth * self.after[kind], gained)

    def _is_hopeless(self, order: list[int], counts: IndexArray, gains: FloatArray, value: float) -> bool:
        """Say whether nothing better comes of an order: the same documents gained as much in another order, or the best
        that is left would not be enough. No document gains more later than it would now."""
        self.steps += 1
        if self.steps > STEPS:
            raise _GivenUpError
        key = tuple(counts.tolist())
        if self.seen.get(key, -np.inf) >= value - SAME:
            return True
        self.seen[key] = value
        there = np.arange(len(self.repeated)) < counts[:, np.newaxis]
        most = -np.sort(-np.where(there, gains[:, np.newaxis] * self.repeated, 0.0).ravel())
        ahead = self.discount[len(order) :]
        return bool(value + most[: len(ahead)] @ ahead[: len(most)] <= self.value + SAME)
