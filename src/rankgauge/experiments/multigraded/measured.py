"""The paper's three measures, under its names."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["MEASURES"]

MEASURES: Mapping[str, str] = {"NDCG": "nDCG(dcg='exp-log2')", "µMAP": "muAP", "NDCNG": "NDCNG"}
"""NDCG gains 2^g − 1 in the paper. Its logarithm is to base 10, which the division by the ideal takes out again."""
