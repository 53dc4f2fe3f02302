"""Kendall's τ_a of two ranked lists."""

from __future__ import annotations

from rankgauge.stats.correlation import kendall_tau_a
from rankgauge.stats.similarity import UNSHARED, Similarity, correlation

TAU_A = Similarity(
    name="tau-a",
    title="tau-a",
    words=f"as tau, but not corrected for ties: the mean over the orders of tied documents; {UNSHARED}",
    reference="Kendall, A new measure of rank correlation, Biometrika 1938",
    kernel=correlation(kendall_tau_a),
).register()
