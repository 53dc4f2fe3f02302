"""The state of a campaign as one process knows it, kept in step with what other processes write."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from sqlalchemy.engine import Connection, Engine

from rankgauge.errors import GoneError, InputError
from rankgauge.labelling.board import BoardEstimate, BoardPlan, BoardPool, Goal, Outlook
from rankgauge.labelling.board.readings import Readings
from rankgauge.labelling.board.run_estimate import RunEstimate
from rankgauge.labelling.campaign import parquet
from rankgauge.labelling.campaign.database import reading, writing
from rankgauge.labelling.campaign.ledger import Ledger
from rankgauge.labelling.campaign.settings import CampaignSettings, StageSettings
from rankgauge.labelling.campaign.stages import CampaignStage
from rankgauge.labelling.campaign.store import Store
from rankgauge.labelling.labels import Assessor, Task
from rankgauge.labelling.method import Draws
from rankgauge.labelling.methods import Plan
from rankgauge.labelling.pool import Pool, PooledDocuments
from rankgauge.labelling.posterior import GradePosterior, PosteriorEstimate
from rankgauge.labelling.posterior.plan import BATCH, PosteriorOutlook, PosteriorPlan, is_reached, next_order
from rankgauge.numeric import FloatArray

CAUTIOUS = 2
"""The layout from which on intervals widen where they rest on few queries; a campaign keeps what it once printed."""


Clock = Callable[[], float]


class CampaignState(ABC):
    """Pool, stages and ledger of a campaign, and the transactions in which they are read and changed."""

    pool: PooledDocuments

    def __init__(self, engine: Engine, store: Store, clock: Clock, *, first: Draws | None = None) -> None:
        """`first` is the plan of the first stage if the campaign was made just now; otherwise it is planned again."""
        self.engine, self.store, self.clock, self._first = engine, store, clock, first
        self._guard = threading.RLock()
        with reading(engine) as connection:
            row = store.row(connection)
            self.name, self.paused = str(row.name), bool(row.paused)
            self._packed, self._layout = str(row.settings), int(row.format)
            self.settings = CampaignSettings.unpacked(self._packed, layout=self._layout)
            self.cautious = row.format >= CAUTIOUS
            self._load(connection)
            self._forget()
            self.refresh(connection)
            if not self.stages:
                raise ValueError("it has no stage")
            for stage in self.stages:
                stage.check(store.draws(connection, stage.number))

    @abstractmethod
    def _load(self, connection: Connection) -> None:
        """Gets the pool, and what is estimated on it."""

    @abstractmethod
    def _planned(self, settings: StageSettings, stored: FloatArray | None) -> Draws:
        """The plan of a stage, from what was stored with it: beliefs, or the grades known when it began."""

    def advance(self, connection: Connection) -> None:  # noqa: B027 - most campaigns go on by themselves
        """Does what is due before documents are handed out."""

    @property
    def settled(self) -> bool:
        """Whether the campaign has reached a goal and needs no more labels."""
        return False

    @abstractmethod
    def query_values(self) -> FloatArray:
        """The value of each query once it is known; NaN before."""

    @property
    def stage(self) -> CampaignStage:
        """The current stage."""
        return self.stages[-1]

    @contextmanager
    def changing(self) -> Iterator[Connection]:
        """A transaction that writes, alone and up to date.

        If it fails after its own rows were taken into the state, everything is read again the next time.
        """
        with self._guard:
            before = self._known
            try:
                with writing(self.engine, self.store.campaign) as connection:
                    self.paused = self.store.lock(connection)
                    self.refresh(connection)
                    before = self._known
                    yield connection
            except BaseException:
                if self._known != before:
                    self._forget()
                raise

    @contextmanager
    def looking(self) -> Iterator[Connection]:
        """A transaction that reads, up to date."""
        with self._guard, reading(self.engine) as connection:
            self.refresh(connection)
            yield connection

    def refresh(self, connection: Connection) -> None:
        """Takes in what was written since the last look, by this process or another."""
        news = self.store.news(connection, self.ledger.last_task, self.ledger.last_label)
        if news.settings is None:
            raise GoneError("somebody has deleted this campaign")
        self.name = str(news.name)
        if news.settings != self._packed:
            self._take_settings(news.settings)
            news = self.store.news(connection, 0, 0)
        if (news.stages, news.over) != (len(self.stages), sum(stage.over is not None for stage in self.stages)):
            self._take_stages(connection)
        if news.task is not None:
            self.ledger.take_tasks(self.store.tasks(connection, self.ledger.last_task))
        if news.label is not None:
            self.ledger.take_labels(self.store.labels(connection, self.ledger.last_label))

    def next_stage(
        self, connection: Connection, *, stored: FloatArray, options: Mapping[str, Any] | None = None
    ) -> None:
        """Ends the stage with its complete draws, and begins the next with what is left of the budget."""
        stage, number = self.stage, len(self.stages)
        left = self.settings.allowance - self.ledger.spent
        if left <= 0:
            raise InputError("the budget is spent: a new stage could ask for nothing")
        seed = int(np.random.SeedSequence([self.settings.seed, number]).generate_state(1)[0])
        kept = stage.settings.options if options is None else dict(options)
        chosen = replace(stage.settings, budget=left, seed=seed, options=kept)
        self.store.end_stage(connection, stage.number, stage.complete(self.ledger))
        made = {"number": number, "made": self.clock(), "settings": chosen.packed()}
        self.store.add_stage(connection, **made, beliefs=stored)
        self._take_stages(connection)

    def task(self, place: int, who: Assessor, until: float, texts: dict[str, str]) -> Task:
        """A document as a task for an assessor."""
        query, document = str(self.pool.queries[int(self.pool.query[place])]), str(self.pool.documents[place])
        known = Task(place=place, query=query, document=document, assessor=who.name, until=until, texts=texts)
        return known if who.person is None else replace(known, person=who.person)

    def _take_settings(self, packed: str) -> None:
        """Takes in another budget; what was planned before the first document was handed out is planned again."""
        self._packed, self.settings = packed, CampaignSettings.unpacked(packed, layout=self._layout)
        self._first = None
        self._forget()

    def _take_stages(self, connection: Connection) -> None:
        rows = self.store.stages(connection)
        for row in rows[len(self.stages) :]:
            self.stages.append(self._stage(connection, row.number, StageSettings.unpacked(row.settings)))
        for row, stage in zip(rows, self.stages, strict=True):
            stage.over = row.draws

    def _stage(self, connection: Connection, number: int, settings: StageSettings) -> CampaignStage:
        if number == 0 and self._first is not None:
            return CampaignStage(number, settings, self._first)
        return CampaignStage(number, settings, self._planned(settings, self.store.beliefs(connection, number)))

    @property
    def _known(self) -> tuple[Ledger, int, int, int]:
        return self.ledger, self.ledger.last_task, self.ledger.last_label, len(self.stages)

    def _forget(self) -> None:
        self.ledger = Ledger(self.settings, self.pool.query)
        self.stages: list[CampaignStage] = []


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

    def query_values(self) -> FloatArray:
        pool, known = self.pool, ~np.isnan(self.ledger.grades)
        lacking = np.bincount(pool.query[self.target.needed(pool) & ~known], minlength=len(pool.sizes))
        values = self.target.values(pool, np.where(known, self.ledger.grades, pool.grades[0]))
        return np.where(lacking > 0, np.nan, values)


class RunsState(CampaignState):
    """The state of a campaign that estimates any number of runs."""

    pool: BoardPool
    goal: Goal

    @property
    @abstractmethod
    def estimates(self) -> tuple[RunEstimate, ...]:
        """The estimates of each measure; none before the first label."""

    @property
    @abstractmethod
    def outlook(self) -> Outlook | PosteriorOutlook | None:
        """What more labels would bring; None before the first label."""

    @abstractmethod
    def begin_stage(self, connection: Connection) -> None:
        """Ends the stage, and begins one whose order follows all labels so far."""

    def query_values(self) -> FloatArray:
        return np.full(len(self.pool.sizes), np.nan)


class BoardState(RunsState):
    """The state of a campaign that estimates runs by the stream of a board."""

    _read: tuple[tuple[int, int, int], Readings] | None
    """What the labels say, and the stage, the draws and the changes of grades that it was read from."""
    _found: tuple[tuple[int, int, int], tuple[BoardEstimate, ...]] | None
    """The estimates, by the same."""
    _looks: dict[tuple[int, int, int], bool]
    """Whether the goal was settled at each look, by the same."""

    def _load(self, connection: Connection) -> None:
        if isinstance(self._first, BoardPlan):
            self.pool, self.board = self._first.pool, self._first.board
        else:
            self.pool = parquet.unpack_board(self.store.pool(connection))
            self.board = self.settings.board(self.pool)
        self.goal = self.board.goal

    def _planned(self, settings: StageSettings, stored: FloatArray | None) -> BoardPlan:
        if stored is None:
            length, pilot = settings.options.get("length"), bool(self.settings.pilot)
            return BoardPlan(self.board, seed=settings.seed, length=length, pilot=pilot)
        shares = tuple(np.array(share) for share in settings.options["shares"])
        return BoardPlan(replace(self.board.refitted(stored[:, 0]), shares=shares), seed=settings.seed)

    @property
    def plan(self) -> BoardPlan:
        """The plan of the current stage, whose draws alone make the estimate."""
        assert isinstance(self.stage.plan, BoardPlan)
        return self.stage.plan

    @property
    def estimates(self) -> tuple[BoardEstimate, ...]:
        """The estimates of each measure from the current stage; none before its first label."""
        return self._estimates_at(self.stage.complete(self.ledger))

    def _estimates_at(self, draws: int) -> tuple[BoardEstimate, ...]:
        key = self.stage.number, draws, self.ledger.changes
        if self._found is None or self._found[0] != key:
            board, enough = self.plan.board, draws > 0 or not self.plan.length
            self._found = key, board.estimate(self._readings_at(draws), seed=self.plan.seed) if enough else ()
        return self._found[1]

    @property
    def outlook(self) -> Outlook | None:
        found, plan = self.estimates, self.plan
        if not found:
            return None
        return Outlook(board=plan.board, stream=plan.stream, readings=self.readings, estimates=found)

    @property
    def readings(self) -> Readings:
        """What the labels of the current stage say."""
        return self._readings_at(self.stage.complete(self.ledger))

    def _readings_at(self, draws: int) -> Readings:
        """The same after that number of draws; the readings before, of a label less or so, save time."""
        key = self.stage.number, draws, self.ledger.changes
        if self._read is None or self._read[0] != key:
            start = None if self._read is None else self._read[1]
            self._read = key, self.plan.readings(draws, self.ledger.grades, start=start)
        return self._read[1]

    @property
    def settled(self) -> bool:
        """Whether a planned look has settled the goal, with an error that holds over all looks."""
        before = sum(stage.over or 0 for stage in self.stages[:-1])
        draws = self.stage.complete(self.ledger)
        reached = [look - before for look in self.settings.looks if 0 < look - before <= draws]
        return any(self._settles(look) for look in reversed(reached))

    def _settles(self, draws: int) -> bool:
        """Whether the goal is settled after that number of draws of the current stage."""
        key = self.stage.number, draws, self.ledger.changes
        if key not in self._looks:
            verdicts = self._estimates_at(draws)[0].verdicts(looks=len(self.settings.looks))
            self._looks[key] = verdicts is not None and verdicts.reached(self.goal)
        return self._looks[key]

    def advance(self, connection: Connection) -> None:
        """Begins a stage once the pilot is over, or the labels that show which runs are in the race; pauses the
        campaign if a planned look has settled its goal."""
        if self.paused:
            return
        first = self.stage.settings.options.get("length")
        if first is not None and self.stage.complete(self.ledger) >= first:
            self.begin_stage(connection)
        elif len(self.settings.looks) > 1 and self.settled:
            self.store.set_paused(connection, True)
            self.paused = True

    def begin_stage(self, connection: Connection) -> None:
        """Ends the stage, and begins one whose beliefs, order and aim follow all labels so far."""
        known = np.where(np.isnan(self.plan.board.known), self.ledger.grades, self.plan.board.known)
        aimed = self.board.refitted(known, self.estimates, looks=len(self.settings.looks))
        options = {"shares": [share.tolist() for share in aimed.shares]}
        self.next_stage(connection, stored=known[:, np.newaxis], options=options)

    def _forget(self) -> None:
        super()._forget()
        self._read, self._found, self._looks = None, None, {}


class PosteriorState(RunsState):
    """The state of a campaign that estimates runs by the posterior of the grades, from all labels asked for so far."""

    _found: tuple[tuple[int, int], tuple[PosteriorEstimate, ...]] | None

    def _load(self, connection: Connection) -> None:
        if isinstance(self._first, PosteriorPlan):
            self.pool, self.posterior = self._first.pool, self._first.posterior
        else:
            self.pool = parquet.unpack_board(self.store.pool(connection))
            self.posterior = self.settings.posterior(self.pool)
        self.goal = Goal.parse(self.settings.goal)

    def _planned(self, settings: StageSettings, stored: FloatArray | None) -> PosteriorPlan:
        if stored is None:
            return first_posterior_plan(self.posterior, self.settings)
        return PosteriorPlan(self.posterior, seed=self.settings.seed, order=stored[:, 0].astype(np.int64))

    @property
    def labels(self) -> FloatArray:
        """The grades of the documents that were asked for; others came by another way than the plan's."""
        return np.where(self.ledger.asked, self.ledger.grades, np.nan)

    @property
    def estimates(self) -> tuple[PosteriorEstimate, ...]:
        known = np.where(np.isnan(self.pool.known), self.labels, self.pool.known)
        key = int(np.count_nonzero(~np.isnan(known))), self.ledger.changes
        if self._found is None or self._found[0] != key:
            self._found = key, self.posterior.estimate(self.labels, seed=self.settings.seed) if key[0] else ()
        return self._found[1]

    @property
    def outlook(self) -> PosteriorOutlook | None:
        found = self.estimates
        if not found:
            return None
        known = np.where(np.isnan(self.pool.known), self.labels, self.pool.known)
        return PosteriorOutlook(
            posterior=self.posterior, labels=known, estimates=found, goal=self.goal, seed=self.settings.seed
        )

    @property
    def settled(self) -> bool:
        """Whether the labels so far settle the goal, if they are as many as the first look has."""
        looks = self.settings.looks
        if len(looks) < 2 or int(np.count_nonzero(~np.isnan(self.labels))) < looks[0]:
            return False
        return is_reached(self.estimates[0], self.goal)

    def advance(self, connection: Connection) -> None:
        """Chooses documents again once there are enough new labels; pauses the campaign if these settle its goal."""
        judged = int(np.count_nonzero(~np.isnan(self.labels)))
        fresh = judged - int(self.stage.settings.options.get("labels", 0))
        if self.paused or fresh < BATCH or judged < max(self.posterior.first, self.settings.pilot):
            return
        if self.settled:
            self.store.set_paused(connection, True)
            self.paused = True
        elif self.settings.allowance > self.ledger.spent and np.isnan(self.labels[self.plan.needed]).any():
            self.begin_stage(connection)

    @property
    def plan(self) -> PosteriorPlan:
        """The plan of the current stage."""
        assert isinstance(self.stage.plan, PosteriorPlan)
        return self.stage.plan

    def begin_stage(self, connection: Connection) -> None:
        labels = self.labels
        pending = np.flatnonzero(self.ledger.asked & np.isnan(labels))
        order = next_order(
            self.posterior, labels, pending=pending, seed=self.settings.seed, goal=self.goal, after=self.estimates
        )
        stored = order[:, np.newaxis].astype(np.float64)
        self.next_stage(connection, stored=stored, options={"labels": int(np.count_nonzero(~np.isnan(labels)))})

    def _forget(self) -> None:
        super()._forget()
        self._found = None


def first_posterior_plan(posterior: GradePosterior, settings: CampaignSettings) -> PosteriorPlan:
    """The first stage of a posterior: the documents of the pilot, drawn with equal chances, then its fixed order."""
    order = posterior.order(settings.seed)
    drawn = np.random.default_rng([settings.seed, settings.pilot]).permutation(order)[: settings.pilot]
    return PosteriorPlan(posterior, seed=settings.seed, order=np.concatenate([drawn, order[~np.isin(order, drawn)]]))
