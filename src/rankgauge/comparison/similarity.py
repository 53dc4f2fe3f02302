"""How alike the lists of runs are, query by query, and how alike measures order the runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from rankgauge.comparison.report_tables import MOST, label
from rankgauge.comparison.tables import FEWEST
from rankgauge.lazy_polars import pl
from rankgauge.numeric import FloatArray, IndexArray
from rankgauge.plain_table import PlainTable
from rankgauge.ranking import Ranking
from rankgauge.ranking.frames import order_lists
from rankgauge.records import entity, record
from rankgauge.render.numbers import decimal, percent
from rankgauge.render.passages import Figure, Heading, Passage
from rankgauge.render.svg import WIDTH, Drawing, short
from rankgauge.render.table import INTERVAL, QUERIES, Column, ReportTable
from rankgauge.statistics.intervals import Interval, column_means
from rankgauge.statistics.similarity import PERSISTENCE, SIMILARITIES, RankedPair, Similarity, TiedList

if TYPE_CHECKING:
    from rankgauge.comparison.comparison import Comparison

Tell = Callable[[int, int, str], None]
"""Hears how many pairs are done, of how many, and the name of the current run."""

BOARDS: Mapping[str, type] = {"measure": str, "other": str, "similarity": float, "runs": int}
"""The columns of the table of measures."""


@record
class SimilaritySettings:
    """Which similarity, by name; a wrong one shows when it is made."""

    similarity: str = "rbo"
    p: float = PERSISTENCE
    shared_only: bool = False
    """Whether documents that only one of two lists has are taken out first."""

    def __post_init__(self) -> None:
        self.kind(RankedPair.from_scores([1.0], [1.0]), self.p)

    @property
    def kind(self) -> Similarity:
        """The similarity of that name."""
        return SIMILARITIES.find(self.similarity)

    @property
    def label(self) -> str:
        """The name as reports show it."""
        return self.kind.label(self.p)


@entity
class RunSimilarity:
    """How alike the lists of each two runs are (queries × pairs); NaN where a run does not answer the query.

    `shared` is the share of documents that both lists have; `minimum` and `residual` are those of similarities that
    foresee how lists go on.
    """

    settings: SimilaritySettings
    runs: tuple[str, ...]
    values: FloatArray
    shared: FloatArray
    minimum: FloatArray
    residual: FloatArray

    @classmethod
    def of(
        cls,
        runs: Mapping[str, pl.DataFrame],
        queries: Sequence[str],
        settings: SimilaritySettings,
        ranking: Ranking,
        tell: Tell = lambda done, parts, name: None,
    ) -> RunSimilarity:
        """Return the similarity of each two runs, on these queries."""
        lists = [_QueryLists.of(frame, ranking) for frame in _encode(runs.values())]
        pairs = list(combinations(range(len(lists)), 2))
        likeness = np.full((4, len(queries), len(pairs)), np.nan)
        names = tuple(runs)
        for column, (one, other) in enumerate(pairs):
            tell(column, len(pairs), names[other])
            for row, query in enumerate(queries):
                if query in lists[one].spans and query in lists[other].spans:
                    likeness[:, row, column] = _likeness(lists[one].beside(lists[other], query), settings)
        values, minimum, residual, shared = likeness
        return cls(settings=settings, runs=names, values=values, shared=shared, minimum=minimum, residual=residual)

    def table(self, interval: Callable[[FloatArray], Interval]) -> PlainTable:
        """Return a row per pair of runs: the mean over queries, its interval, and what it rests on."""
        mean, count = column_means(self.values)
        ends = interval(self.values).within(self.settings.kind.lowest, 1.0, mean)
        first, second = zip(*combinations(self.runs, 2), strict=True)
        columns = {"run": list(first), "other": list(second), "similarity": mean, "low": ends.low, "high": ends.high}
        rest = {name: column_means(getattr(self, name))[0] for name in ("shared", "minimum", "residual")}
        return PlainTable.from_columns(columns | {"queries": count} | rest)


def boards(means: PlainTable, settings: SimilaritySettings) -> PlainTable:
    """Return a row per pair of measures: how alike they order the runs by their means, where there are enough runs."""
    by_measure: dict[str, list[float]] = {}
    for measure, mean in means.rows("measure", "mean"):
        by_measure.setdefault(measure, []).append(mean)
    rows = []
    for one, other in combinations(by_measure, 2):
        x, y = by_measure[one], by_measure[other]
        if len(x) >= FEWEST:
            usable = not math.isnan(sum(x) + sum(y))
            value = settings.kind(RankedPair.from_scores(x, y), settings.p).value if usable else math.nan
            rows.append((one, other, value, len(x)))
    return PlainTable.of_rows(BOARDS, rows)


def _likeness(pair: RankedPair, settings: SimilaritySettings) -> tuple[float, ...]:
    """The value, its bounds, and the share of documents in both lists; the same list twice agrees, if it has an order
    or not."""
    likeness = settings.kind(pair.of_shared() if settings.shared_only else pair, settings.p)
    if math.isnan(likeness.value) and pair.is_same and not settings.shared_only:
        # Left out, they would leave the mean to the lists that differ.
        likeness = likeness._replace(value=1.0)
    return (*likeness, pair.share)


def _encode(frames: Any) -> list[pl.DataFrame]:
    """Return the runs with a number for each document, the same in all of them."""
    listed = list(frames)
    ids = pl.concat([frame["document"] for frame in listed]).unique().sort()
    codes = pl.DataFrame({"document": ids, "number": np.arange(len(ids), dtype=np.int64)})
    return [frame.join(codes, on="document", how="left", maintain_order="left") for frame in listed]


@entity
class _QueryLists:
    """The lists of a run: where each query's documents are, by rising number, in flat arrays."""

    spans: Mapping[str, slice]
    number: IndexArray
    first: FloatArray
    size: FloatArray

    @classmethod
    def of(cls, run: pl.DataFrame, ranking: Ranking) -> _QueryLists:
        """Return the lists of a run whose documents have numbers."""
        rows = order_lists(run, ranking).sort("query", "number")
        lengths = rows["query"].rle()
        counts = lengths.struct.field("len").to_numpy().astype(np.int64)
        ends = np.cumsum(counts)
        spans = zip(lengths.struct.field("value"), ends - counts, ends, strict=True)
        return cls(
            spans={query: slice(int(start), int(end)) for query, start, end in spans},
            number=rows["number"].to_numpy(),
            first=rows["first"].to_numpy(),
            size=rows["size"].to_numpy(),
        )

    def beside(self, other: _QueryLists, query: str) -> RankedPair:
        """Return the lists of a query in this run and in another."""
        here, there = self.spans[query], other.spans[query]
        _, left, right = np.intersect1d(self.number[here], other.number[there], assume_unique=True, return_indices=True)
        return RankedPair(
            one=TiedList(first=self.first[here], size=self.size[here]),
            other=TiedList(first=other.first[there], size=other.size[there]),
            shared=(left, right),
        )


SQUARE = 10
"""Up to this many runs a table for people shows every pair in a square."""

HINT = "The darker a square, the more alike. The best run comes first."
OPPOSED = "The darker a blue square, the more alike; red squares disagree more than agree. The best run comes first."

LETTER, STEP = 8.6, 40
"""The width of a letter on a phone and the side of a square, in the units of a chart."""

Pairs = Mapping[tuple[str, str], float]
"""The similarity of pairs, both ways."""


def tables(comparison: Comparison) -> Iterator[ReportTable]:
    """A square of runs, the pairs with their intervals, and a square of measures; nothing if nobody asked for it."""
    if comparison.alike is None:
        return
    if 2 < len(comparison.runs) <= SQUARE:
        order = comparison.ordered(comparison.measures[0])
        yield _square(_title(comparison, "How alike the runs' lists are"), order, comparison)
    yield _pairs(comparison)
    if len(comparison.board_table):
        columns = (*("measure", "other"), Column(_settings(comparison).kind.title, "similarity", decimal))
        title, rows = _title(comparison, "How alike measures order the runs"), [*comparison.board_table.named()]
        yield ReportTable(title=title, columns=(*columns, Column("runs", format=str)), rows=rows)


def passages(comparison: Comparison) -> Iterator[Passage]:
    """Yield a section of a page: the maps and the pairs."""
    if comparison.alike is None:
        return
    yield Heading("How alike the runs' lists are", hint=OPPOSED if _settings(comparison).kind.lowest < 0 else HINT)
    yield from (Figure(title, drawn) for title, drawn in maps(comparison).items())
    yield _pairs(comparison)


def maps(comparison: Comparison) -> dict[str, Drawing]:
    """Return a map of the runs, and one of the measures where these order enough runs; none if nobody asked for it."""
    if comparison.alike is None:
        return {}
    order, title = comparison.ordered(comparison.measures[0]), _title(comparison, "Lists of runs")
    maps = {title: _map(order, _both_ways(comparison.similarity_table, "run"), title)}
    if len(comparison.board_table):
        title, named = _title(comparison, "Orders of the runs"), [str(measure) for measure in comparison.measures]
        maps[title] = _map(named, _both_ways(comparison.board_table, "measure"), title)
    return maps


def data(comparison: Comparison) -> dict[str, Any]:
    """Return the similarity by its settings, of runs and of measures."""
    return asdict(_settings(comparison)) | {"runs": comparison.similarity, "measures": comparison.boards}


def notes(comparison: Comparison) -> Iterator[tuple[str, str]]:
    """Yield what the similarity is, and what its means rest on."""
    settings, kind = _settings(comparison), _settings(comparison).kind
    yield "similarity", f"{settings.label}: {kind.words}; {kind.reference}"
    table, total = comparison.similarity_table, len(comparison.queries)
    kept = "; documents that only one of two lists has were taken out" if settings.shared_only else ""
    least, most = min(table["queries"]), max(table["queries"])
    counted = f"{least}" if least == most else f"{least} to {most}"
    yield "alike", f"the mean over the {counted} of {total} queries for which both runs have a list with an order{kept}"
    yield "shared", "documents that both lists have, as a share of those in either; the mean over queries"


def _pairs(comparison: Comparison) -> ReportTable:
    table = comparison.similarity_table.ordered("similarity", falling=True)
    few = table.take(range(min(MOST, len(table))))
    bounds = (
        Column("at least", "minimum", decimal),
        Column("at most", ("minimum", "residual"), lambda least, residual: decimal(least + residual)),
    )
    columns = (
        *(Column("run"), Column("other")),
        Column(_settings(comparison).kind.title, "similarity", decimal),
        INTERVAL,
        *(() if all(map(math.isnan, table["minimum"])) else bounds),
        QUERIES,
        Column("shared", format=percent),
    )
    counted = f", the {MOST} most alike of {len(table)} pairs" if len(table) > MOST else ""
    return ReportTable(title=_title(comparison, "Pairs of runs") + counted, columns=columns, rows=[*few.named()])


def _square(title: str, order: Sequence[str], comparison: Comparison) -> ReportTable:
    table = _both_ways(comparison.similarity_table, "run")
    rows = [
        (label(comparison, run), run, *(None if run == other else table[run, other] for other in order))
        for run in order
    ]
    others = (Column(label(comparison, run), format=lambda x: "" if x is None else decimal(x)) for run in order)
    return ReportTable(title=title, columns=("", "run", *others), rows=rows)


def _map(names: Sequence[str], pairs: Pairs, title: str) -> Drawing:
    """Return a square for each two of the names, the darker the more alike."""
    left, top = 44 + LETTER * max(len(short(name)) for name in names), 22
    step = min(STEP, (2 * WIDTH - left) / len(names))
    drawn = Drawing(max(WIDTH, left + step * len(names)), top + step * len(names) + 6, title)
    for row, name in enumerate(names):
        middle, place = top + (row + 0.5) * step + 4, str(row + 1)
        drawn.text((left - 26, middle), short(name), anchor="end", title=name)
        if step > 2 * LETTER:
            drawn.tick((left - 8, middle), place, "end")
            drawn.tick((left + (row + 0.5) * step, top - 8), place, "middle")
        for column, other in enumerate(names):
            value = pairs.get((name, other), math.nan)
            if name != other and math.isfinite(value):
                x, y, depth = left + column * step, top + row * step, min(abs(value), 1.0)
                kind, told = ("down" if value < 0 else "up"), f"{name}, {other}: {decimal(value)}"
                opacity, side = 0.06 + 0.94 * depth, step - 1
                drawn.rect((x + 0.5, y + 0.5), side, side, kind=kind, opacity=opacity, title=told)
                if step >= STEP:
                    at = x + step / 2, y + step / 2 + 4
                    drawn.text(at, decimal(value, 2), anchor="middle", kind="mark" if depth > 0.5 else None)
    return drawn


def _both_ways(table: PlainTable, of: str) -> Pairs:
    rows = {}
    for one, other, value in table.rows(of, "other", "similarity"):
        rows[one, other] = rows[other, one] = value
    return rows


def _title(comparison: Comparison, words: str) -> str:
    return f"{words}: {_settings(comparison).label}"


def _settings(comparison: Comparison) -> SimilaritySettings:
    assert comparison.alike is not None
    return comparison.alike.settings
