"""The report of a board: what few labels say of many runs, what is settled, and what more labels would bring."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import polars as pl

from rankgauge.evaluation.notes import FEW
from rankgauge.evaluation.worths import board_worths
from rankgauge.labelling.board import BoardPool, GoalKind, LaterRun, Outlook, Verdicts
from rankgauge.labelling.board.later_run import LaterEstimate
from rankgauge.labelling.board.outlook import MORE
from rankgauge.labelling.campaign import BoardCampaign, CampaignSettings, Progress
from rankgauge.labelling.judge_alone import judges_alone
from rankgauge.labelling.posterior import PosteriorEstimate, RunEstimate
from rankgauge.labelling.posterior.outlook import PosteriorOutlook
from rankgauge.labelling.posterior.plan import METHOD as POSTERIOR
from rankgauge.labelling.posterior.plan import SURE
from rankgauge.labelling.reports.board_notes import judge_notes, look_words, percent, pool_notes
from rankgauge.labelling.reports.board_paragraph import alone_words, board_paragraph
from rankgauge.numeric import BoolArray, IndexArray
from rankgauge.render.bars import mean_bars
from rankgauge.render.format import Medium, Report, ReportDocument
from rankgauge.render.numbers import amount, count, interval, number
from rankgauge.render.passages import Details, Figure, Heading, Notes, Paragraph, Passage, ReportTable
from rankgauge.render.svg import Drawing, sheet

COLUMNS = ("rank", "run", "value", "±", "± all at once", "± queries like these")
GAP_COLUMNS = ("rank", "run", "value", "±", "to the first", "± of that", "± queries like these")
NEXT = 10
"""How many of the documents that matter most are shown."""

NAMED = 8
"""How many runs are named in a cell of a table; of more, only the number is."""

WIDTHS = """The first ± is for one run and these queries, the second for all runs at once, the third for one run on
other queries like these, so that the luck of the queries is in it. Ranks hold for all runs at once."""


MODEL_WIDTHS = """The first ± is for one run and these queries, the second for its difference to the first run, the
third for one run on other queries like these, so that the luck of the queries is in it. Ranks hold for all runs at
once."""

MODEL = """a model of how grades follow ranks, runs and queries, fitted to the labels; its constants are from TREC DL
2019. On TREC DL 2021 and TREC-COVID, which it had not seen, intervals held in 97 to 98 % of the cases. With few labels
values lean low, most for the best run: there by some 0.03 at 100, which intervals include, but by more where grades
follow ranks more closely"""


@dataclass(frozen=True, kw_only=True, eq=False)
class BoardReport(Report):
    """The state of a board: settings, progress, and the estimates of each measure."""

    command = "active estimate"

    name: str
    settings: CampaignSettings
    progress: Progress
    estimates: tuple[RunEstimate, ...]
    outlook: Outlook | PosteriorOutlook | None
    pool: BoardPool
    settled: bool
    level: float
    later: tuple[LaterRun, ...] = ()
    """Runs that had no part in the pool."""

    @classmethod
    def of(cls, campaign: BoardCampaign, *, level: float, later: Mapping[str, Any] | None = None) -> Self:
        """The campaign as it is now, and runs that came later."""
        return cls(
            name=campaign.name,
            settings=campaign.settings,
            progress=campaign.progress(),
            estimates=campaign.estimates(),
            outlook=campaign.outlook(),
            pool=campaign.pool,
            settled=campaign.settled,
            level=level,
            later=tuple(campaign.later(name, run) for name, run in (later or {}).items()),
        )

    @cached_property
    def verdicts(self) -> tuple[Verdicts | None, ...]:
        """What each measure's estimates settle; None while they have no interval."""
        looks = len(self.settings.looks)
        return tuple(
            # Draws condition on the labels, whenever they are looked at.
            estimate.verdicts(self.level, looks=1 if isinstance(estimate, PosteriorEstimate) else looks)
            for estimate in self.estimates
        )

    def frame(self) -> pl.DataFrame:
        """A row for each measure and run: value, half-widths, and the ranks that it may have."""
        parts = [self._rows(*one) for one in zip(self.estimates, self.verdicts, strict=True)]
        return (pl.concat(parts) if parts else pl.DataFrame(schema=SCHEMA)).fill_nan(None)

    def _rows(self, estimate: RunEstimate, verdicts: Verdicts | None) -> pl.DataFrame:
        runs = len(estimate.runs)
        unknown = np.full(runs, np.nan)
        widths = (f(self.level) for f in (estimate.half_widths, estimate.joint_half_widths, estimate.like_half_widths))
        own, joint, like = (unknown if width is None else width for width in widths)
        ranges = np.full((runs, 2), None) if verdicts is None else verdicts.ranges
        columns = {
            "measure": [str(estimate.target)] * runs,
            "run": list(estimate.runs),
            "value": unknown if verdicts is None else estimate.bounded,
            "half_width": own,
            "joint_half_width": joint,
            "like_half_width": like,
            "rank_low": list(ranges[:, 0]),
            "rank_high": list(ranges[:, 1]),
        }
        found = pl.DataFrame(columns, schema=SCHEMA)
        return found if verdicts is None else found[_order(estimate)]

    def data(self) -> dict[str, Any]:
        """Everything, with the values of each query."""
        return {
            "campaign": self.name,
            "settings": asdict(self.settings),
            "level": self.level,
            "settled": self.settled,
            "progress": self.progress.to_json(),
            "board": self.frame(),
            "waiting": {str(one.target): one.reason for one in self.estimates if one.reason},
            "pairs": self._pairs(),
            "later": [self._later_data(run) for run in self.later],
            "next": [{"query": query, "document": document} for query, document in self.next_documents()],
            "notes": [{"subject": subject, "words": words} for subject, words in self.notes()],
        }

    def paragraph(self) -> str:
        """What may be published of the board."""
        return board_paragraph(self)

    def picture(self) -> Drawing:
        """By measure, a bar for each run with its interval."""
        return sheet(self.headline(), self._bars())

    def _bars(self) -> dict[str, Drawing]:
        rows = []
        for estimate in self.estimates:
            if (ends := estimate.joint_ends(self.level)) is not None:
                bars = list(zip(estimate.runs, estimate.bounded, *ends, strict=True))
                rows += [(str(estimate.target.measure), *bars[run]) for run in _order(estimate)]
        shown = [estimate.target.measure for estimate in self.estimates if not estimate.reason]
        names = {str(one.target.measure): str(one.target) for one in self.estimates}
        return {names[key]: drawn for key, drawn in mean_bars(rows, shown).items()}

    def document(self, medium: Medium) -> ReportDocument:
        """The board of each measure, and what it rests on."""
        return ReportDocument(
            headline=self.headline(),
            facts=(self.name, self.settings.method, f"seed {self.settings.seed}"),
            passages=tuple(self._passages(page=medium is Medium.PAGE)),
        )

    def headline(self) -> str:
        """What the first measure says, in one line."""
        measure, runs = self.settings.measures[0], count(len(self.pool.runs), "run")
        if not self.estimates:
            stage = "no document is judged" if self.progress.stages == 1 else "the new stage has no label"
            return f"{measure} of {runs}: not yet: {stage}"
        verdicts, estimate = self.verdicts[0], self.estimates[0]
        if verdicts is None:
            return f"{measure} of {runs}: {estimate.reason}"
        pairs = len(self.pool.runs) * (len(self.pool.runs) - 1) // 2
        lead = int(np.argmax(estimate.values))
        led = f"{estimate.runs[lead]} leads with {number(float(estimate.bounded[lead]))}{_chance(estimate, lead)}"
        if not pairs:
            return f"{measure}: {led}"
        settled = f"{round(verdicts.settled * pairs):,} of {count(pairs, 'pair')} settled"
        return f"{measure} of {runs}: {led}, rank {verdicts.range_texts[lead]}; {settled}"

    def _passages(self, *, page: bool) -> Iterator[Passage]:
        if not page:
            yield Paragraph(self.headline(), strong=True)
        for name, drawn, table in self.sections():
            yield Heading(
                name, hint=f"{self._widths} The line at the end of a bar is the interval for all runs at once."
            )
            yield from [Figure("", drawn)] * page
            yield table
        for estimate in self.estimates:
            if estimate.reason:
                yield Heading(str(estimate.target), "" if page else f": {estimate.reason}")
                yield from [Paragraph(estimate.reason)] * page
        yield from self._later()
        rows = self.next_documents()
        if page and rows:
            table = ReportTable(header=("query", "document"), rows=rows)
            yield Details("the open documents whose labels would move the board most", [table])
        yield from [Heading("What it rests on")] * page
        yield Notes([(subject, words) for subject, words in self.notes() if not (page and subject == "±")])

    def sections(self) -> Iterator[tuple[str, Drawing, ReportTable]]:
        """By measure that has intervals, the chart and the table."""
        bars = self._bars()
        for estimate, verdicts in zip(self.estimates, self.verdicts, strict=True):
            if verdicts is not None:
                yield str(estimate.target), bars[str(estimate.target)], self._table(estimate, verdicts)

    @property
    def _widths(self) -> str:
        by_model = any(isinstance(estimate, PosteriorEstimate) for estimate in self.estimates)
        return MODEL_WIDTHS if by_model else WIDTHS

    def _table(self, estimate: RunEstimate, verdicts: Verdicts) -> ReportTable:
        ranks = dict(zip(estimate.runs, verdicts.range_texts, strict=True))
        if isinstance(estimate, PosteriorEstimate):
            return self._gap_table(estimate, ranks)
        rows = [
            (ranks[row["run"]], row["run"], *(number(row[name]) for name in NUMBERS))
            for row in self._rows(estimate, verdicts).iter_rows(named=True)
        ]
        return ReportTable(header=COLUMNS, rows=rows, numbers=COLUMNS[2:])

    def _gap_table(self, estimate: PosteriorEstimate, ranks: Mapping[str, str]) -> ReportTable:
        """The values with their differences to the first run: a difference is known better than two values."""
        order = _order(estimate)
        own, like, gaps = (
            widths(self.level) for widths in (estimate.half_widths, estimate.like_half_widths, estimate.gap_half_widths)
        )
        rows = []
        for run in order.tolist():
            behind = ("", "") if run == order[0] else (_signed(estimate, run, order[0]), number(gaps[run, order[0]]))
            numbers = (number(float(estimate.values[run])), number(own[run]), *behind, number(like[run]))
            rows.append((ranks[estimate.runs[run]], estimate.runs[run], *numbers))
        return ReportTable(header=GAP_COLUMNS, rows=rows, numbers=GAP_COLUMNS[2:])

    def settled_pairs(self) -> Iterator[tuple[str, ReportTable]]:
        """By measure that has intervals, which runs each run is settled to be better or worse than, and the rest."""
        header = ("run", "better than", "worse than", "open")
        for estimate, verdicts in zip(self.estimates, self.verdicts, strict=True):
            if verdicts is not None and len(verdicts.runs) > 1:
                order = np.argsort(-verdicts.values, kind="stable")
                rows = [(verdicts.runs[run], *_sides(verdicts, int(run))) for run in order]
                yield str(estimate.target), ReportTable(header=header, rows=rows)

    def waiting(self) -> list[tuple[str, str]]:
        """The measures that have no interval, and why."""
        return [(str(estimate.target), estimate.reason) for estimate in self.estimates if estimate.reason]

    def _pairs(self) -> dict[str, list[tuple[str, str]]]:
        """By measure the pairs that are settled, the better run first."""
        return {
            str(estimate.target): [(verdicts.runs[s], verdicts.runs[t]) for s, t in np.argwhere(verdicts.above)]
            for estimate, verdicts in zip(self.estimates, self.verdicts, strict=True)
            if verdicts is not None
        }

    def _later(self) -> Iterator[Passage]:
        """What is known of runs that came later, and what has to be judged first."""
        rows = [
            (run.name, str(found.target), number(found.value) if found.interval else "–", _told(found))
            for run in self.later
            for found in run.estimate(self.level)
        ]
        if rows:
            yield Heading("Runs that came later")
            header = ("run", "measure", "value", "interval, or what to do first")
            yield ReportTable(header=header, rows=rows, numbers=("value",), prose=header[-1])
        for run in self.later:
            if len(run.needed):
                shown = [f"{query} {document}" for query, document, _ in run.needed.head(NEXT).iter_rows()]
                more = f" and {len(run.needed) - NEXT:,} more" if len(run.needed) > NEXT else ""
                yield Paragraph(f"{run.name}: not in the pool among its first documents: {', '.join(shown)}{more}")

    def _later_data(self, run: LaterRun) -> dict[str, Any]:
        found = [
            {
                "measure": str(one.target),
                "value": one.value if one.interval else None,
                "low": one.interval[0] if one.interval else None,
                "high": one.interval[1] if one.interval else None,
                "reason": one.reason,
            }
            for one in run.estimate(self.level)
        ]
        return {"run": run.name, "estimates": found, "judge_first": run.needed}

    def notes(self) -> Iterator[tuple[str, str]]:
        """Subjects, and what there is to know of them."""
        progress, settings = self.progress, self.settings
        labels = f"{count(progress.judged, 'document')} of {count(progress.queries, 'query', 'queries')} judged"
        labels += f", {percent(progress.judged / len(self.pool.documents))} of the pool"
        yield "spent", f"{amount(progress.spent)} of {amount(progress.budget)}: {labels}"
        if progress.out:
            yield "out", f"{count(progress.out, 'document')} asked for and not yet judged; those after the first wait"
        if any(verdicts is not None for verdicts in self.verdicts):
            yield "±", " ".join(self._widths.split())
            yield from self._beyond()
            if self._widths is MODEL_WIDTHS:
                yield "model", " ".join(MODEL.split())
        yield from self.goal()
        yield from self._outlook()
        yield from pool_notes(self.pool, self.estimates)
        yield from self._alone()
        yield from self._few()
        yield (
            "method",
            f"{settings.method}, seed {settings.seed}; {settings.measure} as in the dialect {settings.dialect}",
        )
        targets = [estimate.target for estimate in self.estimates]
        if targets:
            yield from board_worths(targets, max(settings.grades))
        if progress.paused:
            yield "paused", "nothing is handed out"

    def _alone(self) -> Iterator[tuple[str, str]]:
        """What judges alone would say."""
        yield from (("judge alone", alone_words(one)) for one in judges_alone(self.outlook, self.estimates))

    def of_judges(self) -> Iterator[str]:
        """Who the judges are, what they are taken for, and what they alone would say; nothing if there are none."""
        yield from (words for _, words in (*judge_notes(self.pool, np.array(self.settings.grades)), *self._alone()))

    def goal(self) -> Iterator[tuple[str, str]]:
        """What labels settle first, and how far that is."""
        goal, looks = self.settings.goal, self.settings.looks
        if len(looks) < 2:
            yield "goal", f"{goal}: the interval holds for a budget that was fixed in advance"
            return
        state = "settled" if self.settled else "open"
        by_model = self.settings.method == POSTERIOR
        planned = look_words(looks) + ("" if by_model else "; claims hold over all looks")
        yield "goal", f"{goal} by {self.settings.measures[0]}: {state}; {planned}"
        if self.verdicts and GoalKind.parse(goal.split()[0]) is GoalKind.BEST:
            yield from (("best", words) for words in _best(self.estimates[0], self.verdicts[0]))

    def _outlook(self) -> Iterator[tuple[str, str]]:
        if self.outlook is None or self.outlook.open_documents <= MORE:
            return
        for estimate, then in zip(self.estimates, self.outlook.half_widths(MORE, self.level), strict=True):
            now = estimate.half_widths(self.level)
            if now is not None and then is not None:
                means = f"± {number(float(then.mean()))} instead of ± {number(float(now.mean()))}"
                yield "outlook", f"{estimate.target}: with {MORE} more labels about {means}, on average over the runs"

    def _beyond(self) -> Iterator[tuple[str, str]]:
        """Values that no measure can have, if there are any."""
        for estimate in self.estimates:
            beyond = int(np.count_nonzero(estimate.bounded != estimate.values))
            if beyond and not estimate.reason:
                low, high = estimate.target.measure.facts.bounds
                of = f"{estimate.target} of {count(beyond, 'run')}"
                yield "beyond", f"{of}: few labels led below {low:g} or above {high:g}; the bound is shown instead"

    def _few(self) -> Iterator[tuple[str, str]]:
        queries = len(self.pool.queries)
        if queries < FEW:
            yield "few", f"{count(queries, 'query is', 'queries are')} too few to say much of queries like these"

    def next_documents(self) -> list[tuple[str, str]]:
        """The open documents whose labels would move the board most: query and document."""
        places = [] if self.outlook is None else self.outlook.next(NEXT).tolist()
        return [(self.pool.query_of(place), str(self.pool.documents[place])) for place in places]


NUMBERS = ("value", "half_width", "joint_half_width", "like_half_width")
SCHEMA = {
    "measure": pl.String,
    "run": pl.String,
    **dict.fromkeys(NUMBERS, pl.Float64),
    "rank_low": pl.Int64,
    "rank_high": pl.Int64,
}


def _best(estimate: RunEstimate, verdicts: Verdicts | None) -> Iterator[str]:
    """The runs that may be the best, with their chances where these are known."""
    if isinstance(estimate, PosteriorEstimate):
        chances = estimate.best_chances()
        order = np.argsort(-chances, kind="stable")
        likely = order[: 1 + int(np.searchsorted(np.cumsum(chances[order]), SURE))]
        yield " or ".join(f"{estimate.runs[run]} ({percent(float(chances[run]))})" for run in likely)
    elif verdicts is not None and verdicts.runs:
        may = [run for run, in_ in zip(verdicts.runs, verdicts.best, strict=True) if in_]
        yield f"one of {', '.join(may)}" if len(may) > 1 else may[0]


def _signed(estimate: PosteriorEstimate, run: int, first: int) -> str:
    return f"{estimate.values[run] - estimate.values[first]:+.4f}".replace("-", "−")


def _chance(estimate: RunEstimate, run: int) -> str:
    """With which chance a run is the best, where that is known."""
    if not isinstance(estimate, PosteriorEstimate) or len(estimate.runs) < 2:
        return ""
    return f", the best with a chance of {percent(float(estimate.best_chances()[run]))}"


def _order(estimate: RunEstimate) -> IndexArray:
    """The runs, the one that is ahead first."""
    return np.argsort(-estimate.values, kind="stable")


def _sides(verdicts: Verdicts, run: int) -> tuple[str, str, str]:
    """The runs that a run is settled above, below, and neither."""
    above, below = verdicts.above[run], verdicts.above[:, run]
    open_ = ~above & ~below & (np.arange(len(verdicts.runs)) != run)
    return _some(verdicts, above), _some(verdicts, below), _some(verdicts, open_)


def _some(verdicts: Verdicts, chosen: BoolArray) -> str:
    """The runs by name, or how many where they are many."""
    names = [run for run, in_ in zip(verdicts.runs, chosen, strict=True) if in_]
    return f"{len(names)} runs" if len(names) > NAMED else ", ".join(names) or "–"


def _told(found: LaterEstimate) -> str:
    return str(found.reason) if found.interval is None else interval(*found.interval)
