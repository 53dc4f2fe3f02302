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

from rankgauge.active.board import BoardEstimate, BoardPlan, BoardPool, LaterRun, Outlook
from rankgauge.active.board.plan import aimed_after, planned_looks
from rankgauge.active.campaign import parquet
from rankgauge.active.campaign.label_campaign import LabelCampaign
from rankgauge.active.campaign.settings import CampaignSettings, StageSettings
from rankgauge.active.campaign.state import BoardState, Clock
from rankgauge.active.campaign.store import Store
from rankgauge.active.draws import Draws
from rankgauge.errors import InputError, ParameterError
from rankgauge.judgments import combine

METHOD = "leaderboard"
"""What the method is called: a stream of single documents for all runs at once."""


class BoardCampaign(LabelCampaign):
    """A campaign for the values and the order of any number of runs.

    `BoardCampaign.create(...)` makes one, `BoardCampaign.open("campaign.rg")` goes on with it.
    """

    board = True
    _state: BoardState

    def __init__(self, state: BoardState) -> None:
        super().__init__(state)
        self.pool = state.pool

    @classmethod
    def _loaded(cls, engine: Engine, store: Store, clock: Clock, *, first: Draws | None = None) -> Self:
        return cls(BoardState(engine, store, clock, first=first))

    @classmethod
    def create(
        cls,
        location: str | Path | Engine,
        pool: BoardPool,
        measures: Sequence[str],
        *,
        grades: Sequence[float],
        budget: float,
        name: str = "campaign",
        clock: Clock = time.time,
        **settings: Any,
    ) -> Self:
        """A new campaign on an ascending scale of grades.

        `settings` are further fields of `CampaignSettings`: dialect, seed, assessors, combine, unjudgeable, scale.
        """
        chosen = CampaignSettings(
            measure=", ".join(measures),
            measures=tuple(measures),
            method=METHOD,
            budget=float(budget),
            grades=tuple(float(grade) for grade in grades),
            **settings,
        ).on_scale()
        chosen.check_scale()
        _check_rule(chosen)
        board = chosen.board(pool)
        open_ = int(np.count_nonzero(np.isnan(pool.known)))
        labels = min(int((chosen.allowance - float(pool.overhead.sum())) / float(pool.costs.mean())), open_)
        if chosen.allowance < float(pool.costs.min()):
            raise ParameterError("a board", "budget", "enough for one document", chosen.budget)
        least = board.fewest(board.targets[0]) - (len(pool.documents) - open_)
        looks = planned_looks(board.goal, max(labels, 1), least=max(least, 1))
        chosen = replace(chosen, looks=looks)
        length = aimed_after(pool, looks)
        options = {} if length is None else {"length": length}
        stage = StageSettings(method=METHOD, budget=chosen.allowance, seed=chosen.seed, options=options)
        plan = BoardPlan(board, seed=stage.seed, length=length)
        return cls._create(location, plan, parquet.pack_board(pool), chosen, stage, name=name, clock=clock)

    @property
    def plan(self) -> BoardPlan:
        """The plan of the current stage."""
        return self._state.plan

    def estimates(self) -> tuple[BoardEstimate, ...]:
        """The estimates of each measure from the draws before the first incomplete one; none before the first label."""
        with self._state.looking():
            return self._state.estimates

    def outlook(self) -> Outlook | None:
        """What more labels would bring; None before the first label."""
        with self._state.looking():
            state = self._state
            found = state.estimates
            if not found:
                return None
            plan = state.plan
            return Outlook(board=plan.board, stream=plan.stream, readings=state.readings, estimates=found)

    def later(self, name: str, run: Any) -> LaterRun:
        """A run (a path, a frame, a dict) that had no part in the pool, beside those of the board."""
        found = self.outlook()
        if found is None:
            raise InputError("no document is judged yet: nothing is known of any run", hint="Record labels.")
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
            if unfinished > 0 and not leave_open:
                raise InputError(
                    f"{unfinished} documents of this stage are not judged yet",
                    hint="Record their labels first, or leave them open (--leave-open, leave_open=True).",
                )
            if complete >= state.plan.length:
                raise InputError("every document is judged: a new stage could ask for nothing")
            if not complete:
                raise InputError("no document is judged yet: a new stage would be the same", hint="Record labels.")
            state.begin_stage(connection)


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
