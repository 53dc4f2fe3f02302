"""Statistics of values: intervals of means, rank correlations, overlap of lists."""

from rankgauge.stats.correlation import kendall_tau, tau_ap, tau_ap_b
from rankgauge.stats.intervals import Interval, bca_interval, geometric_mean, t_interval
from rankgauge.stats.overlap import Overlap, rbo

__all__ = [
    "Interval",
    "Overlap",
    "bca_interval",
    "geometric_mean",
    "kendall_tau",
    "rbo",
    "t_interval",
    "tau_ap",
    "tau_ap_b",
]
