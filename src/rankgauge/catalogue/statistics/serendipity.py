"""Serendipity: how much of what is shown is relevant and not obvious."""

from __future__ import annotations

from rankgauge.catalogue.statistic import CatalogueStatistic, Shown
from rankgauge.numeric import FloatArray


def _serendipity(shown: Shown) -> FloatArray:
    assert shown.relevant is not None
    return shown.mean(shown.relevant * (1.0 - shown.in_head(shown.depth)[shown.item]))


SERENDIPITY = CatalogueStatistic(
    name="serendipity",
    title="Serendipity",
    words="the share of documents shown that are relevant and not among the k most popular, which anybody could show; "
    "equally popular ones share the last of the k places",
    reference="Murakami, Mori & Orihara 2008; Ge, Delgado-Battenfeld & Jannach, Beyond accuracy, RecSys 2010",
    kernel=_serendipity,
    needs=("popularity", "judgments"),
).register()
