"""Which runs differ by more than luck, for many sets of values at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankgauge.numeric import FloatArray, IndexArray

ALPHA = 0.05


@dataclass(frozen=True, kw_only=True, eq=False)
class RunVerdicts:
    """The pairs of runs by the paired t test over queries, with Holm's correction over all pairs.

    `values` is sets × queries × runs. `difference` and `verdict` are sets × pairs: 1 where the first run of a pair is
    above the second by more than luck, −1 where it is below, 0 where the difference may be luck.
    """

    values: FloatArray

    @cached_property
    def paired(self) -> tuple[IndexArray, IndexArray]:
        """The positions of the runs of each pair."""
        first, second = np.triu_indices(self.values.shape[-1], 1)
        return first, second

    @cached_property
    def means(self) -> FloatArray:
        """The mean of each run (sets × runs)."""
        return np.asarray(self.values.mean(axis=1))

    @cached_property
    def difference(self) -> FloatArray:
        """The difference of each pair's means."""
        first, second = self.paired
        return np.asarray(np.round(self.means[:, first] - self.means[:, second], 12))

    @cached_property
    def verdict(self) -> FloatArray:
        """Which runs are above others by more than luck."""
        return np.asarray(np.sign(self.difference) * (_holm(self._p()) < ALPHA))

    def _p(self) -> FloatArray:
        """The p-values of the t test, which needs no more than the covariance of the runs' values."""
        from scipy.special import stdtr

        queries = self.values.shape[1]
        if queries < 2:
            return np.ones_like(self.difference)
        centred = self.values - self.means[:, np.newaxis]
        spread = np.matmul(centred.transpose(0, 2, 1), centred) / (queries - 1)
        first, second = self.paired
        own = np.diagonal(spread, axis1=1, axis2=2)
        variance = np.maximum(own[:, first] + own[:, second] - 2 * spread[:, first, second], 0.0)
        # Values that are equal but for the last bits have no difference and no spread.
        error = np.sqrt(np.where(variance > 1e-24, variance, 0.0) / queries)
        gone = error <= 1e-15 * np.abs(self.difference)
        p = 2 * stdtr(queries - 1, -np.abs(self.difference) / np.where(gone | (error == 0), 1.0, error))
        return np.where(error > 0, p, np.where(self.difference == 0, 1.0, 0.0))


def _holm(p: FloatArray) -> FloatArray:
    """Holm's correction of each row."""
    order = np.argsort(p, axis=1, kind="stable")
    steps = np.arange(p.shape[1], 0, -1)
    raised = np.maximum.accumulate(np.take_along_axis(p, order, axis=1) * steps, axis=1)
    adjusted = np.empty_like(p)
    np.put_along_axis(adjusted, order, np.minimum(raised, 1.0), axis=1)
    return adjusted
