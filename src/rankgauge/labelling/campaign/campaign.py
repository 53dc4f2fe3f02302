"""A campaign that estimates one value: a pool of one or two rankers, a plan, and a budget that assessors spend.

Its estimate is that of all stages, and the value itself once everything is judged.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np
import polars as pl
from sqlalchemy.engine import Connection, Engine

from rankgauge.errors import InputError, ParameterError
from rankgauge.labelling import defaults, intervals
from rankgauge.labelling.campaign import parquet
from rankgauge.labelling.campaign.label_campaign import LabelCampaign
from rankgauge.labelling.campaign.settings import CampaignSettings, StageSettings
from rankgauge.labelling.campaign.state import CURVE, CampaignState, Clock
from rankgauge.labelling.campaign.store import Store
from rankgauge.labelling.intervals import Basis, IntervalKind
from rankgauge.labelling.method import Draws
from rankgauge.labelling.methods import Estimate, Plan
from rankgauge.labelling.pool import Pool
from rankgauge.labelling.sampling.recalibration import recalibrated
from rankgauge.labelling.target import Target
from rankgauge.numeric import FloatArray

FEWEST = 2
"""How many draws an estimate with a standard error needs."""

POINTS = 60
"""The most points that a curve has."""


class EstimateState(CampaignState):
    """The state of a campaign that estimates one value."""

    pool: Pool

    def _load(self, connection: Connection) -> None:
        if isinstance(self._first, Plan):
            self.pool, self.target = self._first.pool, self._first.target
        else:
            self.pool = parquet.unpack(self.store.pool(connection), self.settings.grades)
            self.target = self.settings.target(self.pool)

    def _planned(self, settings: StageSettings, stored: FloatArray | None) -> Plan:
        plan = settings.plan(self.pool if stored is None else self.pool.with_beliefs(stored), self.target)
        plan.cautious = self.cautious
        return plan

    @property
    def plans(self) -> list[Plan]:
        """The plan of each stage."""
        return [stage.plan for stage in self.stages if isinstance(stage.plan, Plan)]

    def estimate(self, *, level: float, interval: str) -> Estimate | None:
        if not self.unjudged:
            return self._exact(level=level, interval=interval)
        parts = [
            plan.estimate(count, self.ledger.grades, level=level, interval=interval)
            for stage, plan in zip(self.stages, self.plans, strict=True)
            if (count := stage.complete(self.ledger)) >= FEWEST
        ]
        return combined(parts, interval=interval) if parts else None

    @property
    def unjudged(self) -> int:
        """How many of the documents that the value depends on are not judged."""
        return int(np.sum(self.target.needed(self.pool) & np.isnan(self.ledger.grades)))

    def _exact(self, *, level: float, interval: str) -> Estimate:
        """The value itself: every document that it depends on is judged.

        A stage of the draws may be too short to count by itself, a small pool is judged whole before a confidence
        sequence begins, and a pool of one query never has two draws.
        """
        values, plan = self.query_values(), self.plans[-1]
        value = float(values.mean())
        return Estimate(
            value=value,
            error=0.0,
            low=value,
            high=value,
            level=level,
            draws=sum(stage.complete(self.ledger) for stage in self.stages),
            labels=self.ledger.counting,
            cost=self.ledger.spent,
            method=plan.method,
            interval=interval,
            basis=plan.basis(len(values)),
        )

    @property
    def is_cut_short(self) -> bool:
        return self.unjudged > 0

    def lacking(self, found: Estimate | None) -> int:
        people, queries, labels = self.settings.assessors, len(self.pool.queries), self.ledger.counting
        each = float(self.target.needed(self.pool).sum()) / queries * people
        wanted = lacking_labels(found, labels=labels, each=each, queries=queries)
        return min(wanted, max(self.unjudged * people, 1))

    def curve(self, *, level: float, interval: str) -> pl.DataFrame:
        rows, before, spent, ended, ledger = [], 0, 0.0, list[Estimate](), self.ledger
        grades = ledger.grades.copy()
        grades.flags.writeable = False  # so that the value of each query is computed once for all points
        for stage, plan in zip(self.stages, self.plans, strict=True):
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

    def query_values(self) -> FloatArray:
        pool, known = self.pool, ~np.isnan(self.ledger.grades)
        lacking = np.bincount(pool.query[self.target.needed(pool) & ~known], minlength=len(pool.sizes))
        values = self.target.values(pool, np.where(known, self.ledger.grades, pool.grades[0]))
        return np.where(lacking > 0, np.nan, values)


class Campaign(LabelCampaign):
    """A campaign for the value of one ranker, or the difference between two.

    `Campaign.create(...)` makes one, `Campaign.open("campaign.rg")` goes on with it.
    """

    board, stops_at_width = False, True
    pool: Pool
    _state: EstimateState

    def __init__(self, state: EstimateState) -> None:
        super().__init__(state)
        self.pool = state.pool

    @classmethod
    def _loaded(cls, engine: Engine, store: Store, clock: Clock, *, first: Draws | None = None) -> Self:
        return cls(EstimateState(engine, store, clock, first=first))

    @classmethod
    def create(
        cls,
        location: str | Path | Engine,
        pool: Pool,
        measure: str = defaults.MEASURE,
        *,
        budget: float,
        method: str = defaults.METHOD,
        options: dict[str, Any] | None = None,
        name: str = "campaign",
        clock: Clock = time.time,
        **settings: Any,
    ) -> Self:
        """A new campaign. Beliefs that are certain of a grade are softened.

        `options` are those of the method. `settings` are further fields of `CampaignSettings`: dialect, seed,
        assessors, combine, unjudgeable, scale, cost.
        """
        grades = tuple(pool.grades.tolist())
        pool, certain = pool.softened()
        chosen = CampaignSettings(
            measure=measure, budget=float(budget), method=method, grades=grades, softened=certain, **settings
        ).on_scale()
        chosen.check_scale()
        target = chosen.target(pool)
        spendable = _spendable(chosen, pool, target)
        stage = StageSettings(method=method, budget=spendable, seed=chosen.seed, options=options or {})
        plan = stage.plan(pool, target)
        return cls._create(location, plan, parquet.pack(pool), chosen, stage, name=name, clock=clock)

    @property
    def target(self) -> Target:
        """What is estimated."""
        return self._state.target

    @property
    def plans(self) -> tuple[Plan, ...]:
        """The plan of each stage."""
        return tuple(self._state.plans)

    def lacking(self, found: Estimate | None) -> int:
        return self._state.lacking(found)

    def change_budget(self, budget: float) -> None:
        """Gives the campaign another budget, at least what is spent already.

        Before the first document is handed out, the plan is made for it. Afterwards the draws go on as they were
        planned, and only a confidence sequence holds: who changes a budget has seen how wide the interval is.
        """
        with self._state.changing() as connection:
            state, before = self._state, self.settings
            chosen = replace(before, budget=float(budget))
            spent = state.ledger.spent * before.assessors
            if chosen.budget < spent:
                raise ParameterError("a campaign", "budget", f"at least the {spent:g} that are spent", budget)
            if chosen.budget == before.budget:
                return
            if state.ledger.asked.any():
                chosen = replace(chosen, planned=before.budget if before.planned is None else before.planned)
            else:
                stage = replace(state.stage.settings, budget=_spendable(chosen, self.pool, self.target))
                stage.plan(self.pool, self.target)  # an error if the budget is too small for the method
                state.store.set_stage(connection, state.stage.number, stage.packed())
            state.store.set_settings(connection, chosen.packed())
            state.refresh(connection)

    def refit(self, beliefs: FloatArray | None = None, *, leave_open: bool = False) -> None:
        """Begins a new stage with new beliefs (documents × grades); by default the old ones, fitted to the labels.

        The stage before ends. Its complete draws count; those that are open do not, which `leave_open` must allow.
        The new stage gets what is left of the budget. Stages are combined by their numbers of draws.
        """
        with self._state.changing() as connection:
            state, stage = self._state, self._state.stage
            complete = stage.complete(state.ledger)
            _check_refit(stage.begun(state.ledger) - complete, complete, leave_open=leave_open)
            pool = state.plans[-1].pool
            fitted = recalibrated(pool, state.ledger.grades).beliefs if beliefs is None else beliefs
            checked = state.pool.with_beliefs(np.asarray(fitted, dtype=np.float64))
            state.next_stage(connection, stored=checked.beliefs)


def _spendable(settings: CampaignSettings, pool: Pool, target: Target) -> float:
    """What the draws are planned for: no more than judging everything that the value depends on costs."""
    return min(settings.allowance, float(target.query_costs(pool).sum()))


def _check_refit(unfinished: int, complete: int, *, leave_open: bool) -> None:
    if complete < FEWEST:
        raise InputError(f"only {complete} draws are complete: a stage needs {FEWEST}", hint="Record more labels.")
    if unfinished > 0 and not leave_open:
        raise InputError(
            f"{unfinished} draws of this stage are open, and would not count in it",
            hint="Record their labels first, or leave them open (--leave-open, leave_open=True).",
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


def lacking_labels(found: Estimate | None, *, labels: int, each: float, queries: int) -> int:
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


def _places(draws: int) -> list[int]:
    """Numbers of draws at which to look, close together at first."""
    if draws < FEWEST:
        return []
    return [int(place) for place in np.unique(np.geomspace(FEWEST, draws, POINTS).round())]
