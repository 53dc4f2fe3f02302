"""The report of a campaign: what its labels say so far, what they cost, and what the rest of the budget would buy."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import Any, Self

import polars as pl

from rankgauge.evaluation.notes import FEW, note_worths
from rankgauge.labelling.campaign import Campaign, CampaignSettings, Progress, Unjudgeable
from rankgauge.labelling.intervals import IntervalKind
from rankgauge.labelling.labels import Recorded
from rankgauge.labelling.methods import Estimate
from rankgauge.render.format import Medium, Report, ReportDocument
from rankgauge.render.numbers import amount, count, number, thousands
from rankgauge.render.passages import Details, Figure, Heading, Notes, Paragraph, Passage
from rankgauge.render.svg import Axis, Drawing, Plot, sheet
from rankgauge.render.table import Column, ReportTable

MOVED = """The line is the estimate after each of more and more draws, the band its interval. The right edge is the
budget."""

ROOM = 0.04
"""How much wider than the widest interval a chart is, each way."""

FEWEST_LABELS = 10
"""From how many labels on a value is shown, however little is known of it."""

EARLIER = "as the version that began the campaign has it: too narrow where queries are few"

RECORDED = {
    "new": "{} recorded",
    "replaced": "{} replaced",
    "same": "{} known already",
    "skipped": "{} cannot be judged",
    "unasked": "{} for documents not drawn yet: kept until needed",
    "blank": "{} without a grade",
    "outside": "{} outside the pool left out",
    "by_text": "{} with queries named by their texts",
    "settled": "{} that settle disagreements left out",
}
"""What can become of labels that are recorded."""


@dataclass(frozen=True, kw_only=True, eq=False)
class CampaignReport(Report):
    """The state of a campaign: settings, progress, estimate, and how the estimate moved with the cost."""

    command = "active estimate"

    name: str
    settings: CampaignSettings
    progress: Progress
    estimate: Estimate | None
    curve: pl.DataFrame
    rankers: int
    pool: tuple[int, int]
    """The pool's queries and documents."""
    worth: tuple[tuple[str, str], ...]
    """What grades are worth, in words."""
    extent: tuple[float, float]
    """The lowest and the highest value that there may be."""
    finished: bool
    """Whether the last draw of the plan is complete."""
    stop_at: float | None
    """The half-width of the interval at which the campaign stops by itself."""
    lacking: int
    """About how many more labels it takes until there is an interval, while there is none."""
    waiting: int
    """How many of the complete draws the estimate does not use yet."""

    @classmethod
    def of(cls, campaign: Campaign, *, level: float, interval: str | None) -> Self:
        """Return the campaign as it is now."""
        progress, length = campaign.progress(), campaign.plans[-1].length
        estimate = campaign.estimate(level=level, interval=interval)
        return cls(
            name=campaign.name,
            settings=campaign.settings,
            progress=progress,
            estimate=estimate,
            curve=campaign.curve(level=level, interval=interval),
            rankers=campaign.pool.rankers,
            pool=(len(campaign.pool.queries), len(campaign.pool.documents)),
            worth=tuple(note_worths(campaign.target, campaign.pool.grades)),
            extent=campaign.target.extent(campaign.pool),
            finished=length is not None and progress.complete >= length,
            stop_at=campaign.rules.stop_at,
            lacking=campaign.lacking(estimate) or 0,
            waiting=0 if estimate is None else campaign.waiting(),
        )

    @property
    def half(self) -> float:
        """How far the interval reaches to either side."""
        return math.nan if self.estimate is None else (self.estimate.high - self.estimate.low) / 2

    @property
    def used(self) -> float:
        """What the complete draws cost."""
        return 0.0 if self.curve.is_empty() else float(self.curve["cost"][-1])

    @property
    def outlook(self) -> float:
        """About how far the interval will reach once the budget is spent: widths fall with the root of the cost."""
        return self.half * math.sqrt(self.used / self.progress.budget)

    def data(self) -> dict[str, Any]:
        """Return everything, with the estimate after each of many draws."""
        return {
            "campaign": self.name,
            "settings": asdict(self.settings),
            "rankers": self.rankers,
            "estimate": None if self.estimate is None else self.estimate.to_json(),
            "expected_half_width": self.outlook,
            "progress": self.progress.to_json(),
            "curve": self.curve,
            "notes": [{"subject": subject, "words": words} for subject, words in self.notes()],
        }

    def paragraph(self) -> str:
        """Return what may be published of the estimate."""
        settings, progress = self.settings, self.progress
        if self.estimate is None or not self.estimate.shown:
            return f"{self.headline()}."
        return (
            f"{self.headline()}: estimated with RankGauge {version('rankgauge')} (method {settings.method}, dialect "
            f"{settings.dialect}, seed {settings.seed}) from {count(progress.labels, 'label')} of "
            f"{count(progress.assessors, 'assessor')}, for a pool of {count(self.pool[1], 'document')} of "
            f"{count(self.pool[0], 'query', 'queries')}. The documents were drawn at random with known chances. "
            f"Beliefs about grades decide what is drawn and how wide the interval is, not whether it holds; no belief "
            f"counts as a label. The interval is {IntervalKind.parse(self.estimate.interval).words}."
        )

    def frame(self) -> pl.DataFrame:
        """Return the estimate and its interval after each of many draws."""
        return self.curve

    def picture(self) -> Drawing:
        """Return how the estimate moved."""
        drawn = movement(self.curve, self.progress.budget, "the estimate over the cost")
        return sheet(self.headline(), {} if drawn is None else {"": drawn})

    def document(self, medium: Medium) -> ReportDocument:
        """Return the estimate, and what it rests on."""
        return ReportDocument(
            headline=self.headline(),
            facts=(self.name, self.settings.method, f"seed {self.settings.seed}"),
            passages=tuple(self._passages(page=medium is Medium.PAGE)),
        )

    def headline(self) -> str:
        """Return the estimate in one line."""
        measure, estimate = self.settings.measure, self.estimate
        what = measure if self.rankers == 1 else f"{measure}, first ranker − second"
        if estimate is None or not estimate.shown:
            more = f"about {count(self.lacking, 'more label')}"
            if estimate is None or self.progress.labels < FEWEST_LABELS or not math.isfinite(estimate.value):
                return f"{what}: not yet: {more}"
            low, high = self.extent
            value = f"{min(max(estimate.value, low), high):.2f} ({low:.3g} to {high:.3g})"
            return f"{what} {value}: labels are too few, {more} before it has an interval"
        ends = f"{number(estimate.low)} to {number(estimate.high)}"
        half = "" if estimate.half is None else f" ± {number(estimate.half)}"
        return f"{what} {number(estimate.value)}{half} ({100 * estimate.level:g} % interval {ends})"

    def _passages(self, *, page: bool) -> Iterator[Passage]:
        title = "The estimate over the cost"
        if not page:
            yield Paragraph(self.headline(), strong=True)
        elif (drawn := movement(self.curve, self.progress.budget, title.lower())) is not None:
            cost, draws, *ends = self.curve.columns
            estimate = (Column(end, format="{:.4f}".format) for end in ends)
            columns = (Column(cost, format=amount), Column(draws, format=thousands), *estimate)
            yield Heading(title, hint=MOVED)
            yield Figure("", drawn)
            yield Details("the numbers", [ReportTable(columns=columns, rows=self.curve.rows())])
        if page:
            yield Heading("What it rests on")
        yield Notes(list(self.notes()))

    def notes(self) -> Iterator[tuple[str, str]]:
        """Subjects, and what there is to know of them."""
        progress, settings = self.progress, self.settings
        documents = f"{count(progress.asked, 'document')} of {count(progress.queries, 'query', 'queries')}"
        labels = f"{count(progress.labels, 'label')} of {count(progress.assessors, 'assessor')}"
        yield "spent", f"{amount(progress.spent)} of {amount(progress.budget)}: {documents}; {labels}"
        out = f"; {count(progress.out, 'document')} asked for and not yet judged" if progress.out else ""
        rests = f"the estimate rests on these, which cost {amount(self.used)}"
        if self.waiting:
            few = "the last, which begins a part of the plan and counts" if self.waiting == 1 else ""
            few = few or f"the last {self.waiting:,}, which begin a part of the plan and count"
            rests = f"they cost {amount(self.used)}; the estimate rests on all but {few} once there are more of them"
        yield "draws", f"{progress.complete:,} complete; {rests}{out}"
        yield "left", self._say_what_is_left()
        yield "pool", f"{self.pool[0]:,} queries, {self.pool[1]:,} documents"
        stages = f", {progress.stages} stages" if progress.stages > 1 else ""
        measure = f"{settings.measure} as in the dialect {settings.dialect}"
        yield "method", f"{settings.method}, seed {settings.seed}{stages}; {measure}"
        yield from self.worth
        if self.estimate is not None:
            yield "interval", self._interval(self.estimate)
            yield from self._few(self.estimate)
        if settings.assessors > 1:
            yield "assessors", f"{settings.assessors} per document, combined by {settings.combine}"
        if progress.unjudgeable:
            rule = Unjudgeable.parse(settings.unjudgeable).words
            yield "not judged", f"{count(progress.unjudgeable, 'document')} could not be judged; {rule}"
        if progress.adjudicated:
            documents = count(progress.adjudicated, "document")
            yield "adjudicated", f"{documents} with a grade that settled a disagreement, in place of the assessors'"
        if progress.replaced:
            yield "replaced", f"{count(progress.replaced, 'label')}; the old ones are kept"
        if progress.unasked:
            unasked = count(progress.unasked, "document")
            yield "not asked", f"{unasked} with labels that no draw has asked for; kept, and not used"
        if progress.paused:
            yield "paused", "nothing is handed out"

    def _say_what_is_left(self) -> str:
        left = amount(self.progress.left)
        if self.finished:
            return f"{left}, as every draw of the plan is complete"
        if not math.isfinite(self.half) or self.progress.left <= 0:
            return left
        return f"{left}; with the whole budget spent the interval should be about ± {number(self.outlook)}"

    def _interval(self, estimate: Estimate) -> str:
        kind, planned = IntervalKind.parse(estimate.interval), self.settings.planned
        words = kind.words
        why = "" if self.stop_at is None else f"the campaign stops at ± {self.stop_at:g}"
        why = why if planned is None else f"it was changed from {amount(planned)}"
        if kind is IntervalKind.T and why:
            words = f"{words}, and {why}: only --interval sequence holds"
        return words if estimate.basis is not None else f"{words}; {EARLIER}"

    def _few(self, estimate: Estimate) -> Iterator[tuple[str, str]]:
        """Yield how few queries the estimate rests on, or why it is none."""
        few = f"{count(estimate.queries, 'query is', 'queries are')} too few for an interval"
        if estimate.queries < FEW:
            yield "few", f"{few} to say much" if estimate.shown else few
        elif not estimate.shown and IntervalKind.parse(estimate.interval) is IntervalKind.T:
            yield "noise", "what the labels say so far is too uncertain to be shown"


def describe_recorded(recorded: Recorded) -> str:
    """Return what became of labels: the counts that are not 0, separated by commas."""
    told = [words.format(getattr(recorded, name)) for name, words in RECORDED.items() if getattr(recorded, name)]
    return (", ".join(told) or "no labels") + (f"; {unread_words(recorded)}" if recorded.unread else "")


def unread_words(recorded: Recorded) -> str:
    """Return the columns of a file of labels that were not read."""
    return f"columns that were not read: {', '.join(recorded.unread)}"


def movement(curve: pl.DataFrame, budget: float, label: str) -> Drawing | None:
    """The estimate after each of many draws, the band of its interval, and the budget as a line; None before these."""
    known = curve.filter(pl.col("low").is_finite() & pl.col("high").is_finite())
    if known.is_empty():
        return None
    low, high = reach(known)
    x = Axis(low=0.0, high=budget, start=64, end=744)
    plot = Plot(label, x, Axis(low=low, high=high, start=276, end=12), (760, 320))
    plot.grid(shown="{:,.6g}")
    plot.line((x.end, 12), (x.end, 276), kind="budget")
    plot.caption("cost, up to the budget")
    plot.band(known.select("cost", "low", "high").rows())
    plot.curve(known.select("cost", "value").rows(), kind="line")
    for cost, value, least, most, draws in known.select("cost", "value", "low", "high", "draws").iter_rows():
        words = f"after {draws} draws, cost {amount(cost)}: {value:.4f}, {least:.4f} to {most:.4f}"
        plot.dot(plot.at((cost, value)), kind="dot", title=words)
    return plot


def reach(known: pl.DataFrame) -> tuple[float, float]:
    """Return the values to show: every estimate and interval, and some room."""
    low, high = float(known["low"].to_numpy().min()), float(known["high"].to_numpy().max())
    room = max((high - low) * ROOM, 1e-9)
    return low - room, high + room
