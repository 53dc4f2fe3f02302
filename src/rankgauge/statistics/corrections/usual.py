"""The usual corrections for many tests: of the familywise error, and of the false discovery rate."""

from __future__ import annotations

import numpy as np

from rankgauge.numeric import FloatArray
from rankgauge.statistics.paired_test import SLACK, Correction, Family, pieces, sampled_p

NONE = Correction(
    name="none",
    title="no correction",
    words="each test by itself; of 20 pairs of equal runs one is expected to be separated by luck at 0.05",
    reference="–",
    adjust=lambda family: family.p,
    magnifies=False,
).register()


BONFERRONI = Correction(
    name="bonferroni",
    title="Bonferroni",
    words="p times the number of tests: the chance of any false separation stays below the level",
    reference="Dunn, Multiple comparisons among means, JASA 1961",
    adjust=lambda family: np.minimum(family.p * len(family.p), 1.0),
).register()


def adjust_holm(p: FloatArray) -> FloatArray:
    """Return the i-th smallest of the m p-values of a row times m − i + 1, and at least the next smaller one's."""
    order = np.argsort(p, axis=-1, kind="stable")
    raised = np.maximum.accumulate(np.take_along_axis(p, order, axis=-1) * np.arange(p.shape[-1], 0, -1), axis=-1)
    adjusted = np.empty_like(p)
    np.put_along_axis(adjusted, order, np.minimum(raised, 1.0), axis=-1)
    return adjusted


HOLM = Correction(
    name="holm",
    title="Holm",
    words="the chance of any false separation stays below the level; never weaker than Bonferroni",
    reference="Holm, A simple sequentially rejective multiple test procedure, Scand. J. Statistics 1979",
    adjust=lambda family: adjust_holm(family.p),
).register()


def _adjust_tukey(family: Family) -> FloatArray:
    """Return for each pair the share of shuffles in which the best and the worst run are at least as far apart.

    The queries that all runs have are shuffled; the p-values of the test play no part.
    """
    values = family.values[~np.isnan(family.values).any(axis=1)]
    n, runs = values.shape
    means = values.mean(axis=0) if n else np.zeros(runs)
    apart = np.abs(means[family.first] - means[family.second]) * SLACK
    extreme = np.zeros(len(apart))
    for rows in pieces(family.draws, width=n * runs):
        shuffled = family.rng.permuted(np.broadcast_to(values, (rows, n, runs)), axis=-1)
        ranges = np.sort(np.ptp(shuffled.mean(axis=1), axis=-1)) if n else np.zeros(rows)
        extreme += rows - np.searchsorted(ranges, apart)
    return sampled_p(extreme, family.draws).p


TUKEY = Correction(
    name="tukey",
    title="Tukey's HSD by randomisation",
    words="how often runs that are shuffled within each query have two means as far apart: a test of its own",
    reference="Carterette, Multiple testing in statistical analysis of systems-based IR experiments, TOIS 2012",
    adjust=_adjust_tukey,
    tests_alone=True,
    magnifies=False,
).register()


def _adjust(family: Family) -> FloatArray:
    """Return the i-th smallest of m p-values times m / i, and at most the next larger one's."""
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
