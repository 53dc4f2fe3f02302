"""Means over groups of judgments: what a list is worth to each assessor, and on the average."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rankgauge.numeric import FloatArray, ratio
from rankgauge.ranking import RankedLists, total


def mean_over_groups(lists: RankedLists, kernel: Callable[[RankedLists], FloatArray]) -> FloatArray:
    """The mean of a kernel's values over the groups; a group without a value counts 0, NaN if none has one.

    trec_eval's averages over judgment groups (`-R qrels_jg`).
    """
    assert lists.facets is not None
    values, known = kernel(lists.by_facet), ~np.isnan(lists.facets.weights)
    defined = ~np.isnan(values) & known
    summed = total(np.where(defined, values, 0.0))
    mean = ratio(summed, known.sum(axis=-1).astype(np.float64))
    return np.where(defined.any(axis=-1), mean, np.nan)
