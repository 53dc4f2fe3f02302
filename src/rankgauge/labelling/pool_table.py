"""A table as a pool: which of its columns are ids, runs, beliefs, a judge's grades and texts, and which say nothing.

A pool that `rankgauge pool make` wrote, a search engine's log and a spreadsheet have columns of other names; this is
where they are recognised, so that whoever makes a campaign can see what each was taken for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from rankgauge import files
from rankgauge.errors import InputError
from rankgauge.files import find, raters
from rankgauge.files.conversion import as_frame
from rankgauge.judgments.llm.machine_judge import judges_in
from rankgauge.labelling.beliefs import belief_columns
from rankgauge.labelling.board import BoardPool
from rankgauge.labelling.pool_rows import TEXTS, is_rank, run_columns

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
        """The table in a file or a frame; the further numbers of a board's documents are not ignored."""
        frame = files.read_table(source) if files.is_path(source) else as_frame(source)
        names = _renamed(frame.columns)
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
        """A run of the table: query, document, score, and the rank if the table states it.

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
            raise unranked(self.frame.columns)
        said = self.frame.drop(*self.runs.values(), *grades_in(self.frame))
        return BoardPool.from_runs({name: self.run(name) for name in self.runs}, texts=said, stated=True, **options)

    def joined(self, documents: pl.DataFrame) -> PoolTable:
        """The table with what another says of its documents; where both have a text, its own."""
        keys = [name for name in KEYS if name in documents.columns]
        told = judges_in(documents) if set(KEYS) <= set(documents.columns) else {}
        names = [name for name in documents.columns if name not in {*KEYS, *told}]
        known = documents.select(*keys, *names).unique(keys, keep="first", maintain_order=True)
        both = [name for name in names if name in self.frame.columns]
        found = self.frame.join(known, on=keys, how="left", maintain_order="left", suffix=OTHER)
        own = [pl.coalesce(name, name + OTHER) if name in TEXTS else pl.col(name) for name in both]
        return replace(self, frame=found.with_columns(own).drop([name + OTHER for name in both]))


def _renamed(columns: Sequence[str]) -> dict[str, str]:
    """The columns that have another name with us, and ours."""
    found = {column: name for name in KEYS if (column := find(columns, name)) is not None}
    # PyTerrier's tables have the query's id in `qid` and its text in `query`.
    if found.get("query") is None and "query" in columns and "query" in found.values():
        found["query"] = "query_text"
    taken = {*columns, *found.values()}
    plain = {column.lower().replace(" ", "_"): column for column in columns if column not in found}
    for name, others in OTHERS.items():
        known = next((plain[other] for other in (name, *others) if other in plain), None)
        if known is not None and known != name and name not in taken:
            found[known] = name
    return found


def _words(frame: pl.DataFrame, runs: Mapping[str, str], *, board: bool) -> Iterator[tuple[str, str]]:
    """What columns hold that are no texts."""
    yield from ((name, f"the {name}'s id") for name in KEYS)
    for run, column in runs.items():
        yield column, f"{'ranks' if is_rank(column) else 'scores'} of {run}"
    yield from ((column, f"belief: the chance of grade {grade:g}") for grade, column in belief_columns(frame).items())
    told = judges_in(frame)
    yield from ((column, "a judge's grades: beliefs, never labels") for column in told)
    if board:
        numbers = [name for name, kind in frame.schema.items() if kind.is_numeric()]
        known = {*KEYS, *runs.values(), *belief_columns(frame).values(), *told, *WORDS, *grades_in(frame)}
        yield from ((name, "a number that may tell relevant documents") for name in numbers if name not in known)


def grades_in(frame: pl.DataFrame) -> list[str]:
    """The columns that hold people's grades: neither beliefs nor labels of a new campaign."""
    grade = find(frame.columns, "grade")
    people = [column for column in raters(frame.columns) if column not in judges_in(frame)]
    return [*([] if grade is None else [grade]), *people]


def document_table(source: Any) -> tuple[pl.DataFrame, tuple[ColumnRole, ...]]:
    """A table of documents under our names, with a query in each row or the same for all, and its columns' roles."""
    frame = files.read_table(source) if files.is_path(source) else as_frame(source)
    of_all = find(frame.columns, "query") is None
    table = PoolTable.of(frame.with_columns(query=pl.lit("")) if of_all else frame, board=True)
    roles = tuple(role for role in table.roles if role.name in frame.columns)
    return table.frame.drop("query") if of_all else table.frame, roles


def unranked(columns: Sequence[str]) -> InputError:
    """The error where a table has no run."""
    return InputError(
        f"no column of ranks or scores among {', '.join(columns)}",
        hint="Call it score or rank; for several runs rank_NAME or score_NAME.",
    )


def _role(frame: pl.DataFrame, name: str, shown: str, words: str) -> ColumnRole:
    first = frame[name].drop_nulls().head(1).to_list()
    return ColumnRole(name=shown, words=words, example=str(first[0])[:80] if first else "")
