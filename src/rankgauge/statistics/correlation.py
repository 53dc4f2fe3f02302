"""Rank correlations: how alike two orders of the same systems are.

`scipy.stats.kendalltau` gives the same τ_b. It was no faster for 5 and 30 systems, and faster for 1,000; but importing
`scipy.stats` takes about 0.8 s of CPU, which a comparison of a few runs should not pay. SciPy's `weightedtau` is not
τ_AP.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankgauge.errors import ParameterError
from rankgauge.numeric import FloatArray, IndexArray


def kendall_tau(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """Compute Kendall's τ_b of two scorings of the same systems; NaN if all systems of one scoring are tied.

    >>> kendall_tau([0.3, 0.5, 0.7], [0.2, 0.6, 0.4])
    0.3333333333333333

    Pairs in agreement less pairs in disagreement, corrected for ties, in O(n log n). Kendall, The treatment of ties
    in ranking problems, Biometrika 1945; Knight, A computer method for calculating Kendall's tau with ungrouped data,
    JASA 1966.
    """
    found = _count_pairs(*_pair("kendall_tau", x, y))
    untied = (found.pairs - found.tied_x) * (found.pairs - found.tied_y)
    return float(found.agreeing / math.sqrt(untied)) if untied else math.nan


def kendall_tau_a(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """Kendall's τ_a: a tied pair counts as half in agreement, which is the mean over all orders of tied systems."""
    found = _count_pairs(*_pair("kendall_tau_a", x, y))
    return found.agreeing / found.pairs


def spearman_rho(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """Spearman's ρ: the correlation of ranks, tied systems having the mean of theirs; NaN if all of one are tied.

    Spearman, The proof and measurement of association between two things, American Journal of Psychology 1904.
    """
    a, b = (mean_ranks(scores) for scores in _pair("spearman_rho", x, y))
    a, b = a - a.mean(), b - b.mean()
    spread = math.sqrt(float(a @ a) * float(b @ b))
    return float(a @ b) / spread if spread else math.nan


def tau_ap(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """Compute the AP correlation of the scores y with the true scores x: errors at the top count more.

    >>> tau_ap([0.3, 0.5, 0.7], [0.2, 0.6, 0.4])
    0.0

    The mean, over all systems but the first, of the share of systems above it that belong there, scaled to −1..1. It is
    not symmetric: y is the ranking under test. Tied systems count with the mean over their orders. Yilmaz, Aslam &
    Robertson, A new rank correlation coefficient for information retrieval, SIGIR 2008; Urbano & Marrero, The
    treatment of ties in AP correlation, ICTIR 2017 (τ_AP,a).
    """
    truth, tested = _pair("tau_ap", x, y)
    found = _descent(truth, tested)
    group = found.first.astype(np.intp)
    belong = np.bincount(group, found.higher + found.equal / 2)[group] / np.bincount(group)[group]
    places = np.arange(1.0, len(truth) + 1)
    # Of the tied systems above a system, half belong there in the mean over orders, whichever they are.
    shares = (belong + (places - found.first) / 2)[1:] / (places[1:] - 1)  # nothing is above rank 1
    return 2.0 * float(shares.sum()) / (len(truth) - 1) - 1.0


def tau_ap_b(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """The agreement of two scorings with ties, errors at the top counting more: symmetric, and 1 for equal orders.

    A tie is meant as a tie: only pairs apart in both count as in order. Urbano & Marrero 2017 (τ_AP,b). NaN if all
    systems of one scoring are tied.
    """
    a, b = _pair("tau_ap_b", x, y)
    return (_ap_b(a, b) + _ap_b(b, a)) / 2.0


def _ap_b(truth: FloatArray, tested: FloatArray) -> float:
    """τ_AP,b in one direction: the mean share over the systems below the top group."""
    found = _descent(truth, tested)
    below = found.first > 1
    return float(2.0 * (found.higher[below] / (found.first[below] - 1)).mean() - 1.0) if below.any() else math.nan


class _Descent(NamedTuple):
    """The systems from the top of the ranking under test down: the first rank of each one's tie group, and how many of
    the systems above that group have a higher or an equal true score."""

    first: FloatArray
    higher: FloatArray
    equal: FloatArray


def _descent(truth: FloatArray, tested: FloatArray) -> _Descent:
    a, b = (np.unique(scores, return_inverse=True)[1] for scores in (truth, -tested))
    # With rising truth inside a tie group, nothing of a system's own group counts as higher and before it.
    order = np.lexsort((a, b))
    a, b = a[order], b[order]
    first = np.asarray(np.searchsorted(b, b) + 1.0, dtype=np.float64)
    earlier = _place_among_equals(a) - _place_among_equals(a * (len(b) + 1) + b)
    return _Descent(first, _higher_before(a), earlier)


def _place_among_equals(codes: IndexArray) -> FloatArray:
    """Return how many equal codes come before each."""
    order = np.argsort(codes, kind="stable")
    sorted_codes = codes[order]
    found = np.empty(len(codes))
    found[order] = np.arange(len(codes)) - np.searchsorted(sorted_codes, sorted_codes)
    return found


def _pair(owner: str, x: npt.ArrayLike, y: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return the two scorings as vectors of one length, without gaps."""
    a, b = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if a.ndim != 1 or a.shape != b.shape or len(a) < 2:
        raise ParameterError(owner, "y", f"as long as x, with two systems at least: x has {a.shape}", b.shape)
    if np.isnan(a).any() or np.isnan(b).any():
        raise ParameterError(owner, "x and y", "without NaN: leave out systems that have no score", math.nan)
    return a, b


class _Pairs(NamedTuple):
    """How many pairs there are, are tied in x and in y, and agree less disagree."""

    pairs: float
    tied_x: float
    tied_y: float
    agreeing: float


def _count_pairs(x: FloatArray, y: FloatArray) -> _Pairs:
    """Return the pairs of systems, counted."""
    a, b = (np.unique(scores, return_inverse=True)[1] for scores in (x, y))
    pairs = len(a) * (len(a) - 1) / 2
    tied_a, tied_b, tied_both = _tied_pairs(a), _tied_pairs(b), _tied_pairs(a * (len(b) + 1) + b)
    agreeing = pairs - tied_a - tied_b + tied_both - 2 * _inversions(b[np.lexsort((b, a))])
    return _Pairs(pairs, tied_a, tied_b, agreeing)


def mean_ranks(scores: FloatArray) -> FloatArray:
    """Return the rank of each system from the lowest score up, the mean of their ranks where systems are tied."""
    _, group, counts = np.unique(scores, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2.0)[group])


def _tied_pairs(codes: IndexArray) -> float:
    """Return how many pairs have the same code."""
    counts = np.unique(codes, return_counts=True)[1].astype(np.float64)
    return float((counts * (counts - 1) / 2).sum())


def _inversions(codes: IndexArray) -> float:
    """Return how many pairs are in falling order."""
    return float(_higher_before(codes).sum())


def _higher_before(codes: IndexArray) -> FloatArray:
    """Return how many higher codes come before each.

    Two codes differ first at some bit: among codes with equal higher bits, each 1 before a 0 is such a pair. So go from
    the highest bit down, count those pairs within each group of equal higher bits, then split the groups.
    """
    found, place = np.zeros(len(codes)), np.arange(len(codes))
    for bit in reversed(range(int(np.max(codes)).bit_length())):
        group, ones = codes >> (bit + 1), codes >> bit & 1
        before = np.cumsum(ones) - ones
        opens = np.flatnonzero(np.diff(group, prepend=-1))
        before -= np.repeat(before[opens], np.diff(opens, append=len(codes)))
        found[place] += np.where(ones == 0, before, 0)
        order = np.argsort(codes >> bit, kind="stable")
        codes, place = codes[order], place[order]
    return found
