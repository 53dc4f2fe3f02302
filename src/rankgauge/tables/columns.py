"""The kinds of tables, their columns, and the names that other tools give to the same columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import polars as pl


@dataclass(frozen=True, kw_only=True)
class Table:
    """A kind of table: its name, its required columns and its optional ones."""

    name: str
    required: Mapping[str, pl.DataType]
    optional: Mapping[str, pl.DataType]
    key: tuple[str, ...] = ()
    """The columns that identify a row; repeated documents of a run are found when it is ranked."""

    @property
    def columns(self) -> dict[str, pl.DataType]:
        """Every column that the table may have, with its type."""
        return {**self.required, **self.optional}


TEXT, NUMBER, COUNT = pl.String(), pl.Float64(), pl.Int64()

JUDGMENTS = Table(
    name="judgments",
    required={"query": TEXT, "document": TEXT, "grade": NUMBER},
    optional={"assessor": TEXT},
    key=("query", "document", "assessor"),
)
RUN = Table(
    name="run",
    required={"query": TEXT, "document": TEXT, "score": NUMBER},
    optional={"rank": COUNT},
)

ALIASES: Mapping[str, tuple[str, ...]] = {
    # PyTerrier's frames hold the id in `qid` and the text in `query`; Quepid's only `query`: ids come first.
    "query": ("query_id", "qid", "q_id", "queryid", "topic_id", "query", "topic"),
    # PyTerrier's `docno` is the document's own id and `docid` a number inside the index.
    "document": ("document", "document_id", "doc_id", "docno", "docid", "corpus_id", "doc", "did"),
    "grade": ("grade", "relevance", "label", "rating", "rel", "judgment", "judgement"),
    "score": ("score", "sim"),
    "rank": ("rank",),
    "assessor": ("assessor", "rater", "annotator", "judge"),
}
"""Our column → its names in ir-measures, PyTerrier, BEIR, Quepid and others, the surest first, in any case."""

_RATER = re.compile(r"^(?P<assessor>.+)_(?:rating|grade|label|relevance)$")
_SUMMARIES = {"final", "mean", "average", "avg", "median", "consensus", "overall"}


def find(columns: Iterable[str], name: str) -> str | None:
    """The column that holds what we call `name`, if there is one."""
    spelled = {_plain(column): column for column in reversed(list(columns))}
    return next((spelled[alias] for alias in ALIASES.get(name, (name,)) if alias in spelled), None)


def raters(columns: Iterable[str]) -> dict[str, str]:
    """The columns of a wide table that hold one assessor's grades each: column → assessor."""
    matches = {column: _RATER.match(_plain(column)) for column in columns}
    named = {column: match["assessor"] for column, match in matches.items() if match}
    return {column: assessor for column, assessor in named.items() if assessor not in _SUMMARIES}


def recognise(frame: pl.LazyFrame, table: Table, columns: Iterable[str]) -> pl.LazyFrame:
    """The frame's columns that the table knows, under the table's names; others are left out.

    A judgments table without grades takes them from its assessors' columns (`anna_rating`, `ben_rating`), or else from
    `score`, as BEIR's files call the grade. A run without scores takes the falling rank.
    """
    columns = list(columns)
    found = {name: column for name in table.columns if (column := find(columns, name)) is not None}
    kept = {name: pl.col(column).alias(name) for name, column in found.items()}
    if table is JUDGMENTS and "grade" not in kept:
        if wide := raters(columns):
            return _long(frame.select(*[kept[name] for name in kept if name != "assessor"], *wide), wide)
        if (score := find(columns, "score")) and find(columns, "rank") is None:
            kept["grade"] = pl.col(score).alias("grade")
    if table is RUN and "score" not in kept and "rank" in kept:
        kept["score"] = -pl.col(found["rank"]).cast(NUMBER).alias("score")
    return frame.select(kept[name] for name in table.columns if name in kept)


def _long(frame: pl.LazyFrame, wide: Mapping[str, str]) -> pl.LazyFrame:
    """One row per assessor and document; an empty cell is no judgment."""
    present = frame.collect_schema()
    ids = [name for name in ("query", "document") if name in present]
    return (
        frame.with_row_index("row")
        .unpivot(on=list(wide), index=["row", *ids], variable_name="assessor", value_name="grade")
        .drop_nulls("grade")
        .sort("row", maintain_order=True)
        .select(*ids, "grade", pl.col("assessor").replace_strict(dict(wide), return_dtype=TEXT))
    )


def _plain(column: str) -> str:
    return column.strip().strip("\ufeff").lower().replace("-", "_").replace(" ", "_")
