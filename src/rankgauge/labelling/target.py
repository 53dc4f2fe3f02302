"""The target: the value that is to be estimated, of one ranker or of the difference between two."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from rankgauge import dialects
from rankgauge.dialects import Dialect
from rankgauge.errors import ParameterError
from rankgauge.evaluation.arrays import score_arrays
from rankgauge.labelling.defaults import DIALECT
from rankgauge.labelling.pool import Pool
from rankgauge.measures import Aggregate, Measure, parse
from rankgauge.measures.forms import Form, Shape
from rankgauge.measures.measure import DEFAULTS
from rankgauge.numeric import BoolArray, FloatArray
from rankgauge.policies import LEAVE_OUT, ShortList, Ties, Unjudged
from rankgauge.ranking import RankedLists
from rankgauge.ranking.hits import apply_negative

T = TypeVar("T")


def _once_for(*arrays: str) -> Callable[[Callable[[Any, Pool], T]], Callable[[Any, Pool], T]]:
    """Let a target compute something of a pool once for the same of these arrays of the pool."""

    def once(compute: Callable[[Any, Pool], T]) -> Callable[[Any, Pool], T]:
        @wraps(compute)
        def known_or_computed(target: Target, pool: Pool) -> T:
            sources = tuple(getattr(pool, name) for name in arrays)
            return target.remember(compute.__name__, sources, lambda: compute(target, pool))

        return known_or_computed

    return once


@dataclass(frozen=True, kw_only=True, eq=False)
class Target:
    """A measure under a dialect, as the mean over a pool's queries; for two rankers the first's minus the second's.

    `shape` says whether the value is linear in the worths of grades, a cascade over them, or anything else; `worth`
    is the worth of each grade of the pool's scale (empty for OTHER).
    """

    measure: Measure
    dialect: Dialect
    shape: Shape
    worth: FloatArray
    form: Form | None
    _memory: dict[str, tuple[tuple[object, ...], Any]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, measure: str | Measure, pool: Pool, dialect: str | Dialect = DIALECT, **overrides: Any) -> Target:
        """Return the target that a measure of the registry names; `overrides` replace single choices of the dialect."""
        spoken = spoken_dialect(np.append(pool.grades, 0.0), dialect=dialect, **overrides)
        wanted = read_mean(measure, spoken)
        condenses = wanted.judged_only or spoken.unjudged is Unjudged.SKIP
        unjudged = condenses and not np.isfinite(apply_negative(pool.grades, spoken.negative)).all()
        refused = bool(((pool.lengths > 0) & (pool.lengths < spoken.fewest)).any())
        # Only then is the value what the formula gives on the whole list, in double precision.
        is_plain = not (unjudged or refused or spoken.single_arithmetic)
        form = wanted.form() if is_plain else None
        worth = np.zeros(0) if form is None else grade_worths(form, spoken, pool.grades)
        if form is not None and form.shape is Shape.CASCADE and not ((worth >= 0) & (worth <= 1)).all():
            form, worth = None, np.zeros(0)  # a chance of stopping above 1 is not a probability
        shape = Shape.OTHER if form is None else form.shape
        return cls(measure=wanted, dialect=spoken, shape=shape, worth=worth, form=form)

    def remember(self, name: str, sources: tuple[object, ...], compute: Callable[[], T]) -> T:
        """Return what `compute` gives, computed once for the same source arrays."""
        known = self._memory.get(name)
        if known is None or any(one is not other for one, other in zip(known[0], sources, strict=True)):
            known = self._memory[name] = sources, compute()
        value: T = known[1]
        return value

    @_once_for("ranks", "sizes")
    def weights(self, pool: Pool) -> FloatArray:
        """The weight of each document's rank in each ranker's list (documents × rankers), 0 where it does not count."""
        ranks = np.nan_to_num(pool.ranks, nan=0.0)
        if self.dialect.choice("short", self.measure) is ShortList.ZERO:
            ranks = np.where((pool.lengths < self.measure.depth)[pool.query], 0.0, ranks)
        return np.asarray(np.concatenate([[0.0], self._rank_weights(pool)])[ranks.astype(np.intp)])

    def last(self, pool: Pool) -> int:
        """Return the last rank that counts in the pool's lists."""
        return int(np.max(np.flatnonzero(self._rank_weights(pool)) + 1, initial=0))

    def _rank_weights(self, pool: Pool) -> FloatArray:
        """Return the weights of the ranks 1, 2, … of the longest list."""
        assert self.form is not None
        weights = form_weights(self.form, int(pool.lengths.max()))
        if self.dialect.depth is not None:
            weights[self.dialect.depth :] = 0.0
        return weights

    @_once_for("ranks", "sizes")
    def needed_documents(self, pool: Pool) -> BoolArray:
        """Return the documents whose grades the value depends on."""
        if self.shape is Shape.OTHER:
            return np.ones(len(pool.documents), dtype=bool)
        return np.asarray((self.weights(pool) != 0).any(axis=1))

    @_once_for("ranks", "costs", "overhead")
    def query_costs(self, pool: Pool) -> FloatArray:
        """Return what it costs to open each query and judge all of its documents that the value depends on."""
        return np.asarray(
            pool.overhead + np.add.reduceat(np.where(self.needed_documents(pool), pool.costs, 0.0), pool.starts)
        )

    def bounds(self, pool: Pool) -> tuple[float, float]:
        """Return the least and the largest value that a query can have."""
        low, high = self.measure.facts.bounds
        return (low, high) if pool.rankers == 1 else (low - high, high - low)

    @_once_for("ranks", "grades")
    def extent(self, pool: Pool) -> tuple[float, float]:
        """Return the bounds, with the least and the largest value in this pool where the measure has none."""
        low, high = self.measure.facts.bounds
        if not np.isfinite([low, high]).all():
            # Such measures are sums over documents: extreme where all documents have the lowest or the highest grade.
            alike = [np.full(len(pool.documents), grade) for grade in (pool.grades.min(), pool.grades.max())]
            values = np.concatenate([values for grades in alike for values in self._score_lists(pool, grades)])
            low, high = max(low, float(values.min())), min(high, float(values.max()))
        return (low, high) if pool.rankers == 1 else (low - high, high - low)

    def worths(self, grades: npt.ArrayLike) -> FloatArray:
        """Return what grades are worth, on the scale or not; NaN where a grade is not known."""
        assert self.form is not None
        return grade_worths(self.form, self.dialect, np.asarray(grades, dtype=np.float64))

    def values(self, pool: Pool, grades: npt.ArrayLike) -> FloatArray:
        """The value of each query under these grades of its documents; NaN if one that it depends on is not known.

        Those of an array that cannot change are computed once.
        """
        known = np.asarray(grades, dtype=np.float64)

        def compute() -> FloatArray:
            lists = self._score_lists(pool, known)
            values = lists[0] if len(lists) == 1 else lists[0] - lists[1]
            lacking = np.isnan(known) & self.needed_documents(pool)
            return np.where(np.logical_or.reduceat(lacking, pool.starts), np.nan, values)

        if known.flags.writeable or not known.flags.owndata:
            return compute()
        return self.remember("values", (pool.ranks, pool.sizes, known), compute)

    def _score_lists(self, pool: Pool, grades: FloatArray) -> list[FloatArray]:
        """Return the values of each ranker's lists."""
        rule: dict[str, Any] = {"group": pool.sizes, "unscored": True, "dialect": self.dialect}
        return [score_arrays(grades, -ranks, self.measure, **rule) for ranks in pool.ranks.T]


def spoken_dialect(grades: FloatArray, *, dialect: str | Dialect = DIALECT, **overrides: Any) -> Dialect:
    """Return the dialect on a scale whose top is its highest grade; ties in the runs are those of their files."""
    return dialects.get(dialect).changed(**overrides).changed(ties=Ties.INPUT).topped(float(np.max(grades)))


def read_mean(named: str | Measure, dialect: Dialect) -> Measure:
    """Return a measure as the dialect reads it; one whose value is not the mean over all queries is refused."""
    measure = dialect.read(parse(named)).bound(DEFAULTS)
    if measure.facts.aggregate is not Aggregate.MEAN:
        raise ParameterError("active evaluation", "measure", "one that is averaged over queries", str(measure))
    # A mean over the queries that turn out to count is a ratio of two unknowns.
    if measure.left_out:
        raise ParameterError("active evaluation", "measure", "one that has a value for every query", str(measure))
    if dialect.choice("empty", measure) == LEAVE_OUT:
        raise ParameterError("active evaluation", "empty", "a number: every query of the pool counts", LEAVE_OUT)
    return measure


def form_weights(form: Form, deepest: int) -> FloatArray:
    """Return the weights of the ranks 1, 2, … up to the deepest, 0 past the cutoff."""
    ranks = np.arange(1.0, deepest + 1)
    return np.where(ranks <= (np.inf if form.cutoff is None else form.cutoff), form.weight(ranks), 0.0)


def grade_worths(form: Form, dialect: Dialect, grades: FloatArray) -> FloatArray:
    """Return what each grade is worth in a form under a dialect; NaN where a grade is not known."""
    scaled = apply_negative(dialect.rescaled(grades) if dialect.rescales else grades, dialect.negative)
    lists = RankedLists(
        ranks=np.arange(1.0, grades.size + 1).reshape(grades.shape),
        grades=scaled,
        ideal=scaled,
        retrieved=np.asarray(float(grades.size)),
    )
    return np.where(np.isnan(grades), np.nan, form.worth(lists))
