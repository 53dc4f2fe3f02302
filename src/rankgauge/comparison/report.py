"""The report of `rankgauge compare`: which runs differ by more than luck, by how much, and on which queries."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, field
from typing import TYPE_CHECKING, Any

from rankgauge.comparison import Comparison, risk, segments, similarity
from rankgauge.comparison import report_tables as tables
from rankgauge.comparison.report_tables import DIGITS, MOST, UNTOLD, UP, Direction, latex_means
from rankgauge.comparison.tables import FEWEST
from rankgauge.evaluation import judged_share as judging
from rankgauge.evaluation.notes import unjudged_words
from rankgauge.lazy_polars import pl
from rankgauge.measures import Printed
from rankgauge.records import entity
from rankgauge.render.format import Medium, Report, ReportDocument
from rankgauge.render.passages import Details, Figure, Heading, Legend, Notes, Paragraph, Passage
from rankgauge.render.svg import listed
from rankgauge.render.table import ReportTable

if TYPE_CHECKING:
    from rankgauge.comparison.gate import Gate
    from rankgauge.comparison.gate_report import GateCase
    from rankgauge.evaluation.query_documents import DocumentLists
    from rankgauge.evaluation.topic_lines import TopicLines
    from rankgauge.render.svg import Drawing

MEANS = """Each bar is a mean over queries, the line in it its 95 % interval; “above” names the runs that it is above by
more than luck."""
PAIRS = """Each column is a query: above 0 the run before the minus sign is ahead, below 0 the other. Without a baseline
the run that was named later is held against the earlier one, by every measure. The table has the mean of these
differences, its 95 % interval, and whether a test finds it significant."""
MATRIX = """Blue: the run of the row is above that of the column by more than luck. Red: below it. Grey: the difference
may be luck. The run with the highest mean comes first."""
CURVES = "Means over queries: what a reader who stops early gets, and precision as more relevant documents are found."
AGREEMENT = """A measure that separates more pairs is steadier over queries; that alone does not make it the right one.
Kendall's tau-b counts the pairs of runs that two measures order alike; in tau-AP the top counts more."""

TABLES: Mapping[str, str] = {
    "means": "the mean of each run",
    "pairs": "the difference of each two runs",
    "matrix": "who is above whom",
    "segments": "each segment of --by",
    "queries": "the queries that differ most",
    "similarity": "how alike the runs' lists are, with --similarity",
    "risk": "what runs risk against the baseline, with --risk",
    "measures": "how well measures tell runs apart, and how alike they order them",
}
"""The tables by name, in their order."""

BRIEF = ("means", "segments")
"""Those of a LaTeX file, if no others are named."""

FRAMES: Mapping[str, str] = {
    "means": "means",
    "pairs": "pairs",
    "segments": "segments",
    "queries": "movers",
    "similarity": "similarity",
    "risk": "risks",
}
"""The tables that fit into a file of one table, and what the comparison calls them."""


@entity
class ComparisonReport(Report):
    """A comparison, and how much of it to show."""

    command = "compare"

    comparison: Comparison
    chosen: tuple[str, ...] | None = None
    """The tables to show, by the names of `TABLES`; None: all of them, in LaTeX `BRIEF`."""
    per_query: bool = False
    """Whether to list every query, not only those that differ most."""
    digits: int = DIGITS
    """How many decimals a mean has in LaTeX."""
    agree: bool | None = None
    """Whether to show how far measures agree; None: where there are enough runs to have an order."""
    gate: Gate | None = None
    """What a pipeline asks of the runs, to be shown first."""
    printed: tuple[Printed, ...] = ()
    """The measures under the names that they were asked for, in the order to list them in."""
    tags: Mapping[str, str] = field(default_factory=dict)
    """By run, the name that it gives itself, where it is to be shown."""
    documents: Callable[[Sequence[str], Sequence[str]], DocumentLists | None] | None = None
    """What reads the documents of some queries in some runs, where they can be read once more."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """What people typed, by query, where it is known."""

    @property
    def agreement(self) -> bool:
        """Whether to show how far measures agree."""
        enough = len(self.comparison.runs) >= FEWEST or "measures" in (self.chosen or ())
        return enough if self.agree is None else self.agree

    @property
    def matrix(self) -> bool:
        """Whether there are enough pairs for a table of who beats whom."""
        enough = len(self.comparison.runs) >= FEWEST or "matrix" in (self.chosen or ())
        return self.comparison.baseline is None and enough

    def shown(self, medium: Medium) -> tuple[str, ...]:
        """The names of the tables that a medium shows."""
        brief = (*BRIEF, "queries") if self.per_query else BRIEF
        return self.chosen or (brief if medium is Medium.LATEX else tuple(TABLES))

    def topics(self) -> TopicLines:
        """What ndeval -baseline -riskAlpha would list of each run but the baseline."""
        from rankgauge.evaluation.topic_lines import compared_lines

        return compared_lines(self.comparison, self.printed, self.tags)

    def frame(self) -> pl.DataFrame:
        """The table that was chosen, else every query where wanted, else the pairs, by segment where there are any."""
        usual = "queries" if self.per_query else "segments" if self.comparison.by else "pairs"
        name = self.chosen[0] if self.chosen else usual
        whole = self.per_query and name == "queries"
        found: pl.DataFrame = getattr(self.comparison, "per_query" if whole else FRAMES[name])
        return found

    def data(self) -> dict[str, Any]:
        """The choices, all tables, and the notes."""
        found = self.comparison
        settings = asdict(found.settings) | {"draws": found.settings.drawn(len(found.paired[0]))}
        return {
            "judged": judging.data(found.results),
            "warnings": list(judging.warnings(found.results)),
            "dialect": found.dialect.name,
            "baseline": found.baseline,
            **({"baselines": list(found.bases)} if found.rivals else {}),
            **settings,
            "runs": list(found.runs),
            "measures": [str(measure) for measure in found.measures],
            "means": found.means,
            "pairs": found.pairs,
            "movers": found.movers,
            "sensitivity": found.sensitivity,
            "agreement": found.agreement,
            "notes": [{"subject": subject, "words": words} for subject, words in self.notes()],
            **({"queries": found.per_query} if self.per_query else {}),
            **({"segments": found.segments} if found.by else {}),
            **self._likened(),
            **self._risked(),
            **self._gated(),
        }

    def _likened(self) -> dict[str, Any]:
        found = self.comparison
        if found.alike is None:
            return {}
        return {"similarity": asdict(found.alike.settings) | {"runs": found.similarity, "measures": found.boards}}

    def _risked(self) -> dict[str, Any]:
        found = self.comparison
        return {} if found.risk is None else {"risk": {"alpha": found.risk, "runs": found.risks}}

    def _gated(self) -> dict[str, Any]:
        if self.gate is None:
            return {}
        from rankgauge.comparison import gate_report as gate

        return {"gate": gate.data(self.gate)}

    def picture(self) -> Drawing:
        """The means of each measure, and how they change with the cutoff and with recall."""
        from rankgauge.comparison import figures as figures
        from rankgauge.render.svg import sheet

        found = self.comparison
        drawn = {**figures.means(found), **figures.curves(found), **self._heat()}
        return sheet(self.headline(), drawn, figures.colours(found))

    def _heat(self) -> dict[str, Drawing]:
        """The maps of how alike runs are, and measures."""
        if self.comparison.alike is None:
            return {}
        return similarity.maps(self.comparison)

    def document(self, medium: Medium) -> ReportDocument:
        """The tables and the notes; a page also has charts."""
        found, settings = self.comparison, self.comparison.settings
        return ReportDocument(
            title=", ".join(found.runs),
            headline=self.headline(),
            facts=(
                f"{len(found.runs)} runs",
                f"{len(found.queries)} queries",
                f"judged: {judging.judged_line(found.results)}",
                settings.paired_test.title,
                f"{settings.family_correction.title} at {settings.alpha:g}",
            ),
            passages=tuple(self._page() if medium is Medium.PAGE else self._text(medium)),
            sortable=True,
        )

    def headline(self) -> str:
        """One sentence on the first measure: who is above whom by more than luck, and for which segment it is worse."""
        if not self.comparison.by:
            return self._overall()
        return self._overall() + segments.losses(self.comparison)

    def _overall(self) -> str:
        comparison = self.comparison
        measure, base = comparison.measures[0], comparison.baseline
        if base is None and len(comparison.runs) == 2:
            base = comparison.runs[0]
        found, words = tables.grid(comparison, measure), Direction.of(measure)
        if base is not None:
            return words.against(base, {run: found[run, base] for run in comparison.runs if (run, base) in found})
        first, *rest = comparison.ordered(measure)
        rivals = [run for run in rest if found[first, run] != UP]
        if not rivals:
            whom = rest[0] if len(rest) == 1 else "every other run"
            return f"{first} is {words.up} {whom} by more than luck ({measure})"
        if found[first, rivals[0]] == UNTOLD:
            return f"{first} leads by {measure}, but too little is judged to tell it from {rivals[0]}"
        return words.leads.format(first=first, measure=measure, rival=rivals[0])

    def _judged(self) -> Iterator[Passage]:
        """How much is judged, before any verdict."""
        results = self.comparison.results
        words = unjudged_words(self.comparison.dialect, self.comparison.measures)
        return judging.passages(results, always=True, unjudged=words)

    def _gate(self) -> Iterator[Passage]:
        if self.gate is not None:
            from rankgauge.comparison import gate_report as gate

            yield from gate.passages(self.gate)

    def cases(self) -> list[GateCase]:
        """What the gate looks at, as tests."""
        from rankgauge.comparison import gate_report as gate

        return [] if self.gate is None else gate.cases(self.gate)

    def _summary(self) -> Iterator[Passage]:
        """What a reader of a pull request needs; the rest unfolds."""
        from rankgauge.comparison import gate_report as gate

        yield from self._judged()
        yield from self._gate()
        if self.gate is not None and (lost := gate.lost_queries(self.gate)).rows:
            yield Heading(lost.title)
            yield lost
        yield Details("The whole comparison", tuple(self._body(Medium.MARKDOWN)))

    def _text(self, medium: Medium) -> Iterator[Passage]:
        if medium is Medium.MARKDOWN and self.gate is not None:
            yield from self._summary()
            return
        yield from self._judged()
        yield from self._gate()
        yield from self._body(medium)

    def _body(self, medium: Medium) -> Iterator[Passage]:
        for place, table in enumerate(self._tables(medium)):
            if place or self.gate or medium is not Medium.TERMINAL:
                yield Heading(table.title)
            yield table
        yield Notes(self.notes(self.shown(medium)))

    def _tables(self, medium: Medium) -> Iterator[ReportTable]:
        for name in self.shown(medium):
            yield from self._tables_named(name, medium)

    def _tables_named(self, name: str, medium: Medium) -> Iterator[ReportTable]:
        """The tables of one of the names."""
        found = self.comparison
        match name:
            case "means":
                yield latex_means(found, self.digits) if medium is Medium.LATEX else tables.means(found)
            case "pairs":
                yield tables.pairs(found)
            case "matrix" if self.matrix:
                yield from (tables.matrix(found, measure) for measure in found.measures)
            case "segments":
                yield from self._segments()
            case "queries":
                yield tables.every_query(found) if self.per_query else tables.movers(found)
            case "similarity":
                yield from self._similarity()
            case "risk":
                yield from self._risk()
            case "measures":
                yield from self._measures()

    def _segments(self) -> Iterator[ReportTable]:
        if self.comparison.by:
            yield from segments.pairs(self.comparison)

    def _similarity(self) -> Iterator[ReportTable]:
        if self.comparison.alike is not None:
            yield from similarity.tables(self.comparison)

    def _risk(self) -> Iterator[ReportTable]:
        if self.comparison.risk is not None:
            yield risk.table(self.comparison)

    def _measures(self) -> Iterator[ReportTable]:
        if self.agreement:
            yield tables.sensitivity(self.comparison)
            if len(self.comparison.measures) > 1:
                yield tables.agreement(self.comparison)

    def _page(self) -> Iterator[Passage]:
        yield from self._judged()
        yield from self._gate()
        for name, section in self._sections().items():
            if name in self.shown(Medium.PAGE):
                yield from section()
        yield Heading("What the numbers rest on")
        yield Notes(self.notes(self.shown(Medium.PAGE)))

    def _sections(self) -> dict[str, Callable[[], Iterator[Passage]]]:
        """The sections of a page by the names of their tables, in its order."""
        return {
            "means": self._means_section,
            "pairs": self._pairs_section,
            "matrix": self._matrix_section,
            "risk": lambda: _with_titles(self._risk()),
            "segments": lambda: _with_titles(self._segments()),
            "similarity": self._similarity_section,
            "queries": self._queries_section,
            "measures": self._measures_section,
        }

    def _means_section(self) -> Iterator[Passage]:
        from rankgauge.comparison import figures as figures

        yield Heading("Means", hint=MEANS)
        yield from listed(figures.means(self.comparison))
        yield tables.means(self.comparison)
        yield Heading("By cutoff and by recall", hint=CURVES)
        yield Legend(figures.colours(self.comparison))
        yield from listed(figures.curves(self.comparison))

    def _pairs_section(self) -> Iterator[Passage]:
        from rankgauge.comparison import figures as figures

        yield Heading("Pairs", hint=PAIRS)
        yield from listed(figures.differences(self.comparison))
        yield from self._pairs()

    def _matrix_section(self) -> Iterator[Passage]:
        from rankgauge.comparison import figures as figures

        if self.matrix:
            yield Heading("Who is above whom", hint=MATRIX)
            yield from listed(figures.matrices(self.comparison))

    def _similarity_section(self) -> Iterator[Passage]:
        if self.comparison.alike is not None:
            yield from similarity.passages(self.comparison)

    def _queries_section(self) -> Iterator[Passage]:
        from rankgauge.comparison.page import ComparisonPage

        yield from _with_titles(table for table in [tables.movers(self.comparison, self.texts)] if table.rows)
        yield from ComparisonPage(self).passages()

    def _measures_section(self) -> Iterator[Passage]:
        if self.agreement:
            yield Heading("Measures", hint=AGREEMENT)
            yield from (Figure(table.title, table) for table in self._measures())

    def _pairs(self) -> Iterator[Passage]:
        """The pairs to look at, and if there are more, all of them."""
        table, whole = tables.pairs(self.comparison), tables.pairs(self.comparison, most=None)
        if len(whole.rows) == len(table.rows):
            yield table
        else:
            yield Paragraph(f"The {MOST} pairs of each measure with the least p-values.")
            yield table
            yield Details(f"all {len(whole.rows):,} pairs", [whole])

    def warnings(self) -> list[tuple[str, str]]:
        """What has to be said beside bare values."""
        from rankgauge.evaluation import notes
        from rankgauge.evaluation.report import EvaluationReport

        strangers = {run: result.hits.strangers for run, result in self.comparison.results.items()}
        return notes.warnings(EvaluationReport(results=self.comparison.results, unjudged=strangers))

    def notes(self, shown: Collection[str] = tuple(TABLES)) -> list[tuple[str, str]]:
        """What a reader of those tables should know before quoting a number."""
        from rankgauge.comparison import notes as comparison_notes

        return list(comparison_notes.notes(self.comparison, shown))


def _with_titles(found: Iterable[ReportTable]) -> Iterator[Passage]:
    """Tables, each below its title."""
    for table in found:
        yield Heading(table.title)
        yield table
