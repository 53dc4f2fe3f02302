"""The contract of a yardstick: a way to spend labels on a board of runs, tried where every grade is known.

A yardstick chooses which documents of a pool are judged and says what their grades make of each run. The board's own
stream is one of them; the others are what the field has used so far, to compare with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from rankgauge.errors import InputError
from rankgauge.labelling.board import Board, BoardTarget
from rankgauge.labelling.board.lists import RunLists
from rankgauge.labelling.board.target import reached
from rankgauge.measures.forms import Shape
from rankgauge.numeric import BoolArray, FloatArray
from rankgauge.registry import Registered, Registry


@dataclass(frozen=True, kw_only=True, eq=False)
class JudgedBoard:
    """A board whose pool is judged throughout."""

    board: Board
    grades: FloatArray

    def __post_init__(self) -> None:
        lacking = int(np.count_nonzero(np.isnan(self.grades)))
        if lacking:
            raise InputError(f"{lacking} of the pool's {len(self.grades)} documents have no grade")

    @property
    def size(self) -> int:
        """How many documents the pool has."""
        return len(self.grades)

    @cached_property
    def reached(self) -> FloatArray:
        """Whether each document reaches each threshold of the scale: 1 or 0 (documents × thresholds)."""
        return reached(self.grades, self.board.grades)

    @cached_property
    def truth(self) -> tuple[FloatArray, ...]:
        """The value of each run by each measure when the whole pool is judged."""
        return self.plugged(self.reached)

    @cached_property
    def relevant(self) -> BoolArray:
        """The documents that count as relevant where a yardstick knows no grades.

        They are those that AP or the like counts, if it is among the measures; else those worth anything to the first.
        """
        binary = [target for target in self.board.targets if target.shape is Shape.PRECISION]
        return np.asarray(self.reached @ [*binary, *self.board.targets][0].steps > 0)

    @cached_property
    def said(self) -> FloatArray:
        """How far each document reaches each threshold by the judges' word (documents × thresholds): the mean of the
        judges; a document that one of them has not graded counts as its lowest grade."""
        each = [reached(judge.on(self.board.grades), self.board.grades) for judge in self.board.pool.judges]
        return np.asarray(np.mean(each, axis=0), dtype=np.float64)

    def plugged(self, reached: FloatArray) -> tuple[FloatArray, ...]:
        """The values of the runs by each measure, with these numbers (documents × thresholds) in place of labels."""
        return tuple(by_query.mean(axis=1) for by_query in self.by_query(reached))

    def by_query(self, reached: FloatArray) -> Iterator[FloatArray]:
        """The same by query (runs × queries)."""
        sums = np.add.reduceat(reached, self.board.pool.starts, axis=0)
        for target, lists in self.measured():
            yield target.over_ideal(lists.values(reached @ target.steps), sums)

    def measured(self) -> Iterator[tuple[BoardTarget, RunLists]]:
        """Each measure, with the runs' lists as it reads them."""
        return zip(self.board.targets, self.board.lists, strict=True)


@dataclass(frozen=True, kw_only=True, eq=False)
class Standing:
    """The value of each run by one measure, and half the widths of 95 % intervals where there are any.

    `own` are those of each run, `joint` hold for all runs at once, `pairs` (runs × runs) for all differences at once.
    Values are NaN if the yardstick cannot estimate the measure.
    """

    values: FloatArray
    own: FloatArray | None = None
    joint: FloatArray | None = None
    pairs: FloatArray | None = None


Trial: TypeAlias = Callable[[JudgedBoard, Sequence[int], int], Iterator[tuple[Standing, ...]]]
"""For each number of labels, in rising order, what a campaign of that seed says by each measure."""

YARDSTICKS: Registry[Yardstick] = Registry(
    "yardstick", "rankgauge.labelling.yardsticks", order=lambda yardstick: (yardstick.judge, not yardstick.intervals)
)


@dataclass(frozen=True, kw_only=True)
class Yardstick(Registered):
    """A way to spend labels on a board."""

    registry = YARDSTICKS

    name: str
    title: str
    reference: str
    standings: Trial
    intervals: bool = False
    """Whether it has intervals, at least where labels are enough."""
    judge: bool = False
    """Whether it needs the grades of a judge other than people."""
