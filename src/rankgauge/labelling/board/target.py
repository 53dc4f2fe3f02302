"""What is estimated for every run of a board: a measure, taken apart into steps of worth and weights of ranks.

A grade's worth is a sum of steps, one for each threshold of the scale that the grade reaches. So the value of a run is
a polynomial in indicators "the document reaches threshold t", and a ratio divides it by a function of their sums.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import fsum
from typing import Any

import numpy as np

from rankgauge.dialects import Dialect
from rankgauge.errors import InputError, ParameterError, RankGaugeError
from rankgauge.labelling.board.pool import BoardPool
from rankgauge.labelling.moments import stakes
from rankgauge.labelling.target import form_weights, grade_worths, read_mean, spoken_dialect
from rankgauge.measures import MEASURES, Aggregate, Measure, parse
from rankgauge.measures.forms import Form, Shape
from rankgauge.measures.measure import DEFAULTS
from rankgauge.numeric import BoolArray, FloatArray
from rankgauge.policies import IdealPool, ShortList, Unjudged

LEAST = 1e-9
"""Stands for a count or a spread of 0 where a logarithm or a quotient is taken."""


@dataclass(frozen=True, kw_only=True, eq=False)
class IdealSum:
    """The steps of worth from grade to grade (thresholds), and the weights of the ranks 1, 2, … that count."""

    steps: FloatArray
    weights: FloatArray
    cut: bool
    """Whether counts beyond the last weight add nothing; else they go on with the last weight."""

    @property
    def plain(self) -> bool:
        """Whether every document counts alike, so that D(n) is a multiple of n."""
        return not self.cut and bool(np.all(self.weights == self.weights[0]))

    @property
    def used(self) -> BoolArray:
        """The thresholds that matter."""
        return np.asarray(self.steps != 0)

    @property
    def least(self) -> float:
        """The least ideal sum that is divided by: that of one document of the lowest worth, or half of it where a count
        below 1 may stand for one."""
        step = float(np.min(self.steps[self.used]))
        return step * float(self.weights[0]) * (1.0 if self.plain else 0.5)

    @cached_property
    def _sums(self) -> FloatArray:
        return np.append(0.0, np.cumsum(self.weights))

    def at(self, counts: FloatArray) -> FloatArray:
        """Return the ideal sum of each query at its counts (queries × thresholds), linear between whole ones."""
        if self.plain:
            return np.asarray(counts @ self.steps * self.weights[0])
        return np.asarray(np.interp(counts, np.arange(len(self._sums)), self._sums) @ self.steps)

    def expect(self, counts: FloatArray, variance: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the expected ideal sum (queries) for log-normal counts, and its slope in each count's mean, steps
        included (queries × thresholds)."""
        if self.plain:
            return self.at(counts), np.broadcast_to(self.steps * self.weights[0], counts.shape)
        mean = np.maximum(counts, LEAST)[..., np.newaxis]
        spread = np.maximum(np.sqrt(np.log1p(variance[..., np.newaxis] / mean**2)), 1e-6)
        return self._read((np.log(mean) - np.log(self._places) - spread**2 / 2) / spread, spread * mean)

    def smooth_slopes(self, counts: FloatArray, deviation: FloatArray) -> FloatArray:
        """Return the slope in each count, steps included, where D is smoothed by a normal kernel of that deviation."""
        if self.plain:
            return np.broadcast_to(self.steps * self.weights[0], counts.shape)
        wide = deviation[..., np.newaxis]
        return self._read((counts[..., np.newaxis] - self._places) / wide, wide)[1]

    @property
    def _places(self) -> FloatArray:
        return np.arange(0.5, len(self.weights))

    def _read(self, x: FloatArray, wide: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the ideal sum (queries) and its slope in each count (queries × thresholds), where counts reach each
        rank with the chances Φ(x) (queries × thresholds × ranks), whose slopes are φ(x) / wide."""
        from scipy.special import ndtr

        value, stake = self._stakes(ndtr(x))
        slopes = np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi) / wide
        by_rank = np.broadcast_to(stake, (len(x), x.shape[2]))
        return value, np.asarray(np.einsum("qtr,qr->qt", slopes, by_rank) * self.steps, dtype=np.float64)

    def _stakes(self, present: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the ideal sum (queries), and its slope in the worth at each rank (ranks, or queries × ranks)."""
        return np.asarray(present @ self.weights @ self.steps), self.weights


class IdealCascade(IdealSum):
    """The value of the ideal order where a user reads it until a document stops them."""

    @property
    def plain(self) -> bool:
        return False

    def at(self, counts: FloatArray) -> FloatArray:
        return self._stakes(np.clip(counts[..., np.newaxis] - np.arange(len(self.weights)), 0.0, 1.0))[0]

    def _stakes(self, present: FloatArray) -> tuple[FloatArray, FloatArray]:
        stops = np.einsum("qtr,t->rq", present, self.steps)
        stake, value = stakes(np.broadcast_to(self.weights[:, np.newaxis], stops.shape), stops)
        reached = np.ones_like(stops)
        np.cumprod(1.0 - stops[:-1], axis=0, out=reached[1:])
        return value, (reached * stake).T


PLAIN = {"unjudged": Unjudged.NOT_RELEVANT, "single_arithmetic": False, "fewest": 1, "cut_ideal": False, "depth": None}
"""The choices of a dialect under which a value is what the measure's formula says of the whole list."""


@dataclass(frozen=True, kw_only=True, eq=False)
class BoardTarget:
    """A measure under a dialect, on a scale of grades.

    `steps` (thresholds) is what each threshold adds to the worth of a document, `weights` what the ranks 1, 2, … are
    worth, 0 past the cutoff. `ideal` is what the sum is divided by, if by anything. `name` is as the user wrote it.
    """

    name: str
    measure: Measure
    dialect: Dialect
    shape: Shape
    grades: FloatArray
    steps: FloatArray
    weights: FloatArray
    ideal: IdealSum | None

    @classmethod
    def of(cls, measure: str | Measure, pool: BoardPool, *, grades: FloatArray, **dialect: Any) -> BoardTarget:
        """Return the target that a measure of the registry names, for documents with grades on this ascending scale."""
        return cls.of_size(measure, deepest=pool.deepest, most=int(pool.sizes.max()), grades=grades, **dialect)

    @classmethod
    def of_size(
        cls, measure: str | Measure, *, deepest: int, most: int, grades: FloatArray, **dialect: Any
    ) -> BoardTarget:
        """Take a measure apart for lists of at most `deepest` ranks and queries of at most `most` judged documents."""
        spoken = spoken_dialect(grades, **dialect)
        wanted, above, below = taken_apart(measure, spoken)
        ideal: IdealSum | None = None
        if below is not None:
            weights = below.weight(np.arange(1.0, int(min(np.inf if below.cutoff is None else below.cutoff, most)) + 1))
            kind = IdealCascade if below.shape is Shape.CASCADE else IdealSum
            ideal = kind(steps=_steps(below, spoken, grades, wanted), weights=weights, cut=below.cutoff is not None)
        return cls(
            name=str(parse(measure)),
            measure=wanted,
            dialect=spoken,
            shape=above.shape,
            grades=grades,
            steps=_steps(above, spoken, grades, wanted),
            weights=form_weights(above, deepest),
            ideal=ideal,
        )

    @classmethod
    def for_any_measure(
        cls, measure: str | Measure, pool: BoardPool, *, grades: FloatArray, **dialect: Any
    ) -> BoardTarget:
        """Return the target of any measure that is a mean over queries, for estimates that score whole gradings.

        A measure that cannot be taken apart has no steps, and all ranks that it looks at weigh alike.
        """
        try:
            return cls.of(measure, pool, grades=grades, **dialect)
        except ParameterError:
            spoken = spoken_dialect(grades, **dialect)
        wanted = read_mean(measure, spoken)
        return cls(
            name=str(parse(measure)),
            measure=wanted,
            dialect=spoken,
            shape=Shape.OTHER,
            grades=grades,
            steps=np.zeros(len(grades) - 1),
            weights=(np.arange(pool.deepest) < (wanted.depth or np.inf)).astype(np.float64),
            ideal=None,
        )

    @property
    def deep(self) -> bool:
        """Whether the value is a share of all relevant documents, so that it follows their number one to one."""
        return self.ideal is not None and self.ideal.plain

    @property
    def widest(self) -> float:
        """Half the width of the interval that says nothing: all that the measure can be."""
        low, high = self.bounds
        return (high - low) / 2

    @cached_property
    def bounds(self) -> tuple[float, float]:
        """The lowest and the highest value of a list: those of the measure, or of a sum with the top grade at every
        rank."""
        low, high = self.measure.facts.bounds
        if self.ideal is None and self.shape is not Shape.OTHER:
            top = float(self.steps.sum())
            left = 1.0 - top if self.shape is Shape.CASCADE else 1.0
            high = min(high, top * fsum(self.weights * left ** np.arange(len(self.weights))))
        return low, high

    def needed_documents(self, pool: BoardPool) -> BoolArray:
        """Say which documents of the pool the value depends on: those at ranks that count, or all for an ideal."""
        needed = np.full(len(pool.documents), self.ideal is not None or self.shape is Shape.OTHER)
        needed[pool.document[self.weights[pool.rank - 1] != 0]] = True
        return needed

    def over_ideal(self, sums: FloatArray, counts: FloatArray) -> FloatArray:
        """Divide sums over lists (runs × queries) by the ideal sums of counts (queries × thresholds), if there are any.

        A query that has no relevant document is worth 0.
        """
        if self.ideal is None:
            return sums
        ideal = self.ideal.at(counts)
        return np.where(ideal > 0, sums / np.where(ideal > 0, ideal, 1.0), 0.0)

    def __str__(self) -> str:
        return self.name


def scale_for(what: str, grades: Sequence[float], measures: Sequence[Any]) -> FloatArray:
    """Return the scale of grades; an error calls what is made by its name if they do not ascend, or nothing is
    measured."""
    scale = np.asarray(grades, dtype=np.float64)
    if len(scale) < 2 or (np.diff(scale) <= 0).any():
        raise ParameterError(what, "grades", "two or more ascending grades", tuple(grades))
    if not len(measures):
        raise ParameterError(what, "measures", "at least one name, such as nDCG@10", measures)
    return scale


def check_distinct(targets: Sequence[BoardTarget]) -> None:
    """Raise an error if two names are one measure."""
    names: dict[str, str] = {}
    for target in targets:
        other = names.setdefault(str(target.measure), target.name)
        if other is not target.name:
            raise InputError(f"{other} and {target.name} are the same measure here", hint="Name it once.")


def check_scale(grades: FloatArray, scale: FloatArray) -> None:
    """Raise an error if a grade that is known is not on the scale."""
    # A grade below the scale is worth as little as its lowest; between two grades or above them it has no worth.
    off = grades[(grades > scale[0]) & ~np.isin(grades, scale)]
    if len(off):
        shown = ", ".join(f"{grade:g}" for grade in scale)
        raise InputError(f"a grade of {off[0]:g} is not on the scale {shown}", hint="Name every grade of the scale.")


def mark_reached(grades: FloatArray, scale: FloatArray) -> FloatArray:
    """Say whether each grade reaches each threshold of the scale: 1 or 0 (documents × thresholds)."""
    return np.asarray(grades[:, np.newaxis] >= scale[1:], dtype=np.float64)


def taken_apart(measure: str | Measure, dialect: Dialect) -> tuple[Measure, Form, Form | None]:
    """Return a measure as the dialect reads it, what is above the line and what is below it; an error if it is not for
    boards, whatever the pool."""
    wanted = read_mean(measure, dialect)
    require_plain(wanted, dialect)
    ratio = _state_ratio(wanted)
    if ratio is None:
        sums = ", ".join(name for name in MEASURES if _is_sum(name))
        expected = f"one of those that add up what documents are worth at their ranks, by formulas known here: {sums}"
        raise ParameterError("a board", "measure", expected, str(parse(measure)))
    return wanted, *ratio


def _state_ratio(measure: Measure) -> tuple[Form, Form | None] | None:
    """Return what is above the line and what is below it, as the measure states them; None if it does not."""
    form, above, below = measure.form(), measure.numerator(), measure.ideal()
    if form is not None and form.shape in (Shape.LINEAR, Shape.CASCADE):
        return form, None
    if above is None or below is None or above.shape is Shape.OTHER or below.shape not in (Shape.LINEAR, Shape.CASCADE):
        return None
    return above, below


def _is_sum(name: str) -> bool:
    """Say whether the measure of that name, with a cutoff if it needs one, can be a target."""
    try:
        measure = parse(name).bound(DEFAULTS)
    except RankGaugeError:
        return "@" not in name and _is_sum(f"{name}@10")
    return measure.facts.aggregate is Aggregate.MEAN and _state_ratio(measure) is not None


def require_plain(measure: Measure, dialect: Dialect) -> None:
    """Raise an error if a dialect changes a measure in a way that no estimate of a board knows."""
    broken = [name for name, plain in PLAIN.items() if getattr(dialect, name) != plain]
    broken += ["short"] if dialect.choice("short", measure) is ShortList.ZERO else []
    broken += ["ideal"] if dialect.choice("ideal", measure) is not IdealPool.JUDGED else []
    broken += ["empty"] if dialect.choice("empty", measure) != 0.0 else []
    if broken or measure.judged_only:
        what = ", ".join(broken) or "judged_only"
        raise ParameterError("a board", "dialect", f"one with the usual choice of {what}", dialect.name)


def _steps(form: Form, dialect: Dialect, grades: FloatArray, measure: Measure) -> FloatArray:
    worths = grade_worths(form, dialect, grades)
    if worths[0] != 0 or (np.diff(worths) < 0).any():
        raise InputError(
            f"{measure}: the grades {', '.join(f'{grade:g}' for grade in grades)} are worth "
            f"{', '.join(f'{worth:g}' for worth in worths)}",
            hint="On a board the lowest grade is worth 0, as a document outside the pool is, and no grade less than a "
            "lower one.",
        )
    if form.shape is Shape.CASCADE and worths[-1] > 1:
        raise InputError(
            f"{measure}: a grade of {grades[-1]:g} stops a user with a chance of {worths[-1]:g}",
            hint="Name the top of the scale, as in ERR(max_grade=4).",
        )
    if not worths.any():
        raise InputError(
            f"{measure}: no grade up to {grades[-1]:g} is worth anything",
            hint=f"The highest grade is {grades[-1]:g}: ask for one that there is, as in AP(rel={grades[-1]:g}).",
        )
    return np.diff(worths)
