"""The pool of a board: the documents that any number of runs retrieve, and each run's rank of each of them.

Hits are flat arrays, run by run and query by query in rank order, so that memory grows with what was retrieved, not
with runs times documents.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from rankgauge import dialects, files
from rankgauge.errors import InputError, ParameterError, RepeatedError
from rankgauge.judgments.llm.machine_judge import judges_in, read_judges
from rankgauge.labelling.board.features import Columns, PooledJudge, judge_columns
from rankgauge.labelling.pool import PooledDocuments
from rankgauge.labelling.pool_rows import PoolRows, document_costs, query_overheads, telling_numbers, with_texts
from rankgauge.numeric import BoolArray, FloatArray, IndexArray
from rankgauge.ranking.facets import whole

KEYS = ["query", "document"]


def _empty() -> FloatArray:
    return np.zeros(0)


@dataclass(frozen=True, kw_only=True, eq=False)
class BoardPool(PooledDocuments):
    """Queries, their documents, and the hits: a run, a document and a rank each.

    `lengths` (runs × queries) is the length of each list, with the documents outside the pool. `rank` is the rank in
    the whole list. `known` (documents) are the grades of documents that were judged before, NaN elsewhere. Without
    costs every document costs 1, and opening a query nothing.
    """

    runs: tuple[str, ...]
    run: IndexArray
    document: IndexArray
    rank: IndexArray
    lengths: IndexArray
    known: FloatArray = field(default_factory=_empty)
    facts: pl.DataFrame | None = None
    """Numbers that may tell relevant documents, a column each: beliefs about the grades, or anything else."""
    judges: tuple[PooledJudge, ...] = ()
    """Judges other than people, such as language models. They are believed as far as people's labels bear them out, and
    their grades are never labels."""
    costs: FloatArray = field(default_factory=_empty)
    overhead: FloatArray = field(default_factory=_empty)
    tied: Mapping[str, int] = field(default_factory=dict)
    """In how many queries each run has tied scores, for which the order of its file stands; not kept by a campaign."""

    def __post_init__(self) -> None:
        usual = {"known": (np.nan, len(self.documents)), "costs": (1.0, len(self.documents))}
        for name, (value, size) in {**usual, "overhead": (0.0, len(self.queries))}.items():
            if not len(getattr(self, name)):
                object.__setattr__(self, name, np.full(size, value))
        self.check_costs()

    @classmethod
    def from_runs(
        cls,
        runs: Mapping[str, Any],
        *,
        depth: int | None = None,
        also: Any = None,
        only: Any = None,
        unanswered: bool = False,
        texts: Any = None,
        judges: Mapping[str, Any] | None = None,
        cost: str | None = None,
        overhead: str | float | None = None,
        stated: bool = False,
    ) -> BoardPool:
        """The pool of what the runs (paths, frames, dicts; by name) retrieve, equal scores in the order of the input.

        `depth` pools the first documents of each list only; further down a run's list keeps its ranks of them. `also`
        are judgments whose documents belong to the pool even if no run retrieves them; their grades are known. `only`
        are judgments whose documents are the whole pool, as if unjudged: then all that is retrieved beside them counts
        as not relevant. Queries that no run answers are left out, unless `unanswered` keeps those that were judged: all
        runs are worth 0 there. `texts`, `cost` and `overhead` are those of a `Pool`; numbers in the texts' table, such
        as beliefs p_0, p_1, …, help to tell which documents are relevant. `judges` are judgments of others than people,
        by name: files, frames, dicts. With `stated`, frames with a column `rank` keep these ranks, as those of a table
        that lacks some documents of the lists.
        """
        if not runs:
            raise ParameterError("a board", "runs", "at least one run", None)
        if depth is not None and (depth != int(depth) or depth < 1):
            raise ParameterError("a board", "depth", "a whole number, 1 or more", depth)
        hits = pl.concat([_list_ranked(name, source, n, stated) for n, (name, source) in enumerate(runs.items())])
        judged = [_list_judged(source, None if unanswered else hits) for source in (only, also) if source is not None]
        pooled = hits if depth is None else hits.filter(pl.col("rank") <= depth)
        tied = pooled.filter("tied").group_by("run").agg(pl.col("query").n_unique()).sort("run")
        keys = judged if only is not None else [pooled.select(KEYS), *judged]
        pool = cls._of(tuple(runs), hits, pl.concat(keys).unique(maintain_order=True))
        known = pool.known if also is None else pool.grades(also)
        frame = pool.ids if texts is None else with_texts(pool.ids, texts)
        ranks, place = np.full((len(frame), 0), np.nan), np.arange(len(frame))
        rows = PoolRows(frame=frame, queries=pool.queries, sizes=pool.sizes, ranks=ranks, place=place, read=len(frame))
        costs, opening = document_costs(rows, cost), query_overheads(rows, overhead)
        told, numbers = judges_in(rows.frame), telling_numbers(rows.frame)
        ties = {tuple(runs)[number]: count for number, count in tied.iter_rows()}
        facts = pl.DataFrame(numbers) if numbers else None
        made = replace(pool, known=known, costs=costs, overhead=opening, texts=rows.texts, facts=facts, tied=ties)
        return made.judged_by({**told, **(judges or {})})

    @classmethod
    def _of(cls, runs: tuple[str, ...], hits: pl.DataFrame, keys: pl.DataFrame) -> BoardPool:
        queries = keys["query"].unique(maintain_order=True)
        numbers = pl.DataFrame({"query": queries, "number": np.arange(len(queries))})
        rows = keys.join(numbers, on="query", how="left", maintain_order="left").sort("number", maintain_order=True)
        rows = rows.with_columns(place=pl.int_range(len(rows), dtype=pl.Int64))
        lengths = hits.group_by("run", "query").agg(len=pl.col("rank").max()).join(numbers, on="query")
        longest = np.zeros((len(runs), len(queries)), dtype=np.int64)
        longest[lengths["run"].to_numpy(), lengths["number"].to_numpy()] = lengths["len"].to_numpy()
        ordered_hits = hits.join(rows, on=KEYS).sort("run", "number", "rank")
        return cls(
            runs=runs,
            queries=queries,
            documents=rows["document"],
            sizes=np.bincount(rows["number"].to_numpy(), minlength=len(queries)),
            run=ordered_hits["run"].to_numpy(),
            document=ordered_hits["place"].to_numpy(),
            rank=ordered_hits["rank"].to_numpy(),
            lengths=longest,
        )

    def with_costs(self, costs: FloatArray, overhead: FloatArray) -> BoardPool:
        """Return the same pool with other costs."""
        return replace(self, costs=costs, overhead=overhead)

    def columns(self, grades: FloatArray) -> Columns | None:
        """Return what judges and the pool's own table say of its documents, on that scale."""
        told = None if self.facts is None else Columns.of(self.facts, grades)
        return Columns.join([one for one in (judge_columns(self.judges, len(grades) - 1), told) if one is not None])

    def judged_by(self, judges: Mapping[str, Any]) -> BoardPool:
        """Return the same pool with these judges, by name; each must have graded some of its documents."""
        judges_ = tuple(PooledJudge(name=judge.name, said=judge.of(self.ids)) for judge in read_judges(judges))
        for judge in judges_:
            if not judge.share:
                hint = "Are its ids those of the runs?"
                raise InputError(f"the judge {judge.name} has graded no document of the pool", hint=hint)
        return replace(self, judges=judges_) if judges_ else self

    @property
    def open(self) -> BoolArray:
        return np.isnan(self.known)

    @cached_property
    def deepest(self) -> int:
        """The length of the longest list."""
        return int(max(self.lengths.max(), self.rank.max(initial=1)))

    @cached_property
    def cell(self) -> IndexArray:
        """The list that each hit is in: its run's number times the number of queries, plus its query's."""
        return np.asarray(self.run * len(self.queries) + self.query[self.document])

    @cached_property
    def best_rank(self) -> IndexArray:
        """The best rank that any run gives each document; one more than the longest list where none retrieves it."""
        best = np.full(len(self.documents), self.deepest + 1)
        np.minimum.at(best, self.document, self.rank)
        return best

    def run_lists(self, query: int) -> Iterator[tuple[IndexArray, IndexArray]]:
        """Yield for each run the documents that it retrieves for a query, in rank order, and their ranks."""
        lists = np.arange(len(self.runs)) * len(self.queries) + query
        first, last = np.searchsorted(self.cell, lists), np.searchsorted(self.cell, lists, side="right")
        for start, stop in zip(first, last, strict=True):
            yield self.document[start:stop], self.rank[start:stop]

    def grades(self, judgments: Any) -> FloatArray:
        """Return the grade of each document of the pool in these judgments, the highest of its subtopics; NaN for none.

        Judgments of several assessors are an error: nothing says how to combine them.
        """
        known = whole(dialects.get("standard").prepare(files.judgments_from(judgments))).select(*KEYS, "grade")
        grades = self.ids.join(known, on=KEYS, how="left", maintain_order="left")["grade"]
        return np.asarray(grades.cast(pl.Float64).fill_null(np.nan).to_numpy())

    def weight_inside(self, weights: FloatArray, mask: BoolArray | None = None) -> FloatArray:
        """The share of each run's weight on documents of the pool, or of a mask; `weights` are those of the ranks 1,
        2, … What is outside the pool counts as not relevant, so a value rests on this share.
        """
        kept = slice(None) if mask is None else mask[self.document]
        inside = np.bincount(self.run[kept], weights[self.rank[kept] - 1], minlength=len(self.runs))
        whole = np.append(0.0, np.cumsum(weights))[self.lengths].sum(axis=1)
        return np.asarray(inside / np.where(whole > 0, whole, 1.0))


def _list_judged(judgments: Any, hits: pl.DataFrame | None) -> pl.DataFrame:
    """Return the documents of judgments; those of queries that have hits, if these are given."""
    documents = files.judgments_from(judgments).select(KEYS)
    if hits is None:
        return documents
    return documents.join(hits.select(pl.col("query").unique()), on="query", how="semi", maintain_order="left")


def _list_ranked(name: str, source: Any, number: int, stated: bool) -> pl.DataFrame:
    """Return the documents of a run with their ranks: those that it states, from 1 on and each once in a query, or
    1, 2, … in each query; an error at a document listed twice names the file and the line, or the run."""
    try:
        with files.locating_repeats(source):
            run = files.run_from(source)
            ranked = stated and "rank" in run.columns
            odd = (pl.col("rank") < 1).any() | pl.struct("query", "rank").is_duplicated().any()
            kept = ["rank"] if ranked and not run.select(odd).item() else []
            rows = run.select(pl.col(KEYS).cast(pl.String), pl.col("score").cast(pl.Float64), *kept)
            twice = rows.filter(pl.struct(KEYS).is_duplicated())
            if len(twice):
                raise RepeatedError(*twice.select(KEYS).row(0))
    except RepeatedError as error:
        error.path = error.path or name
        raise
    falling = rows.sort("score", descending=True, maintain_order=True)
    return falling.select(
        *KEYS,
        rank=pl.col("rank") if kept else pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over("query"),
        tied=pl.lit(False) if kept else pl.struct("query", "score").is_duplicated(),
        run=pl.lit(number, dtype=pl.Int64),
    )
