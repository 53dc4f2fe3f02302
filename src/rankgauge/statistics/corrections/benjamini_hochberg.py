"""Benjamini and Hochberg's correction: the share of false ones among the separations."""

from __future__ import annotations

import numpy as np

from rankgauge.numeric import FloatArray
from rankgauge.statistics.correction import Correction, Family


def _adjust(family: Family) -> FloatArray:
    """The i-th smallest of m p-values times m / i, and at most the next larger one's."""
    order = np.argsort(family.p, kind="stable")
    m = len(order)
    scaled = family.p[order] * m / np.arange(1, m + 1)
    adjusted = np.empty_like(family.p)
    adjusted[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1.0)
    return adjusted


BENJAMINI_HOCHBERG = Correction(
    name="benjamini-hochberg",
    title="Benjamini-Hochberg",
    words="of the pairs that are separated, the expected share of false ones stays below the level",
    reference="Benjamini & Hochberg, Controlling the false discovery rate, JRSS B 1995",
    adjust=_adjust,
).register()
