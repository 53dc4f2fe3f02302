"""The campaigns of the room, each opened once and kept open."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import polars as pl
from sqlalchemy import Engine, select
from starlette.exceptions import HTTPException

from rankgauge.active.campaign import Campaign
from rankgauge.active.campaign.answer_queue import AnswerQueue
from rankgauge.active.campaign.database import reading
from rankgauge.active.campaign.estimates import estimate
from rankgauge.active.campaign.review import Review
from rankgauge.active.campaign.state import CampaignState
from rankgauge.active.campaign.store import Store
from rankgauge.active.campaign.tables import campaigns
from rankgauge.active.intervals import IntervalKind
from rankgauge.active.labels import Label, Recorded
from rankgauge.active.methods import Estimate
from rankgauge.judgments.agreement import Agreement, agreement
from rankgauge.web.rules import Rules, read_rules, write_rules

__all__ = ["Campaigns", "GradeChoice", "OpenCampaign"]

LEVEL = 0.95
"""The level of the intervals."""

OPEN = 16
"""How many campaigns stay open; a pool of millions of documents takes memory."""


@dataclass(frozen=True, kw_only=True)
class GradeChoice:
    """A grade to choose: as it is written, its name and meaning, and the key that gives it."""

    grade: str
    name: str
    meaning: str
    key: str | None


@dataclass(eq=False)
class OpenCampaign:
    """A campaign, its rules, and the answers of its assessors."""

    id: int
    campaign: Campaign
    review: Review
    rules: Rules
    turns: AnswerQueue = field(init=False)
    _checked: int = field(default=-1)

    def __post_init__(self) -> None:
        self.turns = AnswerQueue(self.campaign, self.is_enough)

    @property
    def interval(self) -> str:
        """The kind of interval: a confidence sequence if the campaign stops by it, Student's t otherwise."""
        return IntervalKind.T if self.rules.stop_at is None else IntervalKind.SEQUENCE

    def estimate(self) -> Estimate | None:
        """The estimate so far; None while there are too few draws."""
        return self.campaign.estimate(level=LEVEL, interval=self.interval)

    def agreement(self) -> Agreement | None:
        """How well the assessors agree; None if no two have judged the same document."""
        several = self.review.judgments().filter(pl.len().over("query", "document") > 1)
        return None if several.is_empty() else agreement(several)

    def choices(self) -> list[GradeChoice]:
        """The grades of the campaign, the best first."""
        guide, grades = self.rules.guide, sorted(self.campaign.settings.grades)
        digits = all(grade == int(grade) and 0 <= grade <= 9 for grade in grades)
        found = []
        for place, grade in enumerate(grades):
            written = f"{grade:g}"
            key = written if digits else str(place) if place <= 9 else None
            name, meaning = guide.names.get(written, written), guide.meanings.get(written, "")
            found.append(GradeChoice(grade=written, name=name, meaning=meaning, key=key))
        return found[::-1]

    def record(self, labels: Sequence[Label], *, replace: bool = False) -> Recorded:
        """Records the labels, all or none, and pauses the campaign if its stopping rule is met."""
        count = self.campaign.record(labels, replace=replace)
        self.stop_if_enough()
        return count

    def settle(self, admin: str, query: str, document: str, grade: float | str, comment: str | None) -> Recorded:
        """Records an admin's grade, which replaces those of the assessors."""
        label = Label(
            query=query,
            document=document,
            grade=grade,
            assessor=f"settled by {admin}",
            comment=(comment or "").strip() or None,
            settles=True,
        )
        return self.record([label])

    def is_enough(self, state: CampaignState) -> bool:
        """Whether more draws are complete than at the last call, and the interval is now as narrow as the rule asks."""
        if self.rules.stop_at is None:
            return False
        complete = sum(stage.complete(state.ledger) for stage in state.stages)
        if complete == self._checked:
            return False
        self._checked = complete
        found = estimate(state.stages, state.ledger, level=LEVEL, interval=self.interval)
        return found is not None and (found.high - found.low) / 2 <= self.rules.stop_at

    def stop_if_enough(self) -> None:
        """Pauses the campaign if its stopping rule is met."""
        if self.rules.stop_at is not None:
            self.turns.pause_if_enough()


class Campaigns:
    """The campaigns of a database."""

    def __init__(self, engine: Engine) -> None:
        self.engine, self._lock = engine, threading.Lock()
        self._open: OrderedDict[int, OpenCampaign] = OrderedDict()

    def get(self, number: int) -> OpenCampaign:
        """The campaign with that number."""
        with self._lock:
            if number not in self._open:
                if number not in self._numbers():
                    raise HTTPException(404, "no such campaign")
                campaign = Campaign(self.engine, Store(campaign=number))
                rules = read_rules(self.engine, number)
                self._open[number] = OpenCampaign(number, campaign, Review(campaign), rules)
            self._open.move_to_end(number)
            while len(self._open) > OPEN:
                self._open.popitem(last=False)
            return self._open[number]

    def all(self) -> list[OpenCampaign]:
        """All campaigns, the newest first."""
        return [self.get(number) for number in self._numbers()]

    def set_rules(self, number: int, rules: Rules) -> None:
        """Gives a campaign other rules."""
        write_rules(self.engine, number, rules)
        self.get(number).rules = rules

    def stop_at(self, number: int, half_width: float | None) -> None:
        """Gives a campaign another stopping rule, or none."""
        self.set_rules(number, replace(self.get(number).rules, stop_at=half_width))

    def _numbers(self) -> list[int]:
        with reading(self.engine) as connection:
            return list(connection.scalars(select(campaigns.c.id).order_by(campaigns.c.id.desc())))
