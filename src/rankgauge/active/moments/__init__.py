"""What the beliefs say of a query's value before anyone judges: its mean, its variance, and what a label moves."""

from rankgauge.active.moments.compute import SAMPLES, moments
from rankgauge.active.moments.moments import Moments, Worths, worths
from rankgauge.active.moments.slopes import Layout, Slopes, slopes

__all__ = ["SAMPLES", "Layout", "Moments", "Slopes", "Worths", "moments", "slopes", "worths"]
