"""Diversity: how different the documents of a list are."""

from __future__ import annotations

import numpy as np

from rankgauge.catalogue.statistic import CatalogueStatistic, Shown
from rankgauge.numeric import FloatArray


def _diversity(shown: Shown) -> FloatArray:
    assert shown.items.category is not None
    kinds = int(shown.items.category.max(initial=0)) + 1
    cells = shown.query * kinds + shown.items.category[shown.item]
    counts = np.bincount(cells, minlength=shown.queries * kinds).reshape(shown.queries, kinds).astype(np.float64)
    pairs = shown.lengths * (shown.lengths - 1.0)
    alike = (counts * (counts - 1.0)).sum(axis=-1)
    return np.asarray(1.0 - alike / np.where(pairs > 0, pairs, np.nan))


DIVERSITY = CatalogueStatistic(
    name="diversity",
    title="Intra-list diversity",
    words="the share of pairs of documents of a list that are of different categories",
    reference="Smyth & McClave, Similarity vs. diversity, ICCBR 2001; Ziegler et al., WWW 2005",
    kernel=_diversity,
    needs=("category",),
).register()
