"""Rules of a campaign that an admin may change at any time: when it stops by itself, and the assessors' guidelines."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from sqlalchemy import Column, Double, Integer, MetaData, Table, Text, bindparam, delete, insert, inspect, select
from sqlalchemy.engine import Connection, Engine, Row

from rankgauge.errors import InputError, ParameterError
from rankgauge.labelling.campaign.database import reading
from rankgauge.labelling.campaign.estimates import estimate
from rankgauge.labelling.campaign.labels import is_writable
from rankgauge.labelling.campaign.settings import CampaignSettings
from rankgauge.labelling.campaign.state import CampaignState, EstimateState
from rankgauge.labelling.defaults import LEVEL
from rankgauge.labelling.intervals import IntervalKind

metadata = MetaData()
"""Apart from the campaign's own tables: a campaign's file has no rules, only a judging room's database has."""

rules_table = Table(
    "rules",
    metadata,
    Column("campaign", Integer, primary_key=True, autoincrement=False),
    Column("stop_at", Double),
    Column("guide", Text, nullable=False),
)
"""The stopping rule of a campaign, and the guidelines as JSON."""

_RULES = select(rules_table.c.stop_at, rules_table.c.guide).where(rules_table.c.campaign == bindparam("campaign"))

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
        """Whether the interval is narrow enough to stop; a board's intervals have no such rule."""
        if self.stop_at is None or not isinstance(state, EstimateState):
            return False
        found = estimate(state, level=LEVEL, interval=self.interval(state.settings))
        return found is not None and (found.high - found.low) / 2 <= self.stop_at


class SharedRules:
    """The rules of a campaign as they are now, whichever process changed them."""

    def __init__(self, engine: Engine, campaign: int) -> None:
        self._engine, self._campaign = engine, campaign
        self._row: tuple[object, ...] | None = None
        self._rules, self._seen = CampaignRules(), -math.inf

    def now(self) -> CampaignRules:
        """The rules. Those that were read a moment ago, for the same page, are not read again."""
        if time.monotonic() - self._seen > MOMENT:
            with reading(self._engine) as connection:
                self.read(connection)
        return self._rules

    def read(self, connection: Connection) -> CampaignRules:
        """The rules as the transaction sees them. A campaign that the command line made has the default ones."""
        row = connection.execute(_RULES, {"campaign": self._campaign}).first()
        if row is not None and tuple(row) != self._row:
            self._rules, self._row = _unpacked(row), tuple(row)
        self._seen = time.monotonic()
        return self._rules

    def forget(self) -> None:
        """Reads them again the next time."""
        self._seen = -math.inf


def _unpacked(row: Row[Any, Any]) -> CampaignRules:
    return CampaignRules(stop_at=row.stop_at, guide=Guidelines(**json.loads(row.guide)))


def stored_rules(connection: Connection, campaign: int) -> CampaignRules:
    """The rules that the database has of a campaign; the default ones if it is no judging room's."""
    if not inspect(connection).has_table(rules_table.name):
        return CampaignRules()
    row = connection.execute(_RULES, {"campaign": campaign}).first()
    return CampaignRules() if row is None else _unpacked(row)


def write_rules(connection: Connection, campaign: int, rules: CampaignRules) -> None:
    """Replaces the rules of a campaign."""
    guide = json.dumps(asdict(rules.guide), ensure_ascii=False)
    if not is_writable(guide):
        raise InputError("a text has half of a surrogate pair, which cannot be stored", hint="Leave it out.")
    connection.execute(delete(rules_table).where(rules_table.c.campaign == campaign))
    connection.execute(insert(rules_table).values(campaign=campaign, stop_at=rules.stop_at, guide=guide))
