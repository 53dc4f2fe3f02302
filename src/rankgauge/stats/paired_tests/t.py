"""Student's paired t test."""

from __future__ import annotations

import numpy as np

from rankgauge.numeric import FloatArray
from rankgauge.stats.paired import paired_t
from rankgauge.stats.paired_test import PairedTest, Tested

__all__ = ["T"]


def _test(differences: FloatArray, rng: np.random.Generator, draws: int) -> Tested:
    p = paired_t(differences)
    return Tested(p, np.zeros_like(p))


T = PairedTest(
    name="t",
    title="Student's paired t test",
    words="whether the mean difference is 0, for differences whose mean is about normal",
    reference="Student, The probable error of a mean, Biometrika 1908",
    kernel=_test,
).register()
