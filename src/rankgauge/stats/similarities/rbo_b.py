"""Rank-biased overlap, corrected for what ties hide."""

from __future__ import annotations

from rankgauge.stats.similarity import Similarity, rank_biased

RBO_B = Similarity(
    name="rbo-b",
    title="RBO-b",
    words="RBO corrected for what ties hide: a list with ties and itself agree fully",
    reference="Corsi & Urbano, The treatment of ties in rank-biased overlap, SIGIR 2024 (RBO^b)",
    kernel=rank_biased("b"),
    lowest=0.0,
    persistent=True,
).register()
