"""What a page says of an evaluation beyond the means: how values spread, the worst and best queries, every query."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from rankgauge.evaluation.query_documents import BESIDE, TOP, QueryDocuments, label_with_id, shorten
from rankgauge.measures import Aggregate, Measure
from rankgauge.numeric import BoolArray, FloatArray
from rankgauge.render.numbers import count, value
from rankgauge.render.passages import Details, Figure, Heading, Labelled, Paragraph, Passage
from rankgauge.render.svg import WIDTH, Axis, Drawing, margin, short, ticks
from rankgauge.render.table import Column, ReportTable

if TYPE_CHECKING:
    from rankgauge.evaluation.report import EvaluationReport

EXTREMES = 5
"""How many of the worst and of the best queries are shown with their documents."""

CELLS = 200_000
"""How many values a page lists at most: browsers are slow with more."""

SPREAD = "For each tenth of the range, how many queries have a value in it; the line is the mean, and its value beside."
LISTS = f"Unfold a query to see the first {TOP} documents with their grades; = marks documents of the same score."
VALUES = "Press a heading to sort by its column."


class EvaluationPage:
    """The parts of the page, from a report."""

    def __init__(self, report: EvaluationReport) -> None:
        self.report = report

    def passages(self) -> Iterator[Passage]:
        """Yield how values spread, the extremes, and every query."""
        if any(self._spread_measures()):
            yield Heading("How values spread over the queries", hint=SPREAD + self._shown_of())
        yield from (Figure(str(measure), spread(measure, self._columns(at))) for at, measure in self._spread_measures())
        yield from self._extremes()
        yield Heading("Every query", hint=VALUES)
        yield from self._values()

    @cached_property
    def queries(self) -> list[str]:
        """The queries of all runs, in their order."""
        return list(dict.fromkeys(query for result in self.report.results.values() for query in result.names))

    @cached_property
    def cube(self) -> FloatArray:
        """The values (queries × runs × measures); NaN where there is none."""
        place = {query: at for at, query in enumerate(self.queries)}
        values = np.full((len(place), len(self.report.results), len(self.report.measures)), np.nan)
        for at, result in enumerate(self.report.results.values()):
            values[[place[query] for query in result.names], at] = result.matrix
        return values

    @cached_property
    def shown(self) -> list[str]:
        """The runs that are shown side by side: the best by the main measure, in the order in which they were given."""
        runs = list(self.report.results)
        means = np.nan_to_num([self.report.results[run][self.report.measures[self.main]] for run in runs], nan=-np.inf)
        best = set(np.argsort(-means, kind="stable")[:BESIDE].tolist())
        return [run for at, run in enumerate(runs) if at in best]

    @cached_property
    def main(self) -> int:
        """The place of the measure that orders the queries: the first that has a mean over queries."""
        return next((at for at, _ in self._spread_measures()), 0)

    def _shown_of(self) -> str:
        total = len(self.report.results)
        return f" The best {len(self.shown)} of {total} runs are shown." if total > len(self.shown) else ""

    def _spread_measures(self) -> Iterator[tuple[int, Measure]]:
        """Yield the measures that have a distribution: neither sums over all queries nor what stands for a text."""
        for at, measure in enumerate(self.report.measures):
            if measure.facts.aggregate is not Aggregate.SUM and measure.is_amount:
                yield at, measure

    def _columns(self, measure: int) -> dict[str, FloatArray]:
        runs = list(self.report.results)
        return {run: self.cube[:, runs.index(run), measure] for run in self.shown}

    def _extremes(self) -> Iterator[Passage]:
        worst, best = self._ends()
        if not worst:
            return
        read = self.report.documents([*worst, *best], self.shown) if self.report.documents else None
        lists = None if read is None else QueryDocuments(read, self.shown, several=self.report.several)
        measure = self.report.measures[self.main]
        over = ", the mean over the runs" if self.report.several else ""
        empty = "" if self._defined.all() else " Queries for which it is 0/0, as nothing is relevant, are left out."
        hint = f"By {measure}{over}.{empty}" + (f" {LISTS}{self._shown_of()}" if lists else "")
        yield Heading("The worst and the best queries", hint=hint)
        for title, chosen in (("Worst", worst), ("Best", best)):
            if chosen:
                yield Heading(title, level=3)
                yield from (self._query(query, lists) for query in chosen)

    def _ends(self) -> tuple[list[str], list[str]]:
        """Return the worst queries, the worst first, and the best, the best first; no query is among both."""
        known = ~np.isnan(self.cube[:, :, self.main])
        sums, counts = np.nansum(self.cube[:, :, self.main], axis=1), known.sum(axis=1)
        some = np.flatnonzero((counts > 0) & self._defined)
        order = some[np.argsort(sums[some] / counts[some], kind="stable")].tolist()
        named = [self.queries[at] for at in order]
        half = min(EXTREMES, (len(named) + 1) // 2)
        return named[:half], named[half:][-EXTREMES:][::-1]

    @cached_property
    def _defined(self) -> BoolArray:
        """For which queries the main measure is no 0/0: where nothing is relevant, no list is good or bad."""
        place = {query: at for at, query in enumerate(self.queries)}
        is_defined = np.zeros(len(place), dtype=bool)
        for result in self.report.results.values():
            defined = ~np.isnan(result.raw[result.counted, self.main])
            is_defined[[place[query] for query in result.names]] |= defined
        return is_defined

    def _query(self, query: str, lists: QueryDocuments | None) -> Passage:
        values = self.cube[self.queries.index(query), :, self.main]
        runs, measure = list(self.report.results), self.report.measures[self.main]
        shown = {run: value(measure, values[runs.index(run)]) for run in self.shown}
        words = ", ".join(f"{run} {one}" if self.report.several else one for run, one in shown.items())
        text = self.report.texts.get(query)
        called = label_with_id(text, query) if text else Labelled(words=query)
        if lists is None:
            return Paragraph(f"{called}: {words}")
        return Details(words, list(lists.passages(query)), named=called)

    def _values(self) -> Iterator[Passage]:
        queries, cut = self.queries, CELLS // max(self.cube[0].size if len(self.cube) else 1, 1)
        if len(queries) > cut:
            yield Paragraph(
                f"The first {count(cut, 'query', 'queries')} of {len(queries):,}; -q -o csv writes them all."
            )
        if not self.report.several:
            yield self._table(
                [str(measure) for measure in self.report.measures], self.cube[:cut, 0], self.report.measures
            )
            return
        for at, measure in enumerate(self.report.measures):
            table = self._table(list(self.report.results), self.cube[:cut, :, at], [measure] * self.cube.shape[1])
            yield from (Heading(str(measure), level=3), table) if at == 0 else (Details(str(measure), [table]),)

    def _table(self, names: Sequence[str], values: FloatArray, measures: Sequence[Measure]) -> ReportTable:
        texts = self.report.texts
        columns = (
            Column("query"),
            *((Column("text", format=shorten, left=True),) if texts else ()),
            *(Column(name, format=partial(value, measure)) for name, measure in zip(names, measures, strict=True)),
        )
        rows = [
            (query, *((texts.get(query, ""),) if texts else ()), *row)
            for query, row in zip(self.queries, values.tolist(), strict=False)
        ]
        return ReportTable(columns=columns, rows=rows, prose="text" if texts else "", sortable=True)


BINS = 10
"""How many bars a distribution has."""

ROW, TALLEST = 62, 44
"""The height of a run's row, and of its highest bar."""


def spread(measure: Measure, values: Mapping[str, FloatArray]) -> Drawing:
    """For each run a bar for each tenth of the range, as high as its number of queries, and a line at the mean."""
    known = {run: column[np.isfinite(column)] for run, column in values.items()}
    edges = _edges(measure, np.concatenate(list(known.values())))
    counts = {run: np.histogram(column, bins=edges)[0] for run, column in known.items()}
    most = max(max(int(heights.max(initial=0)) for heights in counts.values()), 1)
    left, right = (margin(known), 62.0) if len(known) > 1 else (12.0, 62.0)
    across = Axis(low=float(edges[0]), high=float(edges[-1]), start=left, end=WIDTH - right)
    bottom = ROW * len(known)
    drawn = Drawing(WIDTH, bottom + 20, f"how {measure} spreads over the queries")
    for level in ticks(across.low, across.high):
        drawn.line((across(level), 0), (across(level), bottom), kind="grid")
        drawn.tick((across(level), bottom + 14), f"{level:g}", "middle")
    for place, (run, heights) in enumerate(counts.items()):
        floor = place * ROW + ROW - 4
        if len(known) > 1:
            drawn.text((left - 10, floor - 12), short(run), anchor="end", title=run)
        _bars(drawn, across, edges, heights, (floor, TALLEST / most))
        _mean(drawn, across, measure, known[run], floor)
    return drawn


def _edges(measure: Measure, values: FloatArray) -> FloatArray:
    """Return the ends of the bars: the whole range of a measure that has one, else that of the values and 0."""
    low, high = measure.facts.bounds
    if not (math.isfinite(low) and math.isfinite(high)) or (
        len(values) and not low <= values.min() <= values.max() <= high
    ):
        low, high = float(values.min(initial=0.0)), float(values.max(initial=0.0))
    return np.linspace(low, high if high > low else low + 1.0, BINS + 1)


def _bars(drawn: Drawing, across: Axis, edges: FloatArray, counts: FloatArray, scale: tuple[float, float]) -> None:
    """The bars of a run on the floor, each with its number of queries as a tooltip."""
    floor, unit = scale
    drawn.line((across.start, floor), (across.end, floor), kind="zero")
    for low, high, height in zip(edges[:-1], edges[1:], counts.tolist(), strict=True):
        if height:
            said = f"{low:.4g} to {high:.4g}: {count(int(height), 'query', 'queries')}"
            start, width = across(low) + 1, across(high) - across(low) - 2
            drawn.rect((start, floor - unit * height), width, unit * height, kind="bar", title=said)


def _mean(drawn: Drawing, across: Axis, measure: Measure, values: FloatArray, floor: float) -> None:
    mean = measure.facts.aggregate.over(values)
    if across.low <= mean <= across.high:
        drawn.line((across(mean), floor), (across(mean), floor - TALLEST - 6), kind="whisker", title=f"mean {mean:.4f}")
    drawn.text((across.end + 8, floor - 12), value(measure, mean), kind="value")
