"""The statistics of a catalogue: what is exposed, and what lists hold."""

from __future__ import annotations

import math
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
    """Return the share of their categories that each two kinds have in common (Jaccard), as a sparse matrix."""
    from scipy.sparse import coo_array, csr_array

    names = {name: at for at, name in enumerate(sorted(frozenset().union(*kinds)))}
    sizes = np.array([len(kind) for kind in kinds])
    columns = [names[name] for kind in kinds for name in kind]
    cells = (np.repeat(np.arange(len(kinds)), sizes), columns)
    has = csr_array((np.ones(len(columns)), cells), shape=(len(kinds), len(names)))
    common = coo_array(has @ has.T)
    share = common.data / (sizes[common.coords[0]] + sizes[common.coords[1]] - common.data)
    return csr_array((share, common.coords), shape=common.shape)


CatalogueStatistic(
    name="diversity",
    title="Intra-list diversity",
    words="how different two documents of a list are: 1 if they share no category, 0 if all, and 1 less the share in "
    "common (Jaccard) if they have several",
    reference="Smyth & McClave, Similarity vs. diversity, ICCBR 2001; Ziegler et al., WWW 2005",
    kernel=_diversity,
    needs=("category",),
    same=("ild", "intra-list-diversity"),
).register()


def _novelty(shown: Shown) -> FloatArray:
    # A document that nobody knows yet is taken to be known to one.
    share = np.maximum(shown.popularity, 1.0) / np.maximum(shown.popularity, 1.0).sum()
    return shown.mean(-np.log2(share[shown.item]))


CatalogueStatistic(
    name="novelty",
    title="Novelty",
    words="the mean self-information of the documents shown, in bits: −log2 of the share of all popularity",
    reference="Zhou et al., Solving the apparent diversity-accuracy dilemma of recommender systems, PNAS "
    "2010; Vargas & Castells, RecSys 2011 (EFD)",
    kernel=_novelty,
    bounds=(0.0, math.inf),
    needs=("popularity",),
).register()


def _epc(shown: Shown) -> FloatArray:
    assert shown.users is not None
    return shown.mean(1.0 - (shown.popularity / shown.users)[shown.item])


CatalogueStatistic(
    name="epc",
    title="Expected popularity complement",
    words="the mean share of users who do not know a document shown",
    reference="Vargas & Castells, Rank and relevance in novelty and diversity metrics for recommender "
    "systems, RecSys 2011",
    kernel=_epc,
    needs=("popularity", "users"),
    same=("expected-popularity-complement",),
).register()


def _personalisation(shown: Shown) -> FloatArray:
    # The sum of the cosines of all pairs follows from the sum of all lists, each of length 1.
    n = float(np.count_nonzero(shown.lengths))
    together = np.bincount(shown.item, weights=1.0 / np.sqrt(shown.lengths[shown.query]), minlength=len(shown.items))
    # The sum may be off in its last digits, and the mean below 0 or above 1.
    return np.clip(1.0 - (together @ together - n) / (n * (n - 1.0)) if n > 1 else np.nan, 0.0, 1.0)


CatalogueStatistic(
    name="personalisation",
    title="Personalisation",
    words="1 less the mean cosine of the lists of two queries: 1 if no two share a document",
    reference="recmetrics, personalization",
    kernel=_personalisation,
    per_query=False,
    same=("personalization",),
).register()


def _serendipity(shown: Shown) -> FloatArray:
    assert shown.relevant is not None
    return shown.mean(shown.relevant * (1.0 - shown.in_head(shown.depth)[shown.item]))


CatalogueStatistic(
    name="serendipity",
    title="Serendipity",
    words="the share of documents shown that are relevant and not among the k most popular, which anybody could show; "
    "equally popular ones share the last of the k places",
    reference="Murakami, Mori & Orihara 2008; Ge, Delgado-Battenfeld & Jannach, Beyond accuracy, RecSys 2010",
    kernel=_serendipity,
    needs=("popularity", "judgments"),
).register()


CatalogueStatistic(
    name="coverage",
    title="Catalogue coverage",
    words="the share of the catalogue that is shown for any query",
    reference="Ge, Delgado-Battenfeld & Jannach, Beyond accuracy, RecSys 2010; RecBole, itemcoverage",
    kernel=lambda shown: np.array((shown.exposure > 0).mean()),
    per_query=False,
    same=("itemcoverage", "catalog-coverage", "catalogue-coverage"),
).register()


def _entropy(shown: Shown) -> FloatArray:
    share = shown.exposure[shown.exposure > 0] / shown.exposure.sum()
    return np.array(-(share * np.log2(share)).sum())


CatalogueStatistic(
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


CatalogueStatistic(
    name="gini",
    title="Gini index",
    words="how unevenly documents are shown: 0 if all are as often, near 1 if few have it all",
    reference="Adomavicius & Kwon, Improving aggregate recommendation diversity, TKDE 2012; RecBole, giniindex",
    kernel=_gini,
    per_query=False,
    same=("giniindex",),
).register()


CatalogueStatistic(
    name="popularity",
    title="Average popularity",
    words="the mean popularity of the documents shown",
    reference="Yin, Cui, Li, Yao & Chen, Challenging the long tail recommendation, VLDB 2012; RecBole, "
    "averagepopularity",
    kernel=lambda shown: shown.mean(shown.popularity[shown.item]),
    bounds=(0.0, math.inf),
    needs=("popularity",),
    same=("averagepopularity",),
).register()


HEAD = 0.2
"""The share of the catalogue that is no long tail."""


CatalogueStatistic(
    name="tail",
    title="Share of the long tail",
    words="the share of documents shown that are not among the most popular fifth of the catalogue; equally "
    "popular ones share its last places",
    reference="Abdollahpouri, Burke & Mobasher, Managing popularity bias in recommender systems, FLAIRS 2019 (APLT)",
    kernel=lambda shown: shown.mean(1.0 - shown.in_head(int(np.ceil(HEAD * len(shown.items))))[shown.item]),
    needs=("popularity",),
    unlike={"tailpercentage": "RecBole's is the share among the least popular tenth of the items"},
).register()
