"""Rank-biased overlap: how similar two ranked lists are, even if they are cut off or hold different items.

Three ways to take ties, from Corsi & Urbano, The treatment of ties in rank-biased overlap, SIGIR 2024:

- a: tied items are in an order that nobody knows: each depth has its expected overlap. For lists of one length that is
  the mean over every order; otherwise the extrapolation is theirs, and not the mean of those of every order;
- b: the same, corrected for what ties hide, so that a list with ties and itself overlap fully;
- w: tied items share their rank, as Webber, Moffat & Zobel have it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rankgauge.errors import ParameterError, UnknownNameError
from rankgauge.numeric import FloatArray, IndexArray
from rankgauge.statistics.ranked_pair import Ranked, RankedPair, TiedList

VARIANTS = ("a", "b", "w")
"""The ways to take ties."""


@dataclass(frozen=True, kw_only=True)
class Overlap:
    """Rank-biased overlap: the least that it can be, what the unseen rest may add to that, and the extrapolation."""

    extrapolated: float
    minimum: float
    residual: float


def rbo(a: Ranked, b: Ranked, p: float = 0.9, ties: str = "a") -> Overlap:
    """The mean agreement of the lists' tops, for a reader who goes one rank deeper with probability p.

    Tied items are given as a set; `ties` says how they count: a (every order), b (the same, corrected for what is
    unknown), w (they share a rank). Webber, Moffat & Zobel, A similarity measure for indefinite rankings, TOIS 2010;
    Corsi & Urbano 2024.
    """
    return overlap(RankedPair.listed(a, b), p, ties)


def overlap(pair: RankedPair, p: float, ties: str = "a") -> Overlap:
    """The same for two lists whose items are known by their places."""
    if not 0 < p < 1:
        raise ParameterError("rbo", "p", "between 0 and 1", p)
    if ties not in VARIANTS:
        raise UnknownNameError("treatment of ties", ties, VARIANTS)
    pair = pair if len(pair.one) <= len(pair.other) else pair.flipped
    seen, guessed, greatest, unit = _agreements(pair, ties)
    s, n = len(pair.one), len(pair.other)
    depths = np.arange(1.0, n + 1)
    weights, scale = p**depths, (1.0 - p) / p
    found = seen[-1]
    beyond = found * (math.log(1.0 / (1.0 - p)) - (weights / depths).sum())
    onwards = (found + (n - s) * seen[s - 1] / unit[s - 1]) / n * p ** (n + 1) / (1.0 - p)
    # Past both ends the lists agree fastest by going on with what the other one has already.
    agreed = s + n - round(found)
    rising = np.arange(n + 1.0, agreed + 1.0)
    fastest = ((2 * rising - agreed) / rising) @ p**rising + p ** (agreed + 1) / (1.0 - p)
    minimum = scale * ((seen / unit) @ weights + beyond)
    maximum = scale * ((greatest / unit) @ weights + fastest)
    extrapolated = scale * ((guessed / unit) @ weights + onwards)
    return Overlap(extrapolated=float(extrapolated), minimum=float(minimum), residual=float(maximum - minimum))


def _agreements(pair: RankedPair, ties: str) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """To each depth of the longer list, the overlap: of what is seen; with the shorter one's unseen items matching as
    often as its seen ones do; at most; and what an overlap is divided by."""
    n, s = len(pair.other), len(pair.one)
    shares = ties == "w"
    short, long = _Entries.of(pair.one, n, shares=shares), _Entries.of(pair.other, n, shares=shares)
    seen = _seen(pair, short, long)
    unit = _unit(short, long, s, ties)
    full, partial = long.counted(np.delete(np.arange(n), pair.shared[1]))
    unseen = np.maximum(np.arange(1.0, n + 1) - s, 0.0)
    present = (full + partial * long.part) / np.maximum(full + partial, 1.0)
    guessed = seen + unseen * seen[s - 1] / unit[s - 1] * present
    most = np.minimum(unseen, full) + np.clip(unseen - full, 0.0, partial) * long.part
    return seen, guessed, seen + most, unit


class _Entries(NamedTuple):
    """When the items of a list enter its top: the depth at which each begins to and at which it is there for good, and
    to each depth how likely those between are there."""

    begins: IndexArray
    ends: IndexArray
    part: FloatArray

    @classmethod
    def of(cls, listed: TiedList, depth: int, *, shares: bool) -> _Entries:
        """Those of a list to that depth; tied items that share a rank enter together at the first."""
        first = listed.first.astype(np.intp)
        part = np.zeros(depth)
        part[: len(listed)] = listed.entered
        return cls(first, first if shares else listed.last.astype(np.intp), part)

    def counted(self, items: IndexArray) -> tuple[FloatArray, FloatArray]:
        """To each depth, how many of the items are there for good, and how many may be."""
        full = _reached(self.ends[items], len(self.part))
        return full, _reached(self.begins[items], len(self.part)) - full


def _reached(at: IndexArray, depth: int) -> FloatArray:
    """To each depth, how many of these depths are reached."""
    return np.cumsum(np.bincount(at, minlength=depth + 1)[1 : depth + 1]).astype(np.float64)


def _seen(pair: RankedPair, short: _Entries, long: _Entries) -> FloatArray:
    """The expected number of items in both tops: at a depth only one tie group of each list is cut."""
    left, right = pair.shared
    depth = len(long.part)
    begins = (short.begins[left], long.begins[right])
    ends = (short.ends[left], long.ends[right])
    both = _reached(np.maximum(*ends), depth)
    one = _reached(np.maximum(begins[0], ends[1]), depth) - both
    other = _reached(np.maximum(ends[0], begins[1]), depth) - both
    neither = _reached(np.maximum(*begins), depth) - both - one - other
    return both + one * short.part + other * long.part + neither * short.part * long.part


def _unit(short: _Entries, long: _Entries, s: int, ties: str) -> FloatArray:
    """What an overlap is divided by at each depth, so that it becomes an agreement."""
    depths = np.arange(1.0, len(long.part) + 1)
    if ties == "a":
        return depths
    sizes = []
    for entries in (short, long):
        full, partial = entries.counted(np.arange(len(entries.begins)))
        sizes.append(full + partial * entries.part**2)
    # Past its end the shorter list is taken to go on without ties.
    sizes[0] = np.where(depths > s, depths, sizes[0])
    return np.asarray((sizes[0] + sizes[1]) / 2.0 if ties == "w" else np.sqrt(sizes[0]) * np.sqrt(sizes[1]))
