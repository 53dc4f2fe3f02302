"""Objective: what rankers optimise, the value of scores for some documents by a measure under a dialect.

The values are those of `score_arrays`. Where a measure is a weighted sum of gains (DCG, CG, RBP, P) or such a sum over
that of the ideal order (nDCG), one evaluation is one sort, a gather and a sum; empty and short queries are settled
once, since no order of the documents changes them. Every other measure goes through its own kernel.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from rankgauge import dialects
from rankgauge.dialects import Dialect
from rankgauge.evaluation.arrays import score_arrays
from rankgauge.measures import Measure
from rankgauge.measures.forms import Form, Shape
from rankgauge.measures.measure import DEFAULTS
from rankgauge.numeric import BoolArray, FloatArray, Grouped, IndexArray
from rankgauge.policies import ShortList, Ties
from rankgauge.ranking import RankedLists
from rankgauge.ranking.arrays import pad_groups
from rankgauge.ranking.hits import apply_negative, comparable_scores
from rankgauge.training.documents import Documents

TOGETHER = 1 << 19
"""How many documents are scored at once when there are many rankings of them."""

Divisor: TypeAlias = Callable[[RankedLists], FloatArray | None]
"""What the sum of each list is divided by."""


def taken_apart(kernel: Measure) -> tuple[Form | None, Divisor | None]:
    """Return the measure as a form, and what its value is divided by, if anything; no form if it has none."""
    form = kernel.form()
    return (kernel.numerator(), kernel.divisor) if form is None else (form, None)


def weights_of(form: Form, ranks: FloatArray) -> FloatArray:
    """Return the weights of ranks: 0 past the cutoff."""
    limit = np.inf if form.cutoff is None else form.cutoff
    return np.where(ranks <= limit, form.weight(np.minimum(ranks, limit)), 0.0)


def worths_of(form: Form, grades: FloatArray) -> FloatArray:
    """Return what each document adds at a rank of weight 1."""
    return form.worth(RankedLists(ranks=np.ones(len(grades)), grades=grades, ideal=grades, retrieved=np.zeros(())))


def divisors_of(divisor: Divisor | None, grades: FloatArray, sizes: IndexArray) -> FloatArray:
    """Return what the sum of each list is divided by; 1 if by nothing."""
    found = np.ones(len(sizes))
    if divisor is None:
        return found
    for rows, (padded,) in pad_groups(sizes, grades):
        ideal = -np.sort(-padded, axis=1)
        lists = RankedLists(ranks=ideal, grades=ideal, ideal=ideal, retrieved=sizes[rows].astype(np.float64))
        found[rows] = divisor(lists)
    return found


@dataclass(frozen=True, kw_only=True, eq=False)
class Objective(ABC):
    """The value of scores for the documents, by a measure as a dialect reads it."""

    documents: Documents
    measure: Measure
    dialect: Dialect
    kernel: Measure
    """The measure with every parameter set."""

    @staticmethod
    def of(documents: Documents, metric: str | Measure, dialect: str | Dialect = "standard") -> Objective:
        """Return the objective. Documents in arrays have no ids: a dialect that orders ties by them gets their mean."""
        spoken = dialects.get(dialect)
        (measure,) = spoken.select(metric)
        spoken = spoken.changed(ties=Ties.EXPECTED) if spoken.ties in (Ties.DOCID, Ties.ASCENDING) else spoken
        spoken = spoken.topped(float(np.max(documents.grades, initial=0.0)))
        kernel = spoken.read(measure).bound(DEFAULTS)
        form, divisor = taken_apart(kernel)
        given: dict[str, Any] = {"documents": documents, "measure": measure, "dialect": spoken, "kernel": kernel}
        if form is None or form.shape is not Shape.LINEAR or not _sortable(documents, measure, spoken):
            return General(**given)
        return Discounted(**given, form=form, divisor=divisor)

    def chosen(self, queries: BoolArray) -> Objective:
        """Return the objective over some of the queries."""
        return Objective.of(self.documents.chosen(queries), self.measure, self.dialect)

    def with_ties(self, ties: Ties) -> Objective:
        """Return the same objective with tied documents ordered, or averaged, in another way."""
        return Objective.of(self.documents, self.measure, self.dialect.changed(ties=ties))

    @abstractmethod
    def values(self, scores: FloatArray) -> FloatArray:
        """Return the value of each query, settled as the dialect says; NaN if it leaves the query out."""

    @abstractmethod
    def table(self, columns: FloatArray, ties: Ties | None = None) -> FloatArray:
        """Return the values of many scores at once (columns × queries); by default with the dialect's ties."""

    @property
    @abstractmethod
    def live(self) -> BoolArray:
        """For which queries the order of the documents can change the value."""

    @property
    def short(self) -> BoolArray:
        """Which queries have too few documents, so that the dialect counts them 0."""
        zeroed = self.dialect.choice("short", self.measure) is ShortList.ZERO
        return np.asarray(self.documents.sizes < (self.measure.depth if zeroed else 0))

    @cached_property
    def grades(self) -> FloatArray:
        """The grades on the dialect's scale."""
        grades = self.documents.grades
        grades = self.dialect.rescaled(grades) if self.dialect.rescales else grades
        return apply_negative(grades, self.dialect.negative)

    @cached_property
    def constant(self) -> FloatArray:
        """The settled value of each query under some order; for a query that is not live, under every order."""
        # Raises an error for what the dialect refuses: grades off its scale, lists that are too short.
        return self._score(np.zeros(len(self.documents.grades)))

    def mean(self, scores: FloatArray) -> float:
        """Return the measure's value over all queries for these scores."""
        return self.overall(self.values(scores))

    def completed(self, queries: BoolArray, values: FloatArray) -> float:
        """The measure's value over all queries from the values of some; the others have one whatever the order."""
        whole = self.constant.copy()
        whole[queries] = values
        return self.overall(whole)

    def overall(self, values: FloatArray) -> float:
        """The measure's value over all queries from the value of each: their mean, or the measure's own aggregate."""
        return self.measure.facts.aggregate.over(values, single=self.dialect.single_arithmetic)

    def _score(self, scores: FloatArray, **overrides: Any) -> FloatArray:
        """Return the values by `score_arrays`; those of several columns of scores one after another."""
        grades, sizes, times = self.documents.grades, self.documents.sizes, scores.size // len(scores)
        return score_arrays(
            np.tile(grades, times),
            scores.T.ravel(),
            self.measure,
            group=np.tile(sizes, times),
            unscored=True,
            dialect=self.dialect,
            **overrides,
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class General(Objective):
    """Any measure, by its own kernel."""

    def values(self, scores: FloatArray) -> FloatArray:
        return self._score(scores)

    def table(self, columns: FloatArray, ties: Ties | None = None) -> FloatArray:
        # Several columns at once, each as if for queries of its own.
        step, overrides = max(1, TOGETHER // len(columns)), {} if ties is None else {"ties": ties}
        parts = [columns[:, low : low + step] for low in range(0, columns.shape[1], step)]
        return np.concatenate([self._score(part, **overrides).reshape(part.shape[1], -1) for part in parts])

    @cached_property
    def live(self) -> BoolArray:
        """Queries with documents of different grades: no measure tells two orders of equal grades apart."""
        return self.documents.mixed


@dataclass(frozen=True, kw_only=True, eq=False)
class Discounted(Objective):
    """A sum of gains, each weighted by its document's rank, over the query's divisor.

    A query whose value no order can change is settled once; only the others are sorted.
    """

    form: Form
    """What the sum is made of."""
    divisor: Divisor | None

    def values(self, scores: FloatArray) -> FloatArray:
        return self._rank(scores, self.dialect.ties)

    def table(self, columns: FloatArray, ties: Ties | None = None) -> FloatArray:
        return np.array([self._rank(column, ties or self.dialect.ties) for column in columns.T])

    @cached_property
    def gains(self) -> FloatArray:
        """What each document adds at a rank of weight 1."""
        return worths_of(self.form, self.grades)

    @cached_property
    def ideal(self) -> FloatArray:
        """What the sum of each query is divided by."""
        return divisors_of(self.divisor, self.grades, self.documents.sizes)

    @cached_property
    def live(self) -> BoolArray:
        """For which queries the order of the documents can change the value."""
        low, high = (at.reduceat(self.gains, self.documents.starts) for at in (np.minimum, np.maximum))
        return np.asarray((low < high) & (self.ideal > 0) & ~self.short & ~np.isnan(self.constant))

    @cached_property
    def rows(self) -> BoolArray:
        """The documents of the live queries."""
        return np.asarray(self.live[self.documents.query])

    @cached_property
    def _sorting(self) -> _Sorting:
        sizes = self.documents.sizes[self.live]
        rank = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes) + 1.0
        return _Sorting(sizes=sizes, gains=self.gains[self.rows], weights=weights_of(self.form, rank))

    def _rank(self, scores: FloatArray, ties: Ties) -> FloatArray:
        if not np.isfinite(scores).all():
            return self._score(scores, ties=ties)
        live = scores[self.rows]
        live = comparable_scores(live, self.dialect.ranking) if self.dialect.single_precision else live
        sums = self._sorting.sums(live, expected=ties is Ties.EXPECTED)
        values = self.constant.copy()
        values[self.live] = sums / self.ideal[self.live]
        return values


@dataclass(frozen=True, kw_only=True, eq=False)
class _Sorting(Grouped):
    """Lists one after another: the gains of their documents and the weights of their places."""

    sizes: IndexArray
    gains: FloatArray
    weights: FloatArray

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
        weights = self._share_weights(scores[order]) if expected else self.weights
        return np.asarray(np.add.reduceat(self.gains[order] * weights, self.starts))

    def _share_weights(self, scores: FloatArray) -> FloatArray:
        """Return the weights of the places, the same for all documents of a group with one score."""
        opens = np.ones(len(scores), dtype=bool)
        opens[1:] = scores[1:] != scores[:-1]
        opens[self.starts] = True
        if opens.all():
            return self.weights
        first = np.flatnonzero(opens)
        counts = np.diff(first, append=len(scores))
        return np.repeat(np.add.reduceat(self.weights, first) / counts, counts)


def _sortable(documents: Documents, measure: Measure, dialect: Dialect) -> bool:
    """Whether sorting and adding gives the dialect's values: nothing is cut or rounded, and only ties leave it open."""
    plain = not dialect.single_arithmetic and dialect.depth is None and dialect.provider(measure).decimals is None
    ordered = dialect.ties in (Ties.EXPECTED, Ties.INPUT)
    return plain and ordered and bool(np.isfinite(apply_negative(documents.grades, dialect.negative)).all())
