"""Judges and runs as a board: the pool of the graded pairs, and the judges' grades as what is believed of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from rankgauge import dialects, files
from rankgauge.audit.judge.pairs import KEYS, GradedPairs, people_scale
from rankgauge.dialects import Dialect
from rankgauge.labelling.board import BoardPool
from rankgauge.labelling.board.columns import Columns
from rankgauge.measures import Measure
from rankgauge.numeric import FloatArray, IndexArray
from rankgauge.ranking import RankedLists, rank
from rankgauge.ranking.hits import Hits

DEEP = 1001.0
"""The rank at which a run no longer says anything of a document."""


@dataclass(frozen=True, kw_only=True, eq=False)
class JudgeBoard:
    """The pool of some runs over the pairs; `place` (documents of the pool) is the pair of each, `scale` people's.

    `columns` are what the judges say: a step for each level, and the company that a document is in. Documents that good
    runs find are better than the judges alone can tell, and poor runs' are worse; how much of that the judges' own
    order of the runs foretells is one more effect that labels show.
    """

    pairs: GradedPairs
    pool: BoardPool
    place: IndexArray
    scale: FloatArray
    columns: Columns

    @classmethod
    def of(cls, pairs: GradedPairs, judges: Sequence[str], runs: Mapping[str, Any], worth: FloatArray) -> JudgeBoard:
        """The board of some judges; `worth` (runs) is the value of each run by them."""
        rows = pairs.frame().with_row_index("pair")
        said = {name: pairs.machines[name] for name in judges}
        pool = BoardPool.from_runs(runs, only=rows.select(*KEYS, grade=pl.lit(0.0)), judges=said)
        place = pool.ids.join(rows, on=KEYS, how="left", maintain_order="left")["pair"].to_numpy().astype(np.int64)
        scale = scale_of(pairs, judges)
        parts = [one for one in (pool.columns(scale), _company(pool, worth)) if one is not None]
        columns = Columns.joined(parts)
        assert columns is not None
        return cls(pairs=pairs, pool=pool, place=place, scale=scale, columns=columns)

    @property
    def known(self) -> FloatArray:
        """People's grades of the documents of the pool, NaN where they gave none."""
        return np.asarray(self.pairs.people[self.place])


def scale_of(pairs: GradedPairs, judges: Sequence[str]) -> FloatArray:
    """People's scale: 0 and 1 if they used no other grade; else every whole grade up to the highest of anyone."""
    return people_scale(pairs.scale, max(float(np.ceil(pairs.judges[name].max())) for name in judges))


def _company(pool: BoardPool, worth: FloatArray) -> Columns:
    """Whether good or poor runs have a document near their tops, in standard deviations."""
    centred = worth - worth.mean()
    near = 1.0 - np.log(np.minimum(pool.rank, DEEP)) / np.log(DEEP)
    summed = np.bincount(pool.document, centred[pool.run] * near, minlength=len(pool.documents))
    values = summed[:, np.newaxis] / (summed.std() or 1.0)
    return Columns(values=values, mean=np.zeros(1), precision=np.ones(1))


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
    def of(
        cls, pairs: GradedPairs, runs: Mapping[str, Any], *, rel: float = 1.0, dialect: str = "standard"
    ) -> JudgedRuns:
        """The lists of runs (paths, frames, dicts; by name), to be scored as a dialect has it."""
        spoken = dialects.get(dialect, rel=rel)
        places = pairs.frame().with_columns(grade=np.arange(len(pairs.people), dtype=np.float64))
        found = []
        for source in runs.values():
            with files.traced(source):
                found.append(rank(files.run_from(source), places, spoken.ranking))
        width = max((int(_within(hits).max(initial=-1)) + 1 for hits in found), default=0)
        shape = (len(pairs.sizes), len(found), width)
        ranked, first, size = (np.full(shape, np.nan) for _ in range(3))
        pair = np.full(shape, -1, dtype=np.int64)
        retrieved = np.zeros(shape[:2])
        for number, hits in enumerate(found):
            at = (hits.query, number, _within(hits))
            ranked[at], first[at], size[at] = hits.rank, hits.first, hits.size
            pair[at] = hits.grade.astype(np.int64)
            retrieved[:, number] = hits.retrieved
        tied = bool((np.nan_to_num(size, nan=1.0) > 1).any())
        return cls(
            runs=tuple(runs),
            rank=ranked,
            pair=pair,
            first=first if tied else None,
            size=size if tied else None,
            retrieved=retrieved,
            pool=_pad(pairs),
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
        """The value of every list: queries × runs, or draws × queries × runs for grades of draws × pairs."""
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
        """The best rank of each pair over the runs; infinite where no list has it."""
        best = np.full(pairs + 1, np.inf)
        np.minimum.at(best, self.pair.ravel(), np.where(np.isnan(self.rank), np.inf, self.rank).ravel())
        return best[:-1]


def _within(hits: Hits) -> IndexArray:
    """The place of each hit among those of its query."""
    counts = np.bincount(hits.query, minlength=len(hits.names))
    return np.asarray(np.arange(len(hits.query)) - (np.cumsum(counts) - counts)[hits.query])


def _pad(pairs: GradedPairs) -> IndexArray:
    columns = np.arange(int(pairs.sizes.max(initial=0)))
    return np.where(columns < pairs.sizes[:, np.newaxis], pairs.starts[:, np.newaxis] + columns, -1)


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
