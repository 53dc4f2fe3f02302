"""What a choice gains on queries that it has not seen, with intervals that know how its folds depend on each other.

Each query is judged by a choice made on the other folds, and those share most of their queries: a lucky query moves
many choices at once. Student's interval takes the queries for independent and is too narrow (`python -m
benchmarks.fusion_gain`). Nadeau & Bengio's correction adds to the variance the ratio of tested to learned-from queries.
"""

from __future__ import annotations

import math

import numpy as np

from rankgauge.comparison import Comparison, tables
from rankgauge.comparison.verdicts import verdicts
from rankgauge.numeric import FloatArray
from rankgauge.plain_table import PlainTable
from rankgauge.statistics import cohen_dz, queries_needed
from rankgauge.statistics.columns import moments
from rankgauge.statistics.correction import Family

REFERENCE = "Nadeau & Bengio, Inference for the generalization error, Machine Learning 2003"


FEWEST = 5
"""Fewer queries that tell two apart carry no interval: in simulations it missed too often."""


def widening(folds: int) -> float:
    """The factor on the standard error of a mean over that many folds."""
    return math.sqrt(1 + folds / (folds - 1))


def held_out_gains(comparison: Comparison, folds: int) -> PlainTable:
    """The pairs of a comparison of one measure, with the variance of values that were held out by fold.

    Low and high are NaN where too few queries tell two apart.
    """
    pairs, settings, measure = comparison.pair_table, comparison.settings, comparison.measures[0]
    found = _stretched(comparison.differences[0], widening(folds))
    first, second = comparison.paired
    draws, mean = settings.drawn(len(first)), np.array(pairs["difference"])
    tested = settings.paired_test(found, rng=settings.rng(), draws=draws)
    values = comparison.values[0]
    family = Family(p=tested.p, values=values, first=first, second=second, rng=settings.rng(), draws=draws)
    corrected, effect = settings.family_correction.adjust(family), cohen_dz(found)
    reach, decided = np.ptp(comparison.limits(0)), np.array(pairs["wins"]) + np.array(pairs["losses"])
    ends, few = comparison.interval(found).within(-reach, reach, mean), decided < FEWEST
    changed = {
        "low": np.where(few, np.nan, ends.low),
        "high": np.where(few, np.nan, ends.high),
        "p": tested.p,
        "p_error": tested.error,
        "corrected": corrected,
        "verdict": verdicts(measure, mean, (corrected < settings.alpha) & ~few, decided == 0),
        "effect": effect,
        "needed": queries_needed(effect, alpha=settings.alpha),
    }
    return PlainTable.of(tables.PAIRS, {name: changed.get(name, pairs[name]) for name in tables.PAIRS})


def _stretched(differences: FloatArray, factor: float) -> FloatArray:
    """The differences, spread about their mean by the factor: whatever is made of them has that much more error."""
    mean = moments(differences).mean
    return np.asarray(mean + factor * (differences - mean))
