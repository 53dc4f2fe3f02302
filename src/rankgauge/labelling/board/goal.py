"""The goal of a board: what labels shall settle first, as shares of attention among the runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankgauge.errors import ParameterError, UnknownNameError
from rankgauge.numeric import BoolArray, FloatArray
from rankgauge.policies import Policy


class GoalKind(Policy):
    """Goal: what labels settle first."""

    VALUES = "values", "narrow intervals of all runs"
    RANK = "rank", "the order of all runs"
    BEST = "best", "which runs are the best"
    BEATS = "beats", "which runs beat a baseline"


EXPECTED = "values, rank, best, best K for the first K runs, or beats RUN"


@dataclass(frozen=True, kw_only=True)
class Goal:
    """A goal; `top` is how many runs are to be settled as the best, `baseline` the run that others are to beat."""

    kind: GoalKind = GoalKind.RANK
    top: int = 1
    baseline: str | None = None

    @classmethod
    def parse(cls, goal: str | Goal) -> Goal:
        """The goal that a text names, such as `rank`, `best 3` or `beats bm25`."""
        if isinstance(goal, Goal):
            return goal
        name, _, rest = goal.strip().partition(" ")
        kind = GoalKind.parse(name)
        match kind, rest.strip():
            case GoalKind.BEATS, baseline if baseline:
                return cls(kind=kind, baseline=baseline)
            case GoalKind.BEST, top if top.isdecimal() and int(top) > 0:
                return cls(kind=kind, top=int(top))
            case ((GoalKind.VALUES | GoalKind.RANK | GoalKind.BEST), ""):
                return cls(kind=kind)
        raise ParameterError("a board", "goal", EXPECTED, goal)

    def __str__(self) -> str:
        further = {GoalKind.BEATS: f" {self.baseline}", GoalKind.BEST: f" {self.top}" if self.top > 1 else ""}
        return f"{self.kind}{further.get(self.kind, '')}"

    def check(self, runs: Sequence[str]) -> None:
        """Raises an error if the goal cannot be one for these runs."""
        if self.baseline is not None and self.baseline not in runs:
            raise UnknownNameError("run", self.baseline, runs)
        if self.kind is GoalKind.BEST and not self.top < max(len(runs), 2):
            raise ParameterError("a board", "goal", f"fewer than the {len(runs)} runs that there are", str(self))

    def place(self, runs: Sequence[str]) -> int | None:
        """The position of the baseline among the runs."""
        return None if self.baseline is None else list(runs).index(self.baseline)

    def shares(
        self, runs: Sequence[str], leaders: BoolArray | None = None, rest: BoolArray | None = None
    ) -> FloatArray:
        """How much each run counts (adding up to 1): documents are worth what they move runs apart, by these shares.

        Half goes to the runs that others are measured against, half to those: the leaders and the rest of the race, or
        the baseline and the others. Who is in the race is known from an estimate; before the first one all runs are.
        """
        n = len(runs)
        even = np.full(n, 1.0 / n)
        if self.kind is GoalKind.BEATS and n > 1:
            leaders = np.arange(n) == self.place(runs)
            rest = ~leaders if rest is None else rest & ~leaders
        elif self.kind is not GoalKind.BEST:
            return even
        if leaders is None or rest is None or not leaders.any() or not rest.any():
            return even
        return np.asarray((leaders / np.count_nonzero(leaders) + rest / np.count_nonzero(rest)) / 2)
