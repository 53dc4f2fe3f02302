"""The pool that `rankgauge active plan` reads, and the forecast that it shows."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rankgauge.active.campaign import Campaign
from rankgauge.active.forecasts import Forecast, forecast
from rankgauge.active.pool import Pool
from rankgauge.errors import ParameterError, UnknownNameError
from rankgauge.io import table_suffixes
from rankgauge.io.source import suffix_of

SHARES = (0.25, 0.5, 1.0, 2.0)
"""The budgets of the forecast, as shares of the campaign's own."""


def read_pool(
    paths: Sequence[Path], *, cost: str | None, unit: str, overhead: float | None, grades: str | None, depth: int | None
) -> tuple[Pool, str]:
    """The pool of a table or of one or two runs, with costs in the unit, and what they are in words."""
    scale = None if grades is None else _numbers(grades)
    is_table = len(paths) == 1 and suffix_of(paths[0]) in table_suffixes()
    choices: dict[str, Any] = {"cost": cost, "grades": scale, "depth": depth}
    pool = Pool.of(paths[0], **choices) if is_table else Pool.from_runs(*paths, **choices)
    if unit not in UNITS:
        raise UnknownNameError("unit", unit, UNITS)
    if overhead is not None:
        pool = pool.with_costs(pool.costs, np.full(len(pool.queries), overhead * float(pool.costs.mean())))
    size, words = UNITS[unit]
    scaled = size(pool)
    return (pool if scaled == 1.0 else pool.with_costs(pool.costs / scaled, pool.overhead / scaled)), words


UNITS: dict[str, tuple[Callable[[Pool], float], str]] = {
    "document": (lambda pool: float(pool.costs.mean()), "a document costs 1 on average"),
    "query": (lambda pool: float(pool.query_costs.mean()), "a query costs 1 on average"),
    "none": (lambda pool: 1.0, "costs as given in the pool"),
}


def forecast_of(campaign: Campaign) -> Forecast:
    """What each method promises around the campaign's budget."""
    pool, settings = campaign.pool, campaign.settings
    target = campaign.plans[-1].target
    whole = float(pool.query_costs.sum())
    budgets = sorted({min(share * settings.allowance, whole) for share in SHARES})
    return forecast(pool, target, budgets=budgets, rng=settings.seed)


def options_of(given: Sequence[str]) -> dict[str, Any]:
    """A method's options, written as NAME=VALUE."""
    found = {}
    for text in given:
        name, joint, value = text.partition("=")
        if not joint:
            raise ParameterError("active plan", "option", "written as NAME=VALUE", text)
        try:
            found[name.strip()] = ast.literal_eval(value.strip())
        except (SyntaxError, ValueError):
            found[name.strip()] = value.strip()
    return found


def _numbers(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise ParameterError("active plan", "grades", "numbers separated by commas, as in 0,1,2,3", text) from None
