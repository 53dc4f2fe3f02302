"""The campaigns of the room, each opened once and kept open."""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Generic, TypeVar

import polars as pl
from sqlalchemy import Connection, Engine, bindparam, delete, insert, select
from starlette.exceptions import HTTPException

from rankgauge.errors import ArchivedError
from rankgauge.labelling.campaign import LabelCampaign
from rankgauge.labelling.campaign.answer_queue import AnswerQueue
from rankgauge.labelling.campaign.database import reading, writing
from rankgauge.labelling.campaign.labels import PoolTexts
from rankgauge.labelling.campaign.review import Review
from rankgauge.labelling.campaign.rules import CampaignRules, Guidelines, Idle, SharedRules, write_rules
from rankgauge.labelling.campaign.store import Store
from rankgauge.labelling.campaign.tables import campaigns
from rankgauge.labelling.campaign.tables import rules as rules_table
from rankgauge.labelling.defaults import LEVEL
from rankgauge.labelling.intervals import FEWEST
from rankgauge.labelling.methods import Estimate
from rankgauge.room.database import ARCHIVED, forget_campaign

T = TypeVar("T")

QUICK = 0.1
"""What takes fewer seconds than this is computed whenever it is asked for and something has changed."""

SHARE = 0.1
"""The largest share of the time that is spent on a value, however many ask for it again and again."""


class SlowValue(Generic[T]):
    """The value as it was last computed, and of which version of what it is made of."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._turn = clock, threading.Lock()
        self._kept: tuple[object, T] | None = None
        self._made = self._took = 0.0

    def now(self, version: Callable[[], object], compute: Callable[[], T]) -> T:
        """Return the value of the present version."""
        with self._turn:
            return self._compute(version, compute)

    def lately(self, version: Callable[[], object], compute: Callable[[], T]) -> T:
        """Return the value of the present version; where it takes long, perhaps that of a moment ago."""
        if self._kept is None:
            return self.now(version, compute)
        if self._is_recent() or not self._turn.acquire(blocking=False):
            return self._kept[1]
        try:
            return self._compute(version, compute)
        finally:
            self._turn.release()

    def _compute(self, version: Callable[[], object], compute: Callable[[], T]) -> T:
        wanted = version()
        if self._kept is None or self._kept[0] != wanted:
            start = self._clock()
            self._kept = wanted, compute()
            self._made = self._clock()
            self._took = self._made - start
        return self._kept[1]

    def _is_recent(self) -> bool:
        return self._took > QUICK and self._clock() - self._made < self._took / SHARE


OPEN = 16
"""How many campaigns stay open; a pool of millions of documents takes memory."""


@dataclass(frozen=True, kw_only=True)
class GradeChoice:
    """A grade to choose: as it is written, its name and meaning, and the key that gives it."""

    grade: str
    name: str
    meaning: str
    key: str | None


@dataclass(frozen=True, eq=False)
class OpenCampaign:
    """A campaign, the queue for its assessors' answers, and its rules."""

    id: int
    campaign: LabelCampaign
    review: Review
    answers: AnswerQueue
    overview: SlowValue[Any] = field(default_factory=SlowValue)
    """What dashboards show of it, for all that are open."""

    @property
    def rules(self) -> CampaignRules:
        """The stopping rule and the guidelines."""
        return self.answers.rules.now()

    @property
    def interval(self) -> str:
        """The kind of interval that holds."""
        return self.rules.interval(self.campaign.settings)

    def version(self) -> object:
        """Return another value whenever labels, tasks, stages, settings or the stopping rule have changed."""
        return *self.campaign.version(), self.rules.stop_at

    def estimate(self) -> Estimate | None:
        """Return the estimate so far; None while there are too few draws, and for a board, which has many."""
        estimate = self.campaign.estimate(level=LEVEL, interval=self.interval)
        if estimate is not None and self._is_hasty(estimate.draws, estimate.queries):
            return replace(estimate, low=-math.inf, high=math.inf)
        return estimate

    def curve(self) -> pl.DataFrame:
        """Return the estimate after more and more draws; empty for a board."""
        return self.campaign.curve(interval=self.interval)

    def _is_hasty(self, draws: int, queries: int) -> bool:
        """Say whether so few draws of some of the queries say too little for an interval."""
        return draws < FEWEST and queries < len(self.campaign.pool.queries)

    def why_over(self) -> Idle | None:
        """Return why nobody gets documents any more; None while somebody may."""
        return self.campaign.why_over()

    @property
    def texts(self) -> PoolTexts:
        """Queries and documents as people read them."""
        return self.campaign.texts

    def level_name(self, grade: float) -> str:
        """Return the name of a grade."""
        return self.rules.guide.names.get(f"{grade:g}", f"{grade:g}")

    def choices(self) -> list[GradeChoice]:
        """Return the grades of the campaign, the best first."""
        return choices_of(self.campaign.settings.grades, self.rules.guide)


def choices_of(scale: Iterable[float], guide: Guidelines) -> list[GradeChoice]:
    """Return the grades of a scale as assessors choose them, the best first."""
    grades = sorted(scale)
    digits = all(grade == int(grade) and 0 <= grade <= 9 for grade in grades)
    found = []
    for place, grade in enumerate(grades):
        written = f"{grade:g}"
        key = written if digits else str(place) if place <= 9 else None
        name, meaning = guide.names.get(written, written), guide.meanings.get(written, "")
        found.append(GradeChoice(grade=written, name=name, meaning=meaning, key=key))
    return found[::-1]


def _why_closed(connection: Connection, number: int) -> ArchivedError | None:
    """Return why the campaign takes no answers and does not change, as the transaction sees it; None if it does."""
    if connection.scalar(_ARCHIVED, {"campaign": number}) is None:
        return None
    problem = "the campaign is archived: nothing in it can be changed"
    return ArchivedError(problem, hint="Whoever runs it can restore it, on the page Settings.")


_ARCHIVED = select(ARCHIVED.c.campaign).where(ARCHIVED.c.campaign == bindparam("campaign"))


class Campaigns:
    """The campaigns of a database."""

    def __init__(self, engine: Engine) -> None:
        self.engine, self._lock = engine, threading.Lock()
        self._open: OrderedDict[int, OpenCampaign] = OrderedDict()

    def get(self, number: int) -> OpenCampaign:
        """Return the campaign with that number."""
        with self._lock:
            if number not in self._open:
                if number not in self._numbers():
                    raise HTTPException(404, "no such campaign")
                campaign = LabelCampaign.on(self.engine, Store(campaign=number))
                rules, closed = SharedRules(self.engine, number), partial(_why_closed, number=number)
                answers = AnswerQueue(campaign, rules, closed=closed)
                self._open[number] = OpenCampaign(number, campaign, Review(campaign), answers)
            self._open.move_to_end(number)
            while len(self._open) > OPEN:
                self._open.popitem(last=False)
            return self._open[number]

    def waiting(self) -> int:
        """Return how many answers wait for a transaction."""
        with self._lock:
            return sum(opened.answers.waiting for opened in self._open.values())

    def all(self, *, archived: bool | None = None) -> list[OpenCampaign]:
        """Return all campaigns, the newest first; only the archived ones, or only the others, if that is asked for."""
        over = self.archived()
        return [self.get(n) for n in self._numbers() if archived is None or (n in over) is archived]

    def archived(self) -> set[int]:
        """Return the numbers of archived campaigns."""
        with reading(self.engine) as connection:
            return set(connection.scalars(select(ARCHIVED.c.campaign)))

    def is_archived(self, number: int) -> bool:
        """Say whether the campaign is archived."""
        with reading(self.engine) as connection:
            return _why_closed(connection, number) is not None

    def unarchived(self, number: int) -> OpenCampaign:
        """Return the campaign with that number, to change it; one that is archived is refused."""
        opened = self.get(number)
        with reading(self.engine) as connection:
            if error := _why_closed(connection, number):
                raise error
        return opened

    def set_archived(self, number: int, archived: bool) -> bool:
        """Pauses a campaign and puts it away, or puts it back among the others, where it stays paused; says whether it
        was archived before. Nothing of it is lost."""
        with self._changing(number) as connection:
            before = _why_closed(connection, number) is not None
            if archived and not before:
                Store(campaign=number).change(connection, paused=True)
                connection.execute(insert(ARCHIVED).values(campaign=number, made=time.time()))
            elif not archived:
                connection.execute(delete(ARCHIVED).where(ARCHIVED.c.campaign == number))
            return before

    def set_paused(self, number: int, paused: bool) -> bool:
        """Pauses a campaign or lets it go on; says whether it was paused before. An archived one is refused."""
        store = Store(campaign=number)
        with self._changing(number) as connection:
            if error := _why_closed(connection, number):
                raise error
            before = store.lock(connection)
            store.change(connection, paused=paused)
            return before

    @contextmanager
    def _changing(self, number: int) -> Iterator[Connection]:
        """A transaction that has locked the campaign, as those have in which answers are recorded."""
        self.get(number)
        with writing(self.engine, number) as connection:
            Store(campaign=number).lock(connection)
            yield connection

    def delete(self, number: int) -> None:
        """Deletes a campaign with its labels, its rules and its people, for good."""
        self.get(number)
        with writing(self.engine) as connection:
            forget_campaign(connection, number)
            connection.execute(delete(rules_table).where(rules_table.c.campaign == number))
            Store(campaign=number).delete(connection)
        self.forget(number)

    def forget(self, number: int) -> None:
        """Closes a campaign that is no longer there."""
        with self._lock:
            self._open.pop(number, None)

    def change_rules(
        self, number: int, change: Callable[[CampaignRules], CampaignRules]
    ) -> tuple[CampaignRules, CampaignRules]:
        """Makes other rules of those that a campaign has, whoever changes them at the same time; both, in that order.

        An archived campaign is refused.
        """
        shared = self.get(number).answers.rules
        with self._changing(number) as connection:
            if error := _why_closed(connection, number):
                raise error
            before = shared.read(connection)
            after = change(before)
            write_rules(connection, number, after)
        shared.forget()
        return before, after

    def stop_at(self, number: int, half_width: float | None) -> float | None:
        """Gives a campaign another stopping rule, or none; says which it had before. One that is met already pauses it
        at once."""
        before, _ = self.change_rules(number, lambda rules: replace(rules, stop_at=half_width))
        self.get(number).answers.look()
        return before.stop_at

    def _numbers(self) -> list[int]:
        with reading(self.engine) as connection:
            return list(connection.scalars(select(campaigns.c.id).order_by(campaigns.c.id.desc())))
