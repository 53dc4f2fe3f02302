"""Serendipity: how much of what is shown is relevant and not obvious."""

from __future__ import annotations

import numpy as np

from rankgauge.catalogue.statistic import CatalogueStatistic, Shown
from rankgauge.numeric import FloatArray


def _serendipity(shown: Shown) -> FloatArray:
    assert shown.relevant is not None
    surprising = np.ones(len(shown.items), dtype=bool)
    surprising[np.argsort(-shown.popularity, kind="stable")[: shown.depth]] = False
    return shown.mean((shown.relevant & surprising[shown.item]).astype(np.float64))


SERENDIPITY = CatalogueStatistic(
    name="serendipity",
    title="Serendipity",
    words="the share of documents shown that are relevant and not among the k most popular, which anybody could show",
    reference="Murakami, Mori & Orihara 2008; Ge, Delgado-Battenfeld & Jannach, Beyond accuracy, RecSys 2010",
    kernel=_serendipity,
    needs=("popularity", "judgments"),
).register()
