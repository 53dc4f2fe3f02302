"""Wilcoxon's signed-rank test."""

from __future__ import annotations

import numpy as np

from rankgauge.stats.paired_tests.base import FloatArray, PairedTest, Tested

__all__ = ["WILCOXON"]


def _test(differences: FloatArray, rng: np.random.Generator, draws: int) -> Tested:
    p = np.array([_p(column[~np.isnan(column)]) for column in differences.T], dtype=np.float64)
    return Tested(p, np.zeros_like(p))


def _p(differences: FloatArray) -> float:
    """SciPy's: differences of 0 leave; exact for up to 50 queries without ties, all signs for up to 13, else normal."""
    from scipy.stats import wilcoxon

    return float(wilcoxon(differences).pvalue) if differences.any() else 1.0


WILCOXON = PairedTest(
    name="wilcoxon",
    title="Wilcoxon's signed-rank test",
    words="whether differences are as often and as large to one side as to the other, by their ranks; 0 leaves",
    reference="Wilcoxon, Individual comparisons by ranking methods, Biometrics Bulletin 1945",
    kernel=_test,
).register()
