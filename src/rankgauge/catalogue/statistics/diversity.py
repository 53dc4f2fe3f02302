"""Diversity: how different the documents of a list are."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankgauge.catalogue.statistic import CatalogueStatistic, Shown
from rankgauge.numeric import FloatArray, ratio


def _diversity(shown: Shown) -> FloatArray:
    """1 less how alike two documents are, on the average over all pairs of documents that have a category."""
    from scipy.sparse import csr_array

    assert shown.items.kind is not None
    kind = shown.items.kind[shown.item]
    known = kind >= 0
    shape = (shown.queries, len(shown.items.kinds))
    counts = csr_array((np.ones(known.sum()), (shown.query[known], kind[known])), shape=shape)
    n = np.asarray(counts.sum(axis=1), dtype=np.float64)
    # Each document is as it is itself: n of the n² pairs of a list are no pairs.
    alike = np.asarray(counts.multiply(counts @ _alike(shown.items.kinds)).sum(axis=1)) - n
    return np.clip(1.0 - ratio(alike, n * (n - 1.0)), 0.0, 1.0)


def _alike(kinds: tuple[frozenset[str], ...]) -> Any:
    """The share of their categories that each two kinds have in common (Jaccard), as a sparse matrix."""
    from scipy.sparse import coo_array, csr_array

    names = {name: at for at, name in enumerate(sorted(frozenset().union(*kinds)))}
    sizes = np.array([len(kind) for kind in kinds])
    columns = [names[name] for kind in kinds for name in kind]
    cells = (np.repeat(np.arange(len(kinds)), sizes), columns)
    has = csr_array((np.ones(len(columns)), cells), shape=(len(kinds), len(names)))
    common = coo_array(has @ has.T)
    share = common.data / (sizes[common.coords[0]] + sizes[common.coords[1]] - common.data)
    return csr_array((share, common.coords), shape=common.shape)


DIVERSITY = CatalogueStatistic(
    name="diversity",
    title="Intra-list diversity",
    words="how different two documents of a list are: 1 if they share no category, 0 if all, and 1 less the share in "
    "common (Jaccard) if they have several",
    reference="Smyth & McClave, Similarity vs. diversity, ICCBR 2001; Ziegler et al., WWW 2005",
    kernel=_diversity,
    needs=("category",),
    same=("ild", "intra-list-diversity"),
).register()
