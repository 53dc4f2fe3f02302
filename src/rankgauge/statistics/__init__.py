"""Statistics of values: intervals of means, paired tests, effects, power, rank correlations, overlap of lists.

What only comparisons need loads on first use: an evaluation shows intervals, and nothing else of this.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from rankgauge.statistics.intervals import (
    MEAN_INTERVALS,
    Interval,
    bca_interval,
    geometric_mean,
    mean_interval,
    t_interval,
)

if TYPE_CHECKING:
    from rankgauge.statistics.correlation import kendall_tau, kendall_tau_a, spearman_rho, tau_ap, tau_ap_b
    from rankgauge.statistics.effects import (
        cohen_dz,
        detectable_effect,
        outcomes,
        power,
        queries_needed,
        separated_share,
    )
    from rankgauge.statistics.similarity import Overlap, rbo

__all__ = [
    "MEAN_INTERVALS",
    "Interval",
    "Overlap",
    "bca_interval",
    "cohen_dz",
    "detectable_effect",
    "geometric_mean",
    "kendall_tau",
    "kendall_tau_a",
    "mean_interval",
    "outcomes",
    "power",
    "queries_needed",
    "rbo",
    "separated_share",
    "spearman_rho",
    "t_interval",
    "tau_ap",
    "tau_ap_b",
]

_HOMES = {
    "rankgauge.statistics.correlation": ["kendall_tau", "kendall_tau_a", "spearman_rho", "tau_ap", "tau_ap_b"],
    "rankgauge.statistics.effects": [
        "cohen_dz",
        "detectable_effect",
        "outcomes",
        "power",
        "queries_needed",
        "separated_share",
    ],
    "rankgauge.statistics.similarity": ["Overlap", "rbo"],
}
"""The modules of the names that load on first use."""

_FOUND = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _FOUND:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_FOUND[name]), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
