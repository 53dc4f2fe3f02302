"""The documents of queries: ranked lists with the ids that hits do not carry, and on a page the first of each run side
by side with their grades, and relevant ones below.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import zip_longest
from typing import Any

import numpy as np

from rankgauge.dialects import Dialect
from rankgauge.errors import UngroupedError, printable
from rankgauge.lazy_polars import pl
from rankgauge.policies import Unjudged
from rankgauge.ranking.frames import name_copies, rank
from rankgauge.ranking.hits import Ranking
from rankgauge.render.passages import Cell, Labelled, Paragraph, Passage
from rankgauge.render.table import Column, ReportTable

TOP = 10
"""How many documents of a list are shown."""

MISSED = 5
"""How many relevant documents that are not among them are named."""

BESIDE = 4
"""How many runs are shown side by side where documents are listed, and drawn where values spread."""

LONGEST = 100
"""After how many characters a title or a query's text is cut short."""

UNJUDGED = "not judged"

Rows = dict[str, list[dict[str, Any]]]
"""Some documents by query."""


class QueryDocuments:
    """The documents of some queries in the runs that are shown."""

    def __init__(self, lists: DocumentLists, runs: Sequence[str], *, several: bool) -> None:
        self.lists, self.runs, self.several = lists, runs, several

    def passages(self, query: str) -> Iterator[Passage]:
        """Show the first documents of a query, run beside run, and name the relevant ones that are not among them."""
        tops = [self._tops[run].get(query, []) for run in self.runs]
        if not any(tops):
            yield Paragraph("No run has a document for it." if self.several else "The run has no document for it.")
        else:
            yield self._side_by_side(tops)
        yield from (Paragraph(words) for words in self._best_missed(query))

    @cached_property
    def _tops(self) -> dict[str, Rows]:
        tops = {run: self.lists.runs[run].filter(pl.col("rank") <= TOP).sort("query", "rank") for run in self.runs}
        return {run: _by_query(frame) for run, frame in tops.items()}

    @cached_property
    def _below(self) -> dict[str, Rows]:
        """By run, the relevant documents that are not at the top, the best first."""
        pool, key = self.lists.judged.filter(pl.col("grade") > 0), ["query", "document"]
        below = {}
        for run in self.runs:
            ranks = self.lists.runs[run].select(*key, "rank")
            placed = pool.join(ranks, on=key, how="left", maintain_order="left")
            missed = placed.filter(pl.col("rank").is_null() | (pl.col("rank") > TOP))
            below[run] = _by_query(missed.sort("grade", descending=True, maintain_order=True))
        return below

    def _side_by_side(self, tops: Sequence[list[dict[str, Any]]]) -> ReportTable:
        """Show the lists beside each other: documents, with a mark if a score is tied, and their grades."""
        beside = enumerate(zip_longest(*tops), 1)
        rows = [(rank, *(document for document in documents for _ in ("name", "grade"))) for rank, documents in beside]
        names = self.runs if self.several else ["document"]
        pairs = (
            (Column(name, format=self._document, left=True), Column("grade", format=_listed_grade, left=True))
            for name in names
        )
        rank = Column("rank", format=str, left=True)
        return ReportTable(columns=(rank, *(column for pair in pairs for column in pair)), rows=rows)

    def _document(self, row: dict[str, Any] | None) -> Cell:
        if row is None:
            return ""
        mark, title = " =" if row["tied"] > 1 else "", self.lists.titles.get(row["document"])
        return label_with_id(title, row["document"], mark) if title else f"{row['document']}{mark}"

    def _best_missed(self, query: str) -> Iterator[str]:
        """Yield, by run, the best documents that are not among those shown, and where they are."""
        for run in self.runs:
            if best := self._below[run].get(query):
                told = ", ".join(map(self._document_cell, best[:MISSED]))
                more = f", and {len(best) - MISSED} more" if len(best) > MISSED else ""
                of = f" in {run}" if self.several else ""
                yield f"Relevant, but not at the top{of}: {told}{more}."

    def _document_cell(self, row: dict[str, Any]) -> str:
        """Return a document with its grade and its rank."""
        where = "not retrieved" if row["rank"] is None else f"rank {row['rank']:,}"
        title = self.lists.titles.get(row["document"])
        called = f"“{shorten(title)}” {row['document']}" if title else row["document"]
        return f"{called} (grade {_grade(row['grade'])}, {where})"


def label_with_id(text: str, id: str, mark: str = "") -> Labelled:
    """Return what people call a query or a document, cut short, with its id and maybe a mark behind it."""
    return Labelled(words=shorten(text), id=printable(id) + mark)


def shorten(text: str) -> str:
    """Return a text from a file in one line, cut short; control characters are spelled out."""
    line = printable(" ".join(text.split()))
    return line if len(line) <= LONGEST else line[: LONGEST - 1].rstrip() + "…"


def _by_query(frame: pl.DataFrame) -> Rows:
    rows: Rows = {}
    for row in frame.iter_rows(named=True):
        rows.setdefault(row["query"], []).append(row)
    return rows


def _listed_grade(row: dict[str, Any] | None) -> str:
    return "" if row is None else _grade(row["grade"])


def _grade(grade: float | None) -> str:
    return UNJUDGED if grade is None else f"{grade:g}"


@dataclass(frozen=True, kw_only=True, eq=False)
class DocumentLists:
    """Some queries' documents."""

    runs: Mapping[str, pl.DataFrame]
    """By run: query, rank, document, score, grade (null where nobody judged), tied."""
    judged: pl.DataFrame
    """All that are judged: query, document, grade."""
    titles: Mapping[str, str] = field(default_factory=dict)
    """What documents are called, by id, where it is known."""


def document_lists(
    judgments: Any, runs: Mapping[str, Any], dialect: Dialect, queries: Sequence[str]
) -> DocumentLists | None:
    """Return the documents of the queries in the order in which the dialect ranks them; None if there are no runs."""
    asked, lists, judged = pl.col("query").is_in(list(queries)), {}, None
    for name, run in runs.items():
        pool, ranked = _read(judgments, run, dialect, asked)
        judged = dialect.prepare(pool).filter(asked)
        lists[name] = ranked_documents(ranked.filter(asked), judged, dialect.ranking)
    return None if judged is None else DocumentLists(runs=lists, judged=judged)


def _read(judgments: Any, run: Any, dialect: Dialect, asked: pl.Expr) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return judgments and run; of a large run only what is asked for is kept."""
    from rankgauge import files

    if files.is_path(judgments) and files.is_path(run) and files.is_large(run):
        with suppress(UngroupedError):
            return files.read_judgments(judgments), pl.concat([batch.filter(asked) for batch in files.stream_run(run)])
    return files.pair_from(judgments, run, dialect.reading)


def ranked_documents(run: pl.DataFrame, judgments: pl.DataFrame, how: Ranking) -> pl.DataFrame:
    """A row per retrieved document: query, rank, document, score, grade (null: not judged), size of its tie group.

    The run is ranked with a number for each document in place of its grade; the numbers rise with the grades and
    begin with the unjudged, as `best` and `worst` orders look at the grades.
    """
    judged = judgments.unique(["query", "document"], keep="first", maintain_order=True)
    graded = run.join(judged, on=["query", "document"], how="left", maintain_order="left")
    graded = name_copies(graded, how.duplicates)
    if how.unjudged is Unjudged.SKIP:
        graded = graded.filter(pl.col("grade").is_not_null())
    place = graded["grade"].fill_null(-np.inf).rank("ordinal").cast(pl.Float64)
    marked = graded.select("query", "document", pl.lit(place).alias("grade"))
    shown = replace(how, unjudged=Unjudged.NOT_RELEVANT)
    hits = rank(graded.select("query", "document", "score"), marked, shown)
    rows = pl.DataFrame({"place": hits.grade, "rank": hits.rank.astype(np.int64), "tied": hits.size.astype(np.int64)})
    ranked = rows.join(graded.with_columns(place=place), on="place", how="left", maintain_order="left")
    return ranked.select("query", "rank", "document", "score", "grade", "tied")
