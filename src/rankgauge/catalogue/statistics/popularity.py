"""Popularity: how popular the documents shown are."""

from __future__ import annotations

import math

from rankgauge.catalogue.statistic import CatalogueStatistic, Shown
from rankgauge.numeric import FloatArray


def _popularity(shown: Shown) -> FloatArray:
    return shown.mean(shown.popularity[shown.item])


POPULARITY = CatalogueStatistic(
    name="popularity",
    title="Average popularity",
    words="the mean popularity of the documents shown",
    reference="Yin, Cui, Li, Yao & Chen, Challenging the long tail recommendation, VLDB 2012; RecBole, "
    "averagepopularity",
    kernel=_popularity,
    bounds=(0.0, math.inf),
    needs=("popularity",),
    same=("averagepopularity",),
).register()
