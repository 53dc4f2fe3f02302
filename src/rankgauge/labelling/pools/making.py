"""A pool to judge: the documents that a selection takes from runs, what they cost, and what they cover."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from rankgauge.constraints import whole_number
from rankgauge.errors import InputError, ParameterError
from rankgauge.evaluation.judged_hits import whole_judgments
from rankgauge.judgments.llm.asking.pairs import with_texts
from rankgauge.labelling.board import BoardPool
from rankgauge.labelling.pools.weights import rank_weights
from rankgauge.labelling.selection import SELECTIONS, Selection
from rankgauge.numeric import BoolArray, IndexArray

METHOD = "depth"
"""How documents are selected, unless another way is named."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
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

    def __repr__(self) -> str:
        queries = int((self.counts > 0).sum())
        return f"<{len(self.chosen):,} documents to judge, for {queries} queries, by {self.selection.name}>"

    @cached_property
    def textless(self) -> dict[str, int]:
        """How many of the documents have no text of each kind, where texts were given."""
        texts = pl.DataFrame() if self.texts is None else self.texts
        blank = {name: texts[name].is_null() | (texts[name] == "") for name in texts.columns if "text" in name}
        return {name: int(where.sum()) for name, where in blank.items() if where.any()}

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
    def listed(self) -> int:
        """How many of the documents that were judged before are in the lists at all."""
        return int((self.judged & (self.holders > 0)).sum())

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

        `best_rank` and `runs` are the best rank and the number of runs that retrieve the document; rank_NAME is its
        rank in the run of that name.
        """
        pool, chosen = self.pool, self.chosen
        order = np.argsort(_alphabet(pool.queries)[pool.query[chosen]], kind="stable")
        rows = chosen[order]
        starts = np.flatnonzero(np.diff(pool.query[rows], prepend=-1))
        place = np.arange(len(rows)) - np.repeat(starts, np.diff(starts, append=len(rows))) + 1
        frame = pool.ids[rows].with_columns(
            place=pl.Series(place),
            best_rank=pl.Series(pool.best_rank[rows]),
            runs=pl.Series(self.holders[rows]),
            **{f"rank_{name}": ranks for name, ranks in zip(pool.runs, self._ranks(rows), strict=True)},
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
    whole_number(least=0).check("pool make", "seed", seed)
    pool = BoardPool.from_runs(runs, depth=depth, also=None if judged is None else whole_judgments(judged))
    if judged is not None and np.isnan(pool.known).all():
        raise InputError(
            "no judged document is in the runs",
            path=os.fspath(judged) if isinstance(judged, str | os.PathLike) else None,
            hint="Are both from the same collection, with ids of queries and documents spelled alike?",
        )
    relevant = np.where(np.isnan(pool.known), np.nan, (pool.known >= rel).astype(np.float64))
    order = selection.order(pool, relevant, len(pool.documents), np.random.default_rng(seed))
    chosen = order[np.isnan(pool.known[order])][:budget]
    if not len(chosen):
        raise _all_judged(pool, depth)
    texts = _texts(pool.ids[chosen], documents, queries)
    return MadePool(pool=pool, selection=selection, chosen=chosen, depth=depth, budget=budget, texts=texts, seed=seed)


def _all_judged(pool: BoardPool, depth: int | None) -> InputError:
    """The error where nothing is left to judge."""
    if depth is None or depth >= pool.deepest:
        words = "every document of the runs is judged already"
        return InputError(words, hint="Only other runs, or longer lists, could bring more.")
    words = f"every document among the first {depth} of each list is judged already"
    return InputError(words, hint=f"Take a deeper pool: the longest list has {pool.deepest:,} documents.")


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
