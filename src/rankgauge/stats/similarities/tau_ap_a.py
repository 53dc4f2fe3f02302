"""AP correlation of two ranked lists, the mean over the orders of ties."""

from __future__ import annotations

from rankgauge.numeric import FloatArray
from rankgauge.stats.correlation import tau_ap
from rankgauge.stats.similarity import UNSHARED, Similarity, correlation


def _symmetric(x: FloatArray, y: FloatArray) -> float:
    """The mean of both directions: neither list is the truth."""
    return (tau_ap(x, y) + tau_ap(y, x)) / 2.0


TAU_AP_A = Similarity(
    name="tau-ap-a",
    title="tau-AP-a",
    words=f"as tau-ap, but not corrected for ties: the mean over the orders of tied documents; {UNSHARED}",
    reference="Yilmaz, Aslam & Robertson, SIGIR 2008; Urbano & Marrero, ICTIR 2017 (tau_AP,a, both directions)",
    kernel=correlation(_symmetric),
).register()
