"""Tail: how much of what is shown is not among the most popular."""

from __future__ import annotations

import numpy as np

from rankgauge.catalogue.statistic import CatalogueStatistic, Shown
from rankgauge.numeric import FloatArray

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
