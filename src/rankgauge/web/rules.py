"""A campaign's rules in the room: what assessors are told, and when it stops by itself."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from sqlalchemy import Engine, delete, insert, select

from rankgauge.active.campaign.database import reading, writing
from rankgauge.errors import ParameterError
from rankgauge.web.database import RULES

__all__ = ["Guide", "Rules", "read_rules", "write_rules"]


@dataclass(frozen=True, kw_only=True)
class Guide:
    """What assessors are told: instructions, and for each grade its name and what it means."""

    words: str = ""
    names: Mapping[str, str] = field(default_factory=dict, hash=False)
    """By grade, as it is written (`2`, `0.5`)."""
    meanings: Mapping[str, str] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, kw_only=True)
class Rules:
    """The guide, and half the width of the interval at which enough is known; None: when the budget is spent."""

    stop_at: float | None = None
    guide: Guide = Guide()

    def __post_init__(self) -> None:
        if self.stop_at is not None and not (math.isfinite(self.stop_at) and self.stop_at > 0):
            raise ParameterError("a campaign", "stop_at", "a number above 0", self.stop_at)


def read_rules(engine: Engine, campaign: int) -> Rules:
    """The rules of a campaign; one that the command line made has none of its own."""
    with reading(engine) as connection:
        row = connection.execute(select(RULES).where(RULES.c.campaign == campaign)).first()
    return Rules() if row is None else Rules(stop_at=row.stop_at, guide=Guide(**json.loads(row.guide)))


def write_rules(engine: Engine, campaign: int, rules: Rules) -> None:
    """The rules of a campaign from now on."""
    guide = json.dumps(asdict(rules.guide), ensure_ascii=False)
    with writing(engine) as connection:
        connection.execute(delete(RULES).where(RULES.c.campaign == campaign))
        connection.execute(insert(RULES).values(campaign=campaign, stop_at=rules.stop_at, guide=guide))
