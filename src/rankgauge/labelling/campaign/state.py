"""The state of a campaign as one process knows it, kept in step with what other processes write."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
from sqlalchemy.engine import Connection, Engine

from rankgauge.errors import GoneError, InputError
from rankgauge.labelling.campaign.database import reading, writing
from rankgauge.labelling.campaign.ledger import Ledger
from rankgauge.labelling.campaign.settings import CampaignSettings, StageSettings
from rankgauge.labelling.campaign.stages import CampaignStage
from rankgauge.labelling.campaign.store import Store
from rankgauge.labelling.labels import Assessor, Task
from rankgauge.labelling.method import Draws, Estimate
from rankgauge.labelling.pool import PooledDocuments
from rankgauge.numeric import FloatArray

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

    @property
    def is_cut_short(self) -> bool:
        """Whether its estimate depends on documents that the plan of the stage does not ask for."""
        return False

    def estimate(self, *, level: float, interval: str) -> Estimate | None:
        """The one value that is estimated; None before there is any, and where every run has values of its own."""
        return None

    def curve(self, *, level: float, interval: str) -> pl.DataFrame:
        """The estimate after more and more draws: cost, draws, value, low, high; no value where there is no
        interval."""
        return pl.DataFrame(schema=CURVE)

    def lacking(self, found: Estimate | None) -> int | None:
        """About how many more labels it takes until an estimate has an interval; None where that is not known."""
        return None

    def query_values(self) -> FloatArray:
        """The value of each query once it is known; NaN before, and where every run has one of its own."""
        return np.full(len(self.pool.sizes), np.nan)

    def pause(self, connection: Connection) -> None:
        """Hand out nothing more."""
        self.store.set_paused(connection, True)
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
