"""What a campaign and its stages are set up with. Settings are stored as JSON; only the budget may change."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from rankgauge import dialects
from rankgauge.dialects import Dialect
from rankgauge.errors import ParameterError
from rankgauge.files.scales import Scale
from rankgauge.judgments import level_of, scale
from rankgauge.labelling import defaults, methods
from rankgauge.labelling.board import Board, BoardPool, BoardTarget
from rankgauge.labelling.methods import Plan
from rankgauge.labelling.pool import Pool
from rankgauge.labelling.posterior import GradePosterior
from rankgauge.labelling.target import Target
from rankgauge.policies import Policy


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
    planned: float | None = None
    """The budget that it began with, if it was changed after documents were handed out: an interval for a budget that
    was fixed in advance no longer holds."""
    seed: int = defaults.SEED
    grades: tuple[float, ...]
    """The scale that is judged on, ascending."""
    scale: str | None = None
    """The scale's name or its levels, if grades have words."""
    rel: float | None = None
    """The lowest grade that counts as relevant, where the scale decides it; a campaign from before has none."""
    top: float | None = None
    """The top of the scale, if it is declared; a measure or a tool that has its own keeps it."""
    assessors: int = defaults.ASSESSORS
    """How many assessors judge each document."""
    combine: str = defaults.COMBINE
    """The rule that combines their grades."""
    unjudgeable: str = defaults.UNJUDGEABLE
    cost: str = ""
    """What a document's cost is made of, in words."""
    measures: tuple[str, ...] = ()
    """The measures of a board of runs; none if the campaign estimates one value."""
    goal: str = defaults.GOAL
    """What the labels of a board settle first, by its first measure."""
    looks: tuple[int, ...] = ()
    """After how many labels a board is looked at; it stops at the first look that settles its goal."""

    runs: tuple[str, ...] = ()
    """The names of the runs whose value, or whose difference, is estimated; none if they are not known."""
    pilot: int = 0
    """How many of a board's documents are drawn first, each with the same chance: an audit of a judge rests on them."""
    judges: str = ""
    """The judges whose grades became beliefs, in words."""
    softened: int = 0
    """Of how many documents the beliefs were certain, which no label supports: they were softened."""

    def __post_init__(self) -> None:
        if not (math.isfinite(self.budget) and self.budget > 0):
            raise ParameterError("a campaign", "budget", "a number above 0", self.budget)
        if self.assessors < 1:
            raise ParameterError("a campaign", "assessors", "1 or more", self.assessors)
        Unjudgeable.parse(self.unjudgeable)
        # A rule that does not exist, or lacks its level, is an error even if there is nothing to combine.
        level_of(self.combine)

    @cached_property
    def words(self) -> Scale | None:
        """The scale with its words, if it has any."""
        return None if self.scale is None else scale(self.scale)

    @property
    def allowance(self) -> float:
        """The budget for judging documents once; it is paid for each of a document's assessors."""
        return self.budget / self.assessors

    @property
    def is_board(self) -> bool:
        """Whether it is a board of runs that is estimated."""
        return len(self.measures) > 0

    def to_grade(self, grade: float) -> float:
        """Return the grade that people's combined grade stands for: a board has the nearest one of its scale, the
        lower of two that are as near, since a mean may lie between them."""
        return min(self.grades, key=lambda known: (abs(known - grade), known)) if self.is_board else grade

    def target(self, pool: Pool) -> Target:
        """Return the one value that is estimated."""
        return Target.of(self.measure, pool, self._own_dialect())

    def board(self, pool: BoardPool) -> Board:
        """Return the board that is estimated."""
        return Board.of(
            pool, self.measures, grades=self.grades, known=pool.known, goal=self.goal, dialect=self._own_dialect()
        )

    def board_targets(self, pool: BoardPool) -> tuple[BoardTarget, ...]:
        """Return what is estimated of each run of a board."""
        scale = np.asarray(self.grades, dtype=np.float64)
        return tuple(
            BoardTarget.for_any_measure(name, pool, grades=scale, dialect=self._own_dialect()) for name in self.measures
        )

    def posterior(self, pool: BoardPool) -> GradePosterior:
        """Return the posterior that gives the board."""
        return GradePosterior.of(pool, self.measures, grades=self.grades, dialect=self._own_dialect())

    def _own_dialect(self) -> Dialect:
        """Return the dialect; the top of the scale is the declared one, that of its words, or its highest grade."""
        spoken = dialects.get(self.dialect, **({} if self.rel is None else {"rel": self.rel}))
        if self.top is not None:
            return spoken.topped(self.top)
        words = max(self.grades) if self.words is None else self.words.max_grade
        return spoken.topped_by(", ".join(f"{grade:g}" for grade in self.grades), float(words))

    def on_scale(self) -> Self:
        """Return the settings of a new campaign, with the threshold of its scale."""
        plain = dialects.get(self.dialect)
        rel = plain.on_scale(self.words, self.measures or self.measure).rel
        return self if self.rel is not None or rel == plain.rel else replace(self, rel=rel)

    def check_scale(self) -> None:
        """Raise an error if the scale's words lack a grade of the pool."""
        levels = None if self.words is None else {level for _, level in self.words.levels}
        if levels is not None and not levels.issuperset(self.grades):
            shown = ", ".join(f"{grade:g}" for grade in self.grades)
            raise ParameterError("a campaign", "scale", f"one with the grades {shown} of the pool", self.scale)

    def pack(self) -> str:
        """Return the settings as JSON."""
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def unpack(cls, text: str, *, layout: int) -> Self:
        """Return the settings from JSON; `layout` is the version that wrote them."""
        settings = json.loads(text)
        if layout == 1:
            settings["top"] = 4.0  # as it was then, whatever the pool's scale
        return cls(
            **(settings | {name: tuple(settings.get(name, ())) for name in ("grades", "measures", "looks", "runs")})
        )


@dataclass(frozen=True, kw_only=True)
class StageSettings:
    """What determines the draws of a stage, together with the pool and the beliefs."""

    method: str
    budget: float
    seed: int
    options: dict[str, Any] = field(default_factory=dict, hash=False)

    def pack(self) -> str:
        """Return the settings as JSON."""
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def unpack(cls, text: str) -> Self:
        """Return the settings from JSON."""
        return cls(**json.loads(text))

    def plan(self, pool: Pool, target: Target) -> Plan:
        """Return the draws of a method."""
        return methods.get(self.method, **self.options).plan(pool, target, budget=self.budget, rng=self.seed)
