"""Statistics of values: intervals of means."""

from rankgauge.stats.intervals import Interval, bca_interval, geometric_mean, t_interval

__all__ = ["Interval", "bca_interval", "geometric_mean", "t_interval"]
