"""The lines that trec_eval and ndeval print: a value per query and measure, or a topic per line."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from rankgauge.errors import InputError
from rankgauge.measures import Measure, Printed, trec_name
from rankgauge.numeric import FloatArray
from rankgauge.policies import MissingQuery, QueryOrder
from rankgauge.ranking import total
from rankgauge.statistics.effects import trade_off

if TYPE_CHECKING:
    from rankgauge.comparison import Comparison
    from rankgauge.evaluation.report import EvaluationReport
    from rankgauge.evaluation.result import Result

MEAN = "amean"
"""What the mean has in place of a topic."""


class TopicLine(NamedTuple):
    """The values of one topic of a run, or their means."""

    run: str
    topic: str
    values: Sequence[float]


TopicLines: TypeAlias = tuple[list[str], Iterator[TopicLine]]
"""The names of the measures, and the lines."""


def evaluated_lines(report: EvaluationReport) -> TopicLines:
    """Return the topics of each run, where they are to be shown, and their means."""
    columns = _columns(report.printed, report.measures)

    def lines() -> Iterator[TopicLine]:
        for run, result in report.results.items():
            name = report.tags.get(run, run)
            if report.per_query:
                listed = _list_values(result, columns)
                yield from (TopicLine(name, topic, values.tolist()) for topic, values in listed.items())
            if report.overall:
                yield TopicLine(name, MEAN, [result[column.measure] for column in columns])

    return [column.name for column in columns], lines()


def compared_lines(comparison: Comparison, printed: Sequence[Printed], tags: Mapping[str, str]) -> TopicLines:
    """Return what each run wins and loses against the baseline on its topics; `tags` are the names that runs have."""
    baseline, risk = comparison.baseline, comparison.risk
    if baseline is None or risk is None:
        hint = "Give --baseline RUN --risk 5, as ndeval's -baseline and -riskAlpha; without a baseline: evaluate."
        raise InputError("compare writes ndeval's lines only of what runs risk against a baseline", hint=hint)
    columns, ending = _columns(printed, comparison.measures), f"rs=1+a, a={risk:g}"

    def lines() -> Iterator[TopicLine]:
        for run in comparison.runs:
            if run != baseline:
                name = f"{tags.get(run, run)} (rel to. {tags.get(baseline, baseline)}, {ending})"
                rows = _risks(comparison.results[run], comparison.results[baseline], columns, risk=risk)
                yield from (TopicLine(name, topic, values.tolist()) for topic, values in rows)

    return [column.name for column in columns], lines()


def _columns(printed: Sequence[Printed] | None, measures: Sequence[Measure]) -> Sequence[Printed]:
    """Return the measures under the names to print them by."""
    return printed or [Printed(name=str(measure), measure=measure) for measure in measures]


def _risks(
    result: Result, baseline: Result, columns: Sequence[Printed], *, risk: float
) -> Iterator[tuple[str, FloatArray]]:
    """What is won against the baseline on each topic of the run, with losses 1 + risk times as heavy, and the mean.

    A topic that only one of the two answers is worth 0 to the other. Where missing topics count, those of the baseline
    are listed too. A topic that nobody judged counts in this mean, though not in a run's own (outputMeasures).
    """
    ours, theirs = _list_values(result, columns), _list_values(baseline, columns)
    listed = {**theirs, **ours} if result.dialect.missing is MissingQuery.ZERO else ours
    nothing = np.zeros(len(columns))
    topics = sorted(listed, key=_number)
    rows = [trade_off(ours.get(topic, nothing) - theirs.get(topic, nothing), risk) for topic in topics]
    yield from zip(topics, rows, strict=True)
    yield MEAN, total(np.array(rows).reshape(-1, len(columns)).T) / max(len(rows), len(result.names))


def _list_values(result: Result, columns: Sequence[Printed]) -> dict[str, FloatArray]:
    """Return the values of each topic of a run, 0 on one that nobody judged."""
    places = [result.measures.index(column.measure) for column in columns]
    shown = result.answered | np.bool_(result.dialect.lists_missing)
    rows = zip(result.names, shown.tolist(), result.matrix[:, places], strict=True)
    listed = {topic: row for topic, is_shown, row in rows if is_shown}
    listed |= {topic: np.zeros(len(columns)) for topic in result.hits.strangers}
    numbered = bool(result.hits.strangers) and result.dialect.query_order is QueryOrder.NUMERIC
    return {topic: listed[topic] for topic in sorted(listed, key=_number)} if numbered else listed


def _number(topic: str) -> float:
    """Return the number of a topic, by which ndeval orders them; one that is no number comes last."""
    try:
        return float(topic)
    except ValueError:
        return math.inf


ALL = "all"
"""What the mean over all queries has in place of a query."""


class TrecLine(NamedTuple):
    """One value as it is printed."""

    measure: str
    query: str
    value: str

    def __str__(self) -> str:
        """Return the line with the measure's name padded, as trec_eval writes it."""
        return f"{self.measure:<22}\t{self.query}\t{self.value}"


def lines(
    result: Result,
    printed: Iterable[Printed] | None = None,
    *,
    per_query: bool = True,
    overall: bool = True,
    tag: str | None = None,
) -> Iterator[TrecLine]:
    """Yield the values of each query (-q), then those over all queries (without -n), as the dialect prints them.

    `printed` says what to print and under which name, as `measures.resolve` gives it; by default everything in the
    result. `tag` is the run's own name, which trec_eval prints as `runid`.
    """
    wanted = _name_measures(result) if printed is None else list(printed)
    if per_query:
        yield from _query_lines(result, [p for p in wanted if p.per_query])
    if overall and tag is not None:
        yield TrecLine("runid", ALL, tag)
    if overall:
        absent = _find_absent(result)
        listed = (p for p in wanted if p.overall and p.measure not in absent)
        yield from (TrecLine(p.name, ALL, _mean(p, result[p.measure])) for p in listed)


def _find_absent(result: Result) -> set[Measure]:
    """Return the measures that the tool lists for no query; it prints no mean of them either."""
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
                    yield TrecLine(p.name, query, _join(pieces))


def _mean(printed: Printed, value: float) -> str:
    return printed.nothing if math.isnan(value) else printed.measure.text(value, printed.number)


def _join(pieces: list[str]) -> str:
    """Return the text of a value; one that came in pieces is a string, and each piece has quotes of its own."""
    return pieces[0] if len(pieces) == 1 else "'" + "".join(piece[1:-1] for piece in pieces) + "'"


def _name_measures(result: Result) -> list[Printed]:
    """Return every measure of the result, as the dialect prints it, else under trec_eval's name, else under its own."""
    known = {p.measure: p for p in result.dialect.printed}
    return [known.get(measure) or _plain(measure) for measure in result.measures]


def _plain(measure: Measure) -> Printed:
    return Printed(name=trec_name(measure) or str(measure), measure=measure)
