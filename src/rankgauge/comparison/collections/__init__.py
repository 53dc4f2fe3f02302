"""RUNS ON MANY COLLECTIONS → ONE TABLE: means with two kinds of interval, pairs, and ranks that can be told apart."""

from rankgauge.comparison.collections.board import Collection, CollectionsComparison

__all__ = ["Collection", "CollectionsComparison"]
