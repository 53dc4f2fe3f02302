"""What a page says of every query of a comparison: its values, and its documents run beside run, the largest first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from rankgauge.evaluation.query_documents import BESIDE, TOP, QueryDocuments, labelled, shortened
from rankgauge.numeric import FloatArray
from rankgauge.render.numbers import count, number, signed
from rankgauge.render.passages import Details, Heading, Labelled, Paragraph, Passage
from rankgauge.render.table import Column, ReportTable

if TYPE_CHECKING:
    from rankgauge.comparison.report import ComparisonReport

DETAILED = 1000
"""How many queries are shown with their documents at most: those that differ most."""

FIRST, NEXT = 10, 50
"""How many queries of a group are listed at once, and how many more a reader unfolds at a time."""

LISTS = f"Unfold a query to see the first {TOP} documents of each run and their grades; = marks documents of one score."


class ComparisonPage:
    """Every query of a comparison, from its report."""

    def __init__(self, report: ComparisonReport) -> None:
        self.report, self.comparison = report, report.comparison

    def passages(self) -> Iterator[Passage]:
        """Show the queries by the size of their differences, each with its documents, then all as a table."""
        if not self.comparison.queries:
            return
        measure = self.comparison.measures[0]
        yield Heading("Every query", hint=f"By {measure}, the largest difference first. {self._limits()}")
        for title, places in self._groups().items():
            if places:
                yield Heading(f"{title}: {count(len(places), 'query', 'queries')}", level=3)
                yield from self._fold([self._query(place) for place in places])
        left_out = len(self.order) - DETAILED
        yield Details(f"all {count(len(self.order), 'query', 'queries')} as a table", [self._table()])
        if left_out > 0:
            yield Paragraph(f"{count(left_out, 'query', 'queries')} with smaller differences: in the table alone.")

    @cached_property
    def order(self) -> list[int]:
        """The places of the queries, the largest difference of any pair first."""
        sizes = np.nan_to_num(np.abs(self.comparison.differences[0]), nan=0.0).max(axis=1)
        return [int(place) for place in np.argsort(-sizes, kind="stable")]

    @cached_property
    def shown(self) -> list[str]:
        """The runs that are shown side by side: the baseline first, then the others as they were given."""
        base = [*self.comparison.bases]
        return [*base, *(run for run in self.comparison.runs if run not in base)][:BESIDE]

    @cached_property
    def documents(self) -> QueryDocuments | None:
        """The documents of the queries that differ most, where the files can be read once more."""
        queries = [self.comparison.queries[place] for place in self.order[:DETAILED]]
        lists = self.report.documents(queries, self.shown) if self.report.documents else None
        return None if lists is None else QueryDocuments(lists, self.shown, several=True)

    def _limits(self) -> str:
        runs = len(self.comparison.runs)
        some = f" The first {len(self.shown)} of {runs} runs are shown." if runs > len(self.shown) else ""
        once = "Documents are not shown: the files can be read only once." if self.report.documents else ""
        return (LISTS if self.documents else once) + some

    def _groups(self) -> dict[str, list[int]]:
        """The queries to show, by what became of them where there is but one pair of runs."""
        places = self.order[:DETAILED]
        differences = self.comparison.differences[0]
        if differences.shape[1] > 1:
            return {"Queries": places}
        better = self.comparison.measures[0].facts.more_is_better
        names = ("Worse", "Better") if better else ("Lower", "Higher")
        signs = np.sign(differences[:, 0])
        groups = {name: [at for at in places if signs[at] == sign] for name, sign in zip(names, (-1, 1), strict=True)}
        groups["No difference"] = [at for at in places if signs[at] == 0]
        return {**groups, "Without a value in one of the runs": [at for at in places if np.isnan(signs[at])]}

    def _fold(self, queries: Sequence[Passage]) -> Iterator[Passage]:
        """The first queries, and the others behind headings to unfold."""
        yield from queries[:FIRST]
        for start in range(FIRST, len(queries), NEXT):
            part = queries[start : start + NEXT]
            yield Details(f"queries {start + 1} to {start + len(part)} of {len(queries)}", part)

    def _query(self, place: int) -> Passage:
        query = self.comparison.queries[place]
        told = [self._tell_values(row, place) for row in range(len(self.comparison.measures))]
        others = [f"{measure} {words}" for measure, words in zip(self.comparison.measures[1:], told[1:], strict=True)]
        below: list[Passage] = [Paragraph(", ".join(others) + ".")] if others else []
        if self.documents is not None:
            below += self.documents.passages(query)
        named = self._named(query)
        return Details(told[0], below, named=named) if below else Paragraph(f"{named}: {told[0]}")

    def _named(self, query: str) -> Labelled:
        text = self.report.texts.get(query)
        return labelled(text, query) if text else Labelled(words=shortened(query))

    def _tell_values(self, row: int, place: int) -> str:
        """The values of a query: from the run that is held against to the other, or one after the other."""
        values, (run, other) = self.comparison.values[row][place], self.comparison.paired
        if len(run) == 1:
            change = signed(float(self.comparison.differences[row][place][0]))
            return f"{number(values[other[0]])} → {number(values[run[0]])} ({change})"
        runs = self.comparison.runs
        return ", ".join(f"{name} {number(values[runs.index(name)])}" for name in self.shown)

    def _table(self) -> ReportTable:
        """Both values of every query, or those of all runs."""
        runs, texts = self.comparison.runs, self.report.texts
        pair = self.comparison.differences[0].shape[1] == 1
        columns = (
            Column("query"),
            *((Column("text", format=shortened, left=True),) if texts else ()),
            *(Column(run, format=number) for run in runs),
            *((Column("difference", format=signed),) if pair else ()),
        )
        rows = [(query, *((texts.get(query, ""),) if texts else ()), *values) for query, values in self._values(pair)]
        return ReportTable(columns=columns, rows=rows, prose="text" if texts else "", sortable=True)

    def _values(self, pair: bool) -> Iterator[tuple[str, list[float]]]:
        values: FloatArray = self.comparison.values[0]
        for place in self.order:
            change = [float(self.comparison.differences[0][place][0])] if pair else []
            yield self.comparison.queries[place], [*values[place].tolist(), *change]
