"""The campaigns of the room, each opened once and kept open."""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Generic, Self, TypeVar

import polars as pl
from sqlalchemy import Connection, Engine, bindparam, delete, insert, select
from starlette.exceptions import HTTPException

from rankgauge.errors import ArchivedError
from rankgauge.judgments.agreement import Agreement
from rankgauge.labelling.campaign import LabelCampaign
from rankgauge.labelling.campaign.answer_queue import AnswerQueue
from rankgauge.labelling.campaign.database import reading, writing
from rankgauge.labelling.campaign.review import Review
from rankgauge.labelling.campaign.rules import CampaignRules, Guidelines, SharedRules, write_rules
from rankgauge.labelling.campaign.store import Store
from rankgauge.labelling.campaign.tables import campaigns
from rankgauge.labelling.campaign.tables import rules as rules_table
from rankgauge.labelling.defaults import LEVEL
from rankgauge.labelling.intervals import FEWEST
from rankgauge.labelling.methods import Estimate
from rankgauge.labelling.reports.board import BoardReport, board_report
from rankgauge.labelling.reports.campaign import movement
from rankgauge.render.numbers import thousands
from rankgauge.render.svg import Drawing
from rankgauge.render.table import Column, ReportTable
from rankgauge.room.database import ARCHIVED, forget_campaign
from rankgauge.room.filters import decimals

T = TypeVar("T")

QUICK = 0.1
"""What takes fewer seconds than this is computed whenever it is asked for and something has changed."""

SHARE = 0.1
"""The largest share of the time that is spent on a value, however many ask for it again and again."""


class SlowValue(Generic[T]):
    """A value of something that has versions, as it was last computed."""

    def __init__(
        self, version: Callable[[], object], compute: Callable[[], T], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._version, self._computed, self._clock, self._turn = version, compute, clock, threading.Lock()
        self._kept: tuple[object, T] | None = None
        self._made = self._took = 0.0

    def now(self) -> T:
        """Return the value of the present version."""
        with self._turn:
            return self._compute()

    def lately(self) -> T:
        """Return the value of the present version; where it takes long, perhaps that of a moment ago."""
        if self._kept is None:
            return self.now()
        is_recent = self._took > QUICK and self._clock() - self._made < self._took / SHARE
        if is_recent or not self._turn.acquire(blocking=False):
            return self._kept[1]
        try:
            return self._compute()
        finally:
            self._turn.release()

    def _compute(self) -> T:
        wanted = self._version()
        if self._kept is None or self._kept[0] != wanted:
            start = self._clock()
            self._kept = wanted, self._computed()
            self._made = self._clock()
            self._took = self._made - start
        return self._kept[1]


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

    @cached_property
    def overview(self) -> SlowValue[Overview]:
        """What dashboards show of it, computed once for all that are open."""
        return SlowValue(self.version, lambda: Overview.of(self))

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
        all_queries = len(self.campaign.pool.queries)
        if estimate is not None and estimate.draws < FEWEST and estimate.queries < all_queries:
            return replace(estimate, low=-math.inf, high=math.inf)  # so few draws of some queries say too little
        return estimate

    def curve(self) -> pl.DataFrame:
        """Return the estimate after more and more draws; empty for a board."""
        return self.campaign.curve(interval=self.interval)

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
    choices = []
    for place, grade in enumerate(grades):
        written = f"{grade:g}"
        key = written if digits else str(place) if place <= 9 else None
        name, meaning = guide.names.get(written, written), guide.meanings.get(written, "")
        choices.append(GradeChoice(grade=written, name=name, meaning=meaning, key=key))
    return choices[::-1]


@dataclass(frozen=True, kw_only=True, eq=False)
class Overview:
    """What a dashboard shows of a campaign besides its progress: with many labels it takes most of a second.

    Every open dashboard asks every few seconds; computed for each of them, it would keep assessors waiting.
    """

    estimate: Estimate | None
    lacking: int | None
    board: BoardReport | None
    matter: ReportTable | None
    """The open documents that a board hinges on most."""
    chart: Drawing | None
    agreement: Agreement | None
    disagreements: int
    unsettled: int
    assessors: ReportTable

    @classmethod
    def of(cls, opened: OpenCampaign) -> Self:
        """Compute what dashboards show of the campaign."""
        campaign, estimate, review = opened.campaign, opened.estimate(), opened.review
        board = board_report(campaign, level=LEVEL)
        label = f"The estimate of {campaign.settings.measure} and its interval, over the cost"
        curve = opened.curve().filter(pl.col("draws") >= FEWEST)
        disputed, unsettled = review.count_disputes()
        people = [(name, progress.done, progress.pace) for name, progress in sorted(review.everybody().items())]
        pace = Column("Per hour, lately", format=lambda pace: decimals(pace, 0))
        return cls(
            estimate=estimate,
            lacking=campaign.lacking(estimate),
            board=board,
            matter=None if board is None else ReportTable(columns=("query", "document"), rows=board.matter),
            chart=movement(curve, campaign.settings.budget, label),
            agreement=review.agreement(),
            disagreements=disputed,
            unsettled=unsettled,
            assessors=ReportTable(columns=("Assessor", Column("Documents", format=thousands), pace), rows=people),
        )


_ARCHIVED = select(ARCHIVED.c.campaign).where(ARCHIVED.c.campaign == bindparam("campaign"))


def _why_closed(connection: Connection, number: int) -> ArchivedError | None:
    """Return why the campaign takes no answers and does not change, as the transaction sees it; None if it does."""
    if connection.scalar(_ARCHIVED, {"campaign": number}) is None:
        return None
    problem = "the campaign is archived: nothing in it can be changed"
    return ArchivedError(problem, hint="Whoever runs it can restore it, on the page Settings.")


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
        over = self.list_archived()
        return [self.get(n) for n in self._numbers() if archived is None or (n in over) is archived]

    def list_archived(self) -> set[int]:
        """Return the numbers of archived campaigns."""
        with reading(self.engine) as connection:
            return set(connection.scalars(select(ARCHIVED.c.campaign)))

    def find_unarchived(self, number: int) -> OpenCampaign:
        """Return the campaign with that number, to change it; one that is archived is refused."""
        opened = self.get(number)
        with reading(self.engine) as connection:
            if error := _why_closed(connection, number):
                raise error
        return opened

    def set_archived(self, number: int, archived: bool) -> bool:
        """Pause a campaign and put it away, or put it back among the others, where it stays paused; say whether it
        was archived before. Nothing of it is lost."""
        with self._changing(number, closed=True) as (connection, _):
            before = _why_closed(connection, number) is not None
            if archived and not before:
                Store(campaign=number).change(connection, paused=True)
                connection.execute(insert(ARCHIVED).values(campaign=number, made=time.time()))
            elif not archived:
                connection.execute(delete(ARCHIVED).where(ARCHIVED.c.campaign == number))
            return before

    def set_paused(self, number: int, paused: bool) -> bool:
        """Pause a campaign or let it go on; say whether it was paused before."""
        with self._changing(number) as (connection, before):
            Store(campaign=number).change(connection, paused=paused)
            return before

    @contextmanager
    def _changing(self, number: int, *, closed: bool = False) -> Iterator[tuple[Connection, bool]]:
        """A transaction that has locked the campaign, as those have in which answers are recorded, and whether it is
        paused. An archived campaign is refused, unless it may be closed."""
        self.get(number)
        with writing(self.engine, number) as connection:
            paused = Store(campaign=number).lock(connection)
            if not closed and (error := _why_closed(connection, number)):
                raise error
            yield connection, paused

    def delete(self, number: int) -> None:
        """Delete a campaign with its labels, its rules and its people, for good."""
        self.get(number)
        with writing(self.engine) as connection:
            forget_campaign(connection, number)
            connection.execute(delete(rules_table).where(rules_table.c.campaign == number))
            Store(campaign=number).delete(connection)
        with self._lock:
            self._open.pop(number, None)

    def change_rules(
        self, number: int, change: Callable[[CampaignRules], CampaignRules]
    ) -> tuple[CampaignRules, CampaignRules]:
        """Make other rules of those that a campaign has, whoever else changes them; return both, in that order."""
        shared = self.get(number).answers.rules
        with self._changing(number) as (connection, _):
            before = shared.read(connection)
            after = change(before)
            write_rules(connection, number, after)
        shared.forget()
        return before, after

    def stop_at(self, number: int, half_width: float | None) -> float | None:
        """Give a campaign another stopping rule, or none; say which it had before. One that is met already pauses it
        at once."""
        before, _ = self.change_rules(number, lambda rules: replace(rules, stop_at=half_width))
        self.get(number).answers.look()
        return before.stop_at

    def _numbers(self) -> list[int]:
        with reading(self.engine) as connection:
            return list(connection.scalars(select(campaigns.c.id).order_by(campaigns.c.id.desc())))
