"""The report of `rankgauge evaluate`: what runs are worth on the same judgments, by each measure."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, fields, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from rankgauge.dialects import Dialect
from rankgauge.evaluation import judged_share as judging
from rankgauge.evaluation.notes import notes, unjudged_words, warnings
from rankgauge.evaluation.result import Result
from rankgauge.evaluation.topic_lines import ALL
from rankgauge.lazy_polars import pl
from rankgauge.measures import Aggregate, Measure, Printed
from rankgauge.plain_table import PlainTable
from rankgauge.records import entity
from rankgauge.render.format import Medium, Report, ReportDocument
from rankgauge.render.numbers import interval, number, value
from rankgauge.render.passages import Figure, Heading, Notes, Passage
from rankgauge.render.table import INTERVAL, QUERIES, Column, ReportTable

if TYPE_CHECKING:
    from rankgauge.evaluation.query_documents import DocumentLists
    from rankgauge.evaluation.topic_lines import TopicLines
    from rankgauge.render.svg import Drawing


@entity
class EvaluationReport(Report):
    """The results of runs on the same judgments, and how much of them to show."""

    command = "evaluate"

    results: Mapping[str, Result]
    per_query: bool = False
    overall: bool = True
    interval: str = "t"
    seed: int = 0
    unjudged: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By run, the queries that it answers and that nobody judged."""
    tags: Mapping[str, str] = field(default_factory=dict)
    """By run, the name that it gives itself, where it is to be shown."""
    printed: tuple[Printed, ...] | None = None
    """The measures under the names that they were asked for, in the order to list them in."""
    documents: Callable[[Sequence[str], Sequence[str]], DocumentLists | None] | None = None
    """What reads the documents of some queries in some runs, where they can be read once more."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """What people typed, by query, where it is known."""

    def warnings(self) -> list[tuple[str, str]]:
        """Return what has to be said beside bare values."""
        return warnings(self)

    @cached_property
    def dialect(self) -> Dialect:
        """The dialect that all results were computed in."""
        return next(iter(self.results.values())).dialect

    @cached_property
    def measures(self) -> tuple[Measure, ...]:
        """The measures, in the order in which they were asked for."""
        return next(iter(self.results.values())).measures

    @cached_property
    def several(self) -> bool:
        """Whether there is more than one run to tell apart."""
        return len(self.results) > 1

    @cached_property
    def summaries(self) -> Mapping[str, PlainTable]:
        """The summary of each run: a row per measure."""
        return {
            run: result.summary_table(interval=self.interval, seed=self.seed) for run, result in self.results.items()
        }

    @cached_property
    def summary(self) -> PlainTable:
        """The summaries under each other, with the run as the first column."""
        return PlainTable.stack([table.with_label("run", run) for run, table in self.summaries.items()])

    @cached_property
    def segments(self) -> PlainTable:
        """The means by segment under each other, with the run as the first column."""
        tables = [
            result.segment_table(interval=self.interval, seed=self.seed).with_label("run", run)
            for run, result in self.results.items()
        ]
        return PlainTable.stack(tables)

    @property
    def by(self) -> bool:
        """Whether queries are grouped."""
        return any(result.by for result in self.results.values())

    @cached_property
    def values(self) -> pl.DataFrame:
        """The values per query under each other, with the run as the first column."""
        named = [result.values.select(pl.lit(run).alias("run"), pl.all()) for run, result in self.results.items()]
        return pl.concat(named)

    def rows(self) -> Iterator[tuple[str, str, str, float]]:
        """Yield what trec_eval would list: run, measure, query, value; the queries where wanted, then `all`."""
        names = [str(measure) for measure in self.measures]
        for run, result in self.results.items():
            if self.per_query:
                for query, row in zip(result.names, result.matrix.tolist(), strict=True):
                    listed = zip(names, row, strict=True)
                    yield from ((run, name, query, value) for name, value in listed if not math.isnan(value))
            if self.overall:
                yield from ((run, str(measure), ALL, result[measure]) for measure in self.measures)

    def topics(self) -> TopicLines:
        """Return what ndeval would list: the values of each topic of each run, and their means."""
        from rankgauge.evaluation.topic_lines import evaluated_lines

        return evaluated_lines(self)

    def frame(self) -> pl.DataFrame:
        """The summary (a row per run and measure), or the values (a row per run, query and measure); the dialect is the
        last column."""
        if self.by and not self.per_query:
            frame = self.segments.frame
        else:
            frame = self.values if self.per_query else self.summary.frame
        return frame.with_columns(pl.lit(self.dialect.name).alias("dialect"))

    def data(self) -> dict[str, Any]:
        """Return the dialect, the notes, and each run's summary and values."""
        return {
            "judged": judging.data(self.results),
            "warnings": list(judging.warnings(self.results)),
            "dialect": _settings(self.dialect),
            "interval": {"kind": self.interval, "level": 0.95, "seed": self.seed},
            "runs": [self._run(run) for run in self.results],
            "notes": [{"subject": subject, "words": words} for subject, words in notes(self)],
        }

    def picture(self) -> Drawing:
        """Draw a bar for each run with the interval of its mean, by measure."""
        from rankgauge.render.svg import sheet

        return sheet(self.document(Medium.PAGE).headline, self._bars(), {})

    def _bars(self) -> dict[str, Drawing]:
        from rankgauge.render.svg import BARS, mean_bars

        return mean_bars(self.summary.rows(*BARS), [measure for measure in self.measures if measure.is_amount])

    def document(self, medium: Medium) -> ReportDocument:
        """Return the values per query where wanted, the summary, and the notes."""
        return ReportDocument(
            title=", ".join(self.results),
            headline=f"{', '.join(map(str, self.measures))} of {', '.join(self.results)}",
            facts=(
                self.dialect.name,
                f"{len(next(iter(self.results.values())).counted)} queries",
                f"judged: {judging.judged_line(self.results)}",
            ),
            passages=tuple(self._page() if medium is Medium.PAGE else self._passages(medium)),
            sortable=True,
        )

    def _passages(self, medium: Medium) -> Iterator[Passage]:
        flat = medium is Medium.MARKDOWN
        yield from self._judged_passages()
        if self.per_query:
            yield self._values(flat=flat)
        if self.overall:
            yield self._flat_summary() if flat else self._summary(marked=medium is Medium.TERMINAL)
            yield from self._segments()
            yield self._notes(None if flat else "bold" if medium is Medium.LATEX else "*")

    def _page(self) -> Iterator[Passage]:
        from rankgauge.evaluation.page import EvaluationPage

        yield from self._judged_passages()
        if self.overall:
            yield Heading("Means")
            yield self._summary(marked=False)
            yield from (Figure(measure, bars) for measure, bars in self._bars().items())
            yield from self._segments()
        yield from EvaluationPage(self).passages()
        yield Heading("What the numbers rest on")
        yield self._notes("bold")

    def _judged_passages(self) -> Iterator[Passage]:
        """Return how much is judged, unless all of it is."""
        return judging.passages(self.results, always=False, unjudged=unjudged_words(self.dialect, self.measures))

    def _notes(self, mark: str | None) -> Notes:
        """What the numbers rest on; `mark` is that of the best run, which a table without marks does not explain."""
        marks = {"*": mark if self._summary(marked=False).strong else None}
        said = [(marks.get(subject, subject), words) for subject, words in (*notes(self), *self._segment_notes())]
        return Notes([(subject, words) for subject, words in said if subject is not None])

    def _segments(self) -> Iterator[Passage]:
        if self.by:
            from rankgauge.evaluation import segments as segments

            for table in segments.means(self):
                yield Heading(table.title)
                yield table

    def _segment_notes(self) -> list[tuple[str, str]]:
        if not self.by:
            return []
        from rankgauge.evaluation import segments as segments

        return list(segments.mean_notes(self))

    def _summary(self, *, marked: bool) -> ReportTable:
        """Return a row per measure and run, with the best runs of each measure marked."""
        rows, strong = list[dict[str, Any]](), set[tuple[int, int]]()
        for measure in self.measures:
            table = self.summary.where("measure", str(measure))
            best = _best(measure, table) if self.several and measure not in self.uneven else set()
            for row in table.named():
                mark = (" *" if row["run"] in best else "  ") if marked and best else ""
                strong |= {(len(rows), 2)} if row["run"] in best else set()
                rows.append({**row, "kind": measure, "mark": mark})
        columns = (
            Column("measure", once=True),
            *((Column("run"),) if self.several else ()),
            Column("mean", ("kind", "mean", "mark"), lambda measure, mean, mark: value(measure, mean) + mark),
            replace(INTERVAL, key=("kind", "low", "high"), format=_ends),
            QUERIES,
        )
        return ReportTable(columns=columns, rows=rows, strong=frozenset(strong))

    @cached_property
    def uneven(self) -> tuple[Measure, ...]:
        """The measures by which runs have values for different queries: their means do not say which run is best."""
        first, *others = self.results.values()
        place = {query: row for row, query in enumerate(first.names)}
        differs = np.zeros(len(self.measures), dtype=bool)
        for other in others:
            if place.keys() != set(other.names):
                return tuple(self.measures)
            rows = [place[query] for query in other.names]
            differs |= (np.isnan(first.matrix[rows]) != np.isnan(other.matrix)).any(axis=0)
        return tuple(measure for measure, apart in zip(self.measures, differs.tolist(), strict=True) if apart)

    def _flat_summary(self) -> ReportTable:
        """Return a row per run and measure, each whole, as tables that are pasted elsewhere need it."""
        columns = ("run", "measure", Column("mean", format=number), INTERVAL, QUERIES)
        return ReportTable(columns=columns, rows=[*self.summary.named()])

    def _values(self, *, flat: bool) -> ReportTable:
        """Show a row per query and a column per measure, under each run's name."""
        runs = flat or self.several
        rows = [
            (*((run,) if runs else ()), query, *row.tolist())
            for run, result in self.results.items()
            for query, row in zip(result.names, result.matrix, strict=True)
        ]
        values = (Column(str(measure), format=partial(value, measure), left=flat) for measure in self.measures)
        return ReportTable(columns=(*(("run",) if runs else ()), "query", *values), rows=rows)

    def _run(self, run: str) -> dict[str, Any]:
        described: dict[str, Any] = {"run": run}
        if self.overall:
            described["summary"] = self.summaries[run]
            if self.by:
                described["segments"] = self.segments.where("run", run)
        if self.per_query:
            described["values"] = self.results[run].values
        return described | {"unjudged_queries": list(self.unjudged.get(run, ()))}


def _ends(measure: Measure, low: float, high: float) -> str:
    """Write the interval of a mean; a sum, a geometric mean and what stands for a text have none."""
    known = measure.facts.aggregate is Aggregate.MEAN and measure.is_amount
    return interval(low, high) if known else ""


def _best(measure: Measure, rows: PlainTable) -> set[str]:
    """Return the runs whose mean prints as the highest does; none where higher is not better, or where all do."""
    facts = measure.facts
    comparable = facts.more_is_better and facts.aggregate is not Aggregate.SUM
    most = value(measure, max((mean for mean in rows["mean"] if not math.isnan(mean)), default=math.nan))
    top = {run for run, mean in rows.rows("run", "mean") if value(measure, mean) == most}
    return top if comparable and len(top) < len(rows) else set()


def _settings(dialect: Dialect) -> dict[str, Any]:
    """Return the dialect's choices that are a word or a number."""
    values = {f.name: getattr(dialect, f.name) for f in fields(dialect)}
    return {name: value for name, value in values.items() if isinstance(value, str | int | float | None)}
