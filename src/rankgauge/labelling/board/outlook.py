"""The outlook: what more labels would bring, as the beliefs after the labels so far see it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankgauge.errors import ParameterError
from rankgauge.labelling.board.beliefs import covariances
from rankgauge.labelling.board.covariance import over
from rankgauge.labelling.board.estimates import Board, BoardEstimate
from rankgauge.labelling.board.pool import BoardPool
from rankgauge.labelling.board.readings import Readings
from rankgauge.labelling.board.stream import Stream
from rankgauge.labelling.board.target import reached
from rankgauge.labelling.defaults import LEVEL
from rankgauge.labelling.intervals import half_width
from rankgauge.numeric import FloatArray, IndexArray

MORE = 100
"""The further labels that an outlook is about, unless another number is asked for."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Outlook:
    """A board, the stream of its campaign, what the labels so far say, and the estimates that follow."""

    board: Board
    stream: Stream
    readings: Readings
    estimates: Sequence[BoardEstimate]

    @property
    def pool(self) -> BoardPool:
        """The pool."""
        return self.board.pool

    @property
    def grades(self) -> FloatArray:
        """The scale of grades."""
        return self.board.grades

    @property
    def open_documents(self) -> int:
        """How many documents are not judged."""
        return int(np.count_nonzero(~self.readings.judged))

    def values_of(self, grades: FloatArray) -> tuple[FloatArray, ...]:
        """The value of each run by each measure if these were the grades of all documents."""
        told = reached(grades, self.grades)
        counts = np.add.reduceat(told, self.pool.starts, axis=0)
        each = zip(self.board.targets, self.board.lists, strict=True)
        return tuple(
            target.over_ideal(lists.values(told @ target.steps), counts).mean(axis=1) for target, lists in each
        )

    @cached_property
    def worth(self) -> FloatArray:
        """How much each document's label would move the board towards its goal, by the beliefs after the labels so far
        (documents); 0 for those that are judged."""
        return self.board.scores_at(self.readings.best, self.readings.judged)

    def next(self, count: int) -> IndexArray:
        """The open documents whose labels would move the board by most, first the one that would by most.

        They tell what the board hinges on. A campaign still hands documents out in the order of its stream: labels that
        are chosen by earlier ones would bias its estimates.
        """
        worth = np.where(self.readings.judged, -np.inf, self.worth)
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
        """Half the width that each run's own interval is expected to have after so many more labels, for each measure;
        None while there is no interval."""
        found = []
        for estimate, factor in zip(self.estimates, self.shrinkage(more), strict=True):
            now = estimate.half_widths(level)
            found.append(None if now is None else now * factor)
        return tuple(found)


def expected_half_widths(board: Board, stream: Stream, labels: int, level: float = LEVEL) -> list[float]:
    """Half the width that a run's own interval is expected to have after some labels, on average over the runs, for
    each measure, as the beliefs before the first label see it."""
    chance = stream.chances(labels)
    spread = covariances(board.guess) * ((1.0 - chance) / chance)[:, np.newaxis, np.newaxis]
    found = []
    for slopes in board.slopes:
        errors = np.sqrt(np.maximum(slopes.squares(spread), 0.0))
        found.append(float(half_width(errors, draws=labels, freedom=labels, level=level).mean()))
    return found
