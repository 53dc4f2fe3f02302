"""Kendall's τ_b of two ranked lists."""

from __future__ import annotations

from rankgauge.stats.correlation import kendall_tau
from rankgauge.stats.similarity import UNSHARED, Similarity, correlation

TAU = Similarity(
    name="tau",
    title="tau-b",
    words=f"pairs of documents in the same order less pairs in the opposite one, corrected for ties; {UNSHARED}",
    reference="Kendall, The treatment of ties in ranking problems, Biometrika 1945",
    kernel=correlation(kendall_tau),
).register()
