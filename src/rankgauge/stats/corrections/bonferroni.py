"""Bonferroni's correction: every p-value times the number of tests."""

from __future__ import annotations

import numpy as np

from rankgauge.numeric import FloatArray
from rankgauge.stats.correction import Correction, Family


def _adjust(family: Family) -> FloatArray:
    return np.minimum(family.p * len(family.p), 1.0)


BONFERRONI = Correction(
    name="bonferroni",
    title="Bonferroni",
    words="p times the number of tests: the chance of any false separation stays below the level",
    reference="Dunn, Multiple comparisons among means, JASA 1961",
    adjust=_adjust,
).register()
