"""Line search: the value of scores after steps of many sizes along one feature.

If the measure is a sum of gains weighted by rank, no list is sorted. A document's rank follows from how many documents
are above it, and two documents trade places at one step size. So one pass over the pairs of a document with a gain and
another of its query serves all sizes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankgauge.ltr.objective import Discounted, Objective, weights_of
from rankgauge.numeric import BoolArray, FloatArray, IndexArray, SingleArray
from rankgauge.policies import Ties

MOST_PAIRS = 30_000_000
"""With more pairs than this, lists are sorted after all: a pair takes about 24 bytes."""
KEPT = 20_000_000
"""How many differences between pairs are kept from one search along a feature to the next."""

SHORTEST, DOUBLINGS, MANTISSA = 2.0**-9, 10, 1
"""The shortest step, given weights whose sizes add up to 1; how often it doubles; and how many bits of a number's
fraction distinguish the steps between two doublings."""


def step_sizes() -> FloatArray:
    """The sizes of the steps, rising: 2^MANTISSA of them to each doubling, evenly spaced."""
    fractions = 1.0 + np.arange(1 << MANTISSA) / (1 << MANTISSA)
    return np.ravel(SHORTEST * np.exp2(np.arange(DOUBLINGS))[:, np.newaxis] * fractions)


class LineSearch(ABC):
    """The values of scores after steps along a feature; `columns` has a row for each feature."""

    def __init__(self, objective: Objective, columns: FloatArray) -> None:
        self.objective, self.columns = objective, columns
        sizes = step_sizes()
        self.steps: FloatArray = np.concatenate([-sizes[::-1], sizes])

    def start(self, scores: FloatArray) -> None:
        """Makes these the scores to step from."""
        self._move(scores, self.objective.mean(scores))

    def best(self, feature: int) -> float:
        """The step along the feature that gives the largest value, the shortest if several do; 0 if none raises it."""
        values = self.along(feature)
        high = values.max()
        step = float(min(self.steps[values == high], key=abs))
        after = self.scores + step * self.columns[feature]
        value = self.objective.mean(after)
        if not value > self.value:
            return 0.0
        self._move(after, value)
        return step

    def _move(self, scores: FloatArray, value: float) -> None:
        self.scores, self.value = scores, value

    @abstractmethod
    def along(self, feature: int) -> FloatArray:
        """A number for each step that grows with the value after it."""


class PlainSearch(LineSearch):
    """The search for any measure: every list is ranked anew for each step."""

    def along(self, feature: int) -> FloatArray:
        after = self.scores[:, np.newaxis] + self.columns[feature][:, np.newaxis] * self.steps
        values = self.objective.table(after)
        return np.array([self.objective.overall(row) for row in values])


@dataclass(frozen=True, kw_only=True, eq=False)
class _Pairs:
    """Pairs of a document with a gain and another document of its query."""

    gainers: IndexArray
    """The documents with a gain."""
    gainer: IndexArray
    """Which of these each pair has."""
    other: IndexArray
    first: BoolArray | float
    """How far the other one counts as above when the two are tied."""

    @classmethod
    def of(cls, objective: Discounted) -> _Pairs:
        documents, gainers = objective.documents, _gainers(objective)
        queries = documents.query[gainers]
        sizes = documents.sizes[queries]
        gainer = np.repeat(np.arange(len(sizes)), sizes)
        other = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes - documents.starts[queries], sizes)
        differ = other != gainers[gainer]
        gainer, other = gainer[differ], other[differ]
        first = other < gainers[gainer] if objective.dialect.ties is Ties.INPUT else 0.5
        return cls(gainers=gainers, gainer=gainer, other=other, first=first)

    def leads(self, scores: FloatArray) -> FloatArray:
        """By how much the other one's score is larger."""
        return np.asarray(scores[self.other] - scores[self.gainers][self.gainer])

    def counted(self, amounts: FloatArray, pairs: IndexArray | slice = slice(None)) -> FloatArray:
        """The sum of the amounts for each gainer."""
        return np.asarray(np.bincount(self.gainer[pairs], amounts, len(self.gainers)), dtype=np.float64)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Slopes:
    """How steps along one feature change the pairs."""

    pairs: IndexArray
    """The pairs that they change."""
    level: SingleArray
    """The step that makes the two level, as a multiple of the shortest one, for a lead of 1."""
    sign: FloatArray
    """Whether the other one rises (1) or falls (−1)."""
    slot: IndexArray
    """The place of step 0 of the pair's gainer in the flat table of gainers × steps."""

    @classmethod
    def of(cls, pairs: _Pairs, column: FloatArray, steps: int) -> _Slopes:
        slope = pairs.leads(column)
        changed = np.flatnonzero(slope)
        slope = slope[changed]
        with np.errstate(over="ignore"):
            level = (-1.0 / (slope * SHORTEST)).astype(np.float32)
        slot = pairs.gainer[changed] * (steps + 1) + steps // 2
        return cls(pairs=changed, level=level, sign=np.sign(slope), slot=slot)

    def places(self, lead: SingleArray, steps: int) -> IndexArray:
        """The place in the table of the first step after which each pair has traded places.

        The steps are the numbers whose fractions have at most MANTISSA bits, so the upper bits of the step at which two
        documents are level tell between which steps it lies.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            bits = (lead[self.pairs] * self.level).view(np.int32)
        passed = ((bits & 0x7FFFFFFF) >> (23 - MANTISSA)) - ((127 << MANTISSA) - 1)
        np.clip(passed, 0, steps // 2, out=passed)
        np.negative(passed, out=passed, where=bits < 0)
        return self.slot + passed


class PairSearch(LineSearch):
    """The search for a sum of gains weighted by rank: one pass over pairs for all steps."""

    objective: Discounted

    def __init__(self, objective: Discounted, columns: FloatArray) -> None:
        super().__init__(objective, columns)
        self._pairs = _Pairs.of(objective)
        self._kept: dict[int, _Slopes] = {}

    def along(self, feature: int) -> FloatArray:
        slopes, width = self._slopes(feature), len(self.steps) + 1
        places = slopes.places(self._lead, len(self.steps))
        change = np.bincount(places, weights=slopes.sign, minlength=width * len(self._pairs.gainers))
        # Before the first step all that fall are above; pairs that the feature does not change are as they are now.
        fixed = self._total - self._pairs.counted(self._above[slopes.pairs] - (slopes.sign < 0), slopes.pairs)
        above = change.reshape(-1, width).cumsum(axis=1)[:, :-1] + fixed[:, np.newaxis]
        return np.asarray(self._worth @ self._weights[np.rint(2.0 * above).astype(np.int32)])

    def _move(self, scores: FloatArray, value: float) -> None:
        super()._move(scores, value)
        lead = self._pairs.leads(scores)
        self._lead: SingleArray = lead.astype(np.float32)
        # Whether the other one is above: 1 or 0, or a half if they are tied and ties are averaged.
        self._above = np.where(lead == 0, self._pairs.first, lead > 0).astype(np.float64)
        self._total = self._pairs.counted(self._above)

    def _slopes(self, feature: int) -> _Slopes:
        if feature in self._kept:
            return self._kept[feature]
        found = _Slopes.of(self._pairs, self.columns[feature], len(self.steps))
        if sum(len(slopes.pairs) for slopes in self._kept.values()) + len(found.pairs) <= KEPT:
            self._kept[feature] = found
        return found

    @cached_property
    def _worth(self) -> FloatArray:
        """What each gainer adds to the value at a rank of weight 1."""
        gainers, objective = self._pairs.gainers, self.objective
        return np.asarray(objective.gains[gainers] / objective.ideal[objective.documents.query[gainers]])

    @cached_property
    def _weights(self) -> FloatArray:
        """The weight of a rank by how many half documents are above it: one that is tied counts as a half."""
        ranks = np.arange(1.0, self.objective.documents.sizes.max(initial=0) + 2)
        weights = weights_of(self.objective.form, ranks)
        halves = np.zeros(2 * len(weights) - 1)
        halves[::2], halves[1::2] = weights, (weights[1:] + weights[:-1]) / 2
        return halves


def line_search(objective: Objective, columns: FloatArray) -> LineSearch:
    """The fastest search for the objective."""
    if isinstance(objective, Discounted):
        sizes = objective.documents.sizes[objective.documents.query[_gainers(objective)]]
        if int(sizes.sum()) <= MOST_PAIRS:
            return PairSearch(objective, columns)
    return PlainSearch(objective, columns)


def _gainers(objective: Discounted) -> IndexArray:
    """The documents with a gain, of live queries."""
    return np.flatnonzero(objective.rows & (objective.gains != 0))
