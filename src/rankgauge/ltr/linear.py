"""Weighted sums of features."""

from __future__ import annotations

import numpy as np

from rankgauge.numeric import FloatArray

__all__ = ["weighted"]


def weighted(matrix: FloatArray, weights: FloatArray) -> FloatArray:
    """The sum of each document's features, weighted; documents with the same features have the same score.

    A matrix product does not promise that: BLAS adds up rows in blocks, and the last bit of a row's sum may depend on
    the block's place, so that a tie would be broken by nothing at all.
    """
    return np.asarray(np.einsum("df,f->d", matrix, weights))
