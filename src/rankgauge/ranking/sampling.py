"""Sampling: the mean over random orders of tied documents, for measures that have no closed form for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from rankgauge.errors import ParameterError
from rankgauge.ranking.hits import IndexArray
from rankgauge.ranking.lists import FloatArray, RankedLists, group_edges

__all__ = ["SAMPLING", "Sampling", "shuffle"]


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """How many random orders of tied documents are drawn, and from which seed."""

    seed: int = 0
    orders: int = 64

    def __post_init__(self) -> None:
        if self.orders < 2:
            raise ParameterError("Sampling", "orders", "at least 2, so that there is a standard error", self.orders)

    def mean(self, kernel: Callable[[RankedLists], FloatArray], lists: RankedLists) -> tuple[FloatArray, FloatArray]:
        """The mean of a kernel's values over random orders of each list, and its standard error.

        Welford's running update: no order's values are kept, and equal values have the error 0 exactly.
        """
        rng = np.random.default_rng(self.seed)
        mean = kernel(shuffle(lists, rng))
        spread = np.zeros_like(mean)
        for n in range(2, self.orders + 1):
            value = kernel(shuffle(lists, rng))
            step = value - mean
            mean = mean + step / n
            spread = spread + step * (value - mean)
        return mean, np.sqrt(spread / (self.orders - 1) / self.orders)


SAMPLING = Sampling()
"""What is drawn where nobody says otherwise."""


def shuffle(lists: RankedLists, rng: np.random.Generator) -> RankedLists:
    """The lists with the documents of each tie group in a random order, every order equally likely.

    Each document of a group is thought to arrive at a time between 0 and 1. The hits' times order them; how many of
    the group's other documents, which are no hits, arrive between two hits is then binomial.
    """
    if lists.first is None or lists.size is None:
        return lists
    arrival = np.where(lists.hits, lists.first, np.inf) + rng.random(lists.first.shape)
    order = np.argsort(arrival, axis=-1, kind="stable")
    time = np.take_along_axis(arrival, order, axis=-1) - lists.first
    start, end = group_edges(lists.first)
    before = np.arange(lists.first.shape[-1]) - start
    ranks = lists.first + before + _arrived(time, before, end - start + 1, lists.size, rng)
    return replace(lists, ranks=ranks, grades=np.take_along_axis(lists.grades, order, axis=-1), first=None, size=None)


def _arrived(
    time: FloatArray, before: IndexArray, hits: IndexArray, size: FloatArray, rng: np.random.Generator
) -> FloatArray:
    """How many of the other documents of a hit's group arrive before the hit.

    `before` counts the hits of the group before this one, `hits` all of them, `size` the group's documents.
    """
    # The only hit of a group is equally likely at each of its places.
    arrived = np.where((hits == 1) & (size > 1), np.minimum(np.floor(time * size), size - 1), 0.0)
    shared = (hits > 1) & (size > hits)
    for nth in range(int(np.max(hits, initial=0, where=shared))):
        cells = np.nonzero(shared & (before == nth))
        previous = (*cells[:-1], cells[-1] - min(nth, 1))
        since = time[previous] if nth else np.zeros(len(cells[-1]))
        already = arrived[previous]  # 0 at the first hit of a group
        share = (time[cells] - since) / np.maximum(1.0 - since, 2.0**-53)
        left = (size[cells] - hits[cells] - already).astype(np.int64)
        arrived[cells] = already + rng.binomial(left, np.clip(share, 0.0, 1.0))
    return arrived
