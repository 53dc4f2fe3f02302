"""Arrays: the types that kernels take and give, a division that gives NaN for 0/0, and rows grouped by query."""

from __future__ import annotations

from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.float64]
SingleArray: TypeAlias = npt.NDArray[np.float32]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
IndexArray: TypeAlias = npt.NDArray[np.int64]
CompactArray: TypeAlias = npt.NDArray[np.floating[Any]]
"""Numbers that are kept by the million: in single precision where that loses nothing."""
CodeArray: TypeAlias = npt.NDArray[np.integer[Any]]
"""Positions of queries, for the same reason in 32 bits where they fit."""

EXACT_WHOLE = 2.0**53
"""Up to this number, doubles hold every whole one."""


def ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Return the quotient, NaN where the denominator is 0."""
    return np.asarray(numerator / np.where(denominator == 0, np.nan, denominator))


class Grouped:
    """Rows in which those of a query are together; `sizes` (queries) says how many each query has."""

    sizes: IndexArray

    @cached_property
    def starts(self) -> IndexArray:
        """The position of each query's first row."""
        return np.asarray(np.cumsum(self.sizes) - self.sizes)

    @cached_property
    def query(self) -> IndexArray:
        """The position of each row's query."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    def rows_of(self, query: int) -> IndexArray:
        """Return the positions of a query's rows."""
        return np.asarray(np.arange(self.sizes[query]) + self.starts[query])
