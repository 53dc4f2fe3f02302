"""New runs: what can be said of runs of which not everything is judged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from rankgauge.labelling.board.bounds import OpenList, bounds, is_bounded
from rankgauge.labelling.pools.expectation import FEWEST, FEWEST_FITTED, FEWEST_TEAMS, Expectations, scored
from rankgauge.labelling.pools.unjudged_model import UnjudgedHits
from rankgauge.labelling.pools.values import RunValues
from rankgauge.numeric import BoolArray, FloatArray, IndexArray


@dataclass(frozen=True, kw_only=True, eq=False)
class NewRuns:
    """Runs among those of a pool that had no part in it (`new`), and the grades of its documents, NaN for none."""

    valued: RunValues
    bounded: RunValues
    """The same on the whole scale: unjudged documents may have grades that no judged one has."""
    grades: FloatArray
    new: BoolArray
    depth: int
    """To which depth runs were pooled."""
    expectations: Expectations

    def frame(self) -> pl.DataFrame:
        """A row for each new run and measure.

        `unjudged` is the share of the weight of its ranks without a grade, `value` that with these as not relevant,
        `worst` and `best` its bounds whatever their grades; `expected` is its value had it contributed, by the model,
        `low` and `high` an interval of that where there is one. What is not known is NaN.
        """
        return self._frame

    @cached_property
    def _frame(self) -> pl.DataFrame:
        return pl.DataFrame([row for run in np.flatnonzero(self.new).tolist() for row in self._rows(run)])

    @property
    def unbounded(self) -> list[str]:
        """The measures whose bounds cannot be found."""
        return [target.name for target in self.valued.targets if not is_bounded(target)]

    @property
    def reason(self) -> str | None:
        """Why there is no interval, if there is none."""
        if self.expectations.model is None:
            return (
                f"a model of unjudged documents takes {FEWEST_FITTED} teams that contributed (a run without a team is "
                f"one), and {FEWEST} relevant documents that only one of them did"
            )
        teams = len(np.unique(self.expectations.team))
        if teams < FEWEST_TEAMS:
            return f"an interval takes {FEWEST_TEAMS} teams that contributed, and there are {teams}"
        return None

    def _rows(self, run: int) -> Iterator[dict[str, Any]]:
        pool, known = self.valued.pool, self.valued.reached(self.grades)
        mine = pool.run == run
        open_ = mine & np.isnan(self.grades[pool.document])
        pooled = open_ & (pool.rank <= self.depth)
        plain, _, expected, spread = scored(
            self.valued, run, known, known, pool.document[pooled], self._chances(pooled)
        )
        lists = list(self._lists(mine, self.bounded.reached(self.grades)))
        for at, target in enumerate(self.valued.targets):
            if not self.expectations.helps(at):
                expected[at] = spread[at] = np.nan
            ends = np.array([bounds(self.bounded.targets[at], one) for one in lists]).sum(axis=0) / self.valued.queries
            half = self.expectations.factor(at) * spread[at]
            weights = target.weights
            whole = np.append(0.0, np.cumsum(weights))[pool.lengths[run]].sum()
            yield {
                "run": pool.runs[run],
                "measure": target.name,
                "unjudged": float(weights[pool.rank[open_] - 1].sum() / whole) if whole else np.nan,
                "value": plain[at],
                "worst": ends[0],
                "best": ends[1],
                "expected": expected[at],
                "low": np.fmax(expected[at] - half, ends[0]) if half == half else np.nan,
                "high": np.fmin(expected[at] + half, ends[1]) if half == half else np.nan,
            }

    def _chances(self, open_: BoolArray) -> FloatArray | None:
        """The chances of a run's open documents to reach each threshold, by the model."""
        pool, model = self.valued.pool, self.expectations.model
        if model is None:
            return None
        old = ~self.new[pool.run]
        holders = np.bincount(pool.document[old], minlength=len(pool.documents)).astype(np.float64)
        graded = ~np.isnan(self.grades[pool.document])
        relevant = np.where(graded, self.valued.reached(self.grades)[pool.document, 0], np.nan)
        hits = UnjudgedHits.of(pool, open_, known=relevant, holders=holders[pool.document])
        return model.chances(hits.features)

    def _lists(self, mine: BoolArray, known: FloatArray) -> Iterator[OpenList]:
        """The list of each query, with and without grades."""
        pool = self.valued.pool
        documents, ranks = pool.document[mine], pool.rank[mine]
        counts = np.add.reduceat(known, pool.starts, axis=0)
        edges: IndexArray = np.searchsorted(pool.query[documents], np.arange(len(pool.queries) + 1))
        for query, (start, end) in enumerate(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)):
            here, at = documents[start:end], ranks[start:end]
            judged = ~np.isnan(self.grades[here])
            yield OpenList(ranks=at[judged], reached=known[here[judged]], unjudged=at[~judged], counts=counts[query])
