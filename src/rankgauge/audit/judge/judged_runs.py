"""The lists of runs over the graded pairs, their values by any grades, and which runs are above others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from rankgauge import dialects, files
from rankgauge.audit.judge.pairs import GradedPairs
from rankgauge.dialects import Dialect
from rankgauge.measures import Measure
from rankgauge.numeric import FloatArray, IndexArray
from rankgauge.ranking import RankedLists, rank

CELLS = 1 << 22
"""How many cells are scored at once."""


@dataclass(frozen=True, kw_only=True, eq=False)
class JudgedRuns:
    """For each query and run the judged hits: their ranks and the positions of their pairs, padded.

    `rank`, `pair`, `first` and `size` are queries × runs × hits, `retrieved` queries × runs; `pool` (queries × pairs)
    has the positions of each query's pairs. A place without a hit has the rank NaN and the pair −1.
    """

    runs: tuple[str, ...]
    rank: FloatArray
    pair: IndexArray
    first: FloatArray | None
    size: FloatArray | None
    retrieved: FloatArray
    pool: IndexArray
    dialect: Dialect

    @classmethod
    def from_runs(
        cls, pairs: GradedPairs, runs: Mapping[str, Any], *, rel: float = 1.0, dialect: str = "standard"
    ) -> JudgedRuns:
        """Return the lists of runs (paths, frames, dicts; by name), to be scored as a dialect has it."""
        spoken = dialects.get(dialect, rel=rel)
        places = pairs.frame().with_columns(grade=np.arange(len(pairs.people), dtype=np.float64))
        ranked_runs, within = [], []
        for source in runs.values():
            with files.locating_repeats(source):
                hits = rank(files.run_from(source), places, spoken.ranking)
            counts = np.bincount(hits.query, minlength=len(hits.names))
            ranked_runs.append(hits)
            within.append(np.arange(len(hits.query)) - (np.cumsum(counts) - counts)[hits.query])
        shape = (len(pairs.sizes), len(ranked_runs), max((int(one.max(initial=-1)) + 1 for one in within), default=0))
        ranked, first, size = (np.full(shape, np.nan) for _ in range(3))
        pair, retrieved = np.full(shape, -1, dtype=np.int64), np.zeros(shape[:2])
        for number, (hits, place) in enumerate(zip(ranked_runs, within, strict=True)):
            at = (hits.query, number, place)
            ranked[at], first[at], size[at] = hits.rank, hits.first, hits.size
            pair[at] = hits.grade.astype(np.int64)
            retrieved[:, number] = hits.retrieved
        tied = bool((np.nan_to_num(size, nan=1.0) > 1).any())
        columns = np.arange(int(pairs.sizes.max(initial=0)))
        return cls(
            runs=tuple(runs),
            rank=ranked,
            pair=pair,
            first=first if tied else None,
            size=size if tied else None,
            retrieved=retrieved,
            pool=np.where(columns < pairs.sizes[:, np.newaxis], pairs.starts[:, np.newaxis] + columns, -1),
            dialect=spoken,
        )

    def top(self, depth: int) -> JudgedRuns:
        """The lists without what no measure of that depth can need; 0 keeps all. A tie that begins above it stays."""
        if not depth:
            return self
        needed = (self.rank if self.first is None else self.first) <= depth
        width = int(needed.sum(axis=-1).max(initial=0))
        return replace(
            self,
            rank=self.rank[..., :width],
            pair=self.pair[..., :width],
            first=None if self.first is None else self.first[..., :width],
            size=None if self.size is None else self.size[..., :width],
        )

    def values(self, grades: FloatArray, measure: Measure) -> FloatArray:
        """Return the value of every list: queries × runs, or draws × queries × runs for grades of draws × pairs."""
        if grades.ndim == 1:
            return np.asarray(self.values(grades[np.newaxis], measure)[0])
        kernel = self.dialect.topped(float(grades.max(initial=0.0))).read(measure)
        step = max(1, CELLS // max(1, self.pair.size + self.pool.size))
        parts = [self._score_grades(grades[at : at + step], kernel) for at in range(0, len(grades), step)]
        return np.concatenate(parts) if parts else np.zeros((0, *self.retrieved.shape))

    def _score_grades(self, grades: FloatArray, kernel: Measure) -> FloatArray:
        draws = len(grades)
        padded = np.concatenate([grades, np.full((draws, 1), np.nan)], axis=1)  # what −1 points to
        ideal = -np.sort(-padded[:, self.pool], axis=-1)
        queries, runs, width = self.pair.shape
        shape = (draws, queries, runs)
        lists = RankedLists(
            ranks=np.broadcast_to(self.rank, (*shape, width)),
            grades=padded[:, self.pair],
            ideal=np.broadcast_to(ideal[:, :, np.newaxis], (*shape, ideal.shape[-1])),
            retrieved=np.broadcast_to(self.retrieved, shape),
            first=None if self.first is None else np.broadcast_to(self.first, (*shape, width)),
            size=None if self.size is None else np.broadcast_to(self.size, (*shape, width)),
        )
        return np.nan_to_num(kernel.score(lists), nan=float(self.dialect.empty))

    def tops(self, depth: int) -> list[IndexArray]:
        """For each run the positions of the pairs among its first documents."""
        near = self.rank <= depth
        return [np.unique(self.pair[:, run][near[:, run]]) for run in range(len(self.runs))]

    def best_ranks(self, pairs: int) -> FloatArray:
        """Return the best rank of each pair over the runs; infinite where no list has it."""
        best = np.full(pairs + 1, np.inf)
        np.minimum.at(best, self.pair.ravel(), np.where(np.isnan(self.rank), np.inf, self.rank).ravel())
        return best[:-1]


ALPHA = 0.05


class RunVerdicts(NamedTuple):
    """The differences of pairs of runs (sets × pairs), and which are more than luck: 1 where the first run of a pair is
    above the second by more, −1 where it is below, 0 where the difference may be luck."""

    difference: FloatArray
    verdict: FloatArray

    @classmethod
    def from_values(cls, values: FloatArray) -> RunVerdicts:
        """Test every two runs (sets × queries × runs) by the paired t test, with Holm's correction over all pairs.

        The test needs no more than the covariance of the runs' values.
        """
        from scipy.special import stdtr

        queries, means = values.shape[1], values.mean(axis=1)
        first, second = run_pairs(values.shape[-1])
        difference = np.round(means[:, first] - means[:, second], 12)
        if queries < 2:
            return cls(difference, np.zeros_like(difference))
        centred = values - means[:, np.newaxis]
        spread = np.matmul(centred.transpose(0, 2, 1), centred) / (queries - 1)
        own = np.diagonal(spread, axis1=1, axis2=2)
        variance = np.maximum(own[:, first] + own[:, second] - 2 * spread[:, first, second], 0.0)
        # Values that are equal but for the last bits have no difference and no spread.
        error = np.sqrt(np.where(variance > 1e-24, variance, 0.0) / queries)
        gone = error <= 1e-15 * np.abs(difference)
        p = 2 * stdtr(queries - 1, -np.abs(difference) / np.where(gone | (error == 0), 1.0, error))
        p = np.where(error > 0, p, np.where(difference == 0, 1.0, 0.0))
        return cls(difference, np.sign(difference) * (adjust_holm(p) < ALPHA))


def run_pairs(runs: int) -> tuple[IndexArray, IndexArray]:
    """Return the positions of the runs of each pair."""
    first, second = np.triu_indices(runs, 1)
    return first, second


def adjust_holm(p: FloatArray) -> FloatArray:
    """Adjust the p-values of each row by Holm's correction."""
    order = np.argsort(p, axis=1, kind="stable")
    steps = np.arange(p.shape[1], 0, -1)
    raised = np.maximum.accumulate(np.take_along_axis(p, order, axis=1) * steps, axis=1)
    adjusted = np.empty_like(p)
    np.put_along_axis(adjusted, order, np.minimum(raised, 1.0), axis=1)
    return adjusted
