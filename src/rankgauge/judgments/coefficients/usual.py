"""The coefficients of agreement."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeAlias

import numpy as np

from rankgauge.judgments.coefficient import Coefficient, Tally
from rankgauge.numeric import FloatArray, ratio


def fleiss(tally: Tally) -> FloatArray:
    """(P − P_e) / (1 − P_e): P the observed agreement, P_e = Σ p_k² over the shares p_k of the grades.

    Fleiss requires the same number of assessors for every item. Otherwise this is Gwet's general form, in which each
    item has the same weight: P over the items that two judged, p_k the mean over all items of the share of their
    assessors who gave the grade k. It equals Fleiss' own if all items have equally many assessors.
    """
    given = ratio(tally.counts, tally.judged[:, np.newaxis])
    shares = ratio(tally.weights @ given, tally.weights.sum(axis=-1, keepdims=True))
    chance = np.asarray((shares**2).sum(axis=-1))
    return ratio(observed_agreement(tally) - chance, 1.0 - chance)


Coefficient(
    name="fleiss",
    title="Fleiss' kappa",
    words="agreement above chance, as a share of what could be above it; each item weighs the same",
    reference="Fleiss, Psychological Bulletin 1971; unequal numbers: Gwet, Handbook of inter-rater reliability, 2014",
    kernel=fleiss,
).register()


CELLS = 1 << 20
"""How many cells are worked on at once: 8 MB of doubles, which the cache of a core still holds."""

Distance: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]
"""The squared distance of any two grades (levels × levels, for all samples or for each), from the grades (levels) and
how often each was given (samples × levels)."""


def _nominal(grades: FloatArray, totals: FloatArray) -> FloatArray:
    return np.asarray(grades[:, np.newaxis] != grades, dtype=np.float64)


def _ordinal(grades: FloatArray, totals: FloatArray) -> FloatArray:
    # The judgments between two grades, half of those at either end: the distance of their mean ranks.
    middle = np.cumsum(totals, axis=-1) - totals / 2
    return np.asarray((middle[..., np.newaxis] - middle[..., np.newaxis, :]) ** 2)


def _interval(grades: FloatArray, totals: FloatArray) -> FloatArray:
    return np.asarray((grades[:, np.newaxis] - grades) ** 2)


DISTANCES: Mapping[str, tuple[Distance, str]] = {
    "nominal": (_nominal, "two different grades are as far apart as any other two"),
    "ordinal": (_ordinal, "grades are apart by the judgments that lie between them"),
    "interval": (_interval, "grades are apart by the difference of their numbers"),
}
"""Distances between grades by name, with the words that explain them."""


def alpha(tally: Tally, distance: str = "nominal") -> FloatArray:
    """1 − D_o / D_e: disagreement within items over that between any two judgments.

    Items judged by one assessor have nothing to compare and are left out.
    """
    observed = coincidences(tally.shared)
    totals = observed.sum(axis=-1)
    apart = DISTANCES[distance][0](tally.grades, totals)
    expected = totals[..., np.newaxis] * totals[..., np.newaxis, :]
    disagreement = (observed * apart).sum(axis=(-2, -1)) * (totals.sum(axis=-1) - 1)
    return 1.0 - ratio(disagreement, (expected * apart).sum(axis=(-2, -1)))


def coincidences(tally: Tally) -> FloatArray:
    """Return how often two judgments of one item had the grades c and k (samples × levels × levels).

    Every judgment counts once: the pairs of an item with m judgments weigh 1 / (m − 1).
    """
    levels = len(tally.grades)
    scaled = (tally.counts / (tally.judged - 1)[:, np.newaxis]).T
    pairs = np.empty((len(tally.weights), levels, levels))
    step = max(1, CELLS // max(1, scaled.size))
    for start in range(0, len(pairs), step):
        weighed = tally.weights[start : start + step, np.newaxis, :] * scaled
        pairs[start : start + step] = weighed @ tally.counts
        pairs[start : start + step] -= weighed.sum(axis=-1)[:, :, np.newaxis] * np.eye(levels)
    return pairs


for _name, (_, _words) in DISTANCES.items():
    Coefficient(
        name=f"alpha-{_name}",
        title=f"Krippendorff's alpha, {_name}",
        words=f"1 − observed / chance disagreement; {_words}",
        reference="Krippendorff, Computing Krippendorff's alpha-reliability, 2011",
        kernel=partial(alpha, distance=_name),
    ).register()


def observed_agreement(tally: Tally) -> FloatArray:
    """The chance that two assessors of an item gave it the same grade, averaged over the items that two judged."""
    shared = tally.shared
    agreeing = (shared.counts * (shared.counts - 1)).sum(axis=-1)
    return shared.mean(ratio(agreeing, shared.judged * (shared.judged - 1)))


def unanimous(tally: Tally) -> FloatArray:
    """Return the share of the items on which all of their assessors agree."""
    shared = tally.shared
    return shared.mean((shared.counts.max(axis=-1, initial=0.0) == shared.judged).astype(float))


Coefficient(
    name="observed",
    title="Observed agreement",
    words="the chance that two assessors of an item gave it the same grade",
    reference="Fleiss, Measuring nominal scale agreement among many raters, Psychological Bulletin 1971",
    kernel=observed_agreement,
).register()
Coefficient(
    name="unanimous",
    title="Unanimity",
    words="the share of items on which all of their assessors agree",
    reference="a count",
    kernel=unanimous,
).register()
