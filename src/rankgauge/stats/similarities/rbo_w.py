"""Rank-biased overlap in which tied documents share their rank."""

from __future__ import annotations

from rankgauge.stats.similarity import Similarity, rank_biased

RBO_W = Similarity(
    name="rbo-w",
    title="RBO-w",
    words="RBO in which tied documents share the first of their ranks: for ties that mean equally good",
    reference="Webber, Moffat & Zobel, TOIS 2010; Corsi & Urbano, SIGIR 2024 (RBO^w)",
    kernel=rank_biased("w"),
    lowest=0.0,
    persistent=True,
).register()
