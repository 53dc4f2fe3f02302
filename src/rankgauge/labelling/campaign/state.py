"""The state of a campaign as one process knows it, kept in step with what other processes write: pool, ledger, and
stages with what their draws need, how far they have come, and what open draws may still cost."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from sqlalchemy.engine import Connection, Engine

from rankgauge.errors import GoneError, InputError
from rankgauge.labelling.campaign.database import reading, writing
from rankgauge.labelling.campaign.ledger import Ledger
from rankgauge.labelling.campaign.settings import CampaignSettings, StageSettings
from rankgauge.labelling.campaign.store import Store
from rankgauge.labelling.labels import Assessor, Task
from rankgauge.labelling.method import Draws, Estimate
from rankgauge.labelling.pool import PooledDocuments
from rankgauge.numeric import BoolArray, FloatArray, IndexArray

FREE = 1_000
"""How many draws that cost nothing may follow the last one that asked for something, in a plan without an end. If every
document is known, all draws cost nothing."""

TRUST = 3.0
"""How many draws weigh as much in the chance to stop at one length as the draws of all lengths together."""

RECENT = 20
"""How many of the last draws are looked at by themselves: later draws may go further, with what was left over."""

MARGIN = 3.0
"""Standard deviations above the mean: a draw that cannot be finished makes all after it useless."""

FIRST = 0.1
"""The most that is set aside for the first open draw, as a share of the budget: lists may be long."""

_NOTHING: IndexArray = np.zeros(0, dtype=np.int64)


class CampaignStage:
    """A plan under way: what its draws need, which of them have begun, and how many are complete."""

    def __init__(self, number: int, settings: StageSettings, plan: Draws) -> None:
        self.number, self.settings, self.plan = number, settings, plan
        self.over: int | None = None
        """Once the stage is over, how many of its draws count."""
        self._front = self._opened = self._changes = 0
        self._needs: dict[int, tuple[int, IndexArray]] = {}

    def begun(self, ledger: Ledger) -> int:
        """Return how many draws have asked for documents."""
        return max(ledger.costs.get(self.number, {}), default=-1) + 1

    def complete(self, ledger: Ledger) -> int:
        """Return how many draws are complete before the first that is not: the ones that an estimate may use."""
        self._renew(ledger)
        while self._front < self._end(ledger) and not len(self.needs(self._front, ledger)):
            self._front += 1
        return self._front if self.over is None else min(self._front, self.over)

    def needs(self, draw: int, ledger: Ledger) -> IndexArray:
        """Return the documents whose grades a draw needs now; none where it is complete."""
        self._renew(ledger)
        if draw < self._front:
            return _NOTHING
        # What a draw needs depends on the grades of its own query; others only if a grade that was known changes.
        revision = int(ledger.revisions[self.plan.query(draw)])
        known = self._needs.get(draw)
        if known is None or known[0] != revision:
            known = self._needs[draw] = (revision, self.plan.asks(draw, ledger.grades))
        return known[1]

    def ahead(self, ledger: Ledger) -> Iterator[int]:
        """Yield the draws that are not complete and may ask for documents now, in their order.

        More draws may open on the way, if those before turn out complete because their labels are there already.
        """
        draw = self.complete(ledger)
        while draw < self._end(ledger) or (self.complete(ledger) >= draw and draw < self._end(ledger)):
            if len(self.needs(draw, ledger)):
                yield draw
            draw += 1

    def set_aside(self, ledger: Ledger) -> float:
        """Return what the open draws and one more may still cost, judging by the draws so far."""
        steps = ledger.steps.get(self.number, {})
        if max(steps.values(), default=1) == 1:
            return 0.0  # so far every draw has asked for all its documents at once
        draws = sorted(steps)
        is_open = [len(self.needs(draw, ledger)) > 0 for draw in draws]
        likely = remainder([steps[draw] for draw in draws], is_open) * float(self.plan.pool.costs.mean())
        return likely + self.rest_of_first(ledger)

    def rest_of_first(self, ledger: Ledger) -> float:
        """The most that the first open draw may still cost, in reason: until it is complete, no later one counts."""
        draw, pool = self.complete(ledger), self.plan.pool
        if draw not in ledger.steps.get(self.number, {}):
            return 0.0
        mine = pool.rows_of(self.plan.query(draw))
        most = float(pool.costs[mine][self._needed[mine] & ~ledger.asked[mine]].sum())
        return min(most, FIRST * ledger.settings.allowance)

    @cached_property
    def _needed(self) -> BoolArray:
        """The documents that the value depends on."""
        return self.plan.needed

    def check(self, stored: list[int]) -> None:
        """Raise an error if the draws are not those that were begun."""
        for draw, query in enumerate(stored):
            if self.plan.query(draw) != query:
                raise InputError(
                    f"draw {draw} of stage {self.number + 1} is query {self.plan.query(draw)} now and was {query}",
                    hint="Another version of RankGauge or NumPy began this campaign: go on with that one.",
                )

    def _end(self, ledger: Ledger) -> int:
        """Return the draw after the last one that may ask now.

        A plan whose later draws depend on the labels of earlier ones opens more when all open ones are complete. It
        is not asked before, which would be slow.
        """
        if self.plan.length is None:
            return self.begun(ledger) + FREE
        if self._front >= self._opened:
            limit = self.plan.count_open(ledger.grades)
            self._opened = self.plan.length if limit is None else limit
        return self._opened

    def _renew(self, ledger: Ledger) -> None:
        if self._changes != ledger.changes:
            self._front, self._opened, self._changes = 0, 0, ledger.changes
            self._needs.clear()


def remainder(lengths: Sequence[int], is_open: Sequence[bool]) -> float:
    """Return how many documents the open draws, and a new one after its first document, may well still need.

    `lengths` are those of the draws so far, in their order. A draw that has gone far goes on for longer: a hard query
    asks for more. So the chance to stop is that of the draws that came as far (Kaplan & Meier 1958), shrunk towards
    the chance over all lengths if they are few. It is computed from all draws and from the last ones; the larger
    number counts.
    """
    known, going = np.array(lengths, dtype=int), np.array(is_open, dtype=bool)
    open_ = known[going]
    rests = [_rest(known, going), _rest(known[-RECENT:], going[-RECENT:])]
    return max(_upper(np.append(rest[np.minimum(open_, len(rest) - 1) - 1], rest[0])) for rest in rests)


def _upper(each: FloatArray) -> float:
    """A bound for the sum. Lengths spread about as in an exponential law: the variance of each is near r (1 + r)."""
    return float(each.sum() + MARGIN * np.sqrt((each * (1 + each)).sum()))


def _rest(lengths: IndexArray, is_open: BoolArray) -> FloatArray:
    """Return how much longer a draw of each length goes on, for lengths from 1."""
    longest = int(lengths.max(initial=1))
    overall, hazard = _hazard(lengths, is_open, longest)
    rest = np.full(longest + 1, (1 - overall) / overall)
    for length in range(longest - 1, -1, -1):
        rest[length] = (1 - hazard[length]) * (1 + rest[length + 1])
    return rest


def _hazard(lengths: IndexArray, is_open: BoolArray, longest: int) -> tuple[float, FloatArray]:
    """Return the chance to stop at any length, and at each length from 1."""
    at = np.arange(1, longest + 1)[:, np.newaxis]
    stops = ((lengths == at) & ~is_open).sum(axis=1)
    # A draw that waits at a length has not yet shown whether it stops there.
    reached = (lengths > at).sum(axis=1) + stops
    overall = float((stops.sum() + 1.0) / (reached.sum() + 1.0))
    return overall, (stops + TRUST * overall) / (reached + TRUST)


CAUTIOUS = 2
"""The layout from which on intervals widen where they rest on few queries; a campaign keeps what it once printed."""


CURVE = {"cost": pl.Float64, "draws": pl.Int64, "value": pl.Float64, "low": pl.Float64, "high": pl.Float64}
"""The columns of a curve."""

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
            self.settings = CampaignSettings.unpack(self._packed, layout=self._layout)
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
        """Get the pool, and what is estimated on it."""

    @abstractmethod
    def _make_plan(self, settings: StageSettings, stored: FloatArray | None) -> Draws:
        """Return the plan of a stage, from what was stored with it: beliefs, or the grades known when it began."""

    @abstractmethod
    def check_refit(self, complete: int, unfinished: int) -> None:
        """Raise an error if a stage with so many complete and unfinished draws should not end."""

    @abstractmethod
    def begin_stage(self, connection: Connection) -> None:
        """End the stage, and begin one that follows all labels so far."""

    def advance(self, connection: Connection) -> None:  # noqa: B027 - most campaigns go on by themselves
        """Do what is due before documents are handed out."""

    @property
    def settled(self) -> bool:
        """Whether the campaign has reached a goal and needs no more labels."""
        return False

    @property
    def is_cut_short(self) -> bool:
        """Whether its estimate depends on documents that the plan of the stage does not ask for."""
        return False

    def estimate(self, *, level: float, interval: str) -> Estimate | None:
        """The one value that is estimated; None before there is any, and where every run has values of its own."""
        return None

    def curve(self, *, level: float, interval: str) -> pl.DataFrame:
        """Return the estimate after more and more draws: cost, draws, value, low, high; no value where there is no
        interval."""
        return pl.DataFrame(schema=CURVE)

    def waiting(self) -> int:
        """Return how many complete draws an estimate of one value does not use yet."""
        return 0

    def lacking(self, estimate: Estimate | None) -> int | None:
        """About how many more labels it takes until an estimate has an interval; None where that is not known."""
        return None

    def query_values(self) -> FloatArray:
        """Return the value of each query once it is known; NaN before, and where every run has one of its own."""
        return np.full(len(self.pool.sizes), np.nan)

    def pause(self, connection: Connection) -> None:
        """Hand out nothing more."""
        self.store.change(connection, paused=True)
        self.paused = True

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
        """Take in what was written since the last look, by this process or another."""
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
        """End the stage with its complete draws, and begin the next with what is left of the budget."""
        stage, number = self.stage, len(self.stages)
        left = self.settings.allowance - self.ledger.spent
        if left <= 0:
            raise InputError("the budget is spent: a new stage could ask for nothing")
        seed = int(np.random.SeedSequence([self.settings.seed, number]).generate_state(1)[0])
        kept = stage.settings.options if options is None else dict(options)
        chosen = replace(stage.settings, budget=left, seed=seed, options=kept)
        self.store.change_stage(connection, stage.number, draws=stage.complete(self.ledger))
        made = {"number": number, "made": self.clock(), "settings": chosen.pack()}
        self.store.add_stage(connection, **made, beliefs=stored)
        self._take_stages(connection)

    def task(self, place: int, who: Assessor, until: float, texts: dict[str, str]) -> Task:
        """Return a document as a task for an assessor."""
        query, document = str(self.pool.queries[int(self.pool.query[place])]), str(self.pool.documents[place])
        known = Task(place=place, query=query, document=document, assessor=who.name, until=until, texts=texts)
        return known if who.person is None else replace(known, person=who.person)

    def _take_settings(self, packed: str) -> None:
        """Take in another budget; what was planned before the first document was handed out is planned again."""
        self._packed, self.settings = packed, CampaignSettings.unpack(packed, layout=self._layout)
        self._first = None
        self._forget()

    def _take_stages(self, connection: Connection) -> None:
        rows = self.store.stages(connection)
        for row in rows[len(self.stages) :]:
            self.stages.append(self._stage(connection, row.number, StageSettings.unpack(row.settings)))
        for row, stage in zip(rows, self.stages, strict=True):
            stage.over = row.draws

    def _stage(self, connection: Connection, number: int, settings: StageSettings) -> CampaignStage:
        if number == 0 and self._first is not None:
            return CampaignStage(number, settings, self._first)
        return CampaignStage(number, settings, self._make_plan(settings, self.store.beliefs(connection, number)))

    @property
    def _known(self) -> tuple[Ledger, int, int, int]:
        return self.ledger, self.ledger.last_task, self.ledger.last_label, len(self.stages)

    def _forget(self) -> None:
        self.ledger = Ledger(self.settings, self.pool.query)
        self.stages: list[CampaignStage] = []
