"""The usual paired tests: Student's t, the sign test, Wilcoxon's, randomisation, and the bootstrap.

`scipy.stats.ttest_1samp` gives the same p-values as our t test, but took some 400 times as long with missing values,
gives NaN where all differences are 0, and needs `scipy.stats`, which takes four times as long to import as polars.
"""

from __future__ import annotations

import numpy as np

from rankgauge.numeric import FloatArray
from rankgauge.statistics.intervals import alike, moments, student_tail
from rankgauge.statistics.paired_test import SLACK, PairedTest, Tested, pieces, sampled_p


def _t_test(differences: FloatArray, rng: np.random.Generator, draws: int) -> Tested:
    """Test by Student's t; p is 1 for fewer than two queries, and 0 if all differences are the same and not 0."""
    n, mean, _ = by_pair = moments(differences)
    error = np.sqrt(by_pair.variance / np.maximum(n, 1))
    constant = error <= 1e-15 * np.abs(mean)
    p = 2 * student_tail(np.maximum(n - 1, 1), np.abs(mean) / np.where(constant, 1.0, error))
    p = np.where(constant, np.where(mean == 0, 1.0, 0.0), p)
    return Tested(np.where(n < 2, 1.0, p), np.zeros_like(p))


T = PairedTest(
    name="t",
    title="Student's paired t test",
    words="whether the mean difference is 0, for differences whose mean is about normal",
    reference="Student, The probable error of a mean, Biometrika 1908",
    kernel=_t_test,
).register()


def _sign_test(differences: FloatArray, rng: np.random.Generator, draws: int) -> Tested:
    from scipy.special import bdtr

    wins, losses = (differences > 0).sum(axis=0), (differences < 0).sum(axis=0)
    tail = bdtr(np.minimum(wins, losses).astype(np.float64), wins + losses, 0.5)
    p = np.asarray(np.minimum(2 * tail, 1.0))
    return Tested(p, np.zeros_like(p))


SIGN = PairedTest(
    name="sign",
    title="sign test",
    words="whether a run wins as many queries as it loses, by however much; ties are dropped",
    reference="Arbuthnot, Philosophical Transactions 1710; exact binomial, two-sided",
    kernel=_sign_test,
).register()


FEW = 13
"""Up to this many queries SciPy tries all signs if differences are tied."""


def _wilcoxon_test(differences: FloatArray, rng: np.random.Generator, draws: int) -> Tested:
    """Test by SciPy without differences of 0: exactly for up to 50 queries, or 13 with ties, else by the normal."""
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
    kernel=_wilcoxon_test,
).register()


EXACT = 20
"""Up to this many queries with a difference, all signs are tried: a million choices."""


def _randomisation_test(differences: FloatArray, rng: np.random.Generator, draws: int) -> Tested:
    """Return all signs for few queries, else random ones, which the pairs share."""
    matrix = np.nan_to_num(differences, nan=0.0)
    matrix = matrix[matrix.any(axis=1)]  # without a difference, the sign does not matter
    if len(matrix) <= EXACT:
        return every(matrix)
    n, pairs = matrix.shape
    least, extreme = np.abs(matrix.sum(axis=0)) * SLACK, np.zeros(pairs)
    for rows in pieces(draws, width=max(n, pairs)):
        signs = rng.integers(2, size=(rows, n), dtype=np.int8) * 2.0 - 1.0
        sums = signs @ matrix
        extreme += np.count_nonzero(np.abs(sums, out=sums) >= least, axis=0)
    return sampled_p(extreme, draws)


def every(matrix: FloatArray) -> Tested:
    """Return the exact p-values: the sums of one half of the queries are looked up among those of the other half."""
    middle = len(matrix) // 2
    left, right = _signed_sums(matrix[:middle]), np.sort(_signed_sums(matrix[middle:]), axis=0)
    bounds = np.abs(matrix.sum(axis=0)) - (1 - SLACK) * np.abs(matrix).sum(axis=0)
    p = np.empty(len(bounds))
    for column, (a, b, bound) in enumerate(zip(left.T, right.T, bounds.tolist(), strict=True)):
        # Of all sums of one of the left and one of the right, those at least `bound` away from 0.
        above = len(a) * len(b) - np.searchsorted(b, bound - a).sum()
        beyond = int(above + np.searchsorted(b, -bound - a, side="right").sum())
        p[column] = min(beyond / 2 ** len(matrix), 1.0)
    return Tested(p, np.zeros_like(p))


def _signed_sums(matrix: FloatArray) -> FloatArray:
    sums = np.zeros((1, matrix.shape[1]))
    for row in matrix:
        sums = np.concatenate([sums + row, sums - row])
    return sums


RANDOMISATION = PairedTest(
    name="randomisation",
    title="Fisher's randomisation test",
    words=f"how often random signs give a mean difference as far from 0; all signs for up to {EXACT} queries",
    reference="Smucker, Allan & Carterette, A comparison of statistical significance tests, CIKM 2007",
    kernel=_randomisation_test,
    draws=True,
).register()


def _bootstrap_test(differences: FloatArray, rng: np.random.Generator, draws: int) -> Tested:
    """Return the share of resamples of the centred differences whose t is as far from 0 as the one found."""
    p, error = np.ones(differences.shape[1]), np.zeros(differences.shape[1])
    for rows, columns in alike(differences):
        p[columns], error[columns] = sampled_p(_extreme(differences[np.ix_(rows, columns)], rng, draws), draws)
    moot = ~np.nan_to_num(differences).any(axis=0)
    return Tested(np.where(moot, 1.0, p), np.where(moot, 0.0, error))


def _extreme(matrix: FloatArray, rng: np.random.Generator, draws: int) -> FloatArray:
    """Return how many resamples are at least as extreme as what was found.

    With the sum S and the sum of squares Q of n differences, t² = (n − 1) S² / (nQ − S²), so t² is as large as the one
    found if and only if S² / Q is: a resample needs neither a root nor a quotient.
    """
    n, pairs = matrix.shape
    centred, squares = matrix - matrix.mean(axis=0), (matrix**2).sum(axis=0)
    least = matrix.sum(axis=0) ** 2 / np.where(squares > 0, squares, 1.0) * SLACK
    spread = centred**2
    extreme = np.zeros(pairs)
    for rows in pieces(draws, width=max(n, 2 * pairs)):
        drawn = rng.integers(n, size=(rows, n)) + n * np.arange(rows)[:, np.newaxis]
        times = np.bincount(drawn.ravel(), minlength=rows * n).reshape(rows, n).astype(np.float64)
        sums, bounds = times @ centred, times @ spread
        np.multiply(sums, sums, out=sums)
        np.multiply(bounds, least, out=bounds)
        extreme += np.count_nonzero(sums >= bounds, axis=0)
    same = spread.sum(axis=0) <= 1e-24 * squares  # all differences are the same: no resample is extreme
    return np.where(same, 0.0, extreme)


BOOTSTRAP = PairedTest(
    name="bootstrap",
    title="paired bootstrap test",
    words="how often queries drawn with replacement, their mean difference set to 0, give a t as far from 0",
    reference="Sakai, Evaluating evaluation metrics based on the bootstrap, SIGIR 2006",
    kernel=_bootstrap_test,
    draws=True,
).register()
