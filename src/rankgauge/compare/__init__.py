"""RESULTS → COMPARISON: which runs differ by more than luck, by how much, where, and by which measures."""

from rankgauge.compare.comparison import Comparison, Verdict, compare
from rankgauge.compare.curves import Curve, cutoff_curves, recall_curves
from rankgauge.compare.settings import Settings

__all__ = ["Comparison", "Curve", "Settings", "Verdict", "compare", "cutoff_curves", "recall_curves"]
