"""A pool to judge: the documents that a selection takes from runs, what they cost, and what they cover."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from rankgauge.active.board import BoardPool
from rankgauge.active.selection import SELECTIONS, Selection
from rankgauge.errors import InputError, ParameterError
from rankgauge.judges.asking.pairs import with_texts
from rankgauge.numeric import BoolArray, IndexArray
from rankgauge.pools.weights import rank_weights

METHOD = "depth"
"""How documents are selected, unless another way is named."""

LISTS = 2
"""Up to this many runs, a table's columns of ranks are what `active plan` and the judging room read as rankers."""


@dataclass(frozen=True, kw_only=True, eq=False)
class MadePool:
    """The documents to judge, `chosen` of a pool's candidates, in the order of their judging."""

    pool: BoardPool
    selection: Selection
    chosen: IndexArray
    depth: int | None = None
    budget: int | None = None
    texts: pl.DataFrame | None = None
    """The columns of texts, a row for each chosen document."""
    seed: int = 0

    @cached_property
    def judged(self) -> BoolArray:
        """The documents of the candidates that were judged before."""
        return ~np.isnan(self.pool.known)

    @cached_property
    def counts(self) -> IndexArray:
        """How many documents of each query are to be judged."""
        return np.bincount(self.pool.query[self.chosen], minlength=len(self.pool.queries))

    @cached_property
    def holders(self) -> IndexArray:
        """How many runs retrieve each candidate."""
        return np.bincount(self.pool.document, minlength=len(self.pool.documents))

    @property
    def is_adapted(self) -> bool:
        """Whether judgments that there are changed the order."""
        return self.selection.adaptive and bool(self.judged.any())

    def coverage(self, measures: Iterable[str], *, dialect: str = "standard") -> pl.DataFrame:
        """For each run and measure the share of the weight of its ranks on documents that were judged before, and on
        those with the chosen ones."""
        known, rows = self.judged.copy(), []
        both = known.copy()
        both[self.chosen] = True
        for name in measures:
            weights = rank_weights(name, self.pool.deepest, dialect=dialect)
            shares = [self._inside(weights, mask) for mask in (known, both)]
            rows += [
                {"run": run, "measure": name, "judged": before, "covered": after}
                for run, before, after in zip(self.pool.runs, *shares, strict=True)
            ]
        return pl.DataFrame(rows)

    def _inside(self, weights: Any, mask: BoolArray) -> list[float]:
        """The share of each run's weight on documents of the mask."""
        pool, kept = self.pool, mask[self.pool.document]
        inside = np.bincount(pool.run[kept], weights[pool.rank[kept] - 1], minlength=len(pool.runs))
        whole = np.append(0.0, np.cumsum(weights))[pool.lengths].sum(axis=1)
        found: list[float] = (inside / np.where(whole > 0, whole, 1.0)).tolist()
        return found

    def frame(self) -> pl.DataFrame:
        """The table to judge: the documents of a query together, in the order of their judging.

        `best_rank` and `runs` are the best rank and the number of runs that retrieve the document; rank_1, rank_2, …
        are the ranks in the runs. With three runs or more, `score` has the order itself as a ranking.
        """
        pool, chosen = self.pool, self.chosen
        order = np.argsort(_alphabet(pool.queries)[pool.query[chosen]], kind="stable")
        rows = chosen[order]
        starts = np.flatnonzero(np.diff(pool.query[rows], prepend=-1))
        place = np.arange(len(rows)) - np.repeat(starts, np.diff(starts, append=len(rows))) + 1
        several = len(pool.runs) > LISTS
        frame = pool.ids[rows].with_columns(
            place=pl.Series(place),
            best_rank=pl.Series(pool.best_rank[rows]),
            runs=pl.Series(self.holders[rows]),
            **({"score": pl.Series(1.0 / place)} if several else {}),
            **{f"rank_{n}": ranks for n, ranks in enumerate(self._ranks(rows), start=1)},
        )
        if self.texts is None:
            return frame
        ids = frame.select("query", "document")
        return pl.concat([ids, self.texts[order], frame.drop(ids.columns)], how="horizontal")

    def _ranks(self, rows: IndexArray) -> Iterable[pl.Series]:
        """The ranks of documents in each run, empty where it does not retrieve them."""
        pool = self.pool
        place = np.full(len(pool.documents), -1)
        place[rows] = np.arange(len(rows))
        for run in range(len(pool.runs)):
            mine = pool.run == run
            ranks, at = np.full(len(rows), np.nan), place[pool.document[mine]]
            ranks[at[at >= 0]] = pool.rank[mine][at >= 0]
            yield pl.Series(ranks, nan_to_null=True).cast(pl.Int64)


def make_pool(
    runs: Mapping[str, Any],
    *,
    method: str = METHOD,
    depth: int | None = None,
    budget: int | None = None,
    judged: Any = None,
    rel: float = 1.0,
    documents: Any = None,
    queries: Any = None,
    seed: int = 0,
) -> MadePool:
    """The documents of runs (paths, frames, dicts; by name) that a selection would have judged.

    `depth` takes them from the first documents of each list, `budget` takes that many of all. Documents in `judged`
    are left out, and tell an adaptive selection which runs find relevant ones: those of grade `rel` or more.
    `documents` and `queries` are tables of texts.
    """
    selection = SELECTIONS.find(method)
    if depth is None and budget is None:
        raise InputError("neither a depth nor a budget is given", hint="Such as --depth 10, or --budget 500.")
    if budget is not None and budget < 1:
        raise ParameterError("pool make", "budget", "a whole number, 1 or more", budget)
    pool = BoardPool.from_runs(runs, depth=depth, also=judged)
    relevant = np.where(np.isnan(pool.known), np.nan, (pool.known >= rel).astype(np.float64))
    order = selection.order(pool, relevant, len(pool.documents), np.random.default_rng(seed))
    chosen = order[np.isnan(pool.known[order])][:budget]
    if not len(chosen):
        raise InputError("every document of the pool is judged already", hint="Take a deeper pool, as in --depth 20.")
    texts = _texts(pool.ids[chosen], documents, queries)
    return MadePool(pool=pool, selection=selection, chosen=chosen, depth=depth, budget=budget, texts=texts, seed=seed)


def _texts(ids: pl.DataFrame, documents: Any, queries: Any) -> pl.DataFrame | None:
    """The texts of documents and queries, a row for each of the ids."""
    frame = ids
    for name, source in (("query", queries), ("document", documents)):
        frame = frame if source is None else with_texts(frame, name, source)
    return frame.drop(ids.columns) if len(frame.columns) > len(ids.columns) else None


def _alphabet(queries: pl.Series) -> IndexArray:
    """The place of each query among all: by number where all are numbers, else by name."""
    numbers = queries.cast(pl.Float64, strict=False)
    keys = queries if numbers.has_nulls() else numbers
    return np.asarray(keys.rank("ordinal").to_numpy())
