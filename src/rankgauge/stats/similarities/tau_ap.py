"""AP correlation of two ranked lists, corrected for ties."""

from __future__ import annotations

from rankgauge.stats.correlation import tau_ap_b
from rankgauge.stats.similarity import UNSHARED, Similarity, correlation

TAU_AP = Similarity(
    name="tau-ap",
    title="tau-AP",
    words=f"as tau, but the top counts more; {UNSHARED}",
    reference="Yilmaz, Aslam & Robertson, SIGIR 2008; Urbano & Marrero, ICTIR 2017 (the symmetric tau_AP,b)",
    kernel=correlation(tau_ap_b),
).register()
