"""Rank-biased overlap in which tied documents take every order."""

from __future__ import annotations

from rankgauge.stats.similarity import Similarity, rank_biased

RBO = Similarity(
    name="rbo",
    title="RBO",
    words="the mean agreement of the lists' tops, extrapolated past their ends; the mean over the orders of ties if "
    "both are equally long",
    reference="Webber, Moffat & Zobel, TOIS 2010; Corsi & Urbano, SIGIR 2024 (RBO^a)",
    kernel=rank_biased("a"),
    lowest=0.0,
    persistent=True,
).register()
