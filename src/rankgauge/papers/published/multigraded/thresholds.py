"""Average precision at each threshold: every grade in use, in turn, as the lowest relevant one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankgauge.evaluation.arrays import score_arrays
from rankgauge.numeric import FloatArray, IndexArray


@dataclass(frozen=True, kw_only=True, eq=False)
class Thresholds:
    """The positive grades in use in each query, rising, with the query's documents once for each of them."""

    grade: FloatArray
    """The thresholds of all queries, one query after the other."""
    counts: IndexArray
    """How many thresholds each query has, 0 if nothing is relevant."""
    document: IndexArray
    relevant: FloatArray
    """Whether the document reaches the threshold."""
    number: IndexArray
    """Which threshold the copy of the document is for."""

    @classmethod
    def of(cls, grades: FloatArray, queries: npt.NDArray[Any]) -> Thresholds:
        """The thresholds of graded documents; queries in the order of their first documents."""
        names, first = np.unique(queries, return_index=True)
        held = [np.flatnonzero(queries == name) for name in names[np.argsort(first)]]
        used = [np.unique(grades[documents][grades[documents] > 0]) for documents in held]
        pairs = list(zip(held, used, strict=True))
        counts = np.array([len(levels) for levels in used])
        sizes = np.repeat([len(documents) for documents in held], counts)
        return cls(
            grade=np.concatenate(used),
            counts=counts,
            document=np.concatenate([np.tile(documents, len(levels)) for documents, levels in pairs]),
            relevant=np.concatenate([(grades[d] >= levels[:, np.newaxis]).ravel() for d, levels in pairs]).astype(
                float
            ),
            number=np.repeat(np.arange(counts.sum()), sizes),
        )

    def precision(self, scores: FloatArray) -> FloatArray:
        """Average precision at each threshold, the mean over all orders of tied documents."""
        return score_arrays(self.relevant, scores[self.document], "AP(rel=1)", qid=self.number, ties="expected")

    def at(self, precision: FloatArray, threshold: FloatArray) -> FloatArray:
        """Average precision at any thresholds (… × queries × thresholds); NaN where no document reaches one.

        Between two grades in use nothing changes: what reaches the threshold is what reaches the next grade in use.
        """
        ends = np.cumsum(self.counts)
        found = np.full((*precision.shape[:-1], len(ends), len(threshold)), np.nan)
        for query, (begin, end) in enumerate(zip(ends - self.counts, ends, strict=True)):
            place = begin + np.searchsorted(self.grade[begin:end], threshold)
            found[..., query, place < end] = precision[..., place[place < end]]
        return found

    def mean(self, precision: FloatArray) -> FloatArray:
        """The plain mean over the thresholds of each query that has one, whatever their distances."""
        counts = self.counts[self.counts > 0]
        sums = np.add.reduceat(precision, np.cumsum(counts) - counts, axis=-1)
        return np.asarray(sums / counts)
