"""A campaign that estimates a board: any number of runs, several measures, one stream of single documents."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any, Self

import numpy as np
import polars as pl
from sqlalchemy.engine import Engine

from rankgauge.errors import InputError, ParameterError
from rankgauge.judgments import combine
from rankgauge.labelling import defaults
from rankgauge.labelling.board import BoardPlan, BoardPool, Goal, LaterRun, Outlook
from rankgauge.labelling.board.plan import aimed_after, planned_looks
from rankgauge.labelling.board.run_estimate import RunEstimate
from rankgauge.labelling.campaign import parquet
from rankgauge.labelling.campaign.database import reading
from rankgauge.labelling.campaign.label_campaign import LabelCampaign
from rankgauge.labelling.campaign.settings import CampaignSettings, StageSettings
from rankgauge.labelling.campaign.state import BoardState, Clock, PosteriorState, RunsState, first_posterior_plan
from rankgauge.labelling.campaign.store import Store
from rankgauge.labelling.method import Draws
from rankgauge.labelling.posterior.plan import METHOD as POSTERIOR
from rankgauge.labelling.posterior.plan import PosteriorOutlook, PosteriorPlan, serves
from rankgauge.labelling.posterior.plan import planned_looks as posterior_looks
from rankgauge.numeric import BoolArray

METHOD = "leaderboard"
"""What the method is called: a stream of single documents for all runs at once."""

BOARD_METHODS = (METHOD, POSTERIOR)
"""The methods that estimate any number of runs at once."""


class BoardCampaign(LabelCampaign):
    """A campaign for the values and the order of any number of runs.

    `BoardCampaign.create(...)` makes one, `BoardCampaign.open("campaign.rg")` goes on with it.
    """

    board = True
    pool: BoardPool
    _state: RunsState

    def __init__(self, state: RunsState) -> None:
        super().__init__(state)
        self.pool = state.pool

    def as_board(self) -> BoardCampaign:
        """Return this campaign."""
        return self

    @classmethod
    def _loaded(cls, engine: Engine, store: Store, clock: Clock, *, first: Draws | None = None) -> Self:
        with reading(engine) as connection:
            row = store.row(connection)
        by_model = CampaignSettings.unpacked(row.settings, layout=row.format).method == POSTERIOR
        return cls((PosteriorState if by_model else BoardState)(engine, store, clock, first=first))

    @classmethod
    def create(
        cls,
        location: str | Path | Engine,
        pool: BoardPool,
        measures: Sequence[str],
        *,
        grades: Sequence[float],
        budget: float,
        method: str = defaults.METHOD,
        name: str = "campaign",
        clock: Clock = time.time,
        **settings: Any,
    ) -> Self:
        """A new campaign on an ascending scale of grades.

        `method` is `leaderboard`, `posterior`, or `auto`: the posterior where the pool has few runs and is shallow.
        `settings` are further fields of `CampaignSettings`: dialect, seed, assessors, combine, unjudgeable, scale.
        """
        chosen = CampaignSettings(
            measure=", ".join(measures),
            measures=tuple(measures),
            method=method,
            budget=float(budget),
            grades=tuple(float(grade) for grade in grades),
            **settings,
        ).on_scale()
        chosen.check_scale()
        _check_rule(chosen)
        _check_pilot(chosen, pool)
        if chosen.allowance < float(pool.costs.min()):
            raise ParameterError("a board", "budget", "enough for one document", chosen.budget)
        chosen, stage, plan = planned(chosen, pool)
        return cls._create(location, plan, parquet.pack_board(pool), chosen, stage, name=name, clock=clock)

    @property
    def plan(self) -> BoardPlan | PosteriorPlan:
        """The plan of the current stage."""
        plan = self._state.stage.plan
        assert isinstance(plan, BoardPlan | PosteriorPlan)
        return plan

    def estimates(self) -> tuple[RunEstimate, ...]:
        """The estimates of each measure; none before the first label.

        A posterior's are from all labels, a stream's from the draws before the first incomplete one.
        """
        with self._state.looking():
            return self._state.estimates

    @property
    def judged(self) -> BoolArray:
        """Which documents of the pool have a label that counts, from this campaign or from before."""
        with self._state.looking():
            ledger = self._state.ledger
            return np.asarray((ledger.asked & ~np.isnan(ledger.grades)) | ~np.isnan(self.pool.known))

    def outlook(self) -> Outlook | PosteriorOutlook | None:
        """What more labels would bring; None before the first label."""
        with self._state.looking():
            return self._state.outlook

    def later(self, name: str, run: Any) -> LaterRun:
        """A run (a path, a frame, a dict) that had no part in the pool, beside those of the board."""
        found = self.outlook()
        if found is None:
            raise InputError("no document is judged yet: nothing is known of any run", hint="Record labels.")
        if isinstance(found, PosteriorOutlook):
            raise InputError(
                f"the method {POSTERIOR} knows nothing of documents that only a later run retrieves",
                hint="Plan a campaign of all runs, with these labels as --judgments; or use --method leaderboard.",
            )
        return LaterRun.of(name, run, found.board, found.readings, found.estimates)

    @property
    def settled(self) -> bool:
        """Whether the goal is settled, at a look that was planned."""
        with self._state.looking():
            return self._state.settled

    def change_budget(self, budget: float) -> None:
        """Refuses: a board's looks and intervals are those of the budget that it was planned with."""
        raise InputError(
            "the budget of a board cannot be changed: its intervals hold for the budget that was fixed in advance",
            hint="Make a new campaign of the same runs, with these judgments as those that there are already.",
        )

    def refit(self, *, leave_open: bool = False) -> None:
        """Begins a new stage: beliefs and the order of documents follow what all labels so far say.

        Only the new stage's draws make the estimate, beside what is known from before, so a stage that is short of
        draws shows no interval yet. Draws that are open do not count, which `leave_open` must allow.
        """
        with self._state.changing() as connection:
            state, stage = self._state, self._state.stage
            complete = stage.complete(state.ledger)
            unfinished = stage.begun(state.ledger) - complete
            if unfinished > 0 and not leave_open and isinstance(state, BoardState):
                raise InputError(
                    f"{unfinished} documents of this stage are not judged yet",
                    hint="Record their labels first, or leave them open (--leave-open, leave_open=True).",
                )
            if complete >= self.plan.length:
                raise InputError("every document is judged: a new stage could ask for nothing")
            if not complete:
                raise InputError("no document is judged yet: a new stage would be the same", hint="Record labels.")
            state.begin_stage(connection)


def planned(
    settings: CampaignSettings, pool: BoardPool
) -> tuple[CampaignSettings, StageSettings, BoardPlan | PosteriorPlan]:
    """The plan of the first stage, by the method that is named or the one that serves the pool's shape best."""
    return (_planned_stream if _method(settings, pool) == METHOD else _planned_posterior)(settings, pool)


def _method(settings: CampaignSettings, pool: BoardPool) -> str:
    if settings.method not in (defaults.METHOD, *BOARD_METHODS):
        raise ParameterError("a board", "method", f"{defaults.METHOD}, {METHOD} or {POSTERIOR}", settings.method)
    if settings.method != defaults.METHOD:
        return settings.method
    return POSTERIOR if serves(pool, settings.board_targets(pool)) else METHOD


def _planned_stream(settings: CampaignSettings, pool: BoardPool) -> tuple[CampaignSettings, StageSettings, BoardPlan]:
    board, open_ = settings.board(pool), int(np.count_nonzero(np.isnan(pool.known)))
    least = board.fewest(board.targets[0]) - (len(pool.documents) - open_)
    looks = planned_looks(board.goal, _paid(settings, pool), least=max(least, 1))
    length = settings.pilot or aimed_after(pool, looks)
    options = {} if length is None else {"length": length}
    stage = StageSettings(method=METHOD, budget=settings.allowance, seed=settings.seed, options=options)
    plan = BoardPlan(board, seed=stage.seed, length=length, pilot=bool(settings.pilot))
    return replace(settings, method=METHOD, looks=looks), stage, plan


def _planned_posterior(
    settings: CampaignSettings, pool: BoardPool
) -> tuple[CampaignSettings, StageSettings, PosteriorPlan]:
    goal, posterior = Goal.parse(settings.goal), settings.posterior(pool)
    goal.check(pool.runs)
    looks = posterior_looks(posterior, goal, _paid(settings, pool))
    stage = StageSettings(method=POSTERIOR, budget=settings.allowance, seed=settings.seed)
    return replace(settings, method=POSTERIOR, looks=looks), stage, first_posterior_plan(posterior, settings)


def _paid(settings: CampaignSettings, pool: BoardPool) -> int:
    """How many labels the budget pays for, at least 1."""
    open_ = int(np.count_nonzero(np.isnan(pool.known)))
    labels = int((settings.allowance - float(pool.overhead.sum())) / float(pool.costs.mean()))
    return max(min(labels, open_), 1)


def _check_pilot(settings: CampaignSettings, pool: BoardPool) -> None:
    """Raises an error if the budget or the pool has fewer documents than the pilot."""
    if not 0 <= settings.pilot <= _paid(settings, pool):
        raise ParameterError("a board", "pilot", f"at most the {_paid(settings, pool)} that are paid", settings.pilot)


def _check_rule(settings: CampaignSettings) -> None:
    """Raises an error if the rule that combines assessors' grades may leave the scale."""
    if settings.assessors == 1:
        return
    scale = settings.grades
    said = list(combinations_with_replacement(scale, settings.assessors))
    rows = [(str(n), "document", str(who), grade) for n, one in enumerate(said) for who, grade in enumerate(one)]
    frame = pl.DataFrame(rows, schema=["query", "document", "assessor", "grade"], orient="row")
    if not set(combine(frame, settings.combine)["grade"].to_list()) <= set(scale):
        raise ParameterError(
            "a board", "combine", "a rule that gives grades of the scale, as majority", settings.combine
        )
