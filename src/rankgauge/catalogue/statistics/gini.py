"""Gini: how unevenly the lists show the catalogue."""

from __future__ import annotations

import numpy as np

from rankgauge.catalogue.statistic import CatalogueStatistic, Shown
from rankgauge.numeric import FloatArray


def _gini(shown: Shown) -> FloatArray:
    rising = np.sort(shown.exposure)
    n = len(rising)
    return np.array((2.0 * np.arange(1, n + 1) - n - 1) @ rising / (n * rising.sum()))


GINI = CatalogueStatistic(
    name="gini",
    title="Gini index",
    words="how unevenly documents are shown: 0 if all are as often, near 1 if few have it all",
    reference="Adomavicius & Kwon, Improving aggregate recommendation diversity, TKDE 2012; RecBole, giniindex",
    kernel=_gini,
    per_query=False,
    same=("giniindex",),
).register()
