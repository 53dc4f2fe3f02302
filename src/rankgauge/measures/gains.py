"""What grades are worth and what ranks are worth: gains, discounts, and the chance that a user stops at a document."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from rankgauge.constraints import real_number
from rankgauge.errors import InputError, UnknownNameError
from rankgauge.measures.measure import parameter
from rankgauge.numeric import FloatArray
from rankgauge.ranking import RankedLists
from rankgauge.ranking.lists import Weight


def _table(*values: float) -> Weight:
    """Return a gain table: grade → gain, 0 for grades past its end and for grades between."""

    def gain(grades: FloatArray) -> FloatArray:
        grown = np.zeros(grades.shape)
        for grade, value in enumerate(values):
            grown[grades == grade] = value
        return grown

    return gain


LARGEST_POWER = 1000.0
"""The largest grade that may be a power of two: sums of such gains over millions of documents are still numbers."""


def _powers(grades: FloatArray) -> FloatArray:
    """Return 2^g; grades of which a sum would overflow are refused."""
    if (largest := np.max(grades, initial=0.0)) > LARGEST_POWER:
        raise InputError(
            f"a grade of {largest:g} is too large for the gain 2^g - 1",
            hint="Map the grades to a shorter scale first, or take them for gains as they are: nDCG(gain='linear').",
        )
    return np.exp2(grades)


GAINS: Mapping[str, Weight] = {
    "linear": lambda grades: grades,
    "binary": lambda grades: (grades > 0).astype(np.float64),  # frameworks that know ids of relevant documents only
    "exp": lambda grades: _powers(grades) - 1.0,
    "yahoo": lambda grades: (_powers(grades) - 1.0) / 16.0,  # the challenge's evaluate.py: (2 ** g - 1) / 16
    "ranklib": lambda grades: _powers(np.trunc(grades)) - 1.0,  # DCGScorer: the label is cut to an int first
    "letor": _table(0, 1, 3),  # Eval-Score-3.0 and 4.0: a grade of 3 or more finds no entry and gains nothing
    "mslr": _table(0, 1, 3, 7, 15),  # eval_score_mslr.pl: the same with two more entries
}
"""What a grade is worth, by name."""


DISCOUNTS: Mapping[str, Weight] = {
    "log2": lambda ranks: 1.0 / np.log2(ranks + 1.0),
    "letor": lambda ranks: 1.0 / np.log2(np.maximum(ranks, 2.0)),  # ranks 1 and 2 undiscounted, then 1 / log2(rank)
    "log2+2": lambda ranks: 1.0 / np.log2(ranks + 2.0),  # as ROMIP prints it
    "ln": lambda ranks: 1.0 / np.log(ranks + 1.0),
    "none": lambda ranks: np.ones_like(ranks),
}
"""What a rank is worth, by name."""


DISCOUNTED: Mapping[str, Callable[[FloatArray, FloatArray], FloatArray]] = {
    "letor": lambda gained, ranks: np.where(ranks < 3, gained, gained * np.log(2.0) / np.log(np.maximum(ranks, 2.0))),
    "ln": lambda gained, ranks: gained / np.log(ranks + 1.0),
}
"""Discounts of tools that print more digits than 1 / divisor keeps: the gain goes through their own arithmetic."""


def reciprocal(ranks: FloatArray) -> FloatArray:
    """Return 1 / rank."""
    return 1.0 / ranks


def persistence(p: float) -> Weight:
    """Return the worth of a rank to a user who goes on to the next one with probability p (Moffat & Zobel 2008)."""
    return lambda ranks: (1.0 - p) * p ** (ranks - 1.0)


def relevance(rel: float) -> Callable[[RankedLists], FloatArray]:
    """Return the worth of a hit on two levels: 1 from the grade `rel` on, else 0."""
    return lambda lists: lists.relevant(rel).astype(float)


def discount_gains(lists: RankedLists, gained: FloatArray, name: str, cutoff: float | None = None) -> FloatArray:
    """Return the gain of each hit after that discount, 0 past the cutoff; the mean over the places where tied."""
    if name not in DISCOUNTED or lists.tied:
        return gained * lists.weigh(discount(name), cutoff)
    inside = lists.ranks <= (np.inf if cutoff is None else cutoff)
    return np.where(inside, DISCOUNTED[name](gained, np.where(inside, lists.ranks, 1.0)), 0.0)


def discount(name: str) -> Weight:
    """Return the discount of that name."""
    if name not in DISCOUNTS:
        raise UnknownNameError("discount", name, DISCOUNTS)
    return DISCOUNTS[name]


def gains(lists: RankedLists, name: str, table: tuple[tuple[float, float], ...] | None = None) -> FloatArray:
    """Return the gain of each hit; 0 for unjudged ones and padding.

    `table` maps grades to gains in place of the named gain; a grade that it does not list keeps its own value.
    """
    if name not in GAINS:
        raise UnknownNameError("gain", name, GAINS)
    known = np.where(lists.judged, lists.grades, 0.0)
    if table is None:
        return np.where(lists.judged, GAINS[name](known), 0.0)
    mapped = known.copy()
    for grade, gain in table:
        mapped[known == grade] = gain
    return np.where(lists.judged, mapped, 0.0)


def ideal_gains(lists: RankedLists, name: str, table: tuple[tuple[float, float], ...] | None = None) -> FloatArray:
    """Return the gains of the judged documents from the highest down, 0 where a document gains nothing and in padding.

    It is the gain that orders them, not the grade: a table may give a low grade the higher gain.
    """
    gained = np.maximum(gains(lists.ideal_order(), name, table), 0.0)
    return gained if table is None else -np.sort(-gained, axis=-1)


def cumulate(gained: FloatArray, weight: Weight) -> FloatArray:
    """Return the discounted sum of gains in rank order, down to each rank."""
    return np.cumsum(gained * weight(np.arange(1.0, gained.shape[-1] + 1)), axis=-1)


def final(running: FloatArray) -> FloatArray:
    """Return the last of the running sums on the last axis, 0 where there is none."""
    return running[..., -1] if running.shape[-1] else np.zeros(running.shape[:-1])


STOPS: Mapping[str, str] = {"formula": "exp", "whole": "ranklib"}
"""By the name of a rule that lets grades above the scale pass: the gain that is used as the chance to stop."""


def stop_probability(lists: RankedLists, max_grade: float, rule: str | None = None) -> FloatArray:
    """Return how likely a user stops at each hit: (2^g − 1) / 2^max_grade; 0 for unjudged ones and padding.

    A grade above the scale gives no probability and is refused, unless a rule of `STOPS` lets it pass.
    """
    if rule is not None:
        return np.asarray(gains(lists, STOPS[rule]) / _powers(np.asarray(max_grade)))
    top = np.max(lists.grades, initial=-np.inf, where=lists.judged)
    if top > max_grade:
        raise InputError(
            f"a grade of {top:g} is above max_grade={max_grade:g}",
            hint=f"Name the top of the scale: ERR(max_grade={top:g}).",
        )
    return np.asarray(gains(lists, "exp") / _powers(np.asarray(max_grade)))


DEEPEST = 1000
"""How deep users read at most where a measure has no cutoff, as in cwl_eval, which its authors wrote."""

SCALE_ENDS: Mapping[str, Callable[[Any], dict[str, Any]]] = {
    "max_rel": lambda top: {"max_grade": top},
    "min_rel": lambda low: {"min_grade": low},
}
"""ir-measures' names of the ends of the scale."""


def lowest_grade() -> Any:
    """Return the parameter `min_grade`."""
    return parameter(default=0.0, words="the highest grade that gains nothing")


def wanted_gain() -> Any:
    """Return the parameter `T`."""
    words = "how much gain the user wants: 1 is one document of the top grade"
    return parameter(real_number(positive=True), default=1.0, words=words)


def gain_shares(lists: RankedLists, low: float, top: float) -> FloatArray:
    """Return the gain of each hit, from 0 for the lowest grade to 1 for the top of the scale."""
    return np.asarray(np.clip((np.where(lists.judged, lists.grades, low) - low) / max(top - low, 1e-300), 0.0, 1.0))
