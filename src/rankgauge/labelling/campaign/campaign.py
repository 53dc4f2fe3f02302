"""A campaign that estimates one value: a pool of one or two rankers, a plan, and a budget that assessors spend."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np
import polars as pl
from sqlalchemy.engine import Engine

from rankgauge.errors import InputError, ParameterError
from rankgauge.labelling import defaults
from rankgauge.labelling.campaign import estimates, parquet
from rankgauge.labelling.campaign.estimates import FEWEST
from rankgauge.labelling.campaign.label_campaign import LabelCampaign
from rankgauge.labelling.campaign.settings import CampaignSettings, StageSettings
from rankgauge.labelling.campaign.state import Clock, EstimateState
from rankgauge.labelling.campaign.store import Store
from rankgauge.labelling.method import Draws
from rankgauge.labelling.methods import Estimate, Plan
from rankgauge.labelling.pool import Pool
from rankgauge.labelling.sampling.recalibration import recalibrated
from rankgauge.labelling.target import Target
from rankgauge.numeric import FloatArray


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

    def as_value(self) -> Campaign:
        """Return this campaign."""
        return self

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

    @property
    def interval(self) -> str:
        """The kind of interval that holds."""
        return self.rules.interval(self.settings)

    def estimate(self, *, level: float = defaults.LEVEL, interval: str | None = None) -> Estimate | None:
        """The estimate from the draws before the first incomplete one; None if there are fewer than two.

        `interval` is the kind of interval, by default the one that holds: t, or sequence if the campaign has a stopping
        rule or its budget was changed. While too few labels or queries make an honest interval impossible, it has none:
        `shown` is False.
        """
        kind = self.interval if interval is None else interval
        with self._state.looking():
            ledger = self._state.ledger
            found = estimates.estimate(self._state, level=level, interval=kind)
            spent = ledger.spent * self.settings.assessors
            return None if found is None else replace(found, labels=ledger.counting, cost=spent)

    def lacking(self, found: Estimate | None) -> int:
        """About how many more labels it takes until an estimate has an interval; with all of them it is exact."""
        each = float(self.target.needed(self.pool).sum()) / len(self.pool.queries) * self.settings.assessors
        labels = self._state.ledger.counting
        wanted = estimates.lacking(found, labels=labels, each=each, queries=len(self.pool.queries))
        return min(wanted, max(estimates.unjudged(self._state) * self.settings.assessors, 1))

    def curve(self, *, level: float = defaults.LEVEL, interval: str | None = None) -> pl.DataFrame:
        """The estimate after more and more draws: cost, draws, value, low, high."""
        kind = self.interval if interval is None else interval
        with self._state.looking():
            found = estimates.curve(self._state, level=level, interval=kind)
            return found.with_columns(pl.col("cost") * self.settings.assessors)

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
