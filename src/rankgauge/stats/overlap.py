"""Rank-biased overlap: how similar two ranked lists are, even if they are cut off or hold different items."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from rankgauge.errors import ParameterError
from rankgauge.numeric import FloatArray

Ranked: TypeAlias = Sequence[Hashable | AbstractSet[Hashable]]
"""Items from the best down; a set holds tied items."""


@dataclass(frozen=True, kw_only=True)
class Overlap:
    """Rank-biased overlap: the least that it can be, what the unseen rest may add to that, and the extrapolation."""

    extrapolated: float
    minimum: float
    residual: float


def rbo(a: Ranked, b: Ranked, p: float = 0.9) -> Overlap:
    """The mean agreement of the lists' tops, for a reader who goes one rank deeper with probability p.

    Tied items, given as a set, take every order (RBO^a). Webber, Moffat & Zobel, A similarity measure for indefinite
    rankings, TOIS 2010; Corsi & Urbano, The treatment of ties in rank-biased overlap, SIGIR 2024.
    """
    if not 0 < p < 1:
        raise ParameterError("rbo", "p", "between 0 and 1", p)
    short, long = sorted((_places(a), _places(b)), key=len)
    overlap, guessed, greatest = _overlaps(short, long)
    depths = np.arange(1.0, len(long) + 1)
    weights = (1.0 - p) / p * p**depths / depths
    beyond = (1.0 - p) / p * math.log(1.0 / (1.0 - p)) - weights.sum()
    minimum = overlap @ weights + overlap[-1] * beyond
    extrapolated = guessed @ weights + guessed[-1] / len(long) * p ** len(long)
    # Past both ends the lists agree fastest by going on with what the other one has already.
    agreed = len(short) + len(long) - round(overlap[-1])
    rising = np.arange(len(long) + 1.0, agreed + 1.0)
    maximum = greatest @ weights + (1.0 - p) / p * ((2 * rising - agreed) / rising) @ p**rising + p**agreed
    return Overlap(extrapolated=float(extrapolated), minimum=float(minimum), residual=float(maximum - minimum))


def _places(ranked: Ranked) -> dict[Hashable, tuple[int, int]]:
    """The first rank and the size of the tie group of each item, in the list's order."""
    places: dict[Hashable, tuple[int, int]] = {}
    length = 0
    for entry in ranked:
        group = entry if isinstance(entry, AbstractSet) else {entry}
        places |= {item: (length + 1, len(group)) for item in group}
        length += len(group)
    if not places or len(places) < length:
        raise ParameterError("rbo", "list", "items from the best down, each only once", ranked)
    return places


def _overlaps(
    short: dict[Hashable, tuple[int, int]], long: dict[Hashable, tuple[int, int]]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The overlap to each depth of the longer list: of what is seen; with the shorter one's unseen items matching as
    often as its seen ones do; and at most."""
    depths = np.arange(1.0, len(long) + 1)
    unseen = np.maximum(depths - len(short), 0.0)
    overlap, present, there, most = np.zeros((4, len(long)))
    for item in short.keys() & long.keys():
        overlap += _chance(short[item], depths) * _chance(long[item], depths)
    for n, item in enumerate((item for item in long if item not in short), start=1):
        chance = _chance(long[item], depths)
        present += chance
        there += chance > 0
        most += np.where(n <= unseen, chance, 0.0)
    agreement = overlap[len(short) - 1] / len(short)
    return overlap, overlap + unseen * agreement * present / np.maximum(there, 1.0), overlap + most


def _chance(place: tuple[int, int], depths: FloatArray) -> FloatArray:
    """How likely an item is among the first of its list, to each depth, when its tie group takes every order."""
    first, size = place
    return np.clip((depths - first + 1.0) / size, 0.0, 1.0)
