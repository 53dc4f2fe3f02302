"""Student's paired t test on the differences of one measure (queries) or of many (queries × measures).

NaN marks a query without a pair. Where no difference is other than 0 the p-value is 1.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rankgauge.errors import ParameterError

__all__ = ["paired_t"]

FloatArray = npt.NDArray[np.float64]

# scipy.special is imported where it is needed, so that a command that tests nothing starts fast.


def paired_t(differences: npt.ArrayLike) -> FloatArray:
    """The two-sided p-value of Student's t test that the mean difference is 0.

    1 for fewer than two queries; 0 where all differences are the same and not 0. Student, The probable error of a mean,
    Biometrika 1908.
    """
    from scipy.special import stdtr

    matrix, shape = _columns(differences)
    known = ~np.isnan(matrix)
    n = known.sum(axis=0).astype(np.float64)
    mean = np.where(known, matrix, 0.0).sum(axis=0) / np.maximum(n, 1)
    squares = (np.where(known, matrix - mean, 0.0) ** 2).sum(axis=0)
    error = np.sqrt(squares / np.maximum(n - 1, 1) / np.maximum(n, 1))
    constant = error <= 1e-15 * np.abs(mean)
    p = 2 * stdtr(np.maximum(n - 1, 1), -np.abs(mean) / np.where(constant, 1.0, error))
    p = np.where(constant, np.where(mean == 0, 1.0, 0.0), p)
    return np.asarray(np.where(n < 2, 1.0, p).reshape(shape)[()])


def _columns(differences: npt.ArrayLike) -> tuple[FloatArray, tuple[int, ...]]:
    """The differences as queries × measures, and the shape that an answer has."""
    values = np.asarray(differences, dtype=np.float64)
    if values.ndim not in (1, 2):
        raise ParameterError(
            "a paired test", "differences", "a vector, or a matrix of queries × measures", values.shape
        )
    return values.reshape(len(values), -1) if values.ndim == 1 else values, values.shape[1:]
