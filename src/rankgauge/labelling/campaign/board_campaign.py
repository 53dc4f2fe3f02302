"""A campaign that estimates a board: any number of runs and measures, by a stream of documents or by a posterior."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any, Self

import numpy as np
import polars as pl
from sqlalchemy.engine import Connection, Engine

from rankgauge.errors import InputError, ParameterError
from rankgauge.judgments import combine
from rankgauge.labelling import defaults
from rankgauge.labelling.board import (
    BoardEstimate,
    BoardPlan,
    BoardPool,
    Goal,
    LaterRun,
    Outlook,
    RunsOutlook,
    RunsPlan,
)
from rankgauge.labelling.board.covariance import RunEstimate
from rankgauge.labelling.board.plan import aimed_after, planned_looks
from rankgauge.labelling.board.readings import Readings
from rankgauge.labelling.campaign import parquet
from rankgauge.labelling.campaign.campaign import LabelCampaign
from rankgauge.labelling.campaign.settings import CampaignSettings, StageSettings
from rankgauge.labelling.campaign.state import CampaignState, Clock
from rankgauge.labelling.posterior import GradePosterior, PosteriorEstimate
from rankgauge.labelling.posterior.plan import BATCH, PosteriorOutlook, PosteriorPlan, is_reached, next_order, serves
from rankgauge.labelling.posterior.plan import METHOD as POSTERIOR
from rankgauge.labelling.posterior.plan import planned_looks as posterior_looks
from rankgauge.numeric import BoolArray, FloatArray

METHOD = "leaderboard"
"""What the method is called: a stream of single documents for all runs at once."""

BOARD_METHODS = (METHOD, POSTERIOR)
"""The methods that estimate any number of runs at once."""


class RunsState(CampaignState):
    """The state of a campaign that estimates any number of runs."""

    pool: BoardPool
    goal: Goal

    def _load(self, connection: Connection) -> None:
        first = self._first
        self.pool = first.pool if isinstance(first, RunsPlan) else parquet.unpack_board(self.store.pool(connection))
        self.goal = Goal.parse(self.settings.goal)

    @property
    def plan(self) -> Any:
        """The plan of the current stage."""
        return self.stage.plan

    @property
    @abstractmethod
    def estimates(self) -> tuple[RunEstimate, ...]:
        """The estimates of each measure; none before the first label."""

    @property
    @abstractmethod
    def outlook(self) -> RunsOutlook | None:
        """What more labels would bring; None before the first label."""

    def check_refit(self, complete: int, unfinished: int) -> None:
        if complete >= self.plan.length:
            raise InputError("every document is judged: a new stage could ask for nothing")
        if not complete:
            raise InputError("no document is judged yet: a new stage would be the same", hint="Record labels.")


class BoardState(RunsState):
    """The state of a campaign that estimates runs by the stream of a board."""

    _last: tuple[tuple[int, int, int], Readings | None, tuple[BoardEstimate, ...]] | None
    """The stage, the draws and the changes of grades that were read last, what they say, and the estimates."""
    _looks: dict[tuple[int, int, int], bool]
    """Whether the goal was settled at each look, by the same."""

    def _load(self, connection: Connection) -> None:
        super()._load(connection)
        self.board = self._first.board if isinstance(self._first, BoardPlan) else self.settings.board(self.pool)

    def _make_plan(self, settings: StageSettings, stored: FloatArray | None) -> BoardPlan:
        if stored is None:
            length, pilot = settings.options.get("length"), bool(self.settings.pilot)
            return BoardPlan(self.board, seed=settings.seed, length=length, pilot=pilot)
        shares = tuple(np.array(share) for share in settings.options["shares"])
        return BoardPlan(replace(self.board.refit(stored[:, 0]), shares=shares), seed=settings.seed)

    @property
    def estimates(self) -> tuple[BoardEstimate, ...]:
        return self._at(self.stage.complete(self.ledger))[1]

    @property
    def outlook(self) -> Outlook | None:
        readings, estimates = self._at(self.stage.complete(self.ledger))
        if not estimates or readings is None:
            return None
        plan: BoardPlan = self.plan
        return Outlook.of(plan.board, plan.stream, readings, estimates)

    def _at(self, draws: int) -> tuple[Readings | None, tuple[BoardEstimate, ...]]:
        """Return what the first draws of the stage say, and the estimates; readings of a label less or so save time."""
        key = self.stage.number, draws, self.ledger.changes
        if self._last is None or self._last[0] != key:
            readings, plan = self._last and self._last[1], self.plan
            if draws > 0 or not plan.length:
                readings = plan.readings(draws, self.ledger.grades, start=readings)
                self._last = key, readings, plan.board.estimate(readings, seed=plan.seed)
            else:
                self._last = key, readings, ()
        return self._last[1:]

    @property
    def settled(self) -> bool:
        """Whether a planned look has settled the goal, with an error that holds over all looks."""
        before, draws = sum(stage.over or 0 for stage in self.stages[:-1]), self.stage.complete(self.ledger)
        reached = [look - before for look in self.settings.looks if 0 < look - before <= draws]
        return any(self._settles(look) for look in reversed(reached))

    def _settles(self, draws: int) -> bool:
        """Say whether the goal is settled after that number of draws of the current stage."""
        key = self.stage.number, draws, self.ledger.changes
        if key not in self._looks:
            verdicts = self._at(draws)[1][0].verdicts(looks=len(self.settings.looks))
            self._looks[key] = verdicts is not None and verdicts.is_reached(self.goal)
        return self._looks[key]

    def advance(self, connection: Connection) -> None:
        """Begin a stage once the pilot is over, or the labels that show which runs are in the race; pause the campaign
        if a planned look has settled its goal."""
        if self.paused:
            return
        first = self.stage.settings.options.get("length")
        if first is not None and self.stage.complete(self.ledger) >= first:
            self.begin_stage(connection)
        elif len(self.settings.looks) > 1 and self.settled:
            self.pause(connection)

    def check_refit(self, complete: int, unfinished: int) -> None:
        if unfinished > 0:
            raise InputError(
                f"{unfinished} documents of this stage are not judged yet",
                hint="Record their labels first, or leave them open (--leave-open, leave_open=True).",
            )
        super().check_refit(complete, unfinished)

    def begin_stage(self, connection: Connection) -> None:
        known = np.where(np.isnan(self.plan.board.known), self.ledger.grades, self.plan.board.known)
        aimed = self.board.refit(known, self.estimates, looks=len(self.settings.looks))
        options = {"shares": [share.tolist() for share in aimed.shares]}
        self.next_stage(connection, stored=known[:, np.newaxis], options=options)

    def _forget(self) -> None:
        super()._forget()
        self._last, self._looks = None, {}


class PosteriorState(RunsState):
    """The state of a campaign that estimates runs by the posterior of the grades, from all labels asked for so far."""

    _last: tuple[tuple[int, int], tuple[PosteriorEstimate, ...]] | None

    def _load(self, connection: Connection) -> None:
        super()._load(connection)
        first = self._first
        self.posterior = first.posterior if isinstance(first, PosteriorPlan) else self.settings.posterior(self.pool)

    def _make_plan(self, settings: StageSettings, stored: FloatArray | None) -> PosteriorPlan:
        if stored is None:
            return first_posterior_plan(self.posterior, self.settings)
        return PosteriorPlan(self.posterior, seed=self.settings.seed, order=stored[:, 0].astype(np.int64))

    @property
    def labels(self) -> FloatArray:
        """The grades of the documents that were asked for; others came by another way than the plan's."""
        return np.where(self.ledger.asked, self.ledger.grades, np.nan)

    @property
    def judged(self) -> int:
        """How many documents that were asked for have a grade."""
        return int(np.count_nonzero(~np.isnan(self.labels)))

    @property
    def known(self) -> FloatArray:
        """The grades of documents that were asked for, and those from before."""
        return np.where(np.isnan(self.pool.known), self.labels, self.pool.known)

    @property
    def estimates(self) -> tuple[PosteriorEstimate, ...]:
        key = int(np.count_nonzero(~np.isnan(self.known))), self.ledger.changes
        if self._last is None or self._last[0] != key:
            self._last = key, self.posterior.estimate(self.labels, seed=self.settings.seed) if key[0] else ()
        return self._last[1]

    @property
    def outlook(self) -> PosteriorOutlook | None:
        estimates, seed = self.estimates, self.settings.seed
        return PosteriorOutlook.of(self.posterior, self.known, estimates, self.goal, seed) if estimates else None

    @property
    def settled(self) -> bool:
        """Whether the labels so far settle the goal, if they are as many as the first look has."""
        looks = self.settings.looks
        return len(looks) > 1 and self.judged >= looks[0] and is_reached(self.estimates[0], self.goal)

    def advance(self, connection: Connection) -> None:
        """Choose documents again once there are enough new labels; pause the campaign if these settle its goal."""
        judged, before = self.judged, int(self.stage.settings.options.get("labels", 0))
        if self.paused or judged - before < BATCH or judged < max(self.posterior.first, self.settings.pilot):
            return
        if self.settled:
            self.pause(connection)
        elif self.settings.allowance > self.ledger.spent and np.isnan(self.labels[self.plan.needed]).any():
            self.begin_stage(connection)

    def begin_stage(self, connection: Connection) -> None:
        labels, after = self.labels, self.estimates
        pending = np.flatnonzero(self.ledger.asked & np.isnan(labels))
        order = next_order(
            self.posterior, labels, pending=pending, seed=self.settings.seed, goal=self.goal, after=after
        )
        self.next_stage(connection, stored=order[:, np.newaxis].astype(np.float64), options={"labels": self.judged})

    def _forget(self) -> None:
        super()._forget()
        self._last = None


class BoardCampaign(LabelCampaign):
    """A campaign for the values and the order of any number of runs.

    `BoardCampaign.create(...)` makes one, `BoardCampaign.open("campaign.rg")` goes on with it.
    """

    board = True
    pool: BoardPool
    _state: RunsState

    @classmethod
    def _state_kind(cls, settings: CampaignSettings) -> type[CampaignState]:
        return PosteriorState if settings.method == POSTERIOR else BoardState

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
        """Return a new campaign on an ascending scale of grades.

        `method` is `leaderboard`, `posterior`, or `auto`: the posterior where the pool has few runs and is shallow.
        `settings` are further fields of `CampaignSettings`: dialect, seed, assessors, combine, unjudgeable, scale.
        """
        settings = {"combine": defaults.BOARD_COMBINE, **settings}
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
        chosen, stage, plan = plan_stage(chosen, pool)
        return cls._create(location, plan, parquet.pack_board(pool), chosen, stage, name=name, clock=clock)

    @property
    def plan(self) -> RunsPlan:
        """The plan of the current stage."""
        plan: RunsPlan = self._state.plan
        return plan

    def estimates(self) -> tuple[RunEstimate, ...]:
        """Return the estimates of each measure; none before the first label.

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

    def outlook(self) -> RunsOutlook | None:
        """Return what more labels would bring; None before the first label."""
        with self._state.looking():
            return self._state.outlook

    def later(self, name: str, run: Any) -> LaterRun:
        """Return a run (a path, a frame, a dict) that had no part in the pool, beside those of the board."""
        outlook = self.outlook()
        if outlook is None:
            raise InputError("no document is judged yet: nothing is known of any run", hint="Record labels.")
        return outlook.later(name, run)

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


def plan_stage(settings: CampaignSettings, pool: BoardPool) -> tuple[CampaignSettings, StageSettings, RunsPlan]:
    """Return the plan of the first stage, by the method that is named or the one that serves the pool's shape best."""
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
    looks = planned_looks(board.goal, _count_paid(settings, pool), least=max(least, 1))
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
    looks = posterior_looks(posterior, goal, _count_paid(settings, pool))
    stage = StageSettings(method=POSTERIOR, budget=settings.allowance, seed=settings.seed)
    return replace(settings, method=POSTERIOR, looks=looks), stage, first_posterior_plan(posterior, settings)


def _count_paid(settings: CampaignSettings, pool: BoardPool) -> int:
    """Return how many labels the budget pays for, at least 1."""
    open_ = int(np.count_nonzero(np.isnan(pool.known)))
    labels = int((settings.allowance - float(pool.overhead.sum())) / float(pool.costs.mean()))
    return max(min(labels, open_), 1)


def _check_pilot(settings: CampaignSettings, pool: BoardPool) -> None:
    """Raise an error if the budget or the pool has fewer documents than the pilot."""
    if not 0 <= settings.pilot <= _count_paid(settings, pool):
        raise ParameterError(
            "a board", "pilot", f"at most the {_count_paid(settings, pool)} that are paid", settings.pilot
        )


def _check_rule(settings: CampaignSettings) -> None:
    """Raise an error if the rule that combines assessors' grades may leave the scale."""
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


def first_posterior_plan(posterior: GradePosterior, settings: CampaignSettings) -> PosteriorPlan:
    """The first stage of a posterior: the documents of the pilot, drawn with equal chances, then its fixed order."""
    order = posterior.order(settings.seed)
    drawn = np.random.default_rng([settings.seed, settings.pilot]).permutation(order)[: settings.pilot]
    return PosteriorPlan(posterior, seed=settings.seed, order=np.concatenate([drawn, order[~np.isin(order, drawn)]]))
