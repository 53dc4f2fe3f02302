"""Rank-biased overlap and its variants for ties."""

from __future__ import annotations

from rankgauge.statistics.similarity import Similarity, rank_biased

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


RBO_B = Similarity(
    name="rbo-b",
    title="RBO-b",
    words="RBO corrected for what ties hide: a list with ties and itself agree fully",
    reference="Corsi & Urbano, The treatment of ties in rank-biased overlap, SIGIR 2024 (RBO^b)",
    kernel=rank_biased("b"),
    lowest=0.0,
    persistent=True,
).register()


RBO_W = Similarity(
    name="rbo-w",
    title="RBO-w",
    words="RBO in which tied documents share the first of their ranks: for ties that mean equally good",
    reference="Webber, Moffat & Zobel, TOIS 2010; Corsi & Urbano, SIGIR 2024 (RBO^w)",
    kernel=rank_biased("w"),
    lowest=0.0,
    persistent=True,
).register()
