"""The report of `rankgauge compare`: which runs differ by more than luck, by how much, and on which queries."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, field
from typing import TYPE_CHECKING, Any

from rankgauge.comparison import Comparison, PairVerdict, gate_report, page, risk, segments, similarity
from rankgauge.comparison import report_tables as tables
from rankgauge.comparison.gate import fewest
from rankgauge.comparison.gate_report import GateCase
from rankgauge.comparison.report_tables import (
    DIGITS,
    MOST,
    UNTOLD,
    UNTOLD_WORDS,
    UP,
    directions,
    latex_means,
    tell_standing,
)
from rankgauge.comparison.tables import FEWEST
from rankgauge.evaluation import judged_share as judging
from rankgauge.evaluation import notes as common
from rankgauge.evaluation.report import EvaluationReport
from rankgauge.lazy_polars import pl
from rankgauge.measures import Printed
from rankgauge.records import entity, tuple_record
from rankgauge.render.format import Medium, Report, ReportDocument
from rankgauge.render.passages import Details, Figure, Heading, Legend, Notes, Paragraph, Passage
from rankgauge.render.svg import list_drawings, sheet
from rankgauge.render.table import ReportTable
from rankgauge.statistics.effects import POWER

if TYPE_CHECKING:
    from rankgauge.comparison.gate import Gate
    from rankgauge.evaluation.query_documents import DocumentLists
    from rankgauge.evaluation.topic_lines import TopicLines
    from rankgauge.render.svg import Drawing

MEANS = """Each dot is a mean over queries, the line through it its 95 % interval; “above” names the runs that it
is above by more than luck."""
PAIRS = """Each column is a query: above 0 the run before the minus sign is ahead, below 0 the other. Without a baseline
the run that was named later is held against the earlier one, by every measure. The table has the mean of these
differences, its 95 % interval, and whether a test finds it significant."""
MATRIX = """Blue: the run of the row is above that of the column by more than luck. Red: below it. Grey: the difference
may be luck. The run with the highest mean comes first."""
CURVES = "Means over queries: what a reader who stops early gets, and precision as more relevant documents are found."
AGREEMENT = """A measure that separates more pairs is steadier over queries; that alone does not make it the right one.
Kendall's tau-b counts the pairs of runs that two measures order alike; in tau-AP the top counts more."""

BRIEF = ("means", "segments")
"""Those of a LaTeX file, if no others are named."""


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

    def table_names(self, medium: Medium) -> tuple[str, ...]:
        """Return the names of the tables that a medium shows."""
        brief = (*BRIEF, "queries") if self.per_query else BRIEF
        return self.chosen or (brief if medium is Medium.LATEX else tuple(TABLES))

    def topics(self) -> TopicLines:
        """Return what ndeval -baseline -riskAlpha would list of each run but the baseline."""
        from rankgauge.evaluation.topic_lines import compared_lines

        return compared_lines(self.comparison, self.printed, self.tags)

    def frame(self) -> pl.DataFrame:
        """The table that was chosen, else every query where wanted, else the pairs, by segment where there are any."""
        usual = "queries" if self.per_query else "segments" if self.comparison.by else "pairs"
        name = self.chosen[0] if self.chosen else usual
        whole = self.per_query and name == "queries"
        table: pl.DataFrame = getattr(self.comparison, "per_query" if whole else FRAMES[name])
        return table

    def data(self) -> dict[str, Any]:
        """Return the choices, all tables, and the notes."""
        comparison = self.comparison
        settings = asdict(comparison.settings) | {"draws": comparison.settings.draws_for(len(comparison.paired[0]))}
        return {
            "judged": judging.data(comparison.results),
            "warnings": list(judging.warnings(comparison.results)),
            "dialect": comparison.dialect.name,
            "baseline": comparison.baseline,
            **({"baselines": list(comparison.bases)} if comparison.rivals else {}),
            **settings,
            "runs": list(comparison.runs),
            "measures": [str(measure) for measure in comparison.measures],
            "means": comparison.means,
            "pairs": comparison.pairs,
            "movers": comparison.movers,
            "sensitivity": comparison.sensitivity,
            "agreement": comparison.agreement,
            "notes": [{"subject": subject, "words": words} for subject, words in self.notes()],
            **({"queries": comparison.per_query} if self.per_query else {}),
            **({"segments": comparison.segments} if comparison.by else {}),
            **({} if comparison.alike is None else {"similarity": similarity.data(comparison)}),
            **({} if comparison.risk is None else {"risk": {"alpha": comparison.risk, "runs": comparison.risks}}),
            **({} if self.gate is None else {"gate": gate_report.data(self.gate)}),
        }

    def picture(self) -> Drawing:
        """Return the means of each measure, how they change with the cutoff and with recall, and how alike runs are."""
        comparison = self.comparison
        drawn = {**page.means(comparison), **page.curves(comparison), **similarity.maps(comparison)}
        return sheet(self.headline(), drawn, page.colours(comparison))

    def document(self, medium: Medium) -> ReportDocument:
        """Return the tables and the notes; a page also has charts."""
        comparison, settings = self.comparison, self.comparison.settings
        return ReportDocument(
            title=", ".join(comparison.runs),
            headline=self.headline(),
            facts=(
                f"{len(comparison.runs)} runs",
                f"{len(comparison.queries)} queries",
                f"judged: {judging.judged_line(comparison.results)}",
                settings.paired_test.title,
                f"{settings.family_correction.title} at {settings.alpha:g}",
            ),
            passages=tuple(self._page() if medium is Medium.PAGE else self._text(medium)),
            sortable=True,
        )

    def headline(self) -> str:
        """One sentence on the first measure: who is above whom by more than luck, and for which segment it is worse."""
        return self._overall() + (segments.losses(self.comparison) if self.comparison.by else "")

    def _overall(self) -> str:
        comparison = self.comparison
        measure, base = comparison.measures[0], comparison.baseline
        if base is None and len(comparison.runs) == 2:
            base = comparison.runs[0]
        cells = tables.grid(comparison, measure)
        if base is not None:
            marks = {run: cells[run, base] for run in comparison.runs if (run, base) in cells}
            return tell_standing(measure, base, marks)
        first, *rest = comparison.ordered(measure)
        rivals = [run for run in rest if cells[first, run] != UP]
        if not rivals:
            whom = rest[0] if len(rest) == 1 else "every other run"
            return f"{first} is {directions(measure)[0]} {whom} by more than luck ({measure})"
        if cells[first, rivals[0]] == UNTOLD:
            return f"{first} leads by {measure}, but too little is judged to tell it from {rivals[0]}"
        if measure.facts.more_is_better:
            return f"{first} leads by {measure}, but not by more than luck: {rivals[0]} may be as good"
        return f"{first} has the highest {measure}, but not by more than luck: that of {rivals[0]} may be as high"

    def cases(self) -> list[GateCase]:
        """Return what the gate looks at, as tests."""
        return [] if self.gate is None else gate_report.cases(self.gate)

    def _text(self, medium: Medium) -> Iterator[Passage]:
        """Yield the judged share, the gate and the tables; in a pull request the tables are folded."""
        yield from self._opening()
        if medium is not Medium.MARKDOWN or self.gate is None:
            yield from self._body(medium)
            return
        yield from with_titles(table for table in [gate_report.lost_queries(self.gate)] if table.rows)
        yield Details("The whole comparison", tuple(self._body(Medium.MARKDOWN)))

    def _opening(self) -> Iterator[Passage]:
        words = common.unjudged_words(self.comparison.dialect, self.comparison.measures)
        yield from judging.passages(self.comparison.results, always=True, unjudged=words)
        if self.gate is not None:
            yield from gate_report.passages(self.gate)

    def _body(self, medium: Medium) -> Iterator[Passage]:
        shown = [table for name in self.table_names(medium) for table in SECTIONS[name].tables(self, medium)]
        for place, table in enumerate(shown):
            if place or self.gate or medium is not Medium.TERMINAL:
                yield Heading(table.title)
            yield table
        yield Notes(self.notes(self.table_names(medium)))

    def _page(self) -> Iterator[Passage]:
        yield from self._opening()
        for name in PAGE:
            if name in self.table_names(Medium.PAGE):
                section = SECTIONS[name]
                yield from (
                    section.passages(self) if section.passages else with_titles(section.tables(self, Medium.PAGE))
                )
        yield Heading("What the numbers rest on")
        yield Notes(self.notes(self.table_names(Medium.PAGE)))

    def warnings(self) -> list[tuple[str, str]]:
        """Return what has to be said beside bare values."""
        return common.warnings(_evaluation_report(self.comparison))

    def notes(self, shown: Collection[str] | None = None) -> list[tuple[str, str]]:
        """Return what a reader of those tables should know before quoting a number."""
        return list(notes(self.comparison, TABLES if shown is None else shown))


def with_titles(shown: Iterable[ReportTable]) -> Iterator[Passage]:
    """Put each table below its title."""
    for table in shown:
        yield Heading(table.title)
        yield table


def _means(report: ComparisonReport, medium: Medium) -> Iterator[ReportTable]:
    comparison = report.comparison
    yield latex_means(comparison, report.digits) if medium is Medium.LATEX else tables.means(comparison)


def _means_passages(report: ComparisonReport) -> Iterator[Passage]:
    yield Heading("Means", hint=MEANS)
    yield from list_drawings(page.means(report.comparison))
    yield tables.means(report.comparison)
    yield Heading("By cutoff and by recall", hint=CURVES)
    yield Legend(page.colours(report.comparison))
    yield from list_drawings(page.curves(report.comparison))


def _pairs_passages(report: ComparisonReport) -> Iterator[Passage]:
    """Yield the pairs to look at, and if there are more, all of them."""
    yield Heading("Pairs", hint=PAIRS)
    yield from list_drawings(page.differences(report.comparison))
    table, whole = tables.pairs(report.comparison), tables.pairs(report.comparison, most=None)
    if len(whole.rows) == len(table.rows):
        yield table
    else:
        yield Paragraph(f"The {MOST} pairs of each measure with the least p-values.")
        yield table
        yield Details(f"all {len(whole.rows):,} pairs", [whole])


def _matrix(report: ComparisonReport, medium: Medium) -> Iterator[ReportTable]:
    if report.matrix:
        yield from (tables.matrix(report.comparison, measure) for measure in report.comparison.measures)


def _matrix_passages(report: ComparisonReport) -> Iterator[Passage]:
    if report.matrix:
        yield Heading("Who is above whom", hint=MATRIX)
        yield from list_drawings(page.matrices(report.comparison))


def _queries(report: ComparisonReport, medium: Medium) -> Iterator[ReportTable]:
    yield tables.every_query(report.comparison) if report.per_query else tables.movers(report.comparison)


def _queries_passages(report: ComparisonReport) -> Iterator[Passage]:
    yield from with_titles(table for table in [tables.movers(report.comparison, report.texts)] if table.rows)
    yield from page.ComparisonPage(report).passages()


def _measures(report: ComparisonReport, medium: Medium) -> Iterator[ReportTable]:
    if report.agreement:
        yield tables.sensitivity(report.comparison)
        if len(report.comparison.measures) > 1:
            yield tables.agreement(report.comparison)


def _measures_passages(report: ComparisonReport) -> Iterator[Passage]:
    if report.agreement:
        yield Heading("Measures", hint=AGREEMENT)
        yield from (Figure(table.title, table) for table in _measures(report, Medium.PAGE))


@tuple_record
class Section:
    """What a report shows under one name."""

    words: str
    tables: Callable[[ComparisonReport, Medium], Iterable[ReportTable]]
    frame: str = ""
    """What the comparison calls the table, if it fits into a file of one table."""
    passages: Callable[[ComparisonReport], Iterable[Passage]] | None = None
    """What a page shows; None: the tables below their titles."""


SECTIONS: Mapping[str, Section] = {
    "means": Section("the mean of each run", _means, "means", _means_passages),
    "pairs": Section(
        "the difference of each two runs", lambda report, _: [tables.pairs(report.comparison)], "pairs", _pairs_passages
    ),
    "matrix": Section("who is above whom", _matrix, "", _matrix_passages),
    "segments": Section("each segment of --by", lambda report, _: segments.pairs(report.comparison), "segments"),
    "queries": Section("the queries that differ most", _queries, "movers", _queries_passages),
    "similarity": Section(
        "how alike the runs' lists are, with --similarity",
        lambda report, _: similarity.tables(report.comparison),
        "similarity",
        lambda report: similarity.passages(report.comparison),
    ),
    "risk": Section(
        "what runs risk against the baseline, with --risk", lambda report, _: risk.tables(report.comparison), "risks"
    ),
    "measures": Section(
        "how well measures tell runs apart, and how alike they order them", _measures, "", _measures_passages
    ),
}
TABLES: Mapping[str, str] = {name: section.words for name, section in SECTIONS.items()}
"""The tables by name, in their order."""

PAGE = ("means", "pairs", "matrix", "risk", "segments", "similarity", "queries", "measures")
"""Their order on a page."""

FRAMES: Mapping[str, str] = {name: section.frame for name, section in SECTIONS.items() if section.frame}
"""The tables that fit into a file of one table, and what the comparison calls them."""

UNDECIDED = (PairVerdict.OPEN.value, PairVerdict.EQUAL.value, PairVerdict.UNTOLD.value)

TESTED = ("means", "pairs", "matrix", "segments", "measures")
"""The tables that rest on tests."""

OWN = ("*", "no best", "interval")
"""The notes on results that a comparison words in its own way."""


def notes(comparison: Comparison, shown: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield pairs of a subject and what to know of it, for tables of those names."""
    yield from _tests(comparison, shown)
    yield from _direction(comparison)
    yield from _intervals(comparison, shown)
    if "pairs" in shown:
        yield from _pairs(comparison)
    yield from _gaps(comparison)
    if "similarity" in shown and comparison.alike is not None:
        yield from similarity.notes(comparison)
    if "risk" in shown and comparison.risk is not None:
        yield from risk.notes(comparison)
    if "segments" in shown and comparison.by:
        yield from segments.pair_notes(comparison)
    yield from (note for note in common.notes(_evaluation_report(comparison)) if note[0] not in OWN)


def _evaluation_report(comparison: Comparison) -> EvaluationReport:
    strangers = {run: result.hits.strangers for run, result in comparison.results.items()}
    return EvaluationReport(results=comparison.results, unjudged=strangers)


def _tests(comparison: Comparison, shown: Collection[str]) -> Iterator[tuple[str, str]]:
    if not any(name in shown for name in TESTED):
        return
    settings, pairs = comparison.settings, len(comparison.paired[0])
    test, correction = settings.paired_test, settings.family_correction
    counted = "the one pair" if pairs == 1 else f"the {pairs} pairs"
    yield "test", f"{test.title}: {test.words}; {test.reference}"
    yield "corrected", f"{correction.title}, over {counted} of each measure: {correction.words}"
    rows = [*comparison.pair_table.named()]
    rows += comparison.segment_table.named() if comparison.by and "segments" in shown else []
    verdicts = {row["verdict"] for row in rows}
    below = f"where the corrected p is below {settings.alpha:g}; otherwise open"
    below += ", or equal where no query differs" if PairVerdict.EQUAL.value in verdicts else ""
    risked = "; in the table of risk TRisk decides" if "risk" in shown and comparison.risk is not None else ""
    yield "verdict", f"of the run against the other, {below}{risked}"
    if PairVerdict.UNTOLD.value in verdicts:
        yield PairVerdict.UNTOLD.value, UNTOLD_WORDS
    yield from _few_differ(rows, fewest(settings.alpha))
    yield from _note_sampling(comparison)


def _few_differ(rows: Sequence[Mapping[str, Any]], least: int) -> Iterator[tuple[str, str]]:
    """Yield the verdict that rests on the fewest queries that differ, if luck may put so few on one side."""
    counts = [(row["wins"] + row["losses"], at) for at, row in enumerate(rows) if row["verdict"] not in UNDECIDED]
    count, at = min(counts, default=(least, 0))
    if count < least:
        row = rows[at]
        where = f" for {row['by']} {row['segment']}" if "segment" in row else ""
        yield (
            "few",
            f"by {row['measure']} only {count} of {row['queries']} queries tell {row['run']} from {row['other']}{where}"
            f"; fewer than {least} may all be on one side by luck: --test randomisation counts how often",
        )


def _note_sampling(comparison: Comparison) -> Iterator[tuple[str, str]]:
    """Yield how far p-values from random draws may be off, and the least that they can be."""
    settings, pairs = comparison.settings, len(comparison.paired[0])
    draws, error = settings.draws_for(pairs), max(comparison.pair_table["p_error"])
    if error > 0:
        yield "draws", f"{draws:,}, seed {settings.seed}; the standard error of a p-value is {error:.4f} at most"
        if settings.family_correction.magnifies and pairs / (draws + 1) >= settings.alpha:
            yield "too few", f"after the correction no p-value can be below {settings.alpha:g}: raise --draws"


def _direction(comparison: Comparison) -> Iterator[tuple[str, str]]:
    if neutral := [str(measure) for measure in comparison.measures if not measure.facts.more_is_better]:
        left_out = "" if comparison.risk is None else ", and risk leaves it out"
        yield "direction", f"by {', '.join(neutral)} a higher value is not a better one{left_out}"


def _intervals(comparison: Comparison, shown: Collection[str]) -> Iterator[tuple[str, str]]:
    kind = {"t": "Student's t", "bca": f"BCa bootstrap, seed {comparison.settings.seed}"}[comparison.settings.interval]
    alike = "similarity" in shown and comparison.alike is not None
    means = ["of the mean over queries"] if "means" in shown or alike else []
    paired = ["of the mean of paired differences"] if "pairs" in shown or "segments" in shown else []
    if means or paired:
        yield "interval", f"95 %, {', and '.join(means + paired)} ({kind})" + ("; not corrected" if paired else "")


def _pairs(comparison: Comparison) -> Iterator[tuple[str, str]]:
    yield "effect", "Cohen's d_z: the mean difference over the standard deviation of the differences"
    aim = f"{100 * POWER:.0f} % power in a paired t test at {comparison.settings.alpha:g}"
    yield "needed", f"how many queries would give {aim}, if the effect found were the true one"
    if (pairs := len(comparison.paired[0])) > MOST:
        yield "pairs", f"the {MOST} with the least p-values of {pairs}; -o csv and -o json have them all"


def _gaps(comparison: Comparison) -> Iterator[tuple[str, str]]:
    """Yield pairs that rest on fewer queries than there are."""
    total, least = len(comparison.queries), min(comparison.pair_table["queries"])
    if least < total:
        yield "queries", f"a pair rests on the queries that both runs have: {least} of {total} at least"
