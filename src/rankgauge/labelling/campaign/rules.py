"""The rules that a judging room gives a campaign, why nothing is handed out, and how far the campaign has come."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any, Self

import numpy as np
import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine, Row

from rankgauge.errors import ArchivedError, InputError, ParameterError
from rankgauge.labelling.campaign import tables
from rankgauge.labelling.campaign.database import reading
from rankgauge.labelling.campaign.labels import is_writable
from rankgauge.labelling.campaign.leases import DrawPrices, Leases
from rankgauge.labelling.campaign.settings import CampaignSettings
from rankgauge.labelling.campaign.state import CampaignState
from rankgauge.labelling.defaults import LEVEL
from rankgauge.labelling.intervals import IntervalKind
from rankgauge.labelling.labels import Identity
from rankgauge.numeric import IndexArray

_ARCHIVED = sa.table("archived", sa.column("campaign"))
"""The room's table of the campaigns that are over."""

_RULES = sa.select(tables.rules.c.stop_at, tables.rules.c.guide).where(
    tables.rules.c.campaign == sa.bindparam("campaign")
)

MOMENT = 0.1
"""For how many seconds rules that were read are good for a page."""


@dataclass(frozen=True, kw_only=True)
class Guidelines:
    """What assessors read: how to judge, and the name and meaning of each grade, which is written as `2` or `0.5`."""

    words: str = ""
    names: Mapping[str, str] = field(default_factory=dict, hash=False)
    meanings: Mapping[str, str] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, kw_only=True)
class CampaignRules:
    """The half-width of the interval at which the campaign stops, and the guidelines.

    Without `stop_at` the campaign ends when its budget is spent.
    """

    stop_at: float | None = None
    guide: Guidelines = Guidelines()

    def __post_init__(self) -> None:
        if self.stop_at is not None and not (math.isfinite(self.stop_at) and self.stop_at > 0):
            raise ParameterError("a campaign", "stop_at", "a number above 0", self.stop_at)

    def interval(self, settings: CampaignSettings) -> str:
        """The kind of interval that holds: one that may be watched, if there is a stopping rule or the budget was
        changed."""
        fixed = self.stop_at is None and settings.planned is None
        return IntervalKind.T if fixed else IntervalKind.SEQUENCE

    def met(self, state: CampaignState) -> bool:
        """Say whether the interval is narrow enough to stop; a board's intervals have no such rule."""
        if self.stop_at is None:
            return False
        estimate = state.estimate(level=LEVEL, interval=self.interval(state.settings))
        return estimate is not None and (estimate.high - estimate.low) / 2 <= self.stop_at


class SharedRules:
    """The rules of a campaign as they are now, whichever process changed them."""

    def __init__(self, engine: Engine, campaign: int) -> None:
        self._engine, self._campaign = engine, campaign
        self._row: tuple[object, ...] | None = None
        self._rules, self._seen = CampaignRules(), -math.inf

    def now(self) -> CampaignRules:
        """Return the rules. Those that were read a moment ago, for the same page, are not read again."""
        if time.monotonic() - self._seen > MOMENT:
            with reading(self._engine) as connection:
                self.read(connection)
        return self._rules

    def read(self, connection: Connection) -> CampaignRules:
        """Return the rules as the transaction sees them. A campaign that the command line made has the default ones."""
        row = connection.execute(_RULES, {"campaign": self._campaign}).first()
        if row is not None and tuple(row) != self._row:
            self._rules, self._row = _unpack(row), tuple(row)
        self._seen = time.monotonic()
        return self._rules

    def forget(self) -> None:
        """Read them again the next time."""
        self._seen = -math.inf


def _unpack(row: Row[Any, Any]) -> CampaignRules:
    try:
        return CampaignRules(stop_at=row.stop_at, guide=Guidelines(**json.loads(row.guide)))
    except (TypeError, ValueError):
        raise InputError("the rules of the campaign cannot be read") from None


def stored_rules(connection: Connection, campaign: int) -> CampaignRules:
    """Return the rules that the database has of a campaign; the default ones if it is no judging room's."""
    if not sa.inspect(connection).has_table(tables.rules.name):
        return CampaignRules()
    row = connection.execute(_RULES, {"campaign": campaign}).first()
    return CampaignRules() if row is None else _unpack(row)


def refuse_archived(connection: Connection, campaign: int) -> None:
    """Raise an error if a judging room has put the campaign away: nothing in it may change until it is restored."""
    if sa.inspect(connection).has_table(_ARCHIVED.name):
        put_away = sa.select(_ARCHIVED.c.campaign).where(_ARCHIVED.c.campaign == campaign)
        if connection.scalar(put_away) is not None:
            problem = "the campaign is archived in its judging room: nothing in it can be changed"
            raise ArchivedError(problem, hint="Whoever runs it can restore it there, on the page Settings.")


def write_rules(connection: Connection, campaign: int, rules: CampaignRules) -> None:
    """Replace the rules of a campaign."""
    guide = json.dumps(asdict(rules.guide), ensure_ascii=False)
    if not is_writable(guide):
        raise InputError("a text has half of a surrogate pair, which cannot be stored", hint="Leave it out.")
    connection.execute(sa.delete(tables.rules).where(tables.rules.c.campaign == campaign))
    connection.execute(sa.insert(tables.rules).values(campaign=campaign, stop_at=rules.stop_at, guide=guide))


class Idle(StrEnum):
    """Why an assessor gets no document now."""

    ARCHIVED = "the campaign is over and put away"
    PAUSED = "the campaign is paused"
    STOPPED = "the target precision has been reached"
    SETTLED = "the goal of this campaign has been reached"
    LEASED = "every open document is with somebody already"
    WAITING = "the next documents depend on answers that other assessors have yet to give"
    SPENT = "the budget is spent"
    SHORT = "what is left of the budget may not pay for all of the next documents"
    PLANNED = "every document of the plan is judged"
    COMPLETE = "every document that the estimate needs is judged"

    def words(self, rules: CampaignRules) -> str:
        """Return what whoever runs the campaign is told, with the rule that stopped it, or how it may go on."""
        if self is Idle.PLANNED:
            return f"{self.value}; a new stage (Settings, or 'rankgauge active refit') plans what is left of the budget"
        return f"the stopping rule is met: ±{rules.stop_at:g} reached" if self is Idle.STOPPED else self.value

    @property
    def sentence(self) -> str:
        """What an assessor is told on the judging page."""
        if self is Idle.PAUSED:
            return "The campaign is paused. You get documents again once it goes on."
        return f"{'Nothing to judge right now' if self in (Idle.LEASED, Idle.WAITING) else 'All done'}: {self.value}."


def why_idle(state: CampaignState, rules: CampaignRules, who: Identity) -> Idle:
    """Return why nothing new is handed to the assessor."""
    if state.paused:
        return why_paused(state, rules)
    out = _list_unanswered(state)
    if len(out):
        unseen = any(who not in state.ledger.given.get(int(place), {}) for place in out)
        return Idle.LEASED if unseen else Idle.WAITING
    return why_over(state) or Idle.SHORT


def why_over(state: CampaignState) -> Idle | None:
    """Return why nobody gets documents any more; None while somebody may, also once a pause is over."""
    if len(_list_unanswered(state)):
        return None
    prices = DrawPrices(state)
    if not prices.pays(float(state.pool.costs.min())):
        return Idle.SPENT
    draw = next(state.stage.ahead(state.ledger), None)
    if draw is None:
        return Idle.PLANNED if state.is_cut_short else Idle.COMPLETE
    fresh = prices.fresh(draw)
    return Idle.SHORT if fresh and not prices.covers(draw, prices.costs(fresh)) else None


def _list_unanswered(state: CampaignState) -> IndexArray:
    """Return the documents that are paid for and not judged yet."""
    return np.flatnonzero(state.ledger.asked & np.isnan(state.ledger.grades))


def why_paused(state: CampaignState, rules: CampaignRules) -> Idle:
    """Say whether the campaign has stopped by itself, or somebody has paused it."""
    if len(state.settings.looks) > 1 and state.settled:
        return Idle.SETTLED
    return Idle.STOPPED if rules.met(state) else Idle.PAUSED


@dataclass(frozen=True, kw_only=True)
class Progress:
    """How far a campaign has come: what was asked, what came back, and what it cost, in the unit of the budget."""

    budget: float
    spent: float
    """The cost of all documents that were asked for, judged or not."""
    waiting: float
    """The part of it that went to documents which are not fully judged yet."""
    queries: int
    """Queries of which something was asked."""
    asked: int
    """Documents that were asked for."""
    judged: int
    """Documents that were asked for and fully judged."""
    leased: int
    """Documents that an assessor has on lease now."""
    labels: int
    """Labels that count; one that was replaced does not."""
    replaced: int
    assessors: int
    unasked: int
    """Documents with labels that no draw has asked for yet."""
    imported: int
    """Labels that count and came for documents that were not handed to their assessors."""
    adjudicated: int
    """Documents with a grade that settled a disagreement, and counts in place of the assessors'."""
    unjudgeable: int
    """Documents that nobody who looked at them could judge."""
    begun: int
    """Draws that have asked for documents."""
    complete: int
    """Draws that an estimate may use: they and all before them are complete."""
    stages: int
    paused: bool

    @classmethod
    def of(cls, state: CampaignState, connection: Connection) -> Self:
        """Return how far the campaign has come."""
        ledger, people = state.ledger, state.settings.assessors
        unknown = ledger.asked & np.isnan(ledger.grades)
        return cls(
            budget=state.settings.budget,
            spent=ledger.spent * people,
            waiting=float(state.pool.costs[unknown].sum()) * people,
            queries=len(np.unique(state.pool.query[ledger.asked])),
            asked=int(ledger.asked.sum()),
            judged=int(np.sum(~np.isnan(ledger.grades))),
            leased=len(Leases(state, connection).find_holders()),
            labels=ledger.counting,
            replaced=ledger.received - ledger.counting,
            assessors=len(ledger.history),
            unasked=len(ledger.unasked),
            imported=ledger.imported,
            adjudicated=len(ledger.settled),
            unjudgeable=len(ledger.unjudgeable),
            begun=sum(stage.begun(ledger) for stage in state.stages),
            complete=sum(stage.complete(ledger) for stage in state.stages),
            stages=len(state.stages),
            paused=bool(state.store.row(connection).paused),
        )

    @property
    def left(self) -> float:
        """What is left of the budget."""
        return max(self.budget - self.spent, 0.0)

    @property
    def out(self) -> int:
        """Documents that were asked for and not yet fully judged."""
        return self.asked - self.judged

    def to_json(self) -> dict[str, Any]:
        """Return the fields, for JSON."""
        return asdict(self) | {"left": self.left, "out": self.out}
