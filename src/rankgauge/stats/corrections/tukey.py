"""Tukey's honestly significant difference, by randomisation: every difference against the largest one of equal runs."""

from __future__ import annotations

import numpy as np

from rankgauge.numeric import FloatArray
from rankgauge.stats.correction import Correction, Family
from rankgauge.stats.paired_test import SLACK, pieces, sampled


def _adjust(family: Family) -> FloatArray:
    """The share of shuffles within queries after which the best and the worst run are as far apart.

    The queries that all runs have are shuffled; the p-values of the test play no part.
    """
    values = family.values[~np.isnan(family.values).any(axis=1)]
    n, runs = values.shape
    means = values.mean(axis=0) if n else np.zeros(runs)
    found = np.abs(means[family.first] - means[family.second]) * SLACK
    extreme = np.zeros(len(found))
    for rows in pieces(family.draws, width=n * runs):
        shuffled = family.rng.permuted(np.broadcast_to(values, (rows, n, runs)), axis=-1)
        ranges = np.sort(np.ptp(shuffled.mean(axis=1), axis=-1)) if n else np.zeros(rows)
        extreme += rows - np.searchsorted(ranges, found)
    return sampled(extreme, family.draws).p


TUKEY = Correction(
    name="tukey",
    title="Tukey's HSD by randomisation",
    words="how often runs that are shuffled within each query have two means as far apart: a test of its own",
    reference="Carterette, Multiple testing in statistical analysis of systems-based IR experiments, TOIS 2012",
    adjust=_adjust,
    tests_alone=True,
    magnifies=False,
).register()
