"""What was planned: the pool, the budget, and the interval to expect of each method, before a label is bought."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TextIO

import numpy as np

from rankgauge.active import methods
from rankgauge.active.campaign import Campaign
from rankgauge.active.forecasts import Forecast
from rankgauge.active.pool import Pool
from rankgauge.report.active.content import amount
from rankgauge.report.formats.text import console, pairs, ruled
from rankgauge.report.numbers import number

__all__ = ["write_plan"]


def write_plan(campaign: Campaign, forecast: Forecast, stream: TextIO) -> None:
    """The plan for a terminal."""
    out = console(stream)
    pairs(_facts(campaign), out)
    out.print("\n[bold]Expected interval (±) by budget, if the beliefs are right[/bold]")
    columns = [amount(budget) for budget in forecast.budgets]
    table = ruled("", "method", *columns, "saves", numbers=(*columns, "saves"))
    for name, widths in sorted(forecast.widths.items(), key=lambda item: float(item[1][_middle(forecast, campaign)])):
        mark = "→" if name == campaign.settings.method else ""
        table.add_row(mark, name, *(number(float(width) / 2) for width in widths), _saving(forecast, campaign, name))
    out.print(table)
    out.print()
    pairs(_advice(campaign, forecast), out)


def _facts(campaign: Campaign) -> Iterator[tuple[str, str]]:
    pool, settings = campaign.pool, campaign.settings
    what = settings.measure if pool.rankers == 1 else f"{settings.measure} of the first ranker − that of the second"
    yield "estimated", f"the mean {what} over {len(pool.queries):,} queries"
    yield "pool", f"{len(pool.documents):,} documents; judging all would cost {amount(float(pool.query_costs.sum()))}"
    yield "beliefs", _beliefs(pool)
    yield "budget", f"{amount(settings.budget)}{settings.cost and ': ' + settings.cost}"
    if settings.assessors > 1:
        yield "assessors", f"{settings.assessors} judge each document, and each of them costs"
    method = methods.METHODS[settings.method]
    yield "method", f"{settings.method}: {method.title[0].lower()}{method.title[1:]}; seed {settings.seed}"


def _beliefs(pool: Pool) -> str:
    grades = ", ".join(f"{grade:g}" for grade in pool.grades)
    uniform = bool(np.allclose(pool.beliefs, 1 / len(pool.grades)))
    told = "nothing is known, every grade is as likely" if uniform else "given for each document"
    return f"grades {grades}; {told}"


def _advice(campaign: Campaign, forecast: Forecast) -> Iterator[tuple[str, str]]:
    budget = campaign.settings.allowance
    best = forecast.best(budget)
    yield "saves", "the share of the budget that a method saves while it is as exact as passive with all of it"
    yield "narrowest", f"{best} promises the narrowest interval here"
    even = forecast.break_even(best, "passive") if best != "passive" else math.nan
    if math.isfinite(even):
        yield "pays", f"{best} is never worse than passive from a budget of {amount(even)} on, as far as looked at"


def _saving(forecast: Forecast, campaign: Campaign, method: str) -> str:
    saving = forecast.saving(method, "passive", campaign.settings.allowance)
    return f"{saving:.0%}".replace("%", " %").replace("-", "−") if math.isfinite(saving) else "–"


def _middle(forecast: Forecast, campaign: Campaign) -> int:
    """The column of the campaign's own budget."""
    return int(np.argmin(np.abs(forecast.budgets - campaign.settings.allowance)))
