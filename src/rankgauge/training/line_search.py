"""Line search: the value of scores after steps of many sizes along one feature."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from rankgauge.measures.measure import Aggregate
from rankgauge.numeric import FloatArray
from rankgauge.training.linear import weighted
from rankgauge.training.objective import Objective
from rankgauge.training.sorted_lists import SortedLists, TiedWorths, sortable

SHORTEST, DOUBLINGS, BETWEEN = 2.0**-9, 10, 2
"""The shortest step, given weights whose sizes add up to 1; how often it doubles; and how many steps there are to each
doubling."""


def step_sizes() -> FloatArray:
    """The sizes of the steps, rising: BETWEEN of them to each doubling, evenly spaced."""
    fractions = 1.0 + np.arange(BETWEEN) / BETWEEN
    return np.ravel(SHORTEST * np.exp2(np.arange(DOUBLINGS))[:, np.newaxis] * fractions)


class LineSearch(ABC):
    """The values of scores after steps along a feature; `columns` has a row for each feature."""

    def __init__(self, objective: Objective, columns: FloatArray) -> None:
        self.objective, self.columns = objective, columns
        sizes = step_sizes()
        self.steps: FloatArray = np.concatenate([-sizes[::-1], sizes])

    def start(self, scores: FloatArray) -> None:
        """Makes these the scores to step from."""
        self.scores, self.value = scores, self.objective.mean(scores)
        (self._level,) = self._after(np.zeros_like(scores), np.zeros(1))

    def best(self, feature: int) -> float:
        """The step along the feature that gives the largest value, the shortest if several do; 0 if none raises it."""
        levels = self.along(feature)
        high = levels.max()
        if not high > self._level:
            return 0.0
        step = float(min(self.steps[levels == high], key=abs))
        after = self.scores + step * self.columns[feature]
        value = self.objective.mean(after)
        if not value > self.value:
            return 0.0
        self.scores, self.value, self._level = after, value, high
        return step

    def along(self, feature: int) -> FloatArray:
        """The level after each step along the feature: a number that grows with the value."""
        return self._after(self.columns[feature], self.steps)

    @abstractmethod
    def _after(self, column: FloatArray, steps: FloatArray) -> FloatArray:
        """The level after each step along the column."""


class PlainSearch(LineSearch):
    """The search for any measure: each step is an evaluation."""

    def _after(self, column: FloatArray, steps: FloatArray) -> FloatArray:
        values = self.objective.table(self.scores[:, np.newaxis] + column[:, np.newaxis] * steps)
        return np.array([self.objective.overall(row) for row in values])


class SortedSearch(LineSearch):
    """The search for a measure that states its form: the scores after all steps are sorted together."""

    def __init__(self, objective: Objective, columns: FloatArray) -> None:
        super().__init__(objective, columns)
        # One number for all features: the same for documents with the same features, and in practice for no others.
        mixed = weighted(columns.T, np.random.default_rng(0).normal(size=len(columns)))
        self._kinds = np.unique(mixed, return_inverse=True)[1]

    def start(self, scores: FloatArray) -> None:
        levels, level = np.unique(scores, return_inverse=True)
        worths = TiedWorths.of(self.objective, self._kinds * len(levels) + level)
        self._lists: list[SortedLists] = list(worths.blocks(len(self.steps)))
        super().start(scores)

    def _after(self, column: FloatArray, steps: FloatArray) -> FloatArray:
        found = (lists.values(self.scores, column, steps) for lists in self._lists)
        values = np.hstack([np.zeros((len(steps), 0)), *found])
        if self.objective.measure.facts.aggregate is Aggregate.GEOMETRIC:
            return np.array([self.objective.overall(row) for row in values])
        return np.asarray(values.sum(axis=1))


def line_search(objective: Objective, columns: FloatArray) -> LineSearch:
    """The fastest search for the objective."""
    return SortedSearch(objective, columns) if sortable(objective) else PlainSearch(objective, columns)
