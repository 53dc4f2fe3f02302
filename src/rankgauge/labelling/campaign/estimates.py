"""What a campaign has found so far: its estimate over all stages, how that moved as the cost grew, and its progress."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

import numpy as np
import polars as pl
from sqlalchemy.engine import Connection

from rankgauge.labelling import intervals
from rankgauge.labelling.campaign.leases import Leases
from rankgauge.labelling.campaign.state import CampaignState, EstimateState
from rankgauge.labelling.intervals import Basis, IntervalKind
from rankgauge.labelling.methods import Estimate
from rankgauge.numeric import FloatArray

FEWEST = 2
"""How many draws an estimate with a standard error needs."""

POINTS = 60
"""The most points that a curve has."""

CURVE = {"cost": pl.Float64, "draws": pl.Int64, "value": pl.Float64, "low": pl.Float64, "high": pl.Float64}
"""The columns of a curve."""


def estimate(state: EstimateState, *, level: float, interval: str) -> Estimate | None:
    """What the complete draws say, the value itself once everything is judged; None while there are too few draws."""
    if not unjudged(state):
        return _exact(state, level=level, interval=interval)
    parts = [
        plan.estimate(count, state.ledger.grades, level=level, interval=interval)
        for stage, plan in zip(state.stages, state.plans, strict=True)
        if (count := stage.complete(state.ledger)) >= FEWEST
    ]
    return combined(parts, interval=interval) if parts else None


def unjudged(state: EstimateState) -> int:
    """How many of the documents that the value depends on are not judged."""
    return int(np.sum(state.target.needed(state.pool) & np.isnan(state.ledger.grades)))


def _exact(state: EstimateState, *, level: float, interval: str) -> Estimate:
    """The value itself: every document that it depends on is judged.

    A stage of the draws may be too short to count by itself, a small pool is judged whole before a confidence sequence
    begins, and a pool of one query never has two draws.
    """
    values, plan = state.query_values(), state.plans[-1]
    value = float(values.mean())
    return Estimate(
        value=value,
        error=0.0,
        low=value,
        high=value,
        level=level,
        draws=sum(stage.complete(state.ledger) for stage in state.stages),
        labels=state.ledger.counting,
        cost=state.ledger.spent,
        method=plan.method,
        interval=interval,
        basis=plan.basis(len(values)),
    )


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
    return Estimate.around(
        value,
        error,
        draws=int(draws.sum()),
        freedom=freedom,
        level=parts[0].level,
        labels=max(part.labels for part in parts),
        cost=max(part.cost for part in parts),
        method=parts[-1].method,
        interval=interval,
        basis=_together([part.basis for part in parts], share),
    )


def _together(parts: Sequence[Basis | None], share: FloatArray) -> Basis | None:
    """What the stages rest on together; each may have drawn queries of the others again."""
    known = [part for part in parts if part is not None]
    if not known:
        return None
    size = known[0].size
    missed = np.prod([1 - np.asarray(part.queries) / size for part in known])
    return replace(
        known[0],
        queries=max(int(size * (1 - missed)), *(int(np.asarray(part.queries)) for part in known)),
        whole=float(share @ [float(np.asarray(part.whole)) for part in known]),
    )


def lacking(found: Estimate | None, *, labels: int, each: float, queries: int) -> int:
    """About how many more labels an interval needs, after that number of labels.

    `each` is the number of labels that a query judged whole takes; `queries` is the number of queries in the pool.
    """
    if found is None or not found.queries:
        wanted = intervals.FEWEST * each - labels
    elif found.queries < min(intervals.FEWEST, queries):
        wanted = labels * (intervals.FEWEST / found.queries - 1)
    elif IntervalKind.parse(found.interval) is IntervalKind.SEQUENCE and found.draws < intervals.FIRST:
        wanted = labels * (intervals.FIRST / found.draws - 1)
    else:
        wanted = labels  # what is so noisy that its error is unknown needs about as much again
    return max(math.ceil(wanted), 1)


def _welch(pieces: FloatArray, freedoms: FloatArray) -> float:
    below = float(np.sum(pieces**2 / np.maximum(freedoms, 1.0)))
    return float(pieces.sum() ** 2 / below) if below > 0 else float(freedoms.sum())


def curve(state: EstimateState, *, level: float, interval: str) -> pl.DataFrame:
    """The estimate after more and more draws: cost, draws, value, low, high; no value where there is no interval."""
    rows, before, spent, ended, ledger = [], 0, 0.0, list[Estimate](), state.ledger
    grades = ledger.grades.copy()
    grades.flags.writeable = False  # so that the value of each query is computed once for all points
    for stage, plan in zip(state.stages, state.plans, strict=True):
        complete = stage.complete(ledger)
        paid = ledger.costs.get(stage.number, {})
        costs = np.cumsum([paid.get(draw, 0.0) for draw in range(complete)])
        for count in _places(complete):
            part = plan.estimate(count, grades, level=level, interval=interval)
            found = combined([*ended, part], interval=interval)
            value = found.value if found.shown else math.nan
            rows.append((spent + costs[count - 1], before + count, value, found.low, found.high))
        if complete >= FEWEST:
            ended.append(plan.estimate(complete, grades, level=level, interval=interval))
        before, spent = before + complete, spent + sum(paid.values())
    return pl.DataFrame(rows, schema=CURVE, orient="row")


def _places(draws: int) -> list[int]:
    """Numbers of draws at which to look, close together at first."""
    if draws < FEWEST:
        return []
    return [int(place) for place in np.unique(np.geomspace(FEWEST, draws, POINTS).round())]


@dataclass(frozen=True, kw_only=True)
class Progress:
    """How far a campaign has come: what was asked, what came back, and what it cost, in the unit of the budget."""

    budget: float
    spent: float
    """The cost of all documents that were asked for, judged or not."""
    waiting: float
    """The part of it that went to documents which are not fully judged yet."""
    queries: int
    """Queries of which something was asked."""
    asked: int
    """Documents that were asked for."""
    judged: int
    """Documents that were asked for and fully judged."""
    leased: int
    """Documents that an assessor has on lease now."""
    labels: int
    """Labels that count; one that was replaced does not."""
    replaced: int
    assessors: int
    unasked: int
    """Documents with labels that no draw has asked for yet."""
    imported: int
    """Labels that count and came for documents that were not handed to their assessors."""
    adjudicated: int
    """Documents with a grade that settled a disagreement, and counts in place of the assessors'."""
    unjudgeable: int
    """Documents that nobody who looked at them could judge."""
    begun: int
    """Draws that have asked for documents."""
    complete: int
    """Draws that an estimate may use: they and all before them are complete."""
    stages: int
    paused: bool

    @classmethod
    def of(cls, state: CampaignState, connection: Connection) -> Self:
        """How far the campaign has come."""
        ledger, people = state.ledger, state.settings.assessors
        unknown = ledger.asked & np.isnan(ledger.grades)
        return cls(
            budget=state.settings.budget,
            spent=ledger.spent * people,
            waiting=float(state.pool.costs[unknown].sum()) * people,
            queries=len(np.unique(state.pool.query[ledger.asked])),
            asked=int(ledger.asked.sum()),
            judged=int(np.sum(~np.isnan(ledger.grades))),
            leased=len(Leases(state, connection).held()),
            labels=ledger.counting,
            replaced=ledger.received - ledger.counting,
            assessors=len(ledger.history),
            unasked=len(ledger.unasked),
            imported=ledger.imported,
            adjudicated=len(ledger.settled),
            unjudgeable=len(ledger.unjudgeable),
            begun=sum(stage.begun(ledger) for stage in state.stages),
            complete=sum(stage.complete(ledger) for stage in state.stages),
            stages=len(state.stages),
            paused=bool(state.store.row(connection).paused),
        )

    @property
    def left(self) -> float:
        """What is left of the budget."""
        return max(self.budget - self.spent, 0.0)

    @property
    def out(self) -> int:
        """Documents that were asked for and not yet fully judged."""
        return self.asked - self.judged

    def to_json(self) -> dict[str, Any]:
        """The fields, for JSON."""
        return asdict(self) | {"left": self.left, "out": self.out}
