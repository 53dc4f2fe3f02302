"""The documents of queries on a page: the first of each run side by side with their grades, and relevant ones below."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rankgauge.errors import printable
from rankgauge.lazy_polars import pl
from rankgauge.render.passages import Labelled, Paragraph, Passage, ReportTable

if TYPE_CHECKING:
    from rankgauge.evaluation.document_lists import DocumentLists

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
        tops = {run: [self._cells(row) for row in self._tops[run].get(query, ())] for run in self.runs}
        if not any(tops.values()):
            yield Paragraph("No run has a document for it." if self.several else "The run has no document for it.")
        else:
            yield self._side_by_side(tops)
        yield from (Paragraph(words) for words in self._missed(query))

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

    def _cells(self, row: dict[str, Any]) -> tuple[str | Labelled, str]:
        """A document, with a mark if its score is tied, and its grade."""
        mark, title = " =" if row["tied"] > 1 else "", self.lists.titles.get(row["document"])
        shown = labelled(title, row["document"], mark) if title else row["document"] + mark
        return shown, _grade(row["grade"])

    def _side_by_side(self, tops: dict[str, list[tuple[str | Labelled, str]]]) -> ReportTable:
        depth = max(map(len, tops.values()))
        rows = [
            (str(at + 1), *(cell for top in tops.values() for cell in (top[at] if at < len(top) else ("", ""))))
            for at in range(depth)
        ]
        names = self.runs if self.several else ["document"]
        return ReportTable(header=("rank", *(cell for name in names for cell in (name, "grade"))), rows=rows)

    def _missed(self, query: str) -> Iterator[str]:
        """By run, the best documents that are not among those shown, and where they are."""
        for run in self.runs:
            if best := self._below[run].get(query):
                told = ", ".join(map(self._placed, best[:MISSED]))
                more = f", and {len(best) - MISSED} more" if len(best) > MISSED else ""
                of = f" in {run}" if self.several else ""
                yield f"Relevant, but not at the top{of}: {told}{more}."

    def _placed(self, row: dict[str, Any]) -> str:
        """A document with its grade and its rank."""
        where = "not retrieved" if row["rank"] is None else f"rank {row['rank']:,}"
        title = self.lists.titles.get(row["document"])
        called = f"“{shortened(title)}” {row['document']}" if title else row["document"]
        return f"{called} (grade {_grade(row['grade'])}, {where})"


def labelled(text: str, id: str, mark: str = "") -> Labelled:
    """What people call a query or a document, cut short, with its id and maybe a mark behind it."""
    return Labelled(words=shortened(text), id=printable(id) + mark)


def shortened(text: str) -> str:
    """A text from a file in one line, cut short; control characters are spelled out."""
    line = printable(" ".join(text.split()))
    return line if len(line) <= LONGEST else line[: LONGEST - 1].rstrip() + "…"


def _by_query(frame: pl.DataFrame) -> Rows:
    rows: Rows = {}
    for row in frame.iter_rows(named=True):
        rows.setdefault(row["query"], []).append(row)
    return rows


def _grade(grade: float | None) -> str:
    return UNJUDGED if grade is None else f"{grade:g}"
