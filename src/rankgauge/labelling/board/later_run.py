"""A run that comes later: what the labels of a board say of a run that had no part in its pool.

Its documents in the pool are estimated like any other run's: their chances were known, whoever retrieves them. Its
documents outside it are not judged, and nothing sampled says what they are worth. What they can do is learnt from the
runs of the board, each taken as if it had come later: by how much its own documents moved its value, for its share of
weight outside the rest of the pool. A run that is better than all others is not like them: on TREC-8 such a widening
held for 95 % of the runs, but for 80 % of the true top ten. So there is no interval for a run with many documents
outside the pool, nor for one that may be the best: then these documents have to be judged first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from rankgauge.errors import InputError
from rankgauge.labelling.board.covariance import Covariance
from rankgauge.labelling.board.estimates import Board, BoardEstimate
from rankgauge.labelling.board.lists import RunLists
from rankgauge.labelling.board.pool import BoardPool
from rankgauge.labelling.board.readings import Readings
from rankgauge.labelling.board.target import BoardTarget
from rankgauge.labelling.board.values import value
from rankgauge.labelling.defaults import LEVEL
from rankgauge.numeric import FloatArray, IndexArray

TOP = 10
"""The first ranks whose documents should be in the pool."""

MOST_OUTSIDE = 0.25
"""With more documents per query among the first that are outside the pool there is no interval."""


@dataclass(frozen=True, kw_only=True, eq=False)
class LaterEstimate:
    """The estimate of a later run for one measure: with documents outside the pool as not relevant.

    `half_width` is that of the interval for the value on the pool, `widening` what the documents outside may add or
    take; both are None where there is a `reason` why there is no interval. `outside` is the share of the run's weight
    outside the pool by query.
    """

    target: BoardTarget
    value: float
    outside: FloatArray
    half_width: float | None
    widening: float | None
    reason: str | None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The ends of the interval, documents outside the pool included."""
        if self.half_width is None or self.widening is None:
            return None
        reach = self.half_width + self.widening
        low, high = self.target.bounds
        return max(self.value - reach, low), min(self.value + reach, high)


@dataclass(frozen=True, kw_only=True, eq=False)
class LaterRun:
    """A run, the finished board that it is compared with, and what the board's labels say.

    `needed` are the documents of its first ranks outside the pool: query, document and rank.
    """

    name: str
    board: Board
    readings: Readings
    estimates: Sequence[BoardEstimate]
    pool: BoardPool
    needed: pl.DataFrame

    @classmethod
    def of(cls, name: str, run: Any, board: Board, readings: Readings, estimates: Sequence[BoardEstimate]) -> LaterRun:
        """Return the run (a path, a frame, a dict) beside those of a board."""
        if name in board.pool.runs:
            raise InputError(f"{name} is a run of the board already", hint="Give the later run another name.")
        alone = BoardPool.from_runs({name: run})
        hits, pool = alone.ids[alone.document].with_columns(rank=alone.rank), board.pool
        queries = pl.DataFrame({"query": pool.queries, "number": np.arange(len(pool.queries))})
        places = pool.ids.with_columns(place=np.arange(len(pool.documents)))
        asked = hits.join(queries, on="query")
        if asked.is_empty():
            raise InputError(f"{name} answers none of the {len(pool.queries)} queries of the board")
        placed = asked.join(places, on=["query", "document"], how="left", maintain_order="left").sort("number", "rank")
        inside = placed.filter(pl.col("place").is_not_null())
        missing = placed.filter(pl.col("place").is_null() & (pl.col("rank") <= TOP))
        lengths = np.bincount(asked["number"].to_numpy(), minlength=len(pool.queries))
        return cls(
            name=name,
            board=board,
            readings=readings,
            estimates=estimates,
            pool=_with_run(pool, name, inside, lengths),
            needed=missing.sort("rank", "number").select("query", "document", "rank"),
        )

    @property
    def outside(self) -> float:
        """How many documents among the first are outside the pool, per query."""
        return len(self.needed) / len(self.board.pool.queries)

    def estimate(self, level: float = LEVEL) -> tuple[LaterEstimate, ...]:
        """Return the estimates of the board's measures."""
        return tuple(self._estimate(estimate, level) for estimate in self.estimates)

    def _estimate(self, estimate: BoardEstimate, level: float) -> LaterEstimate:
        wanted = estimate.target
        target = BoardTarget.of(wanted.name, self.pool, grades=wanted.grades, dialect=wanted.dialect)
        lists = RunLists.of(self.pool, target)
        values = value(lists, self.board.features, self.readings)
        at, half = float(values.by_query[-1].mean()), Covariance.of(values, self.readings).half_widths(level)[-1]
        outside = self._outside(target)
        widening, reason = None, estimate.reason
        if reason is None:
            widening, reason = self._widening(lists, outside, level)
        if widening is not None and at + half + widening >= float(estimate.values.max()) and len(self.needed):
            reason = f"{self.name} may be the best run: judge its documents outside the pool first"
        return LaterEstimate(
            target=target,
            value=at,
            outside=outside,
            half_width=None if reason else float(half),
            widening=None if reason else widening,
            reason=reason,
        )

    def _outside(self, target: BoardTarget) -> FloatArray:
        """Return the share of the run's weight that lies outside the pool (queries); 0 where it has no list."""
        own = self.pool.run == len(self.pool.runs) - 1
        query = self.pool.query[self.pool.document[own]]
        inside = np.bincount(query, target.weights[self.pool.rank[own] - 1], minlength=len(self.pool.queries))
        whole = np.append(0.0, np.cumsum(target.weights))[self.pool.lengths[-1]]
        return np.asarray(np.where(whole > 0, 1.0 - inside / np.where(whole > 0, whole, 1.0), 0.0).clip(0.0))

    def _widening(self, lists: RunLists, outside: FloatArray, level: float) -> tuple[float | None, str | None]:
        """Return how far documents outside the pool may move the value, or why that is not known."""
        if self.outside > MOST_OUTSIDE:
            many = f"{self.outside:.2g} of the first {TOP} documents per query are outside the pool"
            return None, f"{many}: judge them first"
        share = float(outside.mean())
        if share == 0:
            return 0.0, None
        ratios = np.sort(self._find_shifts(lists))
        place = int(np.ceil(level * (len(ratios) + 1))) - 1
        if place >= len(ratios):
            few = f"{len(ratios)} runs of the board have documents of their own"
            return None, f"{few}, too few to tell what those outside the pool may do: judge them first"
        return share * float(ratios[place]), None

    def _find_shifts(self, lists: RunLists) -> FloatArray:
        """For each run of the board with documents that no other has: how far they move its value, per share of its
        weight that they hold."""
        pool, best, target = self.board.pool, self.readings.best, lists.target
        alone = np.bincount(pool.document, minlength=len(best)) == 1
        own = alone[pool.document]
        weight = target.weights[pool.rank - 1]
        shares = np.bincount(pool.run[own], weight[own], minlength=len(pool.runs))
        runs = np.flatnonzero(shares > 0)
        whole = np.append(0.0, np.cumsum(target.weights))[pool.lengths].sum(axis=1)[runs]
        known = self._means(lists, best)
        ratios = []
        for run, share in zip(runs, shares[runs] / whole, strict=True):
            without = best.copy()
            without[pool.document[own & (pool.run == run)]] = 0.0
            ratios.append(abs(float(known[run] - self._means(lists, without)[run])) / share)
        return np.array(ratios)

    def _means(self, lists: RunLists, best: FloatArray) -> FloatArray:
        """Return each run's mean value at a best guess."""
        values, ideal = lists.values(best @ lists.target.steps), lists.target.ideal
        if ideal is not None:
            values = values / np.maximum(ideal.at(np.add.reduceat(best, self.pool.starts, axis=0)), ideal.least)
        return np.asarray(values.mean(axis=1))


def _with_run(pool: BoardPool, name: str, hits: pl.DataFrame, lengths: IndexArray) -> BoardPool:
    """Return the pool with one more run's ranks of its documents."""
    number = len(pool.runs)
    return replace(
        pool,
        runs=(*pool.runs, name),
        run=np.concatenate([pool.run, np.full(len(hits), number)]),
        document=np.concatenate([pool.document, hits["place"].to_numpy()]),
        rank=np.concatenate([pool.rank, hits["rank"].to_numpy()]),
        lengths=np.vstack([pool.lengths, lengths]),
    )
