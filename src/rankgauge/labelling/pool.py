"""Pools: the documents of queries, the lists of one or two rankers, and what is known before anyone judges.

Every array has an entry per document, those of a query together; a document in both lists has one entry. Documents with
equal scores are ranked in the order of the input.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import polars as pl

from rankgauge.errors import InputError, ParameterError
from rankgauge.files.formats.letor import read_features
from rankgauge.files.source import Source
from rankgauge.judgments.llm.machine_judge import judges_in, read_judges
from rankgauge.labelling.beliefs import (
    belief_column,
    belief_columns,
    beliefs_of,
    judge_beliefs,
    mixture,
    predict,
    scale_of,
    spread,
)
from rankgauge.labelling.pool_rows import PoolRows, document_costs, join_runs, query_overheads
from rankgauge.numeric import BoolArray, FloatArray, Grouped, IndexArray


@dataclass(frozen=True, kw_only=True, eq=False)
class PooledDocuments(Grouped):
    """What a campaign needs to know of a pool, whatever it estimates.

    `sizes` says how many documents each query has, those of a query together. `costs` (documents) is the cost of
    judging a document, `overhead` (queries) that of opening a query, in the same unit. `texts` is what an assessor
    reads of each document.
    """

    queries: pl.Series
    documents: pl.Series
    sizes: IndexArray
    costs: FloatArray
    overhead: FloatArray
    texts: pl.DataFrame | None = None

    @cached_property
    def query_costs(self) -> FloatArray:
        """What judging all documents of each query costs."""
        return np.asarray(self.overhead + np.add.reduceat(self.costs, self.starts))

    @property
    def open(self) -> BoolArray:
        """Which documents have no grade from before."""
        return np.ones(len(self.documents), dtype=bool)

    @cached_property
    def open_cost(self) -> float:
        """What judging all of these costs, with the opening of their queries."""
        opened = np.bincount(self.query[self.open], minlength=len(self.sizes)) > 0
        return float(self.costs[self.open].sum() + self.overhead[opened].sum())

    @property
    def ids(self) -> pl.DataFrame:
        """The documents with their queries, a row each."""
        return pl.DataFrame({"query": self.queries.gather(self.query), "document": self.documents})

    @cached_property
    def positions(self) -> dict[str, dict[str, int]]:
        """The position of each document, by the ids of query and document."""
        names, spans = self.documents.to_list(), zip(self.starts.tolist(), self.sizes.tolist(), strict=True)
        return {
            query: {name: start + n for n, name in enumerate(names[start : start + size])}
            for query, (start, size) in zip(self.queries, spans, strict=True)
        }

    def query_of(self, row: int) -> str:
        """Return the id of a document's query."""
        return str(self.queries[int(self.query[row])])

    def with_query_texts(self, texts: Mapping[str, str]) -> Self:
        """Return the pool with these texts of its queries, by query, where it has none of its own."""
        told = pl.Series("query_text", [texts.get(query) for query in self.queries], dtype=pl.String)
        if told.null_count() == len(told):
            if texts:
                raise InputError(
                    f"there is no text of a query of the pool: the first text is of {next(iter(texts))}, the pool's "
                    f"first query is {self.queries[0]}",
                    hint="Are the ids of the queries those of the runs?",
                )
            return self
        known, others = told.gather(self.query), pl.DataFrame() if self.texts is None else self.texts
        if "query_text" in others.columns:
            own = others["query_text"].cast(pl.String).replace("", None)
            known = pl.select(query_text=pl.coalesce(own, known)).to_series()
        return replace(self, texts=known.to_frame().hstack(others.drop("query_text", strict=False)))

    def check_costs(self) -> None:
        """Raise an error if a cost is not a number above 0, or an overhead below 0."""
        bad = ~((self.costs > 0) & np.isfinite(self.costs))
        if bad.any():
            row = int(np.argmax(bad))
            raise InputError(
                f"judging document {self.documents[row]} of query {self.query_of(row)} costs {self.costs[row]:g}",
                hint="The cost of a document is a number above 0.",
            )
        if not ((self.overhead >= 0) & np.isfinite(self.overhead)).all():
            raise InputError("the overhead of a query must be 0 or more")


CERTAIN = 0.999
"""From here on a belief in one grade is certainty, which no label supports yet."""

TOLERANCE = 1e-6
"""How far the beliefs about a document may be from adding up to 1: models in single precision are not exact."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Pool(PooledDocuments):
    """Queries, the documents of their lists, beliefs about the grades, and what judging costs.

    `ranks` (documents × rankers) is the rank of each document in each ranker's list, 1, 2, … without a gap; NaN if it
    is not in the list. `beliefs` (documents × grades) is the probability of each grade of the ascending scale `grades`.
    """

    ranks: FloatArray
    beliefs: FloatArray
    grades: FloatArray

    def __post_init__(self) -> None:
        m, n = len(self.queries), len(self.documents)
        documents = {"ranks": self.ranks.shape[-1:], "beliefs": (len(self.grades),), "costs": ()}
        shapes = {"sizes": (m,), "overhead": (m,), **{name: (n, *shape) for name, shape in documents.items()}}
        for name, shape in shapes.items():
            if getattr(self, name).shape != shape:
                raise InputError(f"a pool of {m} queries and {n} documents needs {name} of shape {shape}")
        if not m or (self.sizes < 1).any() or int(self.sizes.sum()) != n:
            raise InputError("a pool needs queries with at least one document each, and sizes that add up")
        if self.rankers not in (1, 2):
            raise InputError(f"a pool has the lists of one or two rankers, not of {self.rankers}")
        for number, ranks in enumerate(self.ranks.T):
            rank, length = ranks[~np.isnan(ranks)], self.lengths[self.query[~np.isnan(ranks)], number]
            whole = bool(((rank >= 1) & (rank <= length) & (rank == np.trunc(rank))).all())
            if not whole or (self.orders[number] < 0).any():
                raise InputError(
                    f"the ranks of ranker {number + 1} are not 1, 2, 3, … in every query",
                    hint="Give scores, or the rank of each document in its list without gaps.",
                )
        unlisted = np.isnan(self.ranks).all(axis=1)
        if unlisted.any():
            row = int(np.argmax(unlisted))
            raise InputError(f"document {self.documents[row]} of query {self.query_of(row)} is in no list")
        self._check_beliefs()
        self.check_costs()

    @classmethod
    def of(
        cls,
        source: Any,
        *,
        scores: str | Sequence[str] | None = None,
        grades: npt.ArrayLike | None = None,
        beliefs: str | npt.ArrayLike | None = None,
        cost: str | None = None,
        overhead: str | float | None = None,
        depth: int | None = None,
    ) -> Pool:
        """Return the pool in a frame or a table file: a row for each query and document.

        `scores` names the columns with one or two rankers' scores (score; score_1 and score_2; or ranks in place of
        scores). An empty cell means that the document is not in the ranker's list. Beliefs are the columns p_0, p_1, …
        of the frame, an array (rows × grades), or "uniform" over the scale `grades`. `cost` is a cost of the registry
        or a column, `overhead` a number or a column. `depth` cuts the lists.
        """
        rows = PoolRows.of(source, scores=scores, depth=depth)
        scale, believed = beliefs_of(rows, grades, beliefs)
        if beliefs is None and not belief_columns(rows.frame) and (told := judges_in(rows.frame)):
            believed = judge_beliefs(list(read_judges(told)), rows.frame.select("query", "document"), scale)
        return cls(
            queries=rows.queries,
            documents=rows.frame["document"],
            sizes=rows.sizes,
            ranks=rows.ranks,
            beliefs=believed,
            grades=scale,
            costs=document_costs(rows, cost),
            overhead=query_overheads(rows, overhead),
            texts=rows.texts,
        )

    @classmethod
    def from_runs(cls, *runs: Any, texts: Any = None, **options: Any) -> Pool:
        """Return the pool of the documents that one or two runs (paths, frames, dicts) retrieve.

        `texts` is a frame with the column document, also query if texts differ by query, and any of title, text, url,
        length, cost and beliefs. The options are those of `of`.
        """
        return cls.of(join_runs(runs, texts), **options)

    @classmethod
    def from_letor(cls, path: str | Path, *rankers: Any, model: Any = None, **options: Any) -> Pool:
        """Return the pool that one or two fitted rankers make of a LETOR file, whose grades are ignored.

        `model` gives the beliefs: a fitted relevance model, or several, whose beliefs are averaged. Without one they
        are uniform over the scale `grades`. The options are those of `of`.
        """
        if len(rankers) not in (1, 2):
            raise ParameterError("a pool", "rankers", "one or two fitted rankers", len(rankers))
        features = read_features(Source.of(path))
        frame = pl.DataFrame({"query": features.queries, "document": features.documents})
        for n, ranker in enumerate(rankers, start=1):
            given = ranker.predict(features.matrix) if hasattr(ranker, "predict") else ranker
            scores = np.asarray(given, dtype=np.float64)
            if scores.shape != (len(frame),):
                raise InputError(f"ranker {n} gives scores of shape {scores.shape} for {len(frame)} documents")
            frame = frame.with_columns(pl.Series(f"score_{n}", scores))
        if model is not None:
            models = model if isinstance(model, list | tuple) else [model]
            scale = scale_of(models) if options.get("grades") is None else options.pop("grades")
            believed = mixture(*(predict(m, features.matrix, scale) for m in models))
            options = {**options, "grades": scale, "beliefs": believed}
        return cls.of(frame, **options)

    def to_frame(self) -> pl.DataFrame:
        """Return the pool as a frame that `of` turns into the same pool."""
        numbers: dict[str, Any] = {
            **{f"rank_{r + 1}": pl.Series(self.ranks[:, r]).fill_nan(None) for r in range(self.rankers)},
            **{belief_column(grade): self.beliefs[:, y] for y, grade in enumerate(self.grades)},
            "cost": self.costs,
            "overhead": self.overhead[self.query],
        }
        frame = self.ids.with_columns(**numbers)
        return frame if self.texts is None else frame.hstack(self.texts)

    @property
    def rankers(self) -> int:
        """How many rankers there are: 1 or 2."""
        return int(self.ranks.shape[1])

    @cached_property
    def lengths(self) -> IndexArray:
        """How many documents each query has in each ranker's list (queries × rankers)."""
        listed = ~np.isnan(self.ranks)
        return np.asarray(np.add.reduceat(listed, self.starts, axis=0, dtype=np.int64))

    @cached_property
    def orders(self) -> tuple[IndexArray, ...]:
        """For each ranker its documents, query by query in the order of its lists."""
        orders = []
        for ranks, lengths in zip(self.ranks.T, self.lengths.T, strict=True):
            # Ranks have no gaps, so a document's rank says where it goes: no sort is needed.
            listed = np.flatnonzero(~np.isnan(ranks))
            place = (np.cumsum(lengths) - lengths)[self.query[listed]] + ranks[listed].astype(np.int64) - 1
            orders.append(np.full(len(listed), -1, dtype=np.int64))
            orders[-1][place] = listed
        return tuple(orders)

    def scale_costs(self) -> Pool:
        """Return the same pool with costs in units of the mean cost of a query."""
        unit = float(np.mean(self.query_costs))
        return self.with_costs(self.costs / unit, self.overhead / unit)

    def with_costs(self, costs: FloatArray, overhead: FloatArray) -> Pool:
        """Return the same pool with other costs; nothing else is checked again."""
        made = self._copy_with(costs=costs, overhead=overhead)
        made.__dict__.pop("query_costs", None)
        made.check_costs()
        return made

    def with_beliefs(self, beliefs: FloatArray) -> Pool:
        """Return the same pool with other beliefs; nothing else is checked again."""
        made = self._copy_with(beliefs=beliefs)
        made._check_beliefs()
        return made

    def judged_by(self, judges: Mapping[str, Any]) -> Pool:
        """The same pool with beliefs from judges other than people (files, frames, dicts; by name), and from its own
        beliefs if it has any that say something."""
        told = judge_beliefs(list(read_judges(judges)), self.ids, self.grades)
        if np.allclose(told, 1.0 / len(self.grades)):
            raise InputError("the judge has graded no document of the pool", hint="Are its ids those of the pool?")
        known = np.allclose(self.beliefs, 1.0 / len(self.grades))
        return self.with_beliefs(told if known else mixture(told, self.beliefs))

    def soften(self) -> tuple[Pool, int]:
        """Return the same pool without certainty, which no label supports yet, and how many documents were certain."""
        certain = self.beliefs.max(axis=1) >= CERTAIN
        softer = np.where(certain[:, np.newaxis], self.beliefs @ spread(len(self.grades)), self.beliefs)
        return (self.with_beliefs(softer) if certain.any() else self), int(np.count_nonzero(certain))

    def _copy_with(self, **arrays: FloatArray) -> Pool:
        """Return a copy with other arrays, which also keeps what was derived from the lists."""
        made = copy(self)
        for name, array in arrays.items():
            if array.shape != getattr(self, name).shape:
                raise InputError(f"a pool needs {name} of shape {getattr(self, name).shape}, not {array.shape}")
            object.__setattr__(made, name, array)
        return made

    def find(self, judgments: pl.DataFrame) -> FloatArray:
        """Return the grade of each document in the judgments (query, document, grade); NaN if there is none."""
        known = judgments.select(pl.col("query", "document").cast(pl.String), pl.col("grade").cast(pl.Float64))
        graded = self.ids.join(known, on=["query", "document"], how="left", maintain_order="left")
        if len(graded) != len(self.documents):
            raise InputError("a document of the pool was judged twice", hint="Combine the grades of assessors first.")
        return np.asarray(graded["grade"].fill_null(np.nan).to_numpy())

    def _check_beliefs(self) -> None:
        if len(self.grades) == 1:
            problem = f"the scale has one grade only, {self.grades[0]:g}, so that there is nothing to judge"
            raise InputError(
                problem, hint="Name all of its grades: columns p_0, p_1 … of beliefs, or the scale itself."
            )
        if not len(self.grades) or (np.diff(self.grades) <= 0).any() or not np.isfinite(self.grades).all():
            raise InputError(f"the scale must be ascending grades, each once; got {self.grades.tolist()}")
        sums = self.beliefs.sum(axis=1)
        # A comparison with NaN is false, so NaN is caught as well.
        bad = ~((self.beliefs.min(axis=1) >= 0) & (np.abs(sums - 1.0) <= TOLERANCE))
        if bad.any():
            row = int(np.argmax(bad))
            shown = ", ".join(f"{p:g}" for p in self.beliefs[row])
            raise InputError(
                f"the beliefs about document {self.documents[row]} of query {self.query_of(row)} are {shown}",
                hint="Beliefs are probabilities of the grades: none below 0, and they add up to 1.",
            )
