"""Decision stumps: a feature compared with a threshold; the best of all stumps is found at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from rankgauge.numeric import FloatArray, IndexArray

__all__ = ["Stump", "Stumps"]


@dataclass(frozen=True, kw_only=True)
class Stump:
    """1 for documents whose feature is above the threshold, else 0; `worth` is the sum of those documents' weights."""

    feature: int
    threshold: float
    worth: float


@dataclass(frozen=True, kw_only=True, eq=False)
class Stumps:
    """Every feature cut at its thresholds, the highest first: the documents between two thresholds are a bin.

    A stump's worth is the sum of the weights in the bins above its threshold. As the weights of all documents add up to
    0, the fullest bin of a feature, which holds most documents if the feature is sparse, is never summed.
    """

    thresholds: FloatArray
    """Feature after feature; each has one more bin than thresholds, and the last bin's threshold is −∞."""
    features: IndexArray
    """The feature of each bin."""
    members: csr_array
    """Which documents are in which bin (bins × documents), except those of the fullest bins."""
    firsts: IndexArray
    """The first bin of each feature."""
    fullest: IndexArray
    """The fullest bin of each feature."""

    @classmethod
    def of(cls, columns: FloatArray, bins: int | None) -> Stumps:
        """The stumps of documents × features, with `bins` equal bins for each feature, or None: a cut at each value."""
        binned = [_Binned.of(column, bins) for column in columns.T]
        counts = np.concatenate([one.counts for one in binned])
        rows = np.concatenate([one.rows for one in binned])
        lengths = np.array([len(one.counts) for one in binned])
        firsts = np.cumsum(lengths) - lengths
        return cls(
            thresholds=np.concatenate([np.append(one.cuts, -np.inf) for one in binned]),
            features=np.repeat(np.arange(len(binned)), lengths),
            members=csr_array(
                (np.ones(len(rows)), rows, np.append(0, np.cumsum(counts))), shape=(len(counts), len(columns))
            ),
            firsts=firsts,
            fullest=firsts + [one.fullest for one in binned],
        )

    def best(self, weights: FloatArray) -> Stump:
        """The stump of the largest worth; if several tie, the first feature and its highest threshold."""
        sums = self.members @ weights
        sums[self.fullest] = -np.add.reduceat(sums, self.firsts)
        # The bins of a feature add up to 0, so one running sum does for all features.
        worths = np.cumsum(sums)
        worths[self.thresholds == -np.inf] = 0.0
        at = int(np.argmax(worths))
        return Stump(feature=int(self.features[at]), threshold=float(self.thresholds[at]), worth=float(worths[at]))


@dataclass(frozen=True, kw_only=True, eq=False)
class _Binned:
    """A feature in bins: the documents outside the fullest bin, bin by bin, and how many each bin has."""

    cuts: FloatArray
    rows: IndexArray
    counts: IndexArray
    fullest: int

    @classmethod
    def of(cls, column: FloatArray, bins: int | None) -> _Binned:
        cuts = _cuts(column, bins)
        number = len(cuts) - np.searchsorted(cuts[::-1], column)  # of thresholds that the document is not above
        counts = np.bincount(number, minlength=len(cuts) + 1)
        fullest = int(np.argmax(counts))
        counts[fullest] = 0
        rows = np.flatnonzero(number != fullest)
        order = np.argsort(number[rows], kind="stable")
        return cls(cuts=cuts, rows=rows[order].astype(np.int32), counts=counts, fullest=fullest)


def _cuts(column: FloatArray, bins: int | None) -> FloatArray:
    """The thresholds of a feature, from high to low."""
    if bins is None:
        return np.unique(column)[-2::-1]
    high, low = column.max(), column.min()
    # One step after another, as RankLib has it, so that rounding falls on the same side of a value.
    return np.cumsum([high, *[-abs(high - low) / bins] * (bins - 1)])[1:] if high > low else np.zeros(0)
