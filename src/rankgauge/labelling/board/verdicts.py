"""Verdicts: what a board has settled, with an error that holds for all claims of a kind at once.

Whoever looks several times and stops at what pleases needs wider intervals: with K planned looks each is at the level
1 − α/K, so that no look claims anything wrong with a chance of 1 − α.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankgauge.errors import ParameterError, UnknownNameError
from rankgauge.labelling.board.covariance import Covariance
from rankgauge.labelling.board.goal import Goal, GoalKind
from rankgauge.labelling.defaults import LEVEL
from rankgauge.numeric import BoolArray, FloatArray, IndexArray

ROUNDING = 1e-9
"""No difference is claimed that rounding may have made."""


def per_look(level: float, looks: int) -> float:
    """The level of each look, if there are so many."""
    if looks != int(looks) or looks < 1:
        raise ParameterError("a verdict", "looks", "a whole number, 1 or more", looks)
    return 1.0 - (1.0 - level) / looks


@dataclass(frozen=True, kw_only=True, eq=False)
class Verdicts:
    """What the values of the runs and the covariance of their errors settle; `level` is that of this look."""

    runs: tuple[str, ...]
    values: FloatArray
    covariance: Covariance
    level: float = LEVEL
    seed: int = 0

    @cached_property
    def above(self) -> BoolArray:
        """Whether a run is settled as better than another (runs × runs), for all pairs at once."""
        widths = self.covariance.joint_pair_half_widths(self.level, self._rng())
        return np.asarray(self._gaps > widths + ROUNDING)

    @cached_property
    def best(self) -> BoolArray:
        """The confidence set of the best run: the runs that no other is settled to be better than.

        Each run is asked by itself whether it may be the best. The best run is one of them, and is left out with a
        chance of at most 1 − level, so that no allowance for their number is due.
        """
        widths = self.covariance.lead_half_widths(self.level, self._rng())
        return np.asarray(~(self._gaps > widths + ROUNDING).any(axis=0))

    @cached_property
    def ranges(self) -> IndexArray:
        """The lowest and the highest rank that each run may have (runs × 2), for all runs at once."""
        return np.column_stack([1 + self.above.sum(axis=0), len(self.runs) - self.above.sum(axis=1)])

    @property
    def range_texts(self) -> list[str]:
        """The ranges as they are written: `2`, or `2–4`."""
        return [f"{low}" if low == high else f"{low}–{high}" for low, high in self.ranges.tolist()]

    @property
    def settled(self) -> float:
        """The share of the pairs that are settled."""
        n = len(self.runs)
        return float(np.count_nonzero(self.above)) / max(n * (n - 1) // 2, 1)

    def top(self, k: int) -> BoolArray | None:
        """The first k runs, or None while it is open which they are.

        One run is settled once the confidence set has no other; more once all of them are settled above all others.
        """
        self._check_top(k)
        if k == 1:
            return self.best if np.count_nonzero(self.best) == 1 else None
        inside = self.leaders(k)
        return inside if bool(self.above[np.ix_(inside, ~inside)].all()) else None

    def leaders(self, k: int) -> BoolArray:
        """The k runs with the highest values, settled or not."""
        self._check_top(k)
        return np.isin(np.arange(len(self.runs)), np.argsort(-self.values, kind="stable")[:k])

    def against(self, baseline: str) -> IndexArray:
        """For each run 1 if it is settled to beat the baseline, −1 if to lose, 0 while it is open; for all at once."""
        if baseline not in self.runs:
            raise UnknownNameError("run", baseline, self.runs)
        place = self.runs.index(baseline)
        gaps = self._gaps[:, place]
        widths = self.covariance.gap_half_widths(place, self.level, self._rng())
        return np.asarray(np.where(np.abs(gaps) > widths + ROUNDING, np.sign(gaps), 0.0), dtype=np.int64)

    def reached(self, goal: Goal) -> bool:
        """Whether the goal is settled, so that labels may stop: the best run or runs, or all against the baseline."""
        if goal.kind is GoalKind.BEST:
            return self.top(goal.top) is not None
        if goal.baseline is not None:
            return int(np.count_nonzero(self.against(goal.baseline) == 0)) == 1
        return goal.kind is GoalKind.RANK and self.settled == 1.0

    def race(self, goal: Goal) -> FloatArray:
        """The shares of attention for the next stage: half to the leaders that are not settled yet, half to those that
        may still overtake them."""
        if goal.baseline is not None:
            return goal.shares(self.runs, rest=self.against(goal.baseline) == 0)
        if goal.kind is not GoalKind.BEST:
            return goal.shares(self.runs)
        inside = self.leaders(goal.top)
        if goal.top == 1:
            return goal.shares(self.runs, inside, self.best & ~inside)
        open_ = ~self.above & ~self.above.T
        return goal.shares(self.runs, inside & open_[:, ~inside].any(axis=1), ~inside & open_[:, inside].any(axis=1))

    @cached_property
    def _gaps(self) -> FloatArray:
        return np.subtract.outer(self.values, self.values)

    def _rng(self) -> np.random.Generator:
        return np.random.default_rng(self.seed)

    def _check_top(self, k: int) -> None:
        if not 1 <= k < max(len(self.runs), 2):
            raise ParameterError("a verdict", "k", f"1 or more, and fewer than the {len(self.runs)} runs", k)
