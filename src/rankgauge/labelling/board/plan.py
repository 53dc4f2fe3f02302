"""The plan of a board: one document a draw, in the order of its stream. Every prefix of the draws is a sample.

Whoever wants to stop as soon as a goal is settled looks several times. Looks are planned in advance, at numbers of
labels that grow by a constant factor, and share the error: each is at the level 1 − α/K. Among many
runs the first labels show which are still in the race; from then on labels go there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from rankgauge.errors import ParameterError
from rankgauge.labelling.board.estimates import Board
from rankgauge.labelling.board.goal import Goal, GoalKind
from rankgauge.labelling.board.outlook import expected_half_widths
from rankgauge.labelling.board.pool import BoardPool
from rankgauge.labelling.board.readings import Readings
from rankgauge.labelling.board.target import BoardTarget
from rankgauge.labelling.draws import DocumentDraws
from rankgauge.numeric import BoolArray, FloatArray

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


class BoardPlan(DocumentDraws):
    """The stream of a board as the draws of a campaign."""

    pool: BoardPool
    lacking: ClassVar[str] = "not yet"
    """What is shown where no interval is expected."""

    def __init__(self, board: Board, *, seed: int, length: int | None = None) -> None:
        """The first `length` documents of the stream of a seed; by default all of them."""
        self.board, self.pool, self.seed = board, board.pool, seed
        self.stream = board.stream(seed)
        self._order = self.stream.order[:length]

    @property
    def needed(self) -> BoolArray:
        return np.isnan(self.board.known)

    @property
    def targets(self) -> tuple[BoardTarget, ...]:
        """What is estimated of each run."""
        return self.board.targets

    def expected(self, labels: Sequence[int]) -> FloatArray:
        """Half the width that a run's interval is expected to have after each number of labels, on average over the
        runs (numbers × measures); NaN where there is none yet."""
        widths = np.array([expected_half_widths(self.board, self.stream, n) for n in labels])
        fewest = [self.board.fewest(target) for target in self.targets]
        return np.where(np.array(labels)[:, np.newaxis] >= fewest, widths, np.nan)

    def is_bound(self, target: BoardTarget) -> bool:
        """Whether what is expected of a measure's intervals is only the least that they will be."""
        return self.board.is_shallow(target)

    def readings(self, n: int, grades: FloatArray, *, start: Readings | None = None) -> Readings:
        """What the first n draws say, all of which must be complete; `start` are earlier readings, which save time."""
        if n < 1 and self.length:
            raise ParameterError("a board", "draws", "1 or more", n)
        sample = np.sort(np.concatenate([np.flatnonzero(self.stream.known), self._order[:n]]))
        return self.board.read(self.stream, sample, grades, budget=n, start=start)
