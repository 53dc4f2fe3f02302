"""RUNS ON MANY COLLECTIONS → ONE TABLE: means with two kinds of interval, pairs, and ranks that can be told apart."""

from rankgauge.comparison.collections.board import CollectionsComparison
from rankgauge.comparison.collections.collection import Collection

__all__ = ["Collection", "CollectionsComparison"]
