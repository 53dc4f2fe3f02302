"""Wilcoxon's signed-rank test."""

from __future__ import annotations

import numpy as np

from rankgauge.numeric import FloatArray
from rankgauge.statistics.columns import alike
from rankgauge.statistics.paired_test import PairedTest, Tested
from rankgauge.statistics.paired_tests.randomisation import every

FEW = 13
"""Up to this many queries SciPy tries all signs if differences are tied."""


def _test(differences: FloatArray, rng: np.random.Generator, draws: int) -> Tested:
    """SciPy's, without differences of 0: exact for up to 50 queries without ties or 13 with ties, else normal."""
    p = np.ones(differences.shape[1])
    for rows, columns in alike(differences):
        values = differences[np.ix_(rows, columns)]
        sizes = np.sort(np.abs(values), axis=0)
        tied = (np.diff(sizes, axis=0) == 0).any(axis=0) | (sizes[0] == 0)
        # SciPy looks for ties in all that it is given at once, so pairs with and without ties are kept apart.
        for group in (tied & sizes.any(axis=0), ~tied):
            if group.any():
                p[columns[group]] = _p(values[:, group], bool(tied[group][0]))
    return Tested(p, np.zeros_like(p))


def _p(values: FloatArray, tied: bool) -> FloatArray:
    from scipy.stats import rankdata, wilcoxon

    if not tied or len(values) > FEW:
        return np.asarray(wilcoxon(values, axis=0).pvalue)
    # SciPy tries all signs too, but takes seconds for a pair.
    ranks = rankdata(np.where(values == 0, np.nan, np.abs(values)), axis=0, nan_policy="omit")
    return every(np.sign(values) * np.nan_to_num(ranks)).p


WILCOXON = PairedTest(
    name="wilcoxon",
    title="Wilcoxon's signed-rank test",
    words="whether differences are symmetric around 0, by their ranks; differences of 0 are dropped",
    reference="Wilcoxon, Individual comparisons by ranking methods, Biometrics Bulletin 1945",
    kernel=_test,
).register()
