"""QUERIES → SEGMENTS: brand, navigational, long tail …: which queries belong together, and their means."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankgauge.errors import InputError
from rankgauge.evaluation.summary import bound_intervals
from rankgauge.lazy_polars import pl
from rankgauge.measures import Measure
from rankgauge.numeric import FloatArray, IndexArray
from rankgauge.plain_table import PlainTable
from rankgauge.render.numbers import count, number
from rankgauge.render.table import INTERVAL, QUERIES, Column, ReportTable
from rankgauge.statistics.intervals import MEAN_INTERVALS, Interval, mean_interval

if TYPE_CHECKING:
    from rankgauge.evaluation.report import EvaluationReport

NONE = "(none)"
"""The segment of queries that have none."""

KINDS: Mapping[str, type] = {
    **dict.fromkeys(("by", "segment", "measure"), str),
    **dict.fromkeys(("mean", "low", "high"), float),
    "queries": int,
}
"""The columns of a table of means by segment."""


@dataclass(frozen=True, kw_only=True)
class Segmentation:
    """A way to group queries: its name, and the segment of each query."""

    name: str
    of: Mapping[str, str]

    def rows(self, queries: Sequence[str]) -> dict[str, IndexArray]:
        """By segment, in the order in which the file names them, the places of its queries; those without one last."""
        members: dict[str, list[int]] = {segment: [] for segment in (*dict.fromkeys(self.of.values()), NONE)}
        for place, query in enumerate(queries):
            members[self.of.get(query, NONE)].append(place)
        return {segment: np.array(places, dtype=np.intp) for segment, places in members.items() if places}


def segmentations(by: Any, ids: str | Iterable[str] | None = None) -> tuple[Segmentation, ...]:
    """Return the segmentations in a file or a frame (a column of queries, and one for each), or in {query: segment}.

    Several dicts are {name: {query: segment}}. `ids` are the rules by which two queries are the same.
    """
    found = _read(by)
    return tuple(_with_same(one, ids, by) for one in found) if ids else found


def _with_same(one: Segmentation, ids: str | Iterable[str], by: Any) -> Segmentation:
    """Return the segmentation with one spelling for queries that are the same."""
    from rankgauge.files.spelling import Spelling

    spelling = Spelling.of(ids=ids)
    if spelling is None:
        return one
    frame = pl.DataFrame({"query": list(one.of)}, {"query": pl.String})
    of: dict[str, str] = {}
    for query, (written, segment) in zip(
        frame.select(spelling.same("query"))["query"].to_list(), one.of.items(), strict=True
    ):
        if of.setdefault(query, segment) != segment:
            raise InputError(
                f"query {written} has the {one.name} {segment}, and another spelling of it {of[query]}",
                path=os.fspath(by) if isinstance(by, str | os.PathLike) else None,
                hint="A query has one segment; the rules of ids say which queries are the same.",
            )
    return replace(one, of=of)


def _read(by: Any) -> tuple[Segmentation, ...]:
    if by is None or (isinstance(by, tuple) and all(isinstance(one, Segmentation) for one in by)):
        return by or ()
    if isinstance(by, Mapping) and by:
        named = by if all(isinstance(value, Mapping) for value in by.values()) else {"segment": by}
        return tuple(
            Segmentation(name=str(name), of={str(query): str(segment) for query, segment in of.items()})
            for name, of in named.items()
        )
    from rankgauge import files
    from rankgauge.files.conversion import as_frame

    path = os.fspath(by) if isinstance(by, str | os.PathLike) else None
    frame = as_frame(by) if path is None else files.read_table(path)
    return tuple(_columns(frame, path))


def keep_matching(
    segmentations: tuple[Segmentation, ...], queries: Iterable[str], path: Any = None
) -> tuple[Segmentation, ...]:
    """Return the segmentations, if they know any of the queries."""
    names = set(queries)
    if segmentations and not any(names & segmentation.of.keys() for segmentation in segmentations):
        theirs, ours = next(iter(segmentations[0].of), "nothing"), min(names, default="nothing")
        raise InputError(
            "none of its queries is evaluated",
            path=os.fspath(path) if isinstance(path, str | os.PathLike) else None,
            hint=f"It names {theirs}, and the judgments {ours}: the queries' ids must be the same.",
        )
    return segmentations


def segment_means(
    segmentations: Sequence[Segmentation],
    queries: Sequence[str],
    measures: Sequence[Measure],
    matrix: FloatArray,
    *,
    interval: str = "t",
    seed: int = 0,
) -> PlainTable:
    """Return a row per segmentation, segment and measure: the mean over its queries, and the interval."""
    rows = []
    for segmentation in segmentations:
        for segment, places in segmentation.rows(queries).items():
            part = matrix[places]
            known = (~np.isnan(part)).sum(axis=0).tolist()
            columns = zip(measures, part.T, known, strict=True)
            means = [measure.facts.aggregate.over(values) if count else np.nan for measure, values, count in columns]
            ends = bound_intervals(measures, _ends(part, interval, seed), means, matrix)
            numbers = zip(measures, means, ends.low.tolist(), ends.high.tolist(), known, strict=True)
            rows += [(segmentation.name, segment, str(measure), *numbers_) for measure, *numbers_ in numbers]
    return PlainTable.of_rows(KINDS, rows)


def _ends(values: FloatArray, interval: str, seed: int) -> Interval:
    if interval not in MEAN_INTERVALS:
        return Interval(*np.full((2, *values.shape[1:]), np.nan))
    return mean_interval(values, interval, seed=seed)


def _columns(frame: Any, path: str | None) -> Iterator[Segmentation]:
    """Yield a segmentation for each column beside that of the queries; an empty cell is no segment."""
    from rankgauge.files import find

    query = find(frame.columns, "query")
    if query is None or len(frame.columns) < 2:
        raise InputError(
            f"expected a column of queries and one or more of segments; there is {', '.join(frame.columns)}",
            path=path,
            hint="A first line such as query,segment says which is which.",
        )
    ids = [None if cell is None else str(cell).strip() for cell in frame[query].to_list()]
    for name in frame.columns:
        if name != query:
            cells = [None if cell is None else str(cell).strip() for cell in frame[name].to_list()]
            yield Segmentation(name=name, of=_unique(ids, cells, name, path))


def _unique(ids: list[str | None], cells: list[str | None], name: str, path: str | None) -> dict[str, str]:
    of: dict[str, str] = {}
    for row, (query, segment) in enumerate(zip(ids, cells, strict=True), start=1):
        if query and segment and of.setdefault(query, segment) != segment:
            raise InputError(
                f"row {row}: query {query} has the {name} {segment}, and {of[query]} before",
                path=path,
                hint="A query has one segment; another way to group queries is another column.",
            )
    return of


def means(report: EvaluationReport) -> Iterator[ReportTable]:
    """Yield, by segmentation, a row per measure, segment and run."""
    for name in dict.fromkeys(report.segments["by"]):
        rows: list[dict[str, Any]] = []
        for measure in report.measures:
            part = report.segments.where("by", name).where("measure", str(measure))
            order = list(dict.fromkeys(part["segment"]))
            rows += sorted(part.named(), key=lambda row: order.index(row["segment"]))
        columns = (
            Column("measure", once=True),
            Column(name, "segment"),
            *((Column("run"),) if report.several else ()),
            Column("mean", format=number),
            INTERVAL,
            QUERIES,
        )
        yield ReportTable(title=f"By {name}", columns=columns, rows=rows)


def mean_notes(report: EvaluationReport) -> Iterator[tuple[str, str]]:
    """Yield how many queries have no segment."""
    result = next(iter(report.results.values()))
    for one in result.by:
        missing = len(one.rows(result.names).get(NONE, ()))
        if missing:
            yield NONE, f"{count(missing, 'query has', 'queries have')} no {one.name}"
