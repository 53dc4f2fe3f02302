"""The report of a board: what few labels say of many runs, what is settled, and what more labels would bring."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Self

import numpy as np
import polars as pl

from rankgauge.evaluation.notes import FEW, board_worths
from rankgauge.judgments.agreement import Agreement
from rankgauge.labelling.board import BoardPool, GoalKind, LaterRun, RunsOutlook, Verdicts
from rankgauge.labelling.board.covariance import RunEstimate
from rankgauge.labelling.board.plan import MORE
from rankgauge.labelling.campaign import BoardCampaign, Campaign, CampaignSettings, LabelCampaign, Progress
from rankgauge.labelling.campaign.review import AssessorProgress, Review
from rankgauge.labelling.posterior.plan import METHOD as POSTERIOR
from rankgauge.labelling.reports.board_words import (
    alone_words,
    best_words,
    board_paragraph,
    judge_notes,
    look_words,
    percent,
    pool_notes,
    standing_words,
    value_words,
)
from rankgauge.labelling.reports.campaign import CampaignReport
from rankgauge.labelling.standings import JudgeAlone, Standings, judges_alone
from rankgauge.numeric import IndexArray
from rankgauge.render.format import Medium, Report, ReportDocument
from rankgauge.render.numbers import amount, count, decimal, interval, number, thousands, with_sign
from rankgauge.render.passages import Details, Figure, Heading, Notes, Paragraph, Passage
from rankgauge.render.svg import Drawing, mean_bars, sheet
from rankgauge.render.table import Column, ReportTable

COLUMNS: tuple[Column | str, ...] = (
    "rank",
    "run",
    *(Column(name, format=str) for name in ("on these queries", "on new queries", "to the first")),
    "settled",
    Column("judged", format=lambda share: percent(share)),
)
"""The columns of a board; the value that each judge's own grades give follows."""

NEXT = 10
"""How many of the documents that matter most are shown."""

NAMED = 8
"""How many runs are named in a cell of a table; of more, only the number is."""

WIDTHS = """± is half a 95 % interval: of one run's value on these queries, and on new queries like these, which adds
the luck of the queries. Differences to the first run, ranks and what is settled hold for all runs at once."""

MODEL = """a model of how grades follow ranks, runs and queries, fitted to the labels; its constants are from TREC DL
2019. On TREC DL 2021 and TREC-8, which it had not seen, intervals held in 93 to 99 % of the cases. With few labels
values lean low, most for the best run: there by some 0.05 at 100, which intervals include in 92 to 94 % of the cases,
but by more where grades follow ranks more closely"""


@dataclass(frozen=True, kw_only=True, eq=False)
class BoardReport(Report):
    """The state of a board: settings, progress, and the standings by each measure."""

    command = "active estimate"

    name: str
    settings: CampaignSettings
    progress: Progress
    standings: tuple[Standings, ...]
    outlook: RunsOutlook | None
    pool: BoardPool
    settled: bool
    level: float
    alone: tuple[JudgeAlone, ...] = ()
    """What each judge's own grades say, by each measure."""
    later: tuple[LaterRun, ...] = ()
    """Runs that had no part in the pool."""
    matter: tuple[tuple[str, str], ...] = ()
    """The open documents whose labels would move the board most: query and document as people read them."""
    people: Mapping[str, AssessorProgress] = field(default_factory=dict)
    agreement: Agreement | None = None

    @classmethod
    def of(cls, campaign: BoardCampaign, *, level: float, later: Mapping[str, Any] | None = None) -> Self:
        """Return the report of the campaign as it is now, with runs that came later."""
        outlook, estimates, review = campaign.outlook(), campaign.estimates(), Review(campaign)
        alone = tuple(judges_alone(outlook, estimates))
        judged = campaign.judged
        return cls(
            name=campaign.name,
            settings=campaign.settings,
            progress=campaign.progress(),
            standings=tuple(
                Standings(
                    estimate=estimate,
                    pool=campaign.pool,
                    level=level,
                    judged=judged,
                    looks=len(campaign.settings.looks),
                    alone={judge.judge: judge.values for judge in alone if judge.measure == str(estimate.target)},
                )
                for estimate in estimates
            ),
            outlook=outlook,
            pool=campaign.pool,
            settled=campaign.settled,
            level=level,
            alone=alone,
            later=tuple(campaign.later(name, run) for name, run in (later or {}).items()),
            matter=tuple(_next_documents(campaign, outlook)),
            people=review.everybody(),
            agreement=review.agreement(),
        )

    @property
    def estimates(self) -> tuple[RunEstimate, ...]:
        """The estimates of each measure."""
        return tuple(standing.estimate for standing in self.standings)

    def frame(self) -> pl.DataFrame:
        """A row for each measure and run: value, half-widths, difference to the first run, ranks that it may have."""
        parts = [_rows(standing) for standing in self.standings]
        return (pl.concat(parts) if parts else pl.DataFrame(schema=SCHEMA)).fill_nan(None)

    def data(self) -> dict[str, Any]:
        """Return everything, with the values of each query."""
        return {
            "campaign": self.name,
            "settings": asdict(self.settings),
            "level": self.level,
            "settled": self.settled,
            "progress": self.progress.to_json(),
            "board": self.frame(),
            "best": {
                standing.measure: [standing.runs[run] for run in standing.candidates] for standing in self.standings
            },
            "judges": {
                standing.measure: {judge: dict(zip(standing.runs, values.tolist(), strict=True))}
                for standing in self.standings
                for judge, values in standing.alone.items()
            },
            "waiting": dict(self.waiting()),
            "pairs": self._pairs(),
            "later": [_later_data(run, self.level) for run in self.later],
            "next": [{"query": query, "document": document} for query, document in self.matter],
            "notes": [{"subject": subject, "words": words} for subject, words in self.notes()],
        }

    def paragraph(self) -> str:
        """Return the paragraph to publish of the board."""
        return board_paragraph(self)

    def picture(self) -> Drawing:
        """Draw a dot for each run with its interval, by measure."""
        return sheet(self.headline(), self._dots())

    def _dots(self) -> dict[str, Drawing]:
        rows = [
            (
                str(standing.estimate.target.measure),
                standing.runs[run],
                standing.values[run],
                standing.ends[0][run],
                standing.ends[1][run],
            )
            for standing in self.standings
            for run in standing.order
        ]
        digits = max((standing.decimals for standing in self.standings), default=2)
        measures = [standing.estimate.target.measure for standing in self.standings]
        drawn = mean_bars(rows, measures, write=lambda value: decimal(value, digits))
        return {standing.measure: drawn[str(standing.estimate.target.measure)] for standing in self.standings}

    def document(self, medium: Medium) -> ReportDocument:
        """Return the board of each measure, and what it rests on."""
        return ReportDocument(
            headline=self.headline(),
            facts=(self.name, self.settings.method, f"seed {self.settings.seed}"),
            passages=tuple(self._passages(page=medium is Medium.PAGE)),
        )

    def headline(self) -> str:
        """Return what the first measure says of the best run, in one line."""
        if not self.standings:
            runs = count(len(self.pool.runs), "run")
            stage = "no document is judged yet" if self.progress.stages == 1 else "the new stage has no label yet"
            return f"{self.settings.measures[0]} of {runs}: {stage}"
        return standing_words(self.standings[0], labels=self.progress.judged)

    @property
    def reading(self) -> str:
        """How to read a board's chart and table."""
        return f"{' '.join(WIDTHS.split())} The line through a dot is the first interval."

    @property
    def matter_words(self) -> str:
        """What the documents that matter most are, and whether they are the next to be handed out."""
        chosen = "Documents are chosen by this after every 25 labels, but for some that come at random."
        fixed = (
            "Documents are handed out in another order, by chances that were fixed before: labels chosen by earlier "
        )
        how = chosen if self.settings.method == POSTERIOR else f"{fixed}ones would bend the estimates."
        return f"Their labels would move the board by most. {how}"

    def _passages(self, *, page: bool) -> Iterator[Passage]:
        if not page:
            yield Paragraph(self.headline(), strong=True)
        for name, drawn, table in self.sections():
            yield Heading(name, hint=self.reading)
            yield from [Figure("", drawn)] * page
            yield table
        yield from self._later()
        if page:
            yield from self._page_tables()
            yield Heading("What it rests on")
        yield Notes([(subject, words) for subject, words in self.notes() if not (page and subject == "±")])

    def _page_tables(self) -> Iterator[Passage]:
        """Yield what a dashboard shows beside the boards: settled pairs, documents that matter, and who judged."""
        for measure, table in self.settled_pairs():
            yield Details(f"which pairs are settled by {measure}", [table])
        if self.matter:
            table = ReportTable(columns=("query", "document"), rows=self.matter)
            yield Details("the open documents whose labels would move the board most", [table])
        if self.people:
            yield Details("who judged", [self.assessors()])

    def assessors(self) -> ReportTable:
        """Return a row for everybody who has judged: how many documents, and how many an hour lately."""
        rows = [(name, progress.done, progress.pace) for name, progress in sorted(self.people.items())]
        pace = Column("per hour, lately", format=lambda pace: "–" if pace is None else f"{pace:.0f}")
        return ReportTable(columns=("assessor", Column("documents", format=thousands), pace), rows=rows)

    def sections(self) -> Iterator[tuple[str, Drawing, ReportTable]]:
        """Yield, by measure, the chart and the table."""
        dots = self._dots()
        yield from ((standing.measure, dots[standing.measure], self._table(standing)) for standing in self.standings)

    def _table(self, standings: Standings) -> ReportTable:
        """Return the value of each run, its difference to the first, and what judges' own grades say."""
        alone = tuple(Column(f"by {judge}", format=lambda value: decimal(value, 2)) for judge in standings.alone)
        rows = [
            (*_cells(standings, run), *(float(values[run]) for values in standings.alone.values()))
            for run in standings.order
        ]
        return ReportTable(columns=(*COLUMNS, *alone), rows=rows)

    def settled_pairs(self) -> Iterator[tuple[str, ReportTable]]:
        """Yield for each measure which runs each run is settled to be better or worse than, and which are open."""
        header = ("run", "better than", "worse than", "open")
        for standing in self.standings:
            if standing.verdicts is not None and len(standing.runs) > 1:
                yield (
                    standing.measure,
                    ReportTable(columns=header, rows=list(_sides(standing.verdicts, standing.order))),
                )

    def waiting(self) -> list[tuple[str, str]]:
        """Return the measures whose labels are too few to rely on, and why."""
        return [(standing.measure, standing.estimate.reason) for standing in self.standings if standing.estimate.reason]

    def _pairs(self) -> dict[str, list[tuple[str, str]]]:
        """Return the settled pairs by measure, the better run first."""
        return {
            standing.measure: [(standing.runs[s], standing.runs[t]) for s, t in np.argwhere(standing.verdicts.above)]
            for standing in self.standings
            if standing.verdicts is not None
        }

    def _later(self) -> Iterator[Passage]:
        """Yield what is known of runs that came later, and what has to be judged first."""
        rows = [
            (run.name, str(told.target), number(told.value), interval(*told.interval))
            if told.interval
            else (run.name, str(told.target), "–", told.reason)
            for run in self.later
            for told in run.estimate(self.level)
        ]
        if rows:
            yield Heading("Runs that came later")
            value, told = Column("value", format=str), "interval, or what to do first"
            yield ReportTable(columns=("run", "measure", value, told), rows=rows, prose=told)
        for run in self.later:
            if len(run.needed):
                shown = [f"{query} {document}" for query, document, _ in run.needed.head(NEXT).iter_rows()]
                more = f" and {len(run.needed) - NEXT:,} more" if len(run.needed) > NEXT else ""
                yield Paragraph(f"{run.name}: not in the pool among its first documents: {', '.join(shown)}{more}")

    def notes(self) -> Iterator[tuple[str, str]]:
        """Subjects, and what there is to know of them."""
        progress, settings = self.progress, self.settings
        labels = f"{count(progress.judged, 'document')} of {count(progress.queries, 'query', 'queries')} judged"
        labels += f", {percent(progress.judged / len(self.pool.documents))} of the pool"
        yield "spent", f"{amount(progress.spent)} of {amount(progress.budget)}: {labels}"
        if progress.out:
            waits = "" if settings.method == POSTERIOR else "; those after the first wait"
            yield "out", f"{count(progress.out, 'document')} asked for and not yet judged{waits}"
        if self.standings:
            yield "±", " ".join(WIDTHS.split())
        yield from self.reliance()
        if self.standings and self.settings.method == POSTERIOR:
            yield "model", " ".join(MODEL.split())
        if settings.assessors > 1:
            yield "assessors", f"{settings.assessors} per document, combined by {settings.combine}"
        elif self.agreement is not None:
            yield "assessors", f"several for some documents, combined by {settings.combine}; 1 per document was planned"
        yield from self.goal()
        yield from self._outlook()
        yield from pool_notes(self.pool, self.estimates)
        yield from (("judge alone", alone_words(judge)) for judge in self.alone)
        queries = len(self.pool.queries)
        if queries < FEW:
            yield "few", f"{count(queries, 'query is', 'queries are')} too few to say much of new queries like these"
        measured = f"{settings.measure} as in the dialect {settings.dialect}"
        yield "method", f"{settings.method}, seed {settings.seed}; {measured}"
        if self.standings:
            yield from board_worths([estimate.target for estimate in self.estimates], max(settings.grades))
        if self.agreement is not None:
            yield "agreement", f"Krippendorff's alpha {self.agreement['alpha-ordinal']:.2f}"
        if progress.paused:
            yield "paused", "nothing is handed out"

    def reliance(self) -> Iterator[tuple[str, str]]:
        """Yield why intervals cannot be relied on yet, or are too wide to choose a run by."""
        for _, reason in self.waiting():
            yield "few labels", f"{reason.removeprefix('not yet: ')}; nothing is claimed until then"
        for standing in self.standings:
            if standing.is_wide and not standing.estimate.reason:
                half = decimal(float(standing.half_widths.mean()), standing.decimals)
                yield "wide", f"{standing.measure}: ± {half} is too wide to choose a run by; more labels narrow it"

    def of_judges(self) -> Iterator[str]:
        """Who the judges are, what they are taken for, and what they alone would say; nothing if there are none."""
        yield from (words for _, words in judge_notes(self.pool, np.array(self.settings.grades)))
        yield from map(alone_words, self.alone)

    def goal(self) -> Iterator[tuple[str, str]]:
        """Yield what labels settle first, and how far that is."""
        goal, looks = self.settings.goal, self.settings.looks
        if len(looks) < 2:
            yield "goal", f"{goal}: labels go on until the budget is spent"
            return
        state = f"{'settled' if self.settled else 'open'} after {count(self.progress.judged, 'label')}"
        planned = look_words(looks) + ("" if self.settings.method == POSTERIOR else "; claims hold over all looks")
        yield "goal", f"{goal} by {self.settings.measures[0]}: {state}; {planned}"
        if self.standings and GoalKind.parse(goal.split()[0]) is GoalKind.BEST:
            yield "best", best_words(self.standings[0])

    def _outlook(self) -> Iterator[tuple[str, str]]:
        if self.outlook is None or self.outlook.open_documents <= MORE:
            return
        for one, then in zip(self.standings, self.outlook.half_widths(MORE, self.level), strict=True):
            if then is not None and not one.estimate.reason:
                now = one.half_widths
                means = f"± {decimal(float(then.mean()), 2)} instead of ± {decimal(float(now.mean()), 2)}"
                more = f"{MORE} more {'labels' if self.settings.assessors == 1 else 'documents judged'}"
                yield "outlook", f"{one.measure}: with {more} about {means}, on average over the runs"


def board_report(campaign: LabelCampaign, *, level: float) -> BoardReport | None:
    """Report on the runs of a campaign; None if it estimates one value."""
    return BoardReport.of(campaign, level=level) if isinstance(campaign, BoardCampaign) else None


def report_of(
    campaign: LabelCampaign, *, level: float, interval: str | None, later: Mapping[str, Any]
) -> BoardReport | CampaignReport:
    """Report on a campaign as it is now; only one that estimates runs has room for runs that came later."""
    if isinstance(campaign, BoardCampaign):
        return BoardReport.of(campaign, level=level, later=later)
    assert isinstance(campaign, Campaign)
    return CampaignReport.of(campaign, level=level, interval=interval)


FIGURES = {
    "value": "values",
    "half_width": "half_widths",
    "joint_half_width": "joint_half_widths",
    "like_half_width": "new_half_widths",
    "to_first": "gaps",
    "to_first_half_width": "gap_half_widths",
    "judged": "shares_judged",
}
"""The columns of numbers in a board's frame, and where standings have them."""

ENDS, RANKS = ("low", "high"), ("rank_low", "rank_high")
"""Those of the ends of a run's own interval, and of the ranks that it may have."""

SCHEMA: dict[str, type[pl.DataType]] = {
    **dict.fromkeys(("measure", "run"), pl.String),
    **dict.fromkeys((*FIGURES, *ENDS), pl.Float64),
    "settled": pl.String,
    **dict.fromkeys(RANKS, pl.Int64),
}


def _rows(standings: Standings) -> pl.DataFrame:
    runs = len(standings.runs)
    ranges = np.tile([1, runs], (runs, 1)) if standings.verdicts is None else standings.verdicts.ranges
    columns: dict[str, Any] = {
        "measure": [standings.measure] * runs,
        "run": list(standings.runs),
        "settled": standings.settled,
    }
    columns |= {name: getattr(standings, kept) for name, kept in FIGURES.items()}
    columns |= dict(zip((*ENDS, *RANKS), (*standings.ends, *ranges.T), strict=True))
    return pl.DataFrame({name: columns[name] for name in SCHEMA}, schema=SCHEMA)[standings.order]


def _cells(standings: Standings, run: int) -> Sequence[str | float]:
    """Return a run's cells, with as many decimals as the intervals bear."""
    digits, first = standings.decimals, run == standings.first
    new = standings.new_half_widths[run]
    behind = standings.gaps[run] if round(abs(standings.gaps[run]), digits) else 0.0
    gap = with_sign(behind, digits) if behind else decimal(0.0, digits)
    if not np.isnan(standings.gap_half_widths[run]):
        gap += f" ± {decimal(standings.gap_half_widths[run], digits)}"
    return (
        standings.ranks[run],
        standings.runs[run],
        value_words(standings, run),
        "–" if np.isnan(new) else f"± {decimal(new, digits)}",
        "" if first else gap,
        standings.settled[run],
        float(standings.shares_judged[run]),
    )


def _next_documents(campaign: BoardCampaign, outlook: RunsOutlook | None) -> Iterator[tuple[str, str]]:
    """Yield the open documents whose labels would move the board most, by what people read of them."""
    pool = campaign.pool
    places = [] if outlook is None else outlook.next(NEXT).tolist()
    pairs = [(pool.query_of(place), str(pool.documents[place])) for place in places]
    titles = campaign.texts.titles(pairs)
    yield from ((campaign.texts.queries[query], titles[query, document]) for query, document in pairs)


def _later_data(run: LaterRun, level: float) -> dict[str, Any]:
    told = []
    for one in run.estimate(level):
        low, high = one.interval or (None, None)
        value = one.value if one.interval else None
        told.append({"measure": str(one.target), "value": value, "low": low, "high": high, "reason": one.reason})
    return {"run": run.name, "estimates": told, "judge_first": run.needed}


def _sides(verdicts: Verdicts, order: IndexArray) -> Iterator[tuple[str, ...]]:
    """For each run the runs that it is settled above, below, and neither: by name, or how many where they are many."""
    runs = np.array(verdicts.runs)
    for run in order:
        above, below = verdicts.above[run], verdicts.above[:, run]
        sides = (runs[chosen] for chosen in (above, below, ~above & ~below & (np.arange(len(runs)) != run)))
        yield runs[run], *(f"{len(some)} runs" if len(some) > NAMED else ", ".join(some) or "–" for some in sides)
