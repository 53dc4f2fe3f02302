"""Values as trec_eval lists them: measure, query, value, in its order, under its names, to its digits."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from rankgauge.evaluation.result import Result
from rankgauge.measures import Measure, Printed, trec_name

ALL = "all"
"""What the mean over all queries has in place of a query."""


class TrecLine(NamedTuple):
    """One value as it is printed."""

    measure: str
    query: str
    value: str

    def __str__(self) -> str:
        """The line with the measure's name padded, as trec_eval writes it."""
        return f"{self.measure:<22}\t{self.query}\t{self.value}"


def lines(
    result: Result,
    printed: Iterable[Printed] | None = None,
    *,
    per_query: bool = True,
    overall: bool = True,
    tag: str | None = None,
) -> Iterator[TrecLine]:
    """The values of each query (-q), then those over all queries (without -n), as the dialect prints them.

    `printed` says what to print and under which name, as `measures.resolve` gives it; by default everything in the
    result. `tag` is the run's own name, which trec_eval prints as `runid`.
    """
    wanted = _named(result) if printed is None else list(printed)
    if per_query:
        yield from _query_lines(result, [p for p in wanted if p.per_query])
    if overall and tag is not None:
        yield TrecLine("runid", ALL, tag)
    if overall:
        absent = _absent(result)
        listed = (p for p in wanted if p.overall and p.measure not in absent)
        yield from (TrecLine(p.name, ALL, _mean(p, result[p.measure])) for p in listed)


def _absent(result: Result) -> set[Measure]:
    """The measures that the tool lists for no query; it prints no mean of them either."""
    columns = zip(result.measures, result.unlisted.T, strict=True)
    return {measure for measure, column in columns if len(column) and column.all()}


def _query_lines(result: Result, wanted: list[Printed]) -> Iterator[TrecLine]:
    columns = {measure: column for column, measure in enumerate(result.measures)}
    # A value that the tool does not list has no line, nor has a query that is left out.
    matrix = np.where(result.unlisted, np.nan, result.matrix).tolist()
    for query, answered, row in zip(result.names, result.answered, matrix, strict=True):
        if answered or result.dialect.lists_missing:
            for p in wanted:
                values = [row[columns[m]] for m in (p.measure, *p.rest)]
                if not any(map(math.isnan, values)):
                    pieces = [m.text(v, p.number) for m, v in zip((p.measure, *p.rest), values, strict=True)]
                    yield TrecLine(p.name, query, _joined(pieces))


def _mean(printed: Printed, value: float) -> str:
    return printed.nothing if math.isnan(value) else printed.measure.text(value, printed.number)


def _joined(pieces: list[str]) -> str:
    """The text of a value; one that came in pieces is a string, and each piece has quotes of its own."""
    return pieces[0] if len(pieces) == 1 else "'" + "".join(piece[1:-1] for piece in pieces) + "'"


def _named(result: Result) -> list[Printed]:
    """Every measure of the result, as the dialect prints it, else under trec_eval's name, else under its own."""
    known = {p.measure: p for p in result.dialect.printed}
    return [known.get(measure) or _plain(measure) for measure in result.measures]


def _plain(measure: Measure) -> Printed:
    return Printed(name=trec_name(measure) or str(measure), measure=measure)
