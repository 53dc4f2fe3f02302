"""What an estimate of all runs by one measure gives, whether it comes from a board's stream or from a posterior."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from rankgauge.labelling.board.covariance import Covariance, Verdicts, per_look
from rankgauge.labelling.board.target import BoardTarget
from rankgauge.labelling.defaults import LEVEL
from rankgauge.numeric import FloatArray

Ends = tuple[FloatArray, FloatArray]
"""The lower and the upper ends of intervals."""


@dataclass(frozen=True, kw_only=True, eq=False)
class RunEstimate(ABC):
    """The estimates of all runs for one measure, for these queries and as if the whole pool were judged.

    `by_query` (runs × queries) are the values. `reason` says why there is no interval yet; then every interval is None.
    """

    by_model: ClassVar[bool] = False
    """Whether it conditions on the labels by a model, and so holds whenever somebody looks."""

    target: BoardTarget
    runs: tuple[str, ...]
    labels: int
    by_query: FloatArray
    seed: int
    covariance: Covariance = field(repr=False)
    reason: str | None = None

    @property
    def values(self) -> FloatArray:
        """The estimate of each run's mean over the queries."""
        return np.asarray(self.by_query.mean(axis=1))

    @property
    def bounded(self) -> FloatArray:
        """The estimates to show: where few labels lead beyond what the measure can be, its bound is nearer the truth.

        Which run is ahead is a matter of `values`, which err as often upwards as downwards.
        """
        return np.clip(self.values, *self.target.measure.facts.bounds)

    def half_widths(self, level: float = LEVEL) -> FloatArray | None:
        """Half the width of each run's own interval, for these queries."""
        return None if self.reason else self.covariance.half_widths(level)

    def joint_half_widths(self, level: float = LEVEL) -> FloatArray | None:
        """The same for intervals that hold for all runs at once."""
        if self.reason:
            return None
        return np.maximum(self.covariance.joint_half_widths(level, self._rng()), self.covariance.half_widths(level))

    def ends(self, level: float = LEVEL) -> Ends | None:
        """The ends of each run's own interval, within the bounds of the measure."""
        return self._ends(self.half_widths(level))

    def joint_ends(self, level: float = LEVEL) -> Ends | None:
        """The same for intervals that hold for all runs at once."""
        return self._ends(self.joint_half_widths(level))

    def pair_half_widths(self, level: float = LEVEL) -> FloatArray | None:
        """Half the widths for the differences of all pairs at once (runs × runs): a difference beyond it is settled."""
        return None if self.reason else self.covariance.joint_pair_half_widths(level, self._rng())

    def lead_half_widths(self, run: int, level: float = LEVEL) -> FloatArray:
        """Half the widths of intervals for the differences of all runs from one (runs)."""
        return self.covariance.gap_half_widths(run, level, self._rng())

    @abstractmethod
    def like_half_widths(self, level: float = LEVEL) -> FloatArray | None:
        """Half the width of each run's interval for queries like these: the luck of the queries is included."""

    def like_pair_half_widths(self, level: float = LEVEL) -> FloatArray | None:
        """The same for the differences of all pairs at once; None where they are not known."""
        return None

    def best_chances(self) -> FloatArray | None:
        """The chance that each run is the best; None where it is not known."""
        return None

    def verdicts(self, level: float = LEVEL, *, looks: int = 1) -> Verdicts | None:
        """What is settled: the best run, the top, rank ranges, who beats a baseline; None while there is no interval.

        `looks` is how many times the board is looked at in order to stop: each look is then at the level 1 − α/looks.
        """
        return None if self.reason else self.race(level, looks=looks)

    def race(self, level: float = LEVEL, *, looks: int = 1) -> Verdicts:
        """The same while there is no interval too: good enough to say where the next labels should go."""
        level = per_look(level, 1 if self.by_model else looks)
        return Verdicts(runs=self.runs, values=self.values, covariance=self.covariance, level=level, seed=self.seed)

    def _ends(self, half: FloatArray | None) -> Ends | None:
        low, high = self.target.measure.facts.bounds
        if half is None:
            return None
        return np.clip(self.values - half, low, high), np.clip(self.values + half, low, high)

    def _rng(self) -> np.random.Generator:
        return np.random.default_rng(self.seed)
