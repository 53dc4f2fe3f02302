"""The campaigns of the room, each opened once and kept."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field, replace

from sqlalchemy import Engine
from starlette.exceptions import HTTPException

from rankgauge.active.campaign import Campaign
from rankgauge.active.campaign.answer_queue import AnswerQueue
from rankgauge.active.campaign.estimates import estimate
from rankgauge.active.campaign.review import Review
from rankgauge.active.campaign.state import CampaignState
from rankgauge.active.campaign.store import Store
from rankgauge.active.intervals import IntervalKind
from rankgauge.active.methods import Estimate
from rankgauge.web.rules import Guide, Rules, listed, read_rules, write_rules

__all__ = ["Campaigns", "Opened"]

LEVEL = 0.95
"""The intervals hold the value so often."""

KEPT = 16
"""So many campaigns stay open; a pool of millions of documents takes memory."""


@dataclass(eq=False)
class Opened:
    """A campaign that is at hand, its rules, the turns of its assessors, and what there is to look back at."""

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
        """The kind of interval: one that may be looked at all the time, where the campaign stops by what it says."""
        return IntervalKind.T if self.rules.stop_at is None else IntervalKind.SEQUENCE

    def estimate(self) -> Estimate | None:
        """What is known so far."""
        return self.campaign.estimate(level=LEVEL, interval=self.interval)

    def is_enough(self, state: CampaignState) -> bool:
        """Whether the interval has become as narrow as was asked for, with the draws that are complete since last."""
        if self.rules.stop_at is None:
            return False
        complete = sum(stage.complete(state.ledger) for stage in state.stages)
        if complete == self._checked:
            return False
        self._checked = complete
        found = estimate(state.stages, state.ledger, level=LEVEL, interval=self.interval)
        return found is not None and (found.high - found.low) / 2 <= self.rules.stop_at

    def stop_if_enough(self) -> None:
        """Pauses the campaign once its interval is as narrow as was asked for."""
        if self.rules.stop_at is not None:
            self.turns.pause_if_enough()


class Campaigns:
    """The campaigns of a database."""

    def __init__(self, engine: Engine) -> None:
        self._engine, self._lock = engine, threading.Lock()
        self._open: OrderedDict[int, Opened] = OrderedDict()

    @property
    def engine(self) -> Engine:
        """The database."""
        return self._engine

    def get(self, number: int) -> Opened:
        """The campaign of that number."""
        with self._lock:
            if number not in self._open:
                if number not in {row.id for row in listed(self._engine)}:
                    raise HTTPException(404, "no such campaign")
                self._open[number] = self._opened(number)
            self._open.move_to_end(number)
            while len(self._open) > KEPT:
                self._open.popitem(last=False)
            return self._open[number]

    def all(self) -> list[Opened]:
        """Every campaign, the newest first."""
        return [self.get(row.id) for row in listed(self._engine)]

    def set_rules(self, number: int, rules: Rules) -> None:
        """Other rules for a campaign."""
        write_rules(self._engine, number, rules)
        self.get(number).rules = rules

    def stop_at(self, number: int, half_width: float | None) -> None:
        """Another width at which the campaign stops."""
        self.set_rules(number, replace(self.get(number).rules, stop_at=half_width))

    def guide(self, number: int, guide: Guide) -> None:
        """Other words for assessors."""
        self.set_rules(number, replace(self.get(number).rules, guide=guide))

    def _opened(self, number: int) -> Opened:
        campaign = Campaign(self._engine, Store(campaign=number))
        return Opened(number, campaign, Review(campaign), read_rules(self._engine, number))
