"""RESULTS → COMPARISON: which runs differ by more than luck, by how much, where, and by which measures."""

from rankgauge.comparison.comparison import Comparison, compare
from rankgauge.comparison.settings import ComparisonSettings
from rankgauge.comparison.tables import PairVerdict

__all__ = ["Comparison", "ComparisonSettings", "PairVerdict", "compare"]
