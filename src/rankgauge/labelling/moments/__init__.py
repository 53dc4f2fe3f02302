"""What the beliefs say of a query's value before anyone judges: its mean, its variance, and what a label moves."""

from rankgauge.labelling.moments.moments import Moments, ValueSlopes, Worths, moments, net_weights, slopes, worths

__all__ = ["Moments", "ValueSlopes", "Worths", "moments", "net_weights", "slopes", "worths"]
