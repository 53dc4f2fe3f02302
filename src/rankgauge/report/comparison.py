"""The report of `rankgauge compare`: which runs differ by more than luck, by how much, and on which queries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from rankgauge.comparison import Comparison
from rankgauge.comparison.tables import FEWEST
from rankgauge.lazy_polars import pl
from rankgauge.report import comparison_tables as tables
from rankgauge.report import notes as common
from rankgauge.report.comparison_latex import DIGITS, latex_means
from rankgauge.report.comparison_tables import DOWN, MOST, UP
from rankgauge.report.evaluation import EvaluationReport
from rankgauge.report.format import Medium, Report, ReportDocument
from rankgauge.report.passages import Details, Figure, Heading, Legend, Notes, Paragraph, Passage, ReportTable
from rankgauge.stats.effects import POWER

if TYPE_CHECKING:
    from rankgauge.comparison.gate import Gate
    from rankgauge.report.svg import Drawing

MEANS = "Each bar is a mean over queries, the line in it its 95 % interval; “above” names the runs that it beats."
PAIRS = """Each column is a query, the largest gain of the first run to the left. The table has the mean of these
differences, its 95 % interval, and whether a test finds it significant."""
MATRIX = """Blue: the run of the row is above that of the column by more than luck. Red: below it. Grey: the difference
may be luck. The best run comes first."""
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

OWN_NOTES = ("*", "interval")
"""The notes on results that a comparison words in its own way."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ComparisonReport(Report):
    """A comparison, and how much of it to show."""

    command = "compare"

    comparison: Comparison
    chosen: tuple[str, ...] | None = None
    """The tables to show, by the names of `TABLES`; None: all of them, in LaTeX `BRIEF`."""
    digits: int = DIGITS
    """How many decimals a mean has in LaTeX."""
    agree: bool | None = None
    """Whether to show how far measures agree; None: where there are enough runs to have an order."""
    gate: Gate | None = None
    """What a pipeline asks of the runs, to be shown first."""

    @property
    def agreement(self) -> bool:
        """Whether to show how far measures agree."""
        return len(self.comparison.runs) >= FEWEST if self.agree is None else self.agree

    @property
    def matrix(self) -> bool:
        """Whether there are enough pairs for a table of who beats whom."""
        return self.comparison.baseline is None and len(self.comparison.runs) >= FEWEST

    def frame(self) -> pl.DataFrame:
        """A row per measure and pair of runs, or where queries are grouped, per segment as well."""
        return self.comparison.segments if self.comparison.by else self.comparison.pairs

    def data(self) -> dict[str, Any]:
        """The choices, all tables, and the notes."""
        found = self.comparison
        settings = asdict(found.settings) | {"draws": found.settings.drawn(len(found.paired[0]))}
        return {
            "dialect": found.dialect.name,
            "baseline": found.baseline,
            **settings,
            "runs": list(found.runs),
            "measures": [str(measure) for measure in found.measures],
            "means": found.means,
            "pairs": found.pairs,
            "movers": found.movers,
            "sensitivity": found.sensitivity,
            "agreement": found.agreement,
            "notes": [{"subject": subject, "words": words} for subject, words in self.notes()],
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
        from rankgauge.report import gate

        return {"gate": gate.data(self.gate)}

    def picture(self) -> Drawing:
        """The means of each measure, and how they change with the cutoff and with recall."""
        from rankgauge.report import comparison_figures as figures
        from rankgauge.report.svg import sheet

        found = self.comparison
        drawn = {**figures.means(found), **figures.curves(found), **self._heat()}
        return sheet(self.headline(), drawn, figures.colours(found))

    def _heat(self) -> dict[str, Drawing]:
        """The maps of how alike runs are, and measures."""
        if self.comparison.alike is None:
            return {}
        from rankgauge.report import similarity

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
                settings.paired_test.title,
                f"{settings.family_correction.title} at {settings.alpha:g}",
            ),
            passages=tuple(self._page() if medium is Medium.PAGE else self._text(medium)),
        )

    def headline(self) -> str:
        """One sentence on the first measure: who is above whom by more than luck."""
        comparison = self.comparison
        measure, base = comparison.measures[0], comparison.baseline
        found = tables.grid(comparison, measure)
        if base is not None:
            return _against(base, {run: found[run, base] for run in comparison.runs if run != base}, str(measure))
        first, *rest = comparison.ordered(measure)
        rivals = [run for run in rest if found[first, run] != UP]
        if not rivals:
            whom = rest[0] if len(rest) == 1 else "every other run"
            return f"{first} is above {whom} by more than luck ({measure})"
        return f"{first} leads by {measure}, but not by more than luck: {rivals[0]} may be as good"

    def _gate(self) -> Iterator[Passage]:
        if self.gate is not None:
            from rankgauge.report import gate

            yield from gate.passages(self.gate)

    def _text(self, medium: Medium) -> Iterator[Passage]:
        yield from self._gate()
        for place, table in enumerate(self._tables(medium)):
            if place or self.gate or medium is not Medium.TERMINAL:
                yield Heading(table.title)
            yield table
        yield Notes(self.notes())

    def _tables(self, medium: Medium) -> Iterator[ReportTable]:
        for name in self.chosen or (BRIEF if medium is Medium.LATEX else TABLES):
            yield from self._named(name, medium)

    def _named(self, name: str, medium: Medium) -> Iterator[ReportTable]:
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
                yield tables.movers(found)
            case "similarity":
                yield from self._similarity()
            case "risk":
                yield from self._risk()
            case "measures":
                yield from self._measures()

    def _segments(self) -> Iterator[ReportTable]:
        if self.comparison.by:
            from rankgauge.report import segments

            yield from segments.pairs(self.comparison)

    def _similarity(self) -> Iterator[ReportTable]:
        if self.comparison.alike is not None:
            from rankgauge.report import similarity

            yield from similarity.tables(self.comparison)

    def _risk(self) -> Iterator[ReportTable]:
        if self.comparison.risk is not None:
            from rankgauge.report import risk

            yield risk.table(self.comparison)

    def _measures(self) -> Iterator[ReportTable]:
        if self.agreement:
            yield tables.sensitivity(self.comparison)
            if len(self.comparison.measures) > 1:
                yield tables.agreement(self.comparison)

    def _page(self) -> Iterator[Passage]:
        from rankgauge.report import comparison_figures as figures

        found = self.comparison
        yield from self._gate()
        yield Heading("Means", hint=MEANS)
        yield from figures.listed(figures.means(found))
        yield tables.means(found)
        yield Heading("Pairs", hint=PAIRS)
        yield from figures.listed(figures.differences(found))
        yield from self._pairs()
        if self.matrix:
            yield Heading("Who is above whom", hint=MATRIX)
            yield from figures.listed(figures.matrices(found))
        for table in (*self._risk(), *self._segments()):
            yield Heading(table.title)
            yield table
        yield Heading("By cutoff and by recall", hint=CURVES)
        yield Legend(figures.colours(found))
        yield from figures.listed(figures.curves(found))
        if found.alike is not None:
            from rankgauge.report import similarity

            yield from similarity.passages(found)
        if (moving := tables.movers(found)).rows:
            yield Heading(moving.title)
            yield moving
        if self.agreement:
            yield Heading("Measures", hint=AGREEMENT)
            yield from (Figure(table.title, table) for table in self._measures())
        yield Heading("What the numbers rest on")
        yield Notes(self.notes())

    def _pairs(self) -> Iterator[Passage]:
        """The pairs to look at, and if there are more, all of them."""
        table, whole = tables.pairs(self.comparison), tables.pairs(self.comparison, most=None)
        if len(whole.rows) == len(table.rows):
            yield table
        else:
            yield Paragraph(f"The {MOST} pairs of each measure with the least p-values.")
            yield table
            yield Details(f"all {len(whole.rows):,} pairs", [whole])

    def notes(self) -> list[tuple[str, str]]:
        """What a reader should know before quoting a number."""
        report = EvaluationReport(
            results=self.comparison.results,
            unjudged={run: result.hits.strangers for run, result in self.comparison.results.items()},
        )
        return [*self._own_notes(), *(note for note in common.notes(report) if note[0] not in OWN_NOTES)]

    def _own_notes(self) -> Iterator[tuple[str, str]]:
        settings, pairs = self.comparison.settings, len(self.comparison.paired[0])
        test, correction = settings.paired_test, settings.family_correction
        counted = "the one pair" if pairs == 1 else f"the {pairs} pairs"
        yield "test", f"{test.title}: {test.words}; {test.reference}"
        yield "corrected", f"{correction.title}, over {counted} of each measure: {correction.words}"
        below = f"where the corrected p is below {settings.alpha:g}; otherwise open"
        yield "verdict", f"of the run against the other, {below}"
        yield from self._sampled()
        kind = {"t": "Student's t", "bca": f"BCa bootstrap, seed {settings.seed}"}[settings.interval]
        means = "of the mean over queries, and of the mean of paired differences"
        yield "interval", f"95 %, {means} ({kind}); not corrected"
        yield "effect", "Cohen's d_z: the mean difference over the standard deviation of the differences"
        aim = f"{100 * POWER:.0f} % power in a paired t test at {settings.alpha:g}"
        yield "needed", f"how many queries would give {aim}, if the effect found were the true one"
        if pairs > MOST:
            yield "pairs", f"the {MOST} with the least p-values of {pairs}; -o csv and -o json have them all"
        yield from self._gaps()
        if self.comparison.alike is not None:
            from rankgauge.report import similarity

            yield from similarity.notes(self.comparison)
        if self.comparison.risk is not None:
            from rankgauge.report import risk

            yield from risk.notes(self.comparison)
        if self.comparison.by:
            from rankgauge.report import segments

            yield from segments.pair_notes(self.comparison)

    def _sampled(self) -> Iterator[tuple[str, str]]:
        """How far p-values from random draws may be off, and the least that they can be."""
        settings, pairs = self.comparison.settings, len(self.comparison.paired[0])
        draws, error = settings.drawn(pairs), max(self.comparison.pair_table["p_error"])
        if error > 0:
            yield "draws", f"{draws:,}, seed {settings.seed}; the standard error of a p-value is {error:.4f} at most"
            if settings.family_correction.magnifies and pairs / (draws + 1) >= settings.alpha:
                yield "too few", f"after the correction no p-value can be below {settings.alpha:g}: raise --draws"

    def _gaps(self) -> Iterator[tuple[str, str]]:
        """Pairs that rest on fewer queries than there are."""
        total = len(self.comparison.queries)
        least = min(self.comparison.pair_table["queries"])
        if least < total:
            yield "queries", f"a pair rests on the queries that both runs have: {least} of {total} at least"


def _against(base: str, marks: Mapping[str, str], measure: str) -> str:
    """How the runs stand against the baseline, by the mark of each in the matrix."""
    ways = {"above": UP, "below": DOWN}
    if len(marks) == 1:
        ((run, mark),) = marks.items()
        way = next((way for way, sign in ways.items() if sign == mark), None)
        if way is None:
            return f"{run} and {base} do not differ by more than luck ({measure})"
        return f"{run} is {way} {base} by more than luck ({measure})"
    counts = {way: sum(mark == sign for mark in marks.values()) for way, sign in ways.items()}
    told = [f"{count} {'are' if count > 1 else 'is'} {way}" for way, count in counts.items() if count]
    return (
        f"Of {len(marks)} runs, {' and '.join(told) or 'none is above or below'} {base} by more than luck ({measure})"
    )
