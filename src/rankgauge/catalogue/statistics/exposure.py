"""Statistics of the whole catalogue: what is shown at all, and how evenly."""

from __future__ import annotations

import math

import numpy as np

from rankgauge.catalogue.statistic import CatalogueStatistic, Shown
from rankgauge.numeric import FloatArray


def _coverage(shown: Shown) -> FloatArray:
    return np.array((shown.exposure > 0).mean())


COVERAGE = CatalogueStatistic(
    name="coverage",
    title="Catalogue coverage",
    words="the share of the catalogue that is shown for any query",
    reference="Ge, Delgado-Battenfeld & Jannach, Beyond accuracy, RecSys 2010; RecBole, itemcoverage",
    kernel=_coverage,
    per_query=False,
    same=("itemcoverage", "catalog-coverage", "catalogue-coverage"),
).register()


def _entropy(shown: Shown) -> FloatArray:
    share = shown.exposure[shown.exposure > 0] / shown.exposure.sum()
    return np.array(-(share * np.log2(share)).sum())


ENTROPY = CatalogueStatistic(
    name="entropy",
    title="Shannon entropy",
    words="the entropy of what is shown, in bits: that of so many documents shown equally often is their logarithm",
    reference="Shannon 1948; Elliot, SEntropy",
    kernel=_entropy,
    bounds=(0.0, math.inf),
    per_query=False,
    unlike={"shannonentropy": "RecBole's is in natural units, over the number of documents that are shown"},
).register()


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


HEAD = 0.2
"""The share of the catalogue that is no long tail."""


def _tail(shown: Shown) -> FloatArray:
    head = shown.in_head(int(np.ceil(HEAD * len(shown.items))))
    return shown.mean(1.0 - head[shown.item])


TAIL = CatalogueStatistic(
    name="tail",
    title="Share of the long tail",
    words="the share of documents shown that are not among the most popular fifth of the catalogue; equally "
    "popular ones share its last places",
    reference="Abdollahpouri, Burke & Mobasher, Managing popularity bias in recommender systems, FLAIRS 2019 (APLT)",
    kernel=_tail,
    needs=("popularity",),
    unlike={"tailpercentage": "RecBole's is the share among the least popular tenth of the items"},
).register()
