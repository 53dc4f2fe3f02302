"""Spearman's ρ of two ranked lists."""

from __future__ import annotations

from rankgauge.stats.correlation import spearman_rho
from rankgauge.stats.similarity import UNSHARED, Similarity, correlation

RHO = Similarity(
    name="rho",
    title="rho",
    words=f"the correlation of ranks, the mean rank where tied; {UNSHARED}",
    reference="Spearman, American Journal of Psychology 1904",
    kernel=correlation(spearman_rho),
).register()
