"""What a page of a comparison shows beside tables: charts of means, pairs and curves, and every query's documents."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from rankgauge.comparison.comparison import Comparison
from rankgauge.comparison.report_tables import DOWN, OPEN, UNTOLD, UP, grid, label
from rankgauge.evaluation.evaluation import score_hits
from rankgauge.evaluation.query_documents import BESIDE, TOP, QueryDocuments, label_with_id, shorten
from rankgauge.evaluation.result import Result
from rankgauge.measures import Cutoff, Measure, parse
from rankgauge.numeric import FloatArray
from rankgauge.render.numbers import count, number, with_sign
from rankgauge.render.passages import Details, Heading, Labelled, Paragraph, Passage
from rankgauge.render.svg import BARS, COLOURS, GREY, WIDTH, Axis, Drawing, Plot, mean_bars, short
from rankgauge.render.table import Column, ReportTable

if TYPE_CHECKING:
    from rankgauge.comparison.report import ComparisonReport

DRAWN = 6
"""How many pairs have their differences drawn query by query."""


def means(comparison: Comparison) -> dict[str, Drawing]:
    """Draw a bar for each run with the interval of its mean, by measure, the best run first."""
    table = comparison.mean_table.ordered("mean", falling=True)
    return mean_bars(table.rows(*BARS), comparison.measures, comparison.baseline)


def differences(comparison: Comparison) -> dict[str, Drawing]:
    """Draw a bar for each query of some pairs of each measure, the largest gain first."""
    drawings = {}
    for row, measure in enumerate(comparison.measures):
        for run, other in _choose_pairs(comparison, measure):
            one, two = (comparison.values[row][:, comparison.runs.index(name)] for name in (run, other))
            known = ~np.isnan(one - two)
            queries = [query for query, kept in zip(comparison.queries, known, strict=True) if kept]
            title = f"{measure}: {run} − {other}"
            drawings[title] = _columns((one - two)[known], queries, title)
    return drawings


def _choose_pairs(comparison: Comparison, measure: Measure) -> list[tuple[str, str]]:
    """Choose the pairs to draw: the best runs against the baseline, or the best run and those after it.

    The run that was named later is held against the one before it, as in every table.
    """
    order = comparison.ordered(measure)
    most = max(1, DRAWN // len(comparison.measures))
    if comparison.baseline is not None:
        return [(run, comparison.baseline) for run in order if run not in comparison.bases][:most]
    pairs = [sorted((order[0], run), key=comparison.runs.index) for run in order[1:]]
    return [(later, earlier) for earlier, later in pairs][:most]


def _columns(values: FloatArray, queries: Sequence[str], title: str) -> Drawing:
    left, right, top, height = 54, 6, 8, 150
    reach = float(np.abs(values).max(initial=0.0)) or 1.0
    up = Axis(low=-reach, high=reach, start=top + height, end=top)
    drawn = Drawing(WIDTH, top + height + 10, title)
    if not values.any():
        words = "the same value on every query" if len(values) else "no query that both runs have"
        drawn.text(((left + WIDTH - right) / 2, up(0.0) - 10), words, anchor="middle")
    for level in (reach, 0.0, -reach):
        drawn.line((left, up(level)), (WIDTH - right, up(level)), kind="grid" if level else "zero")
        drawn.tick((left - 6, up(level) + 4), with_sign(level, 2) if level else "0", "end")
    width = (WIDTH - left - right) / max(len(values), 1)
    for place, query in enumerate(np.argsort(-values, kind="stable")):
        value = float(values[query])
        drawn.rect(
            (left + place * width, up(max(value, 0.0))),
            max(width * 0.82, 0.5),
            abs(up(value) - up(0.0)),
            kind="up" if value > 0 else "down",
            title=f"{queries[query]} {with_sign(value)}",
        )
    return drawn


def matrices(comparison: Comparison) -> dict[str, VerdictGrid]:
    """By measure, a square for each pair of runs: filled where the run of the row is above or below the column's."""
    return {str(measure): VerdictGrid(comparison, measure) for measure in comparison.measures}


def curves(comparison: Comparison) -> dict[str, Drawing]:
    """The means by cutoff and the precision by recall: a line for each run, the best ones in colour and in front."""
    drawings, hues = (cutoff_curves(comparison.results), recall_curves(comparison.results)), _hues(comparison)
    return {f"{curve.measure} by {curve.over}": _curve(curve, hues) for curve in drawings}


def _curve(curve: MeanCurve, hues: Mapping[str, str]) -> Drawing:
    known = [float(y) for line in curve.y.values() for y in line if math.isfinite(y)]
    x = Axis(low=curve.x[0], high=curve.x[-1], start=40, end=WIDTH - 10)
    y = Axis(low=min(0.0, *known, 0.0), high=max([*known, 0.0]) or 1.0, start=258, end=8)
    plot = Plot(f"{curve.measure} by {curve.over}", x, y, (WIDTH, 300))
    plot.grid(across=curve.x[:: max(1, math.ceil(len(curve.x) / 11))])
    plot.caption(curve.over)
    for run in sorted(curve.y, key=hues.__contains__):  # those in colour are drawn last, above the others
        kind = "curve" if run in hues else "curve rest"
        plot.curve(zip(curve.x, curve.y[run], strict=True), title=run, kind=kind, stroke=hues.get(run, GREY))
    return plot


def _hues(comparison: Comparison) -> dict[str, str]:
    """Return the colour of each run, by the order in which they were named; of many runs only the best have one."""
    best = comparison.ordered(comparison.measures[0])[: len(COLOURS)]
    return dict(zip(sorted(best, key=comparison.runs.index), COLOURS, strict=False))


def colours(comparison: Comparison) -> dict[str, str]:
    """Return the colours of the runs for a legend, and how many more there are in grey."""
    hues = _hues(comparison)
    more = len(comparison.runs) - len(hues)
    return hues | ({f"{more} other runs": GREY} if more else {})


DEPTH = 10
"""How far a curve over cutoffs goes at least."""

LEVELS = tuple(level / 10 for level in range(11))
"""The levels of recall of TREC's curve."""


@dataclass(frozen=True, kw_only=True, eq=False)
class MeanCurve:
    """Points to draw: what is measured, over what, and each run's means."""

    measure: str
    over: str
    x: FloatArray
    y: Mapping[str, FloatArray]


def cutoff_curves(results: Mapping[str, Result]) -> MeanCurve:
    """Return the first measure with a rank cutoff, or nDCG, at every cutoff up to its own, to 10 at least."""
    measures = next(iter(results.values())).measures
    cut = [m for m in measures if m.depth and m.facts.cutoff in (Cutoff.REQUIRED, Cutoff.OPTIONAL)]
    model = cut[0] if cut else parse("nDCG@20")
    depths = range(1, max(model.depth, DEPTH) + 1)
    wanted = [replace(model, cutoff=depth) for depth in depths]  # type: ignore[call-arg]  # those with a depth have it
    name = str(model).rpartition("@")[0]
    return MeanCurve(measure=name, over="cutoff", x=np.array(depths, dtype=np.float64), y=_means(results, wanted))


def recall_curves(results: Mapping[str, Result]) -> MeanCurve:
    """Interpolated precision at the eleven levels of recall."""
    wanted = [parse(f"IPrec@{level:g}") for level in LEVELS]
    return MeanCurve(measure="interpolated precision", over="recall", x=np.array(LEVELS), y=_means(results, wanted))


def _means(results: Mapping[str, Result], wanted: Sequence[Measure]) -> dict[str, FloatArray]:
    scored = {name: score_hits(result.hits, tuple(wanted), result.dialect) for name, result in results.items()}
    return {name: np.array([other[measure] for measure in wanted]) for name, other in scored.items()}


MANY = 12
"""With more runs a grid has a column of the page for itself, and on a phone it has neither names nor marks."""

KINDS = {UP: ("up", "above"), DOWN: ("down", "below"), OPEN: ("open", "not separated from")} | {
    UNTOLD: ("open", "too little is judged to tell it from")
}


@dataclass(frozen=True)
class VerdictGrid:
    """The verdicts on all pairs by one measure, the best run first.

    It is HTML and not a picture, so that all columns fit on a phone: their squares shrink, their labels do not.
    """

    comparison: Comparison
    measure: Measure

    @property
    def wide(self) -> bool:
        """Whether it needs a column of its own."""
        return len(self.comparison.runs) > MANY

    def __html__(self) -> str:
        """Return the grid as a part of a page."""
        words = escape(f"who is above whom by {self.measure}")
        size = f"--runs:{len(self.comparison.runs)}"
        kind = "verdicts many" if self.wide else "verdicts"
        return f'<div class="{kind}" style="{size}" role="img" aria-label="{words}">{"".join(self._cells())}</div>'

    def _cells(self) -> Iterator[str]:
        cells, order = grid(self.comparison, self.measure), self.comparison.ordered(self.measure)
        labels = {run: label(self.comparison, run) for run in order}
        yield "<b></b>"
        yield from (f"<b>{labels[run]}</b>" for run in order)
        for run in order:
            yield f'<b title="{escape(run)}">{labels[run]}<span> {escape(short(run))}</span></b>'
            yield from ("<i></i>" if run == other else _cell(run, other, cells[run, other]) for other in order)


def _cell(run: str, other: str, mark: str) -> str:
    kind, words = KINDS.get(mark, ("equal", "equal to"))
    shown = mark if mark in (UP, DOWN, UNTOLD) else ""
    return f'<i class="{kind}" title="{escape(f"{run}: {words} {other}")}">{shown}</i>'


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
        """Yield the first queries, and the others behind headings to unfold."""
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
        text = self.report.texts.get(query)
        named = label_with_id(text, query) if text else Labelled(words=shorten(query))
        return Details(told[0], below, named=named) if below else Paragraph(f"{named}: {told[0]}")

    def _tell_values(self, row: int, place: int) -> str:
        """Return the values of a query: from the run that is held against to the other, or one after the other."""
        values, (run, other) = self.comparison.values[row][place], self.comparison.paired
        if len(run) == 1:
            change = with_sign(float(self.comparison.differences[row][place][0]))
            return f"{number(values[other[0]])} → {number(values[run[0]])} ({change})"
        runs = self.comparison.runs
        return ", ".join(f"{name} {number(values[runs.index(name)])}" for name in self.shown)

    def _table(self) -> ReportTable:
        runs, texts = self.comparison.runs, self.report.texts
        pair = self.comparison.differences[0].shape[1] == 1
        columns = (
            Column("query"),
            *((Column("text", format=shorten, left=True),) if texts else ()),
            *(Column(run, format=number) for run in runs),
            *((Column("difference", format=with_sign),) if pair else ()),
        )
        rows = []
        for place in self.order:
            query, change = self.comparison.queries[place], self.comparison.differences[0][place].tolist()
            values = [*self.comparison.values[0][place].tolist(), *(change if pair else ())]
            rows.append((query, *((texts.get(query, ""),) if texts else ()), *values))
        return ReportTable(columns=columns, rows=rows, prose="text" if texts else "", sortable=True)
