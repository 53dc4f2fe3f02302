"""EPC: how likely a user does not know the documents shown."""

from __future__ import annotations

from rankgauge.catalogue.statistic import CatalogueStatistic, Shown
from rankgauge.numeric import FloatArray


def _epc(shown: Shown) -> FloatArray:
    assert shown.users is not None
    return shown.mean(1.0 - (shown.popularity / shown.users)[shown.item])


EPC = CatalogueStatistic(
    name="epc",
    title="Expected popularity complement",
    words="the mean share of users who do not know a document shown",
    reference="Vargas & Castells, Rank and relevance in novelty and diversity metrics for recommender "
    "systems, RecSys 2011",
    kernel=_epc,
    needs=("popularity", "users"),
    same=("expected-popularity-complement",),
).register()
