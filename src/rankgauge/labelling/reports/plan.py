"""The reports of `rankgauge active plan`: the pool, the budget, and the intervals to expect, of a value or a board."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from rankgauge.evaluation.notes import board_worths, note_worths
from rankgauge.labelling import methods
from rankgauge.labelling.board.values import SHALLOW_SIZE
from rankgauge.labelling.campaign import BoardCampaign, Campaign, LabelCampaign
from rankgauge.labelling.campaign.board_campaign import METHOD as STREAM
from rankgauge.labelling.method import Forecast, forecast
from rankgauge.labelling.pool import Pool
from rankgauge.labelling.posterior.plan import METHOD as POSTERIOR
from rankgauge.labelling.reports.board_words import look_words, pool_notes
from rankgauge.render.format import Medium, Report, ReportDocument
from rankgauge.render.numbers import amount, count, decimal, fitting_decimals, number
from rankgauge.render.passages import Heading, Notes, Passage
from rankgauge.render.table import Column, ReportTable

SHARES = (0.25, 0.5, 1.0, 2.0)
"""The budgets of the forecast, as shares of the campaign's own."""


def plan_report(campaign: LabelCampaign, *, chosen: Sequence[tuple[str, str]], place: str) -> Report:
    """Report on a campaign before its first label; `place` is where it is kept."""
    if isinstance(campaign, BoardCampaign):
        return BoardPlanReport(campaign=campaign, chosen=chosen, place=place)
    assert isinstance(campaign, Campaign)
    return PlanReport(campaign=campaign, forecast=forecast_of(campaign), chosen=chosen)


def forecast_of(campaign: Campaign) -> Forecast:
    """Return what each method promises around the campaign's budget."""
    pool, settings = campaign.pool, campaign.settings
    whole = float(pool.query_costs.sum())
    budgets = sorted({min(share * settings.allowance, whole) for share in SHARES})
    return forecast(pool, campaign.target, budgets=budgets, rng=settings.seed)


@dataclass(frozen=True, kw_only=True, eq=False)
class PlanReport(Report):
    """A campaign before its first label, and what to expect of it."""

    command = "active plan"

    campaign: Campaign
    forecast: Forecast
    chosen: Sequence[tuple[str, str]] = ()
    """What was chosen because nobody said it."""

    def document(self, medium: Medium) -> ReportDocument:
        """Return what is estimated, the expected intervals, and what follows from them."""
        heading = Heading("Expected interval (±) by budget, if the beliefs are right")
        facts, advice = Notes(list(self._facts())), Notes(list(self._advice()))
        return ReportDocument(headline=heading.title, passages=(facts, heading, self._widths(), advice))

    def _widths(self) -> ReportTable:
        """Return a row per method, the narrowest interval at the campaign's own budget first."""
        chosen, forecast = self.campaign.settings, self.forecast
        allowance = chosen.allowance
        own = int(np.argmin(np.abs(forecast.budgets - allowance)))
        rows = [
            ("→" if name == chosen.method else "", name, *widths, forecast.saving(name, "passive", allowance))
            for name, widths in sorted(forecast.widths.items(), key=lambda item: float(item[1][own]))
        ]
        halves = (Column(amount(budget), format=lambda width: number(float(width) / 2)) for budget in forecast.budgets)
        return ReportTable(columns=("", "method", *halves, Column("saves", format=_percent)), rows=rows)

    def _facts(self) -> Iterator[tuple[str, str]]:
        pool, settings, target = self.campaign.pool, self.campaign.settings, self.campaign.target
        what = settings.measure if pool.rankers == 1 else f"{settings.measure} of the first ranker − that of the second"
        yield "estimated", f"the mean {what} over {len(pool.queries):,} queries"
        whole = amount(float(pool.query_costs.sum()))
        yield "pool", f"{len(pool.documents):,} documents; judging all would cost {whole}"
        yield "beliefs", _beliefs(pool)
        yield from self.chosen
        if settings.judges:
            yield "judges", f"{settings.judges}: beliefs come from these grades, spread over the scale"
        if settings.softened:
            words = "certain of one grade, which no label supports yet: softened"
            yield "certainty", f"the beliefs about {count(settings.softened, 'document')} were {words}"
        yield "dialect", settings.dialect
        yield from note_worths(target, pool.grades)
        needed = float(target.query_costs(pool).sum()) * settings.assessors
        spare = f"; {amount(needed)} would judge all that counts" if settings.budget > needed else ""
        yield "budget", f"{amount(settings.budget)}{settings.cost and ': ' + settings.cost}{spare}"
        if settings.assessors > 1:
            yield "assessors", f"{settings.assessors} per document, and each label costs"
        method = methods.METHODS[settings.method]
        yield "method", f"{settings.method}: {method.title[0].lower()}{method.title[1:]}; seed {settings.seed}"

    def _advice(self) -> Iterator[tuple[str, str]]:
        best = self.forecast.best(self.campaign.settings.allowance)
        yield (
            "saves",
            "the share of the budget that a method saves for the precision that passive reaches with all of it",
        )
        yield "narrowest", f"{best} promises the narrowest interval here"
        even = self.forecast.break_even(best, "passive") if best != "passive" else math.nan
        if math.isfinite(even):
            yield (
                "pays",
                f"{best} is never worse than passive from a budget of {amount(even)} up, within those forecast",
            )


def _percent(share: float) -> str:
    return f"{share:.0%}".replace("%", " %").replace("-", "−") if math.isfinite(share) else "–"


def _beliefs(pool: Pool) -> str:
    grades = ", ".join(f"{grade:g}" for grade in pool.grades)
    uniform = bool(np.allclose(pool.beliefs, 1 / len(pool.grades)))
    told = "nothing is known, all grades are equally likely" if uniform else "given for each document"
    return f"grades {grades}; {told}"


SHOWN = 5e-5
"""Half-widths that are smaller are 0: every document is judged."""

BOARD_SHARES = (0.5, 1.0, 2.0, 4.0)
"""The numbers of labels for which a board's intervals are forecast, as shares of what the budget pays for."""

METHODS = {
    STREAM: "single documents, chosen by what their labels would move",
    POSTERIOR: "a model of the grades, which serves a few runs and shallow pools; documents by an order, later by what "
    f"their labels tell (--method {STREAM}: no model)",
}


@dataclass(frozen=True, kw_only=True, eq=False)
class BoardPlanReport(Report):
    """A board before its first label, and what to expect of it; `place` is where the campaign is kept."""

    command = "active plan"

    campaign: BoardCampaign
    chosen: Sequence[tuple[str, str]] = ()
    """What was chosen because nobody said it."""
    place: str = ""

    def document(self, medium: Medium) -> ReportDocument:
        """Return what is estimated, the expected intervals, and what to do next."""
        unit = "labels" if self.campaign.settings.assessors == 1 else "documents judged"
        heading = Heading(f"Expected interval (±) by {unit}, on average over the runs, if the first beliefs are right")
        passages: list[Passage] = [Notes(list(self._facts())), heading, self._widths(), Notes(list(self._next()))]
        return ReportDocument(headline=heading.title, passages=tuple(passages))

    def _widths(self) -> ReportTable:
        plan, labels = self.campaign.plan, self.campaign.settings.looks[-1]
        numbers = sorted({min(max(round(share * labels), 1), int(plan.needed.sum())) for share in BOARD_SHARES})
        rows = [
            (str(target), *((width, plan.is_bound(target)) for width in widths))
            for target, widths in zip(plan.targets, plan.expect(numbers).T.tolist(), strict=True)
        ]

        def write_width(expected: tuple[float, bool]) -> str:
            width, is_bound = expected
            if width < SHOWN:
                return "0"
            return plan.lacking if math.isnan(width) else f"{'≥ ' * is_bound}{decimal(width, fitting_decimals(width))}"

        return ReportTable(columns=("measure", *(Column(f"{n:,}", format=write_width) for n in numbers)), rows=rows)

    def _facts(self) -> Iterator[tuple[str, str]]:
        campaign, settings, plan = self.campaign, self.campaign.settings, self.campaign.plan
        runs = count(len(campaign.pool.runs), "run")
        yield "estimated", f"{settings.measure} of {runs}, for these queries and as if the whole pool were judged"
        yield from pool_notes(campaign.pool, plan.targets)
        yield from self.chosen
        if any(map(plan.is_bound, plan.targets)):
            words = "ideals are hard to know, and intervals may be several times as wide as ≥ says"
            yield "shallow", f"fewer than {SHALLOW_SIZE:g} documents a query: {words}"
        yield "dialect", settings.dialect
        yield from board_worths(plan.targets, max(settings.grades))
        looks = settings.looks
        stops = f", {look_words(looks)} and settled at any of them" if looks[1:] else ""
        yield "goal", f"{settings.goal} by {settings.measures[0]}{stops}"
        whole = amount(campaign.pool.open_cost * settings.assessors)
        yield "budget", f"{amount(settings.budget)} of {whole} for all{settings.cost and '; ' + settings.cost}"
        if settings.assessors > 1:
            yield "assessors", f"{settings.assessors} per document, and each label costs"
        if settings.pilot:
            yield "pilot", f"the first {count(settings.pilot, 'document')} are drawn at random: audit the judge on them"
        yield "method", f"{settings.method}: {METHODS[settings.method]}; seed {settings.seed}"

    def _next(self) -> Iterator[tuple[str, str]]:
        """Yield how many labels would settle the best run, and what to type."""
        settings, plan = self.campaign.settings, self.campaign.plan
        if settling := plan.settling("labels" if settings.assessors == 1 else "documents judged"):
            yield "best run", f"settled by {settling}, if labels go there (--goal best)"
        if self.place:
            number = settings.pilot or min(int(settings.budget), 20)
            tasks = "pilot.csv" if settings.pilot else "tasks.csv"
            who = " --assessor NAME" if settings.assessors > 1 else ""
            yield "next", f"rankgauge active next {self.place} -n {number}{who} -o {tasks}"
