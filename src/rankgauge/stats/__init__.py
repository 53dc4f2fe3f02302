"""Statistics of values: intervals of means, paired tests, effects, power, rank correlations, overlap of lists."""

from rankgauge.stats.correlation import kendall_tau, kendall_tau_a, spearman_rho, tau_ap, tau_ap_b
from rankgauge.stats.effects import cohen_dz, outcomes, power, queries_needed, separated_share
from rankgauge.stats.intervals import Interval, bca_interval, geometric_mean, t_interval
from rankgauge.stats.overlap import Overlap, rbo

__all__ = [
    "Interval",
    "Overlap",
    "bca_interval",
    "cohen_dz",
    "geometric_mean",
    "kendall_tau",
    "kendall_tau_a",
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
