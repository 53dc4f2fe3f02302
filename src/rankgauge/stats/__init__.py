"""Statistics of values: intervals of means, paired tests, rank correlations, overlap of lists."""

from rankgauge.stats.correlation import kendall_tau, tau_ap, tau_ap_b
from rankgauge.stats.intervals import Interval, bca_interval, geometric_mean, t_interval
from rankgauge.stats.overlap import Overlap, rbo
from rankgauge.stats.paired import paired_t, sign_flips

__all__ = [
    "Interval",
    "Overlap",
    "bca_interval",
    "geometric_mean",
    "kendall_tau",
    "paired_t",
    "rbo",
    "sign_flips",
    "t_interval",
    "tau_ap",
    "tau_ap_b",
]
