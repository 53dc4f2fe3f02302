"""Holm's correction: Bonferroni's, step by step, and never weaker."""

from __future__ import annotations

import numpy as np

from rankgauge.numeric import FloatArray
from rankgauge.stats.correction import Correction, Family


def _adjust(family: Family) -> FloatArray:
    """The i-th smallest of m p-values times m − i + 1, and at least the next smaller one's."""
    order = np.argsort(family.p, kind="stable")
    steps = np.arange(len(order), 0, -1)
    adjusted = np.empty_like(family.p)
    adjusted[order] = np.minimum(np.maximum.accumulate(family.p[order] * steps), 1.0)
    return adjusted


HOLM = Correction(
    name="holm",
    title="Holm",
    words="the chance of any false separation stays below the level; never weaker than Bonferroni",
    reference="Holm, A simple sequentially rejective multiple test procedure, Scand. J. Statistics 1979",
    adjust=_adjust,
).register()
