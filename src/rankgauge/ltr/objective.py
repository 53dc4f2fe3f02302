"""Objective: how good scores are for some documents, by a measure under a dialect; what rankers optimise.

The values are those of `score_arrays`. For nDCG and whatever else is a sum of the documents' worths, each weighed by
its rank (DCG, CG, RBP, P), one evaluation is one sort, a gather and a sum; what the dialect says of empty and short
queries is settled once, as no order of the documents changes it. Every other measure goes through its own kernel.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rankgauge import dialects
from rankgauge.arrays import score_arrays
from rankgauge.dialects import Dialect
from rankgauge.ltr.documents import Documents
from rankgauge.measures import Measure, parse
from rankgauge.measures.forms import Form, Shape
from rankgauge.measures.graded.dcg import DCG
from rankgauge.measures.graded.ndcg import nDCG
from rankgauge.measures.measure import DEFAULTS
from rankgauge.numeric import BoolArray, FloatArray, IndexArray
from rankgauge.policies import ShortList, Ties
from rankgauge.ranking import RankedLists
from rankgauge.ranking.arrays import pad_groups
from rankgauge.ranking.rules import compared, graded

__all__ = ["Discounted", "General", "Objective"]

TOGETHER = 1 << 19
"""How many documents are scored at once where there are many rankings of them."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Objective(ABC):
    """A measure of scores for the documents, as a dialect reads it."""

    documents: Documents
    measure: Measure
    dialect: Dialect

    @staticmethod
    def of(documents: Documents, metric: str | Measure, dialect: str | Dialect = "standard") -> Objective:
        """The objective. Documents in arrays have no ids: a dialect that orders ties by them gets their mean."""
        spoken, measure = dialects.get(dialect), parse(metric)
        spoken = spoken.changed(ties=Ties.EXPECTED) if spoken.ties is Ties.DOCID else spoken
        kind: type[Objective] = Discounted if _is_discounted(documents, measure, spoken) else General
        return kind(documents=documents, measure=measure, dialect=spoken)

    @abstractmethod
    def values(self, scores: FloatArray) -> FloatArray:
        """The value of each query, settled as the dialect says; NaN where it leaves the query out."""

    @abstractmethod
    def table(self, columns: FloatArray) -> FloatArray:
        """The values of many scores at once (columns × queries), each the mean over all orders of tied documents."""

    @abstractmethod
    def each(self, columns: FloatArray) -> FloatArray:
        """The values of many scores at once (columns × queries), ties as the dialect has them."""

    @property
    @abstractmethod
    def live(self) -> BoolArray:
        """For which queries the order of the documents can change the value."""

    def mean(self, scores: FloatArray) -> float:
        """The measure's one number for these scores."""
        return self.overall(self.values(scores))

    def overall(self, values: FloatArray) -> float:
        """The measure's one number from the values of the queries: their mean, or what the measure has for it."""
        return self.measure.facts.aggregate.over(values, single=self.dialect.single_arithmetic)

    def _scored(self, scores: FloatArray, **overrides: Any) -> FloatArray:
        """The values by the way of all measures; those of several columns of scores one after another."""
        grades, sizes, times = self.documents.grades, self.documents.sizes, scores.size // len(scores)
        return score_arrays(
            np.tile(grades, times),
            scores.T.ravel(),
            self.measure,
            group=np.tile(sizes, times),
            dialect=self.dialect,
            **overrides,
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class General(Objective):
    """Any measure, by its own kernel."""

    def values(self, scores: FloatArray) -> FloatArray:
        return self._scored(scores)

    def each(self, columns: FloatArray) -> FloatArray:
        return self._together(columns)

    def table(self, columns: FloatArray) -> FloatArray:
        return self._together(columns, ties=Ties.EXPECTED)

    def _together(self, columns: FloatArray, **overrides: Any) -> FloatArray:
        """The values of many scores, some of these at once as if they were for other queries."""
        step = max(1, TOGETHER // len(columns))
        parts = [columns[:, low : low + step] for low in range(0, columns.shape[1], step)]
        return np.concatenate([self._scored(part, **overrides).reshape(part.shape[1], -1) for part in parts])

    @cached_property
    def live(self) -> BoolArray:
        """Those with documents of different grades: no measure tells two orders of equal grades apart."""
        low, high = (at.reduceat(self.documents.grades, self.documents.starts) for at in (np.minimum, np.maximum))
        return np.asarray(low < high)


@dataclass(frozen=True, kw_only=True, eq=False)
class Discounted(Objective):
    """A sum of gains, each weighed by its document's rank, over a query's ideal.

    A query that no order can change has its value once and for all; only the others are sorted.
    """

    def values(self, scores: FloatArray) -> FloatArray:
        return self._ranked(scores, self.dialect.ties)

    def each(self, columns: FloatArray) -> FloatArray:
        return np.array([self._ranked(column, self.dialect.ties) for column in columns.T])

    def table(self, columns: FloatArray) -> FloatArray:
        return np.array([self._ranked(column, Ties.EXPECTED) for column in columns.T])

    @cached_property
    def kernel(self) -> Measure:
        """The measure with every parameter set."""
        return self.dialect.read(self.measure).bound(DEFAULTS)

    @cached_property
    def form(self) -> Form:
        """What the sum is made of."""
        found = _form(self.kernel)
        assert found is not None
        return found

    @cached_property
    def grades(self) -> FloatArray:
        """The grades on the dialect's scale."""
        grades = self.documents.grades
        grades = self.dialect.rescaled(grades) if self.dialect.rescales else grades
        return graded(grades, self.dialect.negative)

    @cached_property
    def gains(self) -> FloatArray:
        """What each document is worth at a place of weight 1."""
        lists = RankedLists(
            ranks=np.ones(len(self.grades)), grades=self.grades, ideal=self.grades, retrieved=np.zeros(())
        )
        return self.form.worth(lists)

    @cached_property
    def ideal(self) -> FloatArray:
        """What the sum of each query is divided by."""
        if type(self.kernel) is nDCG:
            return _ideals(self.kernel, self.grades, self.documents.sizes)
        return np.ones(len(self.documents.sizes))

    def weigh(self, ranks: FloatArray) -> FloatArray:
        """What ranks are worth: 0 past the cutoff."""
        limit = np.inf if self.form.cutoff is None else self.form.cutoff
        return np.where(ranks <= limit, self.form.weight(np.minimum(ranks, limit)), 0.0)

    @cached_property
    def constant(self) -> FloatArray:
        """The settled value of each query under some order: where the query is not live, under every order."""
        # Refuses here what the dialect refuses: grades off its scale, lists that are too short.
        return self._scored(np.zeros(len(self.grades)))

    @cached_property
    def live(self) -> BoolArray:
        """For which queries the order of the documents can change the value."""
        documents = self.documents
        low, high = (at.reduceat(self.gains, documents.starts) for at in (np.minimum, np.maximum))
        zeroed = self.dialect.choice("short", self.measure) is ShortList.ZERO
        short = documents.sizes < (self.measure.depth if zeroed else 0)
        return np.asarray((low < high) & (self.ideal > 0) & ~short & ~np.isnan(self.constant))

    @cached_property
    def rows(self) -> BoolArray:
        """The documents of the live queries."""
        return np.asarray(self.live[self.documents.query])

    @cached_property
    def _sorting(self) -> _Sorting:
        sizes = self.documents.sizes[self.live]
        rank = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes) + 1.0
        return _Sorting(sizes=sizes, gains=self.gains[self.rows], weights=self.weigh(rank))

    def _ranked(self, scores: FloatArray, ties: Ties) -> FloatArray:
        if not np.isfinite(scores).all():
            return self._scored(scores, ties=ties)
        return self._settled(self._summed(scores[self.rows], expected=ties is Ties.EXPECTED))

    def _summed(self, scores: FloatArray, *, expected: bool) -> FloatArray:
        return self._sorting.sums(compared(scores, self.dialect.ranking), expected=expected)

    def _settled(self, sums: FloatArray) -> FloatArray:
        values = self.constant.copy()
        values[self.live] = sums / self.ideal[self.live]
        return values


@dataclass(frozen=True, kw_only=True, eq=False)
class _Sorting:
    """Lists one after another: the gains of their documents and the weights of their places."""

    sizes: IndexArray
    gains: FloatArray
    weights: FloatArray

    @cached_property
    def starts(self) -> IndexArray:
        """Where each list begins."""
        return np.asarray(np.cumsum(self.sizes) - self.sizes)

    @cached_property
    def lists(self) -> IndexArray:
        """The list of each document, in 16 bits where that is enough: NumPy sorts those in linear time."""
        few = len(self.sizes) < 1 << 16
        return np.repeat(np.arange(len(self.sizes), dtype=np.uint16 if few else np.int64), self.sizes)

    def sums(self, scores: FloatArray, *, expected: bool) -> FloatArray:
        """The sum of each list; where ties are averaged, every tied document has the mean weight of its group."""
        if not len(scores):
            return np.zeros(len(self.sizes))
        order = np.argsort(-scores, kind="stable")
        order = order[np.argsort(self.lists[order], kind="stable")]
        weights = self._shared(scores[order]) if expected else self.weights
        return np.asarray(np.add.reduceat(self.gains[order] * weights, self.starts))

    def _shared(self, scores: FloatArray) -> FloatArray:
        """The weights of the places, the same for all documents of a group with one score."""
        opens = np.ones(len(scores), dtype=bool)
        opens[1:] = scores[1:] != scores[:-1]
        opens[self.starts] = True
        if opens.all():
            return self.weights
        first = np.flatnonzero(opens)
        counts = np.diff(first, append=len(scores))
        return np.repeat(np.add.reduceat(self.weights, first) / counts, counts)


def _ideals(kernel: nDCG, grades: FloatArray, sizes: IndexArray) -> FloatArray:
    """The sum of each query's ideal order."""
    found = np.zeros(len(sizes))
    for rows, (padded,) in pad_groups(sizes, grades):
        ideal = -np.sort(-padded, axis=1)
        lists = RankedLists(ranks=ideal, grades=ideal, ideal=ideal, retrieved=sizes[rows].astype(np.float64))
        found[rows] = kernel.divisor(lists)
    return found


def _form(kernel: Measure) -> Form | None:
    """The measure as gains weighed by ranks, where it is such a sum; for nDCG, what is above the line."""
    found = DCG.form(kernel) if type(kernel) is nDCG else kernel.form()
    return found if found is not None and found.shape is Shape.LINEAR else None


def _is_discounted(documents: Documents, measure: Measure, dialect: Dialect) -> bool:
    """Whether sorting and adding gives the dialect's values: no list is cut, every order but that of ties is strict."""
    plain = not dialect.single_arithmetic and dialect.depth is None
    ordered = dialect.ties in (Ties.EXPECTED, Ties.INPUT)
    judged = bool(np.isfinite(graded(documents.grades, dialect.negative)).all())
    return plain and ordered and judged and _form(dialect.read(measure).bound(DEFAULTS)) is not None
