"""The report of `rankgauge active plan`: the pool, the budget, and the interval to expect of each method."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rankgauge.evaluation.worths import graded
from rankgauge.labelling import methods
from rankgauge.labelling.campaign import Campaign
from rankgauge.labelling.forecasts import Forecast
from rankgauge.labelling.pool import Pool
from rankgauge.render.format import Medium, Report, ReportDocument
from rankgauge.render.numbers import amount, count, number
from rankgauge.render.passages import Heading, Notes, ReportTable


@dataclass(frozen=True, kw_only=True, eq=False)
class PlanReport(Report):
    """A campaign before its first label, and what to expect of it."""

    command = "active plan"

    campaign: Campaign
    forecast: Forecast

    def document(self, medium: Medium) -> ReportDocument:
        """What is estimated, the expected intervals, and what follows from them."""
        heading = Heading("Expected interval (±) by budget, if the beliefs are right")
        facts, advice = Notes(list(self._facts())), Notes(list(self._advice()))
        return ReportDocument(headline=heading.title, passages=(facts, heading, self._widths(), advice))

    def _widths(self) -> ReportTable:
        """A row per method, the narrowest interval at the campaign's own budget first."""
        chosen, forecast = self.campaign.settings, self.forecast
        own = int(np.argmin(np.abs(forecast.budgets - chosen.allowance)))
        columns = [amount(budget) for budget in forecast.budgets]
        rows = [
            ("→" if name == chosen.method else "", name, *(number(float(w) / 2) for w in widths), self._saving(name))
            for name, widths in sorted(forecast.widths.items(), key=lambda item: float(item[1][own]))
        ]
        return ReportTable(header=("", "method", *columns, "saves"), rows=rows, numbers=(*columns, "saves"))

    def _facts(self) -> Iterator[tuple[str, str]]:
        pool, settings = self.campaign.pool, self.campaign.settings
        what = settings.measure if pool.rankers == 1 else f"{settings.measure} of the first ranker − that of the second"
        yield "estimated", f"the mean {what} over {len(pool.queries):,} queries"
        whole = amount(float(pool.query_costs.sum()))
        yield "pool", f"{len(pool.documents):,} documents; judging all would cost {whole}"
        yield "beliefs", _beliefs(pool)
        if settings.judges:
            yield "judges", f"{settings.judges}: beliefs come from these grades, spread over the scale"
        if settings.softened:
            words = "certain of one grade, which no label supports yet: softened"
            yield "certainty", f"the beliefs about {count(settings.softened, 'document')} were {words}"
        yield "dialect", settings.dialect
        yield from graded(self.campaign.target, pool.grades)
        needed = float(self.campaign.target.query_costs(pool).sum()) * settings.assessors
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

    def _saving(self, method: str) -> str:
        saving = self.forecast.saving(method, "passive", self.campaign.settings.allowance)
        return f"{saving:.0%}".replace("%", " %").replace("-", "−") if math.isfinite(saving) else "–"


def _beliefs(pool: Pool) -> str:
    grades = ", ".join(f"{grade:g}" for grade in pool.grades)
    uniform = bool(np.allclose(pool.beliefs, 1 / len(pool.grades)))
    told = "nothing is known, all grades are equally likely" if uniform else "given for each document"
    return f"grades {grades}; {told}"
