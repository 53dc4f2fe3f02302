"""The contract of a yardstick, and standings of a judged board from samples, streams and orders.

A yardstick chooses which documents of a pool are judged and says what their grades make of each run. The board's own
stream is one of them; the others are what the field has used so far, to compare with.

In an expansion a sampled label stands for 1/π documents, π being the chance with which it was sampled. Sums of labels
have no bias then (Horvitz & Thompson, JASA 1952). A ratio of two such sums has one, which vanishes as the sample grows.
Cascades such as ERR are products of many labels, and these sums explode there: they are not given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from rankgauge.errors import InputError
from rankgauge.labelling.board import Board, Stream
from rankgauge.labelling.board.covariance import RunEstimate
from rankgauge.labelling.board.lists import PrecisionLists
from rankgauge.labelling.board.readings import Readings
from rankgauge.labelling.board.target import mark_reached
from rankgauge.measures.forms import Shape
from rankgauge.numeric import BoolArray, FloatArray, IndexArray
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
        return mark_reached(self.grades, self.board.grades)

    @cached_property
    def truth(self) -> tuple[FloatArray, ...]:
        """The value of each run by each measure when the whole pool is judged."""
        return self.plug_in(self.reached)

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
        each = [mark_reached(judge.on(self.board.grades), self.board.grades) for judge in self.board.pool.judges]
        return np.asarray(np.mean(each, axis=0), dtype=np.float64)

    def plug_in(self, reached: FloatArray) -> tuple[FloatArray, ...]:
        """Return the values of the runs by each measure, with these numbers (documents × thresholds) in place of
        labels."""
        return tuple(lists.score(reached).mean(axis=1) for lists in self.board.lists)


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
    "yardstick",
    "rankgauge.labelling.yardsticks",
    order=lambda yardstick: (yardstick.slow, yardstick.judge, not yardstick.intervals),
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
    slow: bool = False
    """Whether it is tried only where somebody names it."""


def expand_sample(
    judged: JudgedBoard, sample: IndexArray, chance: FloatArray, *, apart: float = 1.0
) -> Iterator[Standing]:
    """Yield the values of the runs by each measure from a sample, whose documents were drawn with these chances.

    Sums of precisions hold products of two labels: a document's own with itself counts 1/π, that of two documents
    `apart`/(π_i π_j), so that `apart` is π_i π_j over the chance that both are sampled.
    """
    labels = np.zeros_like(judged.reached)
    labels[sample] = judged.reached[sample] / chance[:, np.newaxis]
    counts = np.add.reduceat(labels, judged.board.pool.starts, axis=0)
    for lists in judged.board.lists:
        target, worth = lists.target, labels @ lists.target.steps
        if target.shape is Shape.CASCADE:
            yield Standing(values=np.full(lists.shape[0], np.nan))
            continue
        sums = lists.values(worth)
        if isinstance(lists, PrecisionLists) and apart != 1.0:
            sums = sums + (apart - 1.0) * lists.pairs(worth)
        yield Standing(values=target.over_ideal(sums, counts).mean(axis=1))


def shares(sizes: IndexArray, labels: int) -> IndexArray:
    """That number of labels dealt out in proportion to the sizes, the largest remainders rounded up."""
    exact = labels * sizes / max(int(sizes.sum()), 1)
    counts = np.floor(exact).astype(np.int64)
    counts[np.argsort(counts - exact, kind="stable")[: labels - int(counts.sum())]] += 1
    return np.minimum(counts, sizes)


def draw_stream(stream_of: Callable[[JudgedBoard, int], Stream]) -> Trial:
    """Return the trials of a stream, by the board and the seed: the estimates of its first labels."""

    def standings(judged: JudgedBoard, labels: Sequence[int], seed: int) -> Iterator[tuple[Standing, ...]]:
        stream = stream_of(judged, seed)
        for n in labels:
            readings = judged.board.read(stream, stream.exactly(n), judged.grades, budget=n)
            yield standings_of(judged, readings, seed)

    return standings


def standings_of(judged: JudgedBoard, readings: Readings, seed: int) -> tuple[Standing, ...]:
    """Return what readings say by each measure."""
    return tuple(map(standing_of, judged.board.estimate(readings, seed=seed)))


def standing_of(estimate: RunEstimate) -> Standing:
    """Return the values and the intervals of an estimate."""
    return Standing(
        values=estimate.values,
        own=estimate.half_widths(),
        joint=estimate.joint_half_widths(),
        pairs=estimate.pair_half_widths(),
    )
