"""Wilcoxon's signed-rank test."""

from __future__ import annotations

import numpy as np

from rankgauge.stats.paired_tests.base import FloatArray, PairedTest, Tested, alike

__all__ = ["WILCOXON"]


def _test(differences: FloatArray, rng: np.random.Generator, draws: int) -> Tested:
    """SciPy's: differences of 0 leave; exact for up to 50 queries without ties, all signs for up to 13, else normal."""
    from scipy.stats import wilcoxon

    p = np.ones(differences.shape[1])
    for rows, columns in alike(differences):
        sizes = np.sort(np.abs(differences[np.ix_(rows, columns)]), axis=0)
        tied = (np.diff(sizes, axis=0) == 0).any(axis=0) | (sizes[0] == 0)
        # SciPy looks for ties in all that it is given at once, so pairs with and without ties are kept apart.
        for group in (columns[tied & sizes.any(axis=0)], columns[~tied]):
            if len(group):
                p[group] = wilcoxon(differences[np.ix_(rows, group)], axis=0).pvalue
    return Tested(p, np.zeros_like(p))


WILCOXON = PairedTest(
    name="wilcoxon",
    title="Wilcoxon's signed-rank test",
    words="whether differences are as often and as large to one side as to the other, by their ranks; 0 leaves",
    reference="Wilcoxon, Individual comparisons by ranking methods, Biometrics Bulletin 1945",
    kernel=_test,
).register()
