"""The plan of a board: one document a draw, in the order of its stream, and what more labels would bring.

Whoever wants to stop as soon as a goal is settled looks several times. Looks are planned in advance, at numbers of
labels that grow by a constant factor, and share the error: each is at the level 1 − α/K. Among many
runs the first labels show which are still in the race; from then on labels go there.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from rankgauge.errors import ParameterError
from rankgauge.labelling.board.beliefs import covariances
from rankgauge.labelling.board.covariance import RunEstimate, over
from rankgauge.labelling.board.design import Goal, GoalKind
from rankgauge.labelling.board.estimates import Board, BoardEstimate
from rankgauge.labelling.board.later_run import LaterRun
from rankgauge.labelling.board.pool import BoardPool
from rankgauge.labelling.board.readings import Readings, Stream
from rankgauge.labelling.board.target import BoardTarget, mark_reached
from rankgauge.labelling.defaults import LEVEL
from rankgauge.labelling.intervals import half_width
from rankgauge.labelling.method import DocumentDraws
from rankgauge.numeric import BoolArray, FloatArray, IndexArray

MORE = 100
"""The further labels that an outlook is about, unless another number is asked for."""


@dataclass(frozen=True, kw_only=True, eq=False)
class RunsOutlook(ABC):
    """What the labels so far say of all runs, and what more would bring, whichever method gives it.

    `grades` is the scale, `judged` says which documents of the pool are judged.
    """

    pool: BoardPool
    grades: FloatArray
    judged: BoolArray
    estimates: Sequence[RunEstimate]

    @property
    def open_documents(self) -> int:
        """How many documents are not judged."""
        return int(np.count_nonzero(~self.judged))

    @abstractmethod
    def values_of(self, grades: FloatArray) -> tuple[FloatArray, ...]:
        """Return the value of each run by each measure if these were the grades of all documents."""

    @abstractmethod
    def next(self, count: int) -> IndexArray:
        """Return the open documents whose labels would tell most, first the one that would tell most."""

    @abstractmethod
    def half_widths(self, more: int = MORE, level: float = LEVEL) -> tuple[FloatArray | None, ...]:
        """Half the width that each run's own interval is expected to have after so many more labels, for each measure;
        None where that is not known."""

    @abstractmethod
    def later(self, name: str, run: Any) -> LaterRun:
        """Place a run (a path, a frame, a dict) that had no part in the pool beside the others."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Outlook(RunsOutlook):
    """The outlook of a board, by the stream of its campaign and what the labels so far say."""

    board: Board
    stream: Stream
    readings: Readings
    estimates: Sequence[BoardEstimate]

    @classmethod
    def of(cls, board: Board, stream: Stream, readings: Readings, estimates: Sequence[BoardEstimate]) -> Outlook:
        """Return the outlook from what labels say, and the estimates that follow."""
        known: dict[str, Any] = {"pool": board.pool, "grades": board.grades, "judged": readings.judged}
        return cls(**known, board=board, stream=stream, readings=readings, estimates=estimates)

    def values_of(self, grades: FloatArray) -> tuple[FloatArray, ...]:
        reached = mark_reached(grades, self.grades)
        return tuple(lists.score(reached).mean(axis=1) for lists in self.board.lists)

    def later(self, name: str, run: Any) -> LaterRun:
        return LaterRun.of(name, run, self.board, self.readings, self.estimates)

    @cached_property
    def worth(self) -> FloatArray:
        """How much each document's label would move the board towards its goal, by the beliefs after the labels so far
        (documents); 0 for those that are judged."""
        return self.board.scores_at(self.readings.best, self.judged)

    def next(self, count: int) -> IndexArray:
        # A campaign still hands documents out in the order of its stream: labels that are chosen by earlier ones would
        # bias its estimates.
        worth = np.where(self.judged, -np.inf, self.worth)
        return np.argsort(-worth, kind="stable")[: min(count, self.open_documents)]

    def shrinkage(self, more: int = MORE) -> tuple[FloatArray, ...]:
        """By what factor each run's standard error is expected to shrink with so many more labels, for each measure."""
        if more < 1:
            raise ParameterError("an outlook", "more", "a number of labels, 1 or more", more)
        drawn = len(self.readings.labelled) - int(np.count_nonzero(self.stream.known))
        later = self.stream.chances(drawn + more)
        spread = covariances(self.readings.beliefs.chance)
        factors = []
        for estimate in self.estimates:
            now, then = (
                estimate.slopes.squares(spread * ((1.0 - chance) / chance)[:, np.newaxis, np.newaxis])
                for chance in (self.readings.chance, later)
            )
            factors.append(np.sqrt(np.minimum(over(np.maximum(then, 0.0), now), 1.0)))
        return tuple(factors)

    def half_widths(self, more: int = MORE, level: float = LEVEL) -> tuple[FloatArray | None, ...]:
        now = [estimate.half_widths(level) for estimate in self.estimates]
        return tuple(
            None if half is None else half * factor for half, factor in zip(now, self.shrinkage(more), strict=True)
        )


def expected_half_widths(board: Board, stream: Stream, labels: int, level: float = LEVEL) -> list[float]:
    """Half the width that a run's own interval is expected to have after some labels, on average over the runs, for
    each measure, as the beliefs before the first label see it."""
    chance = stream.chances(labels)
    spread = covariances(board.guess) * ((1.0 - chance) / chance)[:, np.newaxis, np.newaxis]
    errors = [np.sqrt(np.maximum(slopes.squares(spread), 0.0)) for slopes in board.slopes]
    return [float(half_width(error, draws=labels, freedom=labels, level=level).mean()) for error in errors]


LOOKS = 6
"""How many looks are planned for a goal that labels may stop at."""

AIMED, MANY = 0.02, 20
"""The share of the pool that is judged before labels are aimed at the runs still in the race, and the number of runs
from which on they are: among few there is little to aim at, and a new stage forgets what the first one drew."""

FIRST_LOOK = 0.1
"""The first look, as a share of the budget's labels."""


def planned_looks(goal: Goal, labels: int, *, least: int) -> tuple[int, ...]:
    """The numbers of labels at which a goal is looked at, the last with the whole budget; `least` are needed for an
    interval. A goal that nothing stops at is looked at once."""
    if goal.kind in (GoalKind.VALUES, GoalKind.RANK):
        return (labels,)
    first = min(max(round(FIRST_LOOK * labels), least), labels)
    return tuple(sorted({round(number) for number in np.geomspace(first, labels, LOOKS)}))


def aimed_after(pool: BoardPool, looks: tuple[int, ...]) -> int | None:
    """After how many labels they are aimed at the runs still in the race; None if they never are."""
    labels = round(AIMED * len(pool.documents))
    return labels if len(looks) > 1 and len(pool.runs) >= MANY and 0 < labels < looks[0] else None


class RunsPlan(DocumentDraws):
    """The order of a stage's documents, and what their labels are expected to tell of all runs."""

    pool: BoardPool
    seed: int
    lacking: ClassVar[str]
    """What is shown where no interval is expected."""

    @property
    @abstractmethod
    def targets(self) -> tuple[BoardTarget, ...]:
        """What is estimated of each run."""

    @abstractmethod
    def expect(self, labels: Sequence[int]) -> FloatArray:
        """Half the width that a run's interval is expected to have after each number of labels, on average over the
        runs (numbers × measures); NaN where there is none, or it is not known."""

    def is_bound(self, target: BoardTarget) -> bool:
        """Say whether what is expected of a measure's intervals is only the least that they will be."""
        return False

    def settling(self, unit: str = "labels") -> str:
        """Return how many labels would settle the best run, in words; nothing where that is not known. `unit` is what
        is counted: documents where each has several labels."""
        return ""


class BoardPlan(RunsPlan):
    """The stream of a board as the draws of a campaign."""

    lacking = "not yet"

    def __init__(self, board: Board, *, seed: int, length: int | None = None, pilot: bool = False) -> None:
        """Take the first `length` documents of a seed's stream, by default all; a `pilot` draws with equal chances."""
        self.board, self.pool, self.seed = board, board.pool, seed
        known = ~np.isnan(board.known)
        self.stream = Stream.of(np.ones(len(known)), seed=seed, known=known) if pilot else board.stream(seed)
        self._order = self.stream.order[:length]

    @property
    def needed(self) -> BoolArray:
        return np.isnan(self.board.known)

    @property
    def targets(self) -> tuple[BoardTarget, ...]:
        return self.board.targets

    def expect(self, labels: Sequence[int]) -> FloatArray:
        widths = np.array([expected_half_widths(self.board, self.stream, n) for n in labels])
        fewest = [self.board.fewest(target) for target in self.targets]
        shown = (np.array(labels)[:, np.newaxis] >= fewest) & (widths < [target.widest for target in self.targets])
        return np.where(shown, widths, np.nan)

    def is_bound(self, target: BoardTarget) -> bool:
        return self.board.is_shallow(target)

    def readings(self, n: int, grades: FloatArray, *, start: Readings | None = None) -> Readings:
        """What the first n draws say, all of which must be complete; `start` are earlier readings, which save time."""
        if n < 1 and self.length:
            raise ParameterError("a board", "draws", "1 or more", n)
        sample = np.sort(np.concatenate([np.flatnonzero(self.stream.known), self._order[:n]]))
        return self.board.read(self.stream, sample, grades, budget=n, start=start)
