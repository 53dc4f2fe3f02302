"""The state: a campaign's rows as one process knows them, kept in step with what other processes write."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from sqlalchemy.engine import Connection, Engine

from rankgauge.active.campaign import parquet as packing
from rankgauge.active.campaign.checks import DocumentIndex
from rankgauge.active.campaign.database import reading, writing
from rankgauge.active.campaign.ledger import Ledger
from rankgauge.active.campaign.settings import CampaignSettings
from rankgauge.active.campaign.stages import CampaignStage, StageSettings
from rankgauge.active.campaign.store import Store
from rankgauge.active.tasks import Task

__all__ = ["CampaignState"]


class CampaignState:
    """Pool, stages and ledger of a campaign, and the transactions in which they are read and changed."""

    def __init__(self, engine: Engine, store: Store, clock: Callable[[], float]) -> None:
        self.engine, self.store, self.clock = engine, store, clock
        self._guard = threading.RLock()
        with reading(engine) as connection:
            row = store.row(connection)
            self.name, self.settings, self.paused = (
                str(row.name),
                CampaignSettings.unpacked(row.settings),
                bool(row.paused),
            )
            self.pool = packing.unpack(store.pool(connection), self.settings.grades)
            self.places = DocumentIndex(self.pool.queries, self.pool.documents, self.pool.sizes.tolist())
            self._forget()
            self.refresh(connection)
            for stage in self.stages:
                stage.check(store.draws(connection, stage.number))

    @property
    def stage(self) -> CampaignStage:
        """The stage that is on."""
        return self.stages[-1]

    @contextmanager
    def changing(self) -> Iterator[Connection]:
        """A transaction that writes, alone and up to date.

        If it fails after its own rows were taken into the state, these are read anew the next time.
        """
        with self._guard:
            before = self._known
            try:
                with writing(self.engine) as connection:
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
        """What was written since the last look, by this process or another."""
        news = self.store.news(connection, self.ledger.last_task, self.ledger.last_label)
        if (news.stages, news.over) != (len(self.stages), sum(stage.over is not None for stage in self.stages)):
            self._take_stages(connection)
        if news.task is not None:
            self.ledger.take_tasks(self.store.tasks(connection, self.ledger.last_task))
        if news.label is not None:
            self.ledger.take_labels(self.store.labels(connection, self.ledger.last_label))

    def _take_stages(self, connection: Connection) -> None:
        rows = self.store.stages(connection)
        for row in rows[len(self.stages) :]:
            self.stages.append(self._stage(connection, row.number, StageSettings.unpacked(row.settings)))
        for row, stage in zip(rows, self.stages, strict=True):
            stage.over = row.draws

    def held(self, connection: Connection) -> dict[int, set[str]]:
        """By document, the assessors who have it at the moment and have not judged it."""
        return self.leases(connection)[0]

    def leases(self, connection: Connection) -> tuple[dict[int, set[str]], list[int]]:
        """Who has which document, and the numbers of the leases that a label has ended before their time."""
        held, ended = dict[int, set[str]](), list[int]()
        for number, place, assessor in self.store.leases(connection, self.clock()):
            if assessor in self.ledger.given.get(place, {}):
                ended.append(number)
            else:
                held.setdefault(place, set()).add(assessor)
        return held, ended

    def task(self, place: int, assessor: str, until: float, texts: dict[str, str]) -> Task:
        """A document as a task for somebody."""
        query, document = str(self.pool.queries[int(self.pool.query[place])]), str(self.pool.documents[place])
        return Task(place=place, query=query, document=document, assessor=assessor, until=until, texts=texts)

    def _stage(self, connection: Connection, number: int, settings: StageSettings) -> CampaignStage:
        content = self.store.beliefs(connection, number)
        pool = self.pool if content is None else replace(self.pool, beliefs=packing.unpack_beliefs(content))
        return CampaignStage(number, settings, settings.plan(pool, self.settings.measure, self.settings.dialect))

    @property
    def _known(self) -> tuple[Ledger, int, int, int]:
        return self.ledger, self.ledger.last_task, self.ledger.last_label, len(self.stages)

    def _forget(self) -> None:
        self.ledger = Ledger(self.settings, self.pool.query)
        self.stages: list[CampaignStage] = []
