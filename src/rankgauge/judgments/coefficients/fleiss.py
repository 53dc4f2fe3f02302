"""Fleiss' kappa: agreement above chance, where chance is the grades' shares."""

from __future__ import annotations

import numpy as np

from rankgauge.judgments.coefficient import Coefficient, Tally
from rankgauge.judgments.coefficients.observed import observed
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
    return ratio(observed(tally) - chance, 1.0 - chance)


Coefficient(
    name="fleiss",
    title="Fleiss' kappa",
    words="agreement above chance, as a share of what could be above it; each item weighs the same",
    reference="Fleiss, Psychological Bulletin 1971; unequal numbers: Gwet, Handbook of inter-rater reliability, 2014",
    kernel=fleiss,
).register()
