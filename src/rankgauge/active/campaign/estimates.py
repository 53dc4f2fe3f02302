"""Estimates of a campaign: its stages together, and how the estimate moved as the cost grew."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import polars as pl

from rankgauge.active.campaign.ledger import Ledger
from rankgauge.active.campaign.stages import CampaignStage
from rankgauge.active.intervals import IntervalKind, half_width
from rankgauge.active.methods import Estimate
from rankgauge.numeric import FloatArray

__all__ = ["FEWEST", "combined", "curve", "estimate"]

FEWEST = 2
"""An estimate has a standard error from so many draws on."""

POINTS = 60
"""A curve has at most so many points."""


def estimate(stages: Sequence[CampaignStage], ledger: Ledger, *, level: float, interval: str) -> Estimate | None:
    """What the complete draws say; None while there are too few of them."""
    parts = [
        stage.plan.estimate(count, ledger.grades, level=level, interval=interval)
        for stage in stages
        if (count := stage.complete(ledger)) >= FEWEST
    ]
    return combined(parts, interval=interval) if parts else None


def combined(parts: Sequence[Estimate], *, interval: str = IntervalKind.T) -> Estimate:
    """The estimate of several stages, each weighed by its number of draws.

    Weights by the inverse of estimated variances would favour the stage that happens to look quiet, which is one whose
    estimate is low: coverage of 95 % intervals fell to 71 %. Degrees of freedom: Welch (1947).
    """
    if len(parts) == 1:
        return parts[0]
    draws = np.array([part.draws for part in parts], dtype=np.float64)
    share = draws / draws.sum()
    pieces = (share * np.array([part.error for part in parts])) ** 2
    freedom = _welch(pieces, np.array([part.freedom for part in parts]))
    value, error = float(share @ [part.value for part in parts]), math.sqrt(pieces.sum())
    half = float(half_width(error, draws=draws.sum(), freedom=freedom, level=parts[0].level, kind=interval))
    return Estimate(
        value=value,
        error=error,
        low=value - half,
        high=value + half,
        level=parts[0].level,
        draws=int(draws.sum()),
        labels=max(part.labels for part in parts),
        cost=max(part.cost for part in parts),
        method=parts[-1].method,
        interval=interval,
        freedom=freedom,
    )


def _welch(pieces: FloatArray, freedoms: FloatArray) -> float:
    below = float(np.sum(pieces**2 / np.maximum(freedoms, 1.0)))
    return float(pieces.sum() ** 2 / below) if below > 0 else float(freedoms.sum())


def curve(stages: Sequence[CampaignStage], ledger: Ledger, *, level: float, interval: str) -> pl.DataFrame:
    """The estimate after more and more draws: cost, draws, value, low, high."""
    rows, before, spent, ended = [], 0, 0.0, list[Estimate]()
    for stage in stages:
        complete = stage.complete(ledger)
        costs = _running(ledger.costs.get(stage.number, {}), complete)
        for count in _places(complete):
            part = stage.plan.estimate(count, ledger.grades, level=level, interval=interval)
            found = combined([*ended, part], interval=interval)
            rows.append((spent + costs[count - 1], before + count, found.value, found.low, found.high))
        if complete >= FEWEST:
            ended.append(stage.plan.estimate(complete, ledger.grades, level=level, interval=interval))
        before, spent = before + complete, spent + sum(ledger.costs.get(stage.number, {}).values())
    schema = {"cost": pl.Float64, "draws": pl.Int64, "value": pl.Float64, "low": pl.Float64, "high": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _running(costs: dict[int, float], draws: int) -> FloatArray:
    """What the first draws have cost, for each number of them."""
    return np.cumsum([costs.get(draw, 0.0) for draw in range(draws)])


def _places(draws: int) -> list[int]:
    """Numbers of draws at which to look, close together at first."""
    if draws < FEWEST:
        return []
    wanted = np.unique(np.geomspace(FEWEST, draws, POINTS).round().astype(int))
    return [int(place) for place in wanted]
