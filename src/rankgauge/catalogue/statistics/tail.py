"""Tail: how much of what is shown is not among the most popular."""

from __future__ import annotations

import numpy as np

from rankgauge.catalogue.statistic import CatalogueStatistic, Shown
from rankgauge.numeric import FloatArray

HEAD = 0.2
"""The share of the catalogue that is no long tail."""


def _tail(shown: Shown) -> FloatArray:
    order = np.argsort(-shown.popularity, kind="stable")
    tail = np.ones(len(order))
    tail[order[: int(np.ceil(HEAD * len(order)))]] = 0.0
    return shown.mean(tail[shown.item])


TAIL = CatalogueStatistic(
    name="tail",
    title="Share of the long tail",
    words="the share of documents shown that are not among the most popular fifth of the catalogue",
    reference="Abdollahpouri, Burke & Mobasher, Managing popularity bias in recommender systems, FLAIRS 2019 (APLT)",
    kernel=_tail,
    needs=("popularity",),
).register()
