"""What a campaign was set up with, once and for good."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Self

from rankgauge.active import defaults
from rankgauge.errors import ParameterError
from rankgauge.judgments import combine, scale
from rankgauge.judgments.scales import Scale
from rankgauge.policies import Policy

__all__ = ["CampaignSettings", "Unjudgeable"]


class Unjudgeable(Policy):
    """Unjudgeable documents: an assessor looked and could not say."""

    LOWEST = "lowest", "a document that nobody could judge counts as the lowest grade"
    ANOTHER = "another", "a document that cannot be judged goes to another assessor; until then its draw is open"


@dataclass(frozen=True, kw_only=True)
class CampaignSettings:
    """Measure, method, budget and the rules for labels."""

    measure: str = defaults.MEASURE
    dialect: str = defaults.DIALECT
    method: str = defaults.METHOD
    budget: float
    seed: int = defaults.SEED
    grades: tuple[float, ...]
    """The scale that is judged on, ascending."""
    scale: str | None = None
    """The scale's name or its levels, where grades have words."""
    assessors: int = defaults.ASSESSORS
    """How many assessors judge each document."""
    combine: str = defaults.COMBINE
    """How their grades become one."""
    unjudgeable: str = defaults.UNJUDGEABLE
    cost: str = ""
    """What a document's cost is made of, in words."""

    def __post_init__(self) -> None:
        if not (math.isfinite(self.budget) and self.budget > 0):
            raise ParameterError("a campaign", "budget", "a number above 0", self.budget)
        if self.assessors < 1:
            raise ParameterError("a campaign", "assessors", "1 or more", self.assessors)
        Unjudgeable.parse(self.unjudgeable)
        combine_rule(self.combine)

    @cached_property
    def words(self) -> Scale | None:
        """The scale with its words, where it has any."""
        return None if self.scale is None else scale(self.scale)

    @property
    def allowance(self) -> float:
        """The budget in documents judged once: each is judged by so many assessors, and each of them costs."""
        return self.budget / self.assessors

    def packed(self) -> str:
        """The settings as JSON."""
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def unpacked(cls, text: str) -> Self:
        """The settings that JSON holds."""
        found = json.loads(text)
        return cls(**(found | {"grades": tuple(found["grades"])}))


def combine_rule(rule: str) -> None:
    """An error where there is no such rule for several assessors, or it lacks its level."""
    import polars as pl

    combine(pl.DataFrame({"query": ["q"], "document": ["d"], "grade": [0.0]}), rule)
