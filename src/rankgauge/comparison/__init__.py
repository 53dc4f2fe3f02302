"""RESULTS → COMPARISON: which runs differ by more than luck, by how much, where, and by which measures."""

from rankgauge.comparison.comparison import Comparison, compare
from rankgauge.comparison.curves import MeanCurve, cutoff_curves, recall_curves
from rankgauge.comparison.settings import ComparisonSettings
from rankgauge.comparison.verdicts import PairVerdict

__all__ = ["Comparison", "ComparisonSettings", "MeanCurve", "PairVerdict", "compare", "cutoff_curves", "recall_curves"]
