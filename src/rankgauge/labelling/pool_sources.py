"""What a campaign is planned from (runs or a table, judges, documents, earlier judgments), and what follows from it.

The command line and the judging room plan by the same rules: which grades people give, how deep lists are pooled, and
whether one value or a board of runs is estimated, wherever nobody says so.

A pool that `rankgauge pool make` wrote, a search engine's log and a spreadsheet have columns of other names; this is
where ids, runs, beliefs, a judge's grades and texts are recognised, so that whoever makes a campaign can see what each
column was taken for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import polars as pl

from rankgauge import files
from rankgauge.errors import InputError, RankGaugeError, UnknownNameError
from rankgauge.evaluation.notes import shorten_list
from rankgauge.files import find
from rankgauge.files.conversion import as_frame
from rankgauge.input_notes import note
from rankgauge.judgments.llm.asking.pairs import headless
from rankgauge.judgments.llm.machine_judge import MachineJudge, judges_in, read_judges
from rankgauge.labelling.beliefs import belief_columns
from rankgauge.labelling.board import BoardPool
from rankgauge.labelling.board.target import BoardTarget
from rankgauge.labelling.pool import Pool, PooledDocuments
from rankgauge.labelling.pool_rows import TEXTS, is_rank, run_columns, telling_numbers
from rankgauge.labelling.posterior.plan import serves
from rankgauge.measures import parse
from rankgauge.measures.measure import DEFAULTS
from rankgauge.render.numbers import count

KEYS = ("query", "document")

OTHER = " of the other"
"""The end of a column's name while two tables are joined."""

OTHERS: Mapping[str, tuple[str, ...]] = {
    "query_text": ("query_string", "querytext", "search_term", "keywords"),
    "title": ("name", "heading", "headline", "product_title", "product_name"),
    "text": ("description", "body", "content", "passage", "snippet", "abstract", "product_description"),
    "url": ("link", "document_url", "doc_url"),
}
"""What assessors read, and what other tools call it."""

WORDS: Mapping[str, str] = {
    "query_text": "the query's text",
    "title": "the document's title",
    "text": "the document's text",
    "url": "the document's address",
    "cost": "the cost of judging the document",
    "overhead": "the cost of opening the query",
}


@dataclass(frozen=True, kw_only=True)
class ColumnRole:
    """A column, and what it was taken for; nothing if it is ignored."""

    name: str
    words: str
    example: str

    @property
    def ignored(self) -> bool:
        """Whether nothing is made of the column."""
        return not self.words


@dataclass(frozen=True, kw_only=True, eq=False)
class PoolTable:
    """A table with a row for each query and document, under our names, and what its columns were taken for."""

    frame: pl.DataFrame
    runs: Mapping[str, str]
    """The columns of ranks or scores, by run."""
    roles: tuple[ColumnRole, ...]

    @classmethod
    def of(cls, source: Any, *, board: bool = False) -> PoolTable:
        """Return the table in a file or a frame; the further numbers of a board's documents are not ignored."""
        frame = files.read_table(source) if files.is_path(source) else as_frame(source)
        names = _rename_columns(frame.columns)
        for name in KEYS:
            if name not in names.values():
                raise InputError(
                    f"no column for {name} among {', '.join(frame.columns)}",
                    path=source if files.is_path(source) else None,
                    hint="A pool has a row for each query and document, with the columns query and document.",
                )
        kept = frame.rename(names).with_columns(pl.col(KEYS).cast(pl.String))
        runs = run_columns(kept.columns)
        words = {**WORDS, **dict(_words(kept, runs, board=board))}
        before = {now: then for then, now in names.items()}
        roles = [_role(kept, name, before.get(name, name), words.get(name, "")) for name in kept.columns]
        return cls(frame=kept, runs=runs, roles=tuple(roles))

    @property
    def grades(self) -> tuple[float, ...]:
        """The grades of its beliefs, ascending; none if it has no beliefs."""
        return tuple(belief_columns(self.frame))

    @property
    def texts(self) -> list[str]:
        """The columns that assessors read."""
        return [name for name in TEXTS if name in self.frame.columns]

    def run(self, name: str) -> pl.DataFrame:
        """Return a run of the table: query, document, score, and the rank if the table states it.

        Documents without a rank or score are not in it.
        """
        column = self.runs[name]
        number = pl.col(column).cast(pl.Float64)
        listed = self.frame.filter(pl.col(column).is_not_null())
        if not is_rank(column):
            return listed.select(*KEYS, score=number)
        return listed.select(*KEYS, score=-number, rank=number.cast(pl.Int64))

    def board_pool(self, **options: Any) -> BoardPool:
        """The pool of a board of all its runs; what it says of its documents beside ranks and people's grades helps."""
        if not self.runs:
            raise lacks_run(self.frame.columns)
        runs = {name: self.run(name) for name in self.runs}
        return BoardPool.from_runs(runs, texts=self.frame, stated=True, **options)

    def join(self, documents: pl.DataFrame) -> PoolTable:
        """Return the table with what another says of its documents; where both have a text, its own."""
        keys = [name for name in KEYS if name in documents.columns]
        told = judges_in(documents) if set(KEYS) <= set(documents.columns) else {}
        names = [name for name in documents.columns if name not in {*KEYS, *told}]
        known = documents.select(*keys, *names).unique(keys, keep="first", maintain_order=True)
        both = [name for name in names if name in self.frame.columns]
        joined = self.frame.join(known, on=keys, how="left", maintain_order="left", suffix=OTHER)
        own = [pl.coalesce(name, name + OTHER) if name in TEXTS else pl.col(name) for name in both]
        return replace(self, frame=joined.with_columns(own).drop([name + OTHER for name in both]))


def _rename_columns(columns: Sequence[str]) -> dict[str, str]:
    """Return the columns that have another name with us, and ours."""
    renamed = {column: name for name in KEYS if (column := find(columns, name)) is not None}
    # PyTerrier's tables have the query's id in `qid` and its text in `query`.
    if renamed.get("query") is None and "query" in columns and "query" in renamed.values():
        renamed["query"] = "query_text"
    taken = {*columns, *renamed.values()}
    plain = {column.lower().replace(" ", "_"): column for column in columns if column not in renamed}
    for name, others in OTHERS.items():
        known = next((plain[other] for other in (name, *others) if other in plain), None)
        if known is not None and known != name and name not in taken:
            renamed[known] = name
    return renamed


def _words(frame: pl.DataFrame, runs: Mapping[str, str], *, board: bool) -> Iterator[tuple[str, str]]:
    """Yield what columns hold that are no texts."""
    yield from ((name, f"the {name}'s id") for name in KEYS)
    for run, column in runs.items():
        yield column, f"{'ranks' if is_rank(column) else 'scores'} of {run}"
    yield from ((column, f"belief: the chance of grade {grade:g}") for grade, column in belief_columns(frame).items())
    told = judges_in(frame)
    yield from ((column, "a judge's grades: beliefs, never labels") for column in told)
    if board:
        believed = set(belief_columns(frame).values())
        numbers = [column.name for column in telling_numbers(frame) if column.name not in believed]
        yield from ((name, "a number that may tell relevant documents") for name in numbers)


def document_table(source: Any) -> tuple[pl.DataFrame, tuple[ColumnRole, ...]]:
    """A table of documents under our names, with a query in each row or the same for all, and its columns' roles."""
    frame = headless("document", source)
    if frame is None:
        frame = files.read_table(source) if files.is_path(source) else as_frame(source)
    of_all = find(frame.columns, "query") is None
    table = PoolTable.of(frame.with_columns(query=pl.lit("")) if of_all else frame, board=True)
    roles = tuple(role for role in table.roles if role.name in frame.columns)
    _note_other_texts(table.frame, source)
    return table.frame.drop("query") if of_all else table.frame, roles


def _note_other_texts(frame: pl.DataFrame, source: Any) -> None:
    """Say that documents come twice with texts that differ, of which assessors see the first."""
    read = [name for name in TEXTS if name in frame.columns]
    twice = frame.select(*KEYS, *read).unique(maintain_order=True)
    twice = twice.filter(pl.struct(KEYS).is_duplicated()).unique(KEYS, maintain_order=True)
    if len(twice):
        told = f"{count(len(twice), 'document comes', 'documents come')} twice or more with different texts, of which"
        note(
            f"{told} the first counts: {shorten_list(twice['document'].to_list())}",
            source if files.is_path(source) else None,
        )


def lacks_run(columns: Sequence[str]) -> InputError:
    """Return the error where a table has no run."""
    return InputError(
        f"no column of ranks or scores among {', '.join(columns)}",
        hint="Call it score or rank; for several runs rank_NAME or score_NAME.",
    )


def _role(frame: pl.DataFrame, name: str, shown: str, words: str) -> ColumnRole:
    first = frame[name].drop_nulls().head(1).to_list()
    return ColumnRole(name=shown, words=words, example=str(first[0])[:80] if first else "")


LARGEST_SCALE = 20
"""With more different grades a judge's own are no scale for people to judge on."""

USUAL_GRADES = (0.0, 1.0, 2.0, 3.0)
"""The scale where neither beliefs nor judges nor earlier judgments show one."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PoolSources:
    """The runs by name (paths, frames) or a pool's table, and what else is known of their documents and queries."""

    runs: Mapping[str, Any] = field(default_factory=dict)
    table: PoolTable | None = None
    judges: tuple[MachineJudge, ...] = ()
    documents: Any = None
    judged: Any = None
    query_texts: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The runs, in the order of the files or columns."""
        return tuple(self.runs) or (() if self.table is None else tuple(self.table.runs))

    @cached_property
    def usual_grades(self) -> tuple[tuple[float, ...], str]:
        """The scale that people judge on unless another is named, ascending, and where it comes from."""
        if self.table is not None and self.table.grades:
            return self.table.grades, "those of the table's beliefs"
        judged = set() if self.judged is None else {max(grade, 0.0) for grade in self._judged_grades()}
        told = [set(judge.grades) for judge in (*self.judges, *self.told_judges())]
        scales = [scale for scale in (judged, *told) if scale and _is_scale(scale)]
        if scales:
            highest = max(1, *(int(max(scale)) for scale in scales))
            who = " and ".join(["earlier judgments"] * _is_scale(judged) + ["the judge"] * any(map(_is_scale, told)))
            return tuple(float(grade) for grade in range(highest + 1)), f"as {who} grade{'s' * who.endswith('judge')}"
        if judged:
            return tuple(sorted({0.0, *judged})), "those of earlier judgments"
        return USUAL_GRADES, "as nothing says which grades people give"

    def usual_depth(self, measures: Sequence[str]) -> int | None:
        """How deep lists are pooled unless another depth is named: as deep as the measures look; None: completely."""
        cutoffs = [getattr(parse(name), "cutoff", None) for name in measures]
        known = [cutoff for cutoff in cutoffs if cutoff is not None]
        return max(known) if self.table is None and len(known) == len(cutoffs) > 0 else None

    def is_board(
        self, measures: Sequence[str], goal: str | None = None, *, depth: int | None = None, alone: bool = False
    ) -> bool:
        """Say whether these files and measures take a board: the other methods estimate one value of one or two runs.

        Where they could give it as well, runs whose pool the posterior serves take a board too: it needs fewer labels.
        `alone` says that something is asked for that only the other methods have.
        """
        needs = len(self.names) > 2 or len(measures) > 1 or goal is not None or self.judged is not None
        needs = needs or any(parse(name).bound(DEFAULTS).form() is None for name in measures)
        return needs or (not (alone or self.table is not None) and self._is_served(measures, depth))

    def _is_served(self, measures: Sequence[str], depth: int | None) -> bool:
        try:
            pool, grades = self.board_pool(measures, cost=None, depth=depth), np.array(self.usual_grades[0])
            return serves(pool, [BoardTarget.for_any_measure(name, pool, grades=grades) for name in measures])
        except RankGaugeError:
            return False  # whoever makes the pool says what is wrong with it

    def pool(self, *, grades: Sequence[float] | np.ndarray | None, cost: str | None, depth: int | None) -> Pool:
        """Return the pool for one value."""
        options: dict[str, Any] = {"grades": grades, "cost": cost, "depth": depth}
        if self.table is not None:
            columns = list(self.table.runs.values())
            if not columns:
                raise lacks_run(self.table.frame.columns)
            pool = Pool.of(self.table.frame, scores=columns, **options)
        else:
            pool = Pool.from_runs(*self.runs.values(), texts=self.documents, **options)
        pool = pool.with_query_texts(self.query_texts)
        return pool.judged_by({judge.name: judge for judge in self.judges}) if self.judges else pool

    def board_pool(self, measures: Sequence[str], *, cost: str | None, depth: int | None) -> BoardPool:
        """Return the pool for a board of runs, as deep as the measures look unless a depth is given."""
        options: dict[str, Any] = {
            "depth": self.usual_depth(measures) if depth is None else depth,
            "also": self.judged,
            "judges": {judge.name: judge for judge in self.judges},
            "cost": cost,
        }
        if self.table is not None:
            pool = self.table.board_pool(**options)
        else:
            pool = BoardPool.from_runs(self.runs, texts=self.documents, **options)
        return pool.with_query_texts(self.query_texts)

    def told_judges(self) -> tuple[MachineJudge, ...]:
        """Return the judges whose grades are columns of a table."""
        frames = [self.table.frame if self.table is not None else None, self.documents]
        told = [
            judges_in(frame)
            for frame in frames
            if hasattr(frame, "columns") and set(KEYS) <= set(getattr(frame, "columns", ()))
        ]
        return tuple(judge for named in told for judge in read_judges(named))

    def judged_elsewhere(self, queries: Iterable[str]) -> str | None:
        """Return how many earlier judgments are of queries that the pool lacks, and of which; None if none is."""
        if self.judged is None:
            return None
        judged, pooled = files.judgments_from(self.judged), pl.Series("query", list(queries), dtype=pl.String)
        lost = judged.filter(~pl.col("query").is_in(pooled.implode()))
        if not len(lost):
            return None
        told = count(len(lost), "earlier judgment is", "earlier judgments are")
        names = lost["query"].unique(maintain_order=True).to_list()
        what = "a query" if len(names) == 1 else "queries"
        return f"{told} of {what} that no run answers, and left out: {shorten_list(names)}"

    def _judged_grades(self) -> list[float]:
        return [float(grade) for grade in files.judgments_from(self.judged)["grade"].unique().to_list()]


def _is_scale(grades: set[float]) -> bool:
    """Say whether these are whole numbers that people could choose among."""
    return bool(grades) and all(grade == int(grade) for grade in grades) and max(grades) <= LARGEST_SCALE


UNITS: dict[str, tuple[Callable[[PooledDocuments], float], str]] = {
    "document": (lambda pool: float(pool.costs.mean()), "a document costs 1 on average"),
    "query": (lambda pool: float(pool.query_costs.mean()), "a query costs 1 on average"),
    "none": (lambda pool: 1.0, "costs as given in the pool"),
}
"""By name the size of a unit in the pool's own costs, and what it is in words."""

P = TypeVar("P", Pool, BoardPool)


def in_units(pool: P, unit: str, overhead: float | None = None) -> tuple[P, str]:
    """The pool with its costs in the unit, and what they are in words; `overhead` is the cost of opening a query, in
    documents."""
    if unit not in UNITS:
        raise UnknownNameError("unit", unit, UNITS)
    if overhead is not None:
        opening = np.full(len(pool.queries), overhead * float(pool.costs.mean()))
        pool = pool.with_costs(pool.costs, opening)
    measured, words = UNITS[unit]
    size = measured(pool)
    return (pool if size == 1.0 else pool.with_costs(pool.costs / size, pool.overhead / size)), words
