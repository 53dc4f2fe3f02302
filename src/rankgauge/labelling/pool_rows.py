"""The rows that a pool is made of, from frames, table files and runs; and what judging costs by them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl

from rankgauge.errors import InputError, ParameterError, UnknownNameError
from rankgauge.files import raters
from rankgauge.files.columns import find
from rankgauge.files.conversion import as_frame
from rankgauge.files.reading import is_path, read_table, run_from
from rankgauge.input_notes import note
from rankgauge.judgments.llm.machine_judge import judges_in
from rankgauge.numeric import FloatArray, IndexArray
from rankgauge.ranking.arrays import pad_groups
from rankgauge.registry import Registered, Registry

COSTS: Registry[Cost] = Registry("cost", "rankgauge.labelling.costs")


@dataclass(frozen=True, kw_only=True)
class Cost(Registered):
    """A rule for the cost of judging each document of a pool."""

    registry: ClassVar[Registry[Cost]] = COSTS

    name: str
    title: str
    of: Callable[[PoolRows], FloatArray]


NAMED = re.compile(r"(?:rank|score)_(?P<before>.+)|(?P<after>.+)_(?:rank|score)", re.IGNORECASE)
RANK = re.compile(r"(?:^|_)rank(?:_|$)", re.IGNORECASE)

BEST_RANK = "best_rank"
"""A column of `rankgauge pool make` that is no run's: the best rank that any run gives the document."""

OF_RANKS = ("place", BEST_RANK, "runs")
"""What `rankgauge pool make` writes that follows from the runs' ranks."""


def run_columns(columns: Sequence[str]) -> dict[str, str]:
    """Return the columns by run: score_1, score_2, …; or score; or rank_NAME, score_NAME and the like; or rank.

    Where a run has both ranks and scores, its ranks: they have no ties.
    """
    numbered: dict[str, str] = {}
    while (column := f"score_{len(numbered) + 1}") in columns:
        numbered[f"ranker {len(numbered) + 1}"] = column
    if len(numbered) > 1:
        return numbered
    if "score" in columns:
        return {"ranker": "score"}
    lone = find(columns, "score") or find(columns, "rank")
    by_run: dict[str, str] = {}
    for column in columns:
        match = None if column == BEST_RANK else NAMED.fullmatch(column)
        if match is not None:
            name = match["before"] or match["after"]
            run = f"ranker {name}" if name.isdecimal() else name
            if run not in by_run or is_rank(column):
                by_run[run] = column
    return numbered or by_run or ({"ranker": lone} if lone is not None else {})


def is_rank(column: str) -> bool:
    """Say whether a column of a run holds ranks, not scores."""
    return RANK.search(column) is not None


TEXTS = ("query_text", "title", "text", "html", "markdown", "image", "url")
"""The columns that assessors read."""

COSTS_TOLD = ("cost", "overhead")
"""The columns of a table that say what judging costs, and so nothing of relevance."""


def people_grades(frame: pl.DataFrame) -> list[str]:
    """Return the columns that hold people's grades: neither beliefs nor labels of a new campaign."""
    grade = find(frame.columns, "grade")
    people = [column for column in raters(frame.columns) if column not in judges_in(frame)]
    return [*([] if grade is None else [grade]), *people]


def telling_numbers(frame: pl.DataFrame) -> list[pl.Series]:
    """Return the columns of numbers that may tell relevant documents, such as beliefs and clicks; empty cells are null.

    Ranks and scores of runs, grades by people or judges, costs and texts are known for what they are.
    """
    known = [*run_columns(frame.columns).values(), *people_grades(frame), *judges_in(frame)]
    found = []
    for column in frame.drop("query", "document", *OF_RANKS, *COSTS_TOLD, *TEXTS, *known, strict=False):
        empty = column.is_null() | (column.cast(pl.String, strict=False) == "")
        numbers = column.cast(pl.Float64, strict=False)
        if numbers.null_count() == empty.sum() < len(column):
            found.append(numbers)
    return found


@dataclass(frozen=True, kw_only=True, eq=False)
class PoolRows:
    """The rows of a pool, those of a query together, and the ranks of their documents.

    `place` (documents) is the row of the input that each document comes from.
    """

    frame: pl.DataFrame
    queries: pl.Series
    sizes: IndexArray
    ranks: FloatArray
    place: IndexArray
    read: int
    """How many rows the input had."""

    @classmethod
    def of(cls, source: Any, *, scores: str | Sequence[str] | None = None, depth: int | None = None) -> PoolRows:
        """Return the rows of a frame or a file; lists are cut at the depth, and documents in no list are dropped."""
        if depth is not None and (depth != int(depth) or depth < 1):
            raise ParameterError("a pool", "depth", "a whole number, 1 or more", depth)
        frame = _identify_rows(read_table(source) if is_path(source) else as_frame(source))
        names = _score_columns(frame, scores)
        runs = frame["query"].rle_id().to_numpy()
        heads = frame["query"].filter(pl.Series(np.diff(runs, prepend=-1) > 0))  # grouped rows: one for each query
        queries = heads.unique(maintain_order=True)
        number = heads.replace_strict(queries, np.arange(len(queries)), return_dtype=pl.Int64).to_numpy()[runs]
        place, sizes = np.argsort(number, kind="stable"), np.bincount(number)
        scored = [_scores(frame, name, lone=len(names) == 1)[place] for name in names]
        ranks = np.column_stack([_ranks(sizes, scores) for scores in scored])
        for name, stated, rank in zip(names, scored, ranks.T, strict=True):
            if is_rank(name) and ((-stated > rank) & (rank <= (depth or np.inf))).any():
                after = "documents after one are taken for the next ranks; a depth that ends there drops them"
                note(f"{name} has gaps: {after}")
        unlisted = np.isnan(ranks).all(axis=1)
        if unlisted.any():
            row = int(place[np.argmax(unlisted)])
            query, document = frame["query"][row], frame["document"][row]
            raise InputError(f"row {row + 1}: document {document} of query {query} has no score of any ranker")
        ranks[ranks > (np.inf if depth is None else depth)] = np.nan
        kept = ~np.isnan(ranks).all(axis=1)
        sizes = np.add.reduceat(kept, np.cumsum(sizes) - sizes, dtype=np.int64)
        place = place[kept]
        whole = len(place) == len(frame) and bool((np.diff(place) > 0).all())
        return cls(
            frame=frame if whole else frame[place],
            queries=queries.filter(pl.Series(sizes > 0)),
            sizes=sizes[sizes > 0],
            ranks=ranks[kept],
            place=place,
            read=len(frame),
        )

    @property
    def texts(self) -> pl.DataFrame | None:
        """What assessors read, if the frame has it."""
        names = [name for name in TEXTS if name in self.frame.columns]
        return self.frame.select(pl.col(names).cast(pl.String)) if names else None


def document_costs(rows: PoolRows, cost: str | None) -> FloatArray:
    """Return the cost of each document: a registered cost or a column of the pool; by default the column cost, or 1."""
    if cost is None:
        cost = "cost" if "cost" in rows.frame.columns else "documents"
    if cost in rows.frame.columns:
        return numbers(rows.frame, cost, "costs")
    if cost not in COSTS:
        raise UnknownNameError("cost or column", cost, [*COSTS, *rows.frame.columns])
    return COSTS[cost].of(rows)


def query_overheads(rows: PoolRows, overhead: str | float | None) -> FloatArray:
    """Return the cost of opening each query: one number for all, or a column that is the same throughout a query."""
    if overhead is None:
        overhead = "overhead" if "overhead" in rows.frame.columns else 0.0
    if not isinstance(overhead, str):
        return np.full(len(rows.sizes), float(overhead))
    column = numbers(rows.frame, overhead, "the overhead of queries")
    first = column[np.cumsum(rows.sizes) - rows.sizes]
    odd = column != np.repeat(first, rows.sizes)
    if odd.any():
        query = rows.frame["query"][int(np.argmax(odd))]
        raise InputError(f"query {query} has more than one overhead in the column '{overhead}'")
    return np.asarray(first)


def join_runs(runs: Sequence[Any], texts: Any = None) -> pl.DataFrame:
    """Return the documents of one or two runs with a column of scores for each."""
    if len(runs) not in (1, 2):
        raise ParameterError("a pool", "runs", "one or two runs", len(runs))
    frames = []
    for n, run in enumerate(runs, start=1):
        frames.append(run_from(run).select("query", "document", pl.col("score").alias(f"score_{n}")))
        _refuse_twice(frames[-1], f"run {n}: ")
    frame = frames[0]
    if len(runs) == 2:
        frame = frame.join(frames[1], on=["query", "document"], how="full", coalesce=True, maintain_order="left_right")
    return frame if texts is None else with_texts(frame, texts)


def numbers(frame: pl.DataFrame, name: str, what: str) -> FloatArray:
    """Return the numbers in a column; NaN if a cell is empty."""
    if name not in frame.columns:
        raise InputError(
            f"no column '{name}' for {what} among {', '.join(frame.columns)}",
            hint="Name the column as it is called in the table.",
        )
    cells, values = frame[name], frame[name].cast(pl.Float64, strict=False)
    words = values.is_null() & cells.is_not_null()
    if words.any():
        row = words.arg_max() or 0
        raise InputError(
            f"row {row + 1}: {cells[row]!r} in the column '{name}' for {what} is not a number",
            hint="A header line that is repeated must go; an empty cell stands for no number.",
        )
    return np.asarray(values.fill_null(np.nan).to_numpy())


def _identify_rows(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the frame with ids as strings in the columns query and document."""
    if frame.is_empty():
        raise InputError("no pool found: there are no rows")
    for name in ("query", "document"):
        column = name if name in frame.columns else find(frame.columns, name)
        if column is None:
            raise InputError(
                f"no column for {name} among {', '.join(frame.columns)}",
                hint="A pool has the columns query, document and score (or score_1 and score_2).",
            )
        ids = frame[column].cast(pl.String).alias(name)
        if ids.is_null().any() or (ids == "").any():
            row = int((ids.is_null() | (ids == "")).arg_max() or 0)
            raise InputError(f"row {row + 1}: there is no {name}")
        refuse_breaks(ids)
        frame = frame.with_columns(ids)
    _refuse_twice(frame, "")
    return frame


def refuse_breaks(ids: pl.Series) -> None:
    """Refuse ids with line breaks, tabs and the like: in a qrels file one would be several lines, with any grades."""
    broken = ids.str.contains(r"[\p{Cc}\x{2028}\x{2029}]")
    if broken.any():
        row = int(broken.arg_max() or 0)
        problem = (
            f"row {row + 1}: the {ids.name} id {ids[row]!r} holds a line break, a tab or another control character"
        )
        raise InputError(problem, hint="Ids are one word, or a few with blanks between them.")


def _refuse_twice(frame: pl.DataFrame, where: str) -> None:
    if frame.select(pl.struct("query", "document").hash().n_unique()).item() == len(frame):
        return
    # Two documents may share a hash: only ids that are the same are refused.
    twice = frame.select(pl.struct("query", "document").is_first_distinct()).to_series()
    if not twice.all():
        row = int((~twice).arg_max() or 0)
        query, document = frame["query"][row], frame["document"][row]
        raise InputError(f"{where}row {row + 1}: document {document} is listed twice for query {query}")


def _score_columns(frame: pl.DataFrame, scores: str | Sequence[str] | None) -> tuple[str, ...]:
    if scores is not None:
        return (scores,) if isinstance(scores, str) else tuple(scores)
    runs = run_columns(frame.columns)
    if not runs:
        raise InputError(
            f"no column of scores among {', '.join(frame.columns)}",
            hint="Call it score (score_1 and score_2 for two rankers), or name it: scores='bm25'.",
        )
    if len(runs) > 2:
        raise InputError(
            f"the table has {len(runs)} runs ({', '.join(runs)}), and a pool for one value has one or two",
            hint="Name their columns: scores=['rank_bm25', 'rank_dense']. Values of all runs are those of a board.",
        )
    return tuple(runs.values())


def _scores(frame: pl.DataFrame, name: str, *, lone: bool) -> FloatArray:
    """Return the scores of a ranker, NaN for documents that are not in its list; ranks count as negative scores."""
    scores = numbers(frame, name, "scores")
    bad = np.isnan(scores) & (lone | ~frame[name].is_null().to_numpy())
    if bad.any():
        row = int(np.argmax(bad))
        raise InputError(
            f"row {row + 1}: the {name} of document {frame['document'][row]} is not a number",
            hint="Give every document a score. With two lists, an empty cell means: not in this list.",
        )
    return -scores if is_rank(name) else scores


def _ranks(sizes: IndexArray, scores: FloatArray) -> FloatArray:
    """Return the rank of each document in its query's list, equal scores in the order of the input; NaN stays NaN."""
    ranks, starts = np.empty(len(scores)), np.cumsum(sizes) - sizes
    for queries, (rows,) in pad_groups(sizes, scores):
        order = np.argsort(-rows, axis=1, kind="stable")
        ranked = np.empty(rows.shape)
        np.put_along_axis(ranked, order, np.arange(1.0, rows.shape[1] + 1)[np.newaxis], axis=1)
        columns = np.arange(rows.shape[1])
        filled = columns < sizes[queries][:, np.newaxis]
        ranks[(starts[queries][:, np.newaxis] + columns)[filled]] = ranked[filled]
    return np.where(np.isnan(scores), np.nan, ranks)


def with_texts(frame: pl.DataFrame, texts: Any) -> pl.DataFrame:
    """Return the documents with the columns of a table that has a row for each document, or each query and document."""
    read = read_table(texts) if is_path(texts) else as_frame(texts)
    document = find(read.columns, "document")
    if document is None:
        raise InputError(f"no column for document among {', '.join(read.columns)}")
    query = find(read.columns, "query")
    keys = ["document"] if query is None else ["query", "document"]
    renamed = read.rename({document: "document", **({} if query is None else {query: "query"})})
    known = renamed.with_columns(pl.col(keys).cast(pl.String)).unique(keys, keep="first", maintain_order=True)
    if frame.join(known, on=keys, how="semi").is_empty():
        own, other = (" of query ".join(one.select(keys[::-1]).row(0)) for one in (frame, known))
        raise InputError(
            f"the table of documents has none of the pool's: its first is {other}, the pool's {own}",
            hint="Are its ids those of the runs?",
        )
    return frame.join(known, on=keys, how="left", maintain_order="left")
