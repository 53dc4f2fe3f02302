"""RESULTS → COMPARISON: which runs differ by more than luck, by how much, where, and by which measures."""

from rankgauge.comparison.comparison import Comparison, Verdict, compare
from rankgauge.comparison.curves import Curve, cutoff_curves, recall_curves
from rankgauge.comparison.settings import Settings

__all__ = ["Comparison", "Curve", "Settings", "Verdict", "compare", "cutoff_curves", "recall_curves"]
