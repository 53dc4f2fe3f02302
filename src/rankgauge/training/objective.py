"""Objective: what rankers optimise, the value of scores for some documents by a measure under a dialect.

The values are those of `score_arrays`. Where a measure is a weighted sum of gains (DCG, CG, RBP, P) or such a sum over
that of the ideal order (nDCG), one evaluation is one sort, a gather and a sum; empty and short queries are settled
once, since no order of the documents changes them. Every other measure goes through its own kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from rankgauge import dialects
from rankgauge.dialects import Dialect
from rankgauge.evaluation.arrays import score_arrays
from rankgauge.measures import Measure
from rankgauge.measures.forms import Form, Shape
from rankgauge.measures.measure import DEFAULTS
from rankgauge.numeric import BoolArray, FloatArray, IndexArray
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
    divisors = np.ones(len(sizes))
    if divisor is None:
        return divisors
    for rows, (padded,) in pad_groups(sizes, grades):
        ideal = -np.sort(-padded, axis=1)
        lists = RankedLists(ranks=ideal, grades=ideal, ideal=ideal, retrieved=sizes[rows].astype(np.float64))
        divisors[rows] = divisor(lists)
    return divisors


@dataclass(frozen=True, kw_only=True, eq=False)
class Objective:
    """The value of scores for the documents, by a measure as a dialect reads it: any measure, by its own kernel."""

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
        # Sorting and adding gives the dialect's values if nothing is cut or rounded, and only ties leave orders open.
        plain = not spoken.single_arithmetic and spoken.depth is None and spoken.provider(measure).decimals is None
        finite = bool(np.isfinite(apply_negative(documents.grades, spoken.negative)).all())
        sortable = plain and finite and spoken.ties in (Ties.EXPECTED, Ties.INPUT)
        if form is None or form.shape is not Shape.LINEAR or not sortable:
            return Objective(**given)
        return Discounted(**given, form=form, divisor=divisor)

    def of_queries(self, queries: BoolArray) -> Objective:
        """Return the objective over some of the queries."""
        return Objective.of(self.documents.of_queries(queries), self.measure, self.dialect)

    def with_ties(self, ties: Ties) -> Objective:
        """Return the same objective with tied documents ordered, or averaged, in another way."""
        return Objective.of(self.documents, self.measure, self.dialect.changed(ties=ties))

    def values(self, scores: FloatArray) -> FloatArray:
        """Return the value of each query, settled as the dialect says; NaN if it leaves the query out."""
        return self._score(scores)

    def table(self, columns: FloatArray, ties: Ties | None = None) -> FloatArray:
        """Return the values of many scores at once (columns × queries); by default with the dialect's ties."""
        # Several columns at once, each as if for queries of its own.
        step, overrides = max(1, TOGETHER // len(columns)), {} if ties is None else {"ties": ties}
        parts = [columns[:, low : low + step] for low in range(0, columns.shape[1], step)]
        return np.concatenate([self._score(part, **overrides).reshape(part.shape[1], -1) for part in parts])

    @cached_property
    def live(self) -> BoolArray:
        """For which queries the order of the documents can change the value; that of equal grades never does."""
        return self.documents.mixed

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
        low, high = (at.reduceat(self.gains, self.documents.starts) for at in (np.minimum, np.maximum))
        return np.asarray((low < high) & (self.ideal > 0) & ~self.short & ~np.isnan(self.constant))

    @cached_property
    def rows(self) -> BoolArray:
        """The documents of the live queries."""
        return np.asarray(self.live[self.documents.query])

    @cached_property
    def _lists(self) -> tuple[FloatArray, FloatArray, IndexArray, npt.NDArray[Any]]:
        """The live lists, one after another: gains of their documents, weights of their places, where each begins, and
        which one each document is in, in 16 bits where that is enough: NumPy sorts those in linear time."""
        sizes = self.documents.sizes[self.live]
        starts, number = np.cumsum(sizes) - sizes, np.arange(len(sizes))
        rank = np.arange(sizes.sum()) - np.repeat(starts, sizes) + 1.0
        lists = np.repeat(number.astype(np.uint16) if len(sizes) < 1 << 16 else number, sizes)
        return self.gains[self.rows], weights_of(self.form, rank), starts, lists

    def _rank(self, scores: FloatArray, ties: Ties) -> FloatArray:
        if not np.isfinite(scores).all():
            return self._score(scores, ties=ties)
        live, values = scores[self.rows], self.constant.copy()
        if not len(live):
            return values
        live = comparable_scores(live, self.dialect.ranking) if self.dialect.single_precision else live
        gains, weights, starts, lists = self._lists
        order = np.argsort(-live, kind="stable")
        order = order[np.argsort(lists[order], kind="stable")]
        if ties is Ties.EXPECTED:  # all documents of a group with one score have the mean weight of its places
            ranked, opens = live[order], np.ones(len(live), dtype=bool)
            opens[1:] = ranked[1:] != ranked[:-1]
            opens[starts] = True
            if not opens.all():
                first = np.flatnonzero(opens)
                counts = np.diff(first, append=len(live))
                weights = np.repeat(np.add.reduceat(weights, first) / counts, counts)
        values[self.live] = np.add.reduceat(gains[order] * weights, starts) / self.ideal[self.live]
        return values
