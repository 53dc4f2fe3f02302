"""Sampling: the mean over random orders of tied documents, for measures that have no closed form for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from rankgauge.errors import ParameterError
from rankgauge.ranking.lists import BoolArray, FloatArray, RankedLists, group_edges

__all__ = ["SAMPLING", "Sampling", "shuffle"]


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """How many random orders of tied documents are drawn, and from which seed."""

    seed: int = 0
    orders: int = 256

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
    others = np.where(lists.hits, lists.size, 1.0) - (end - start + 1.0)
    ranks = lists.first + before + _arrived(time, before == 0, others, rng)
    return replace(lists, ranks=ranks, grades=np.take_along_axis(lists.grades, order, axis=-1), first=None, size=None)


def _arrived(time: FloatArray, opens: BoolArray, others: FloatArray, rng: np.random.Generator) -> FloatArray:
    """How many of the other documents of a hit's group arrive before the hit."""
    arrived = np.zeros(time.shape)
    for column in np.flatnonzero((others > 0).any(axis=tuple(range(others.ndim - 1)))):
        now, total = time[..., column], others[..., column]
        fresh = opens[..., column]
        since = np.where(fresh, 0.0, time[..., column - 1])
        already = np.where(fresh, 0.0, arrived[..., column - 1])
        share = np.where(total > 0, (now - since) / np.maximum(1.0 - since, 2.0**-53), 0.0)
        arrived[..., column] = already + rng.binomial((total - already).astype(np.int64), np.clip(share, 0.0, 1.0))
    return arrived
