"""The paper's three measures, under its names."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["BESIDES", "MEASURES"]

MEASURES: Mapping[str, str] = {"NDCG": "nDCG(dcg='exp-log2')", "µMAP": "muAP", "NDCNG": "NDCNG"}
"""NDCG gains 2^g − 1 in the paper. Its logarithm is to base 10, which the division by the ideal takes out again."""

BESIDES: Mapping[str, str] = {"linear NDCG": "nDCG(dcg='log2')"}
"""Measured besides, as the paper does not: NDCG with the grade as gain. A factor in the grades changes none of its
values, so that it tells what of NDCG's dependence on levels comes from 2^g − 1."""
