"""What is estimated for every run of a board: a measure, taken apart into steps of worth and weights of ranks.

A grade's worth is a sum of steps, one for each threshold of the scale that the grade reaches. So the value of a run is
a polynomial in indicators "the document reaches threshold t", and a ratio divides it by a function of their sums.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rankgauge import dialects
from rankgauge.dialects import Dialect
from rankgauge.errors import InputError, ParameterError, RankGaugeError
from rankgauge.labelling.board.pool import BoardPool
from rankgauge.labelling.defaults import DIALECT
from rankgauge.labelling.moments import stakes
from rankgauge.labelling.target import grade_worths, require_mean
from rankgauge.measures import MEASURES, Aggregate, Measure, parse
from rankgauge.measures.forms import Form, Shape
from rankgauge.measures.measure import DEFAULTS
from rankgauge.numeric import BoolArray, FloatArray
from rankgauge.policies import IdealPool, ShortList, Ties, Unjudged

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
        """The ideal sum of each query at its counts (queries × thresholds), linear between whole ones."""
        if self.plain:
            return np.asarray(counts @ self.steps * self.weights[0])
        return np.asarray(np.interp(counts, np.arange(len(self._sums)), self._sums) @ self.steps)

    def expected(self, counts: FloatArray, variance: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The expected ideal sum (queries) for log-normal counts, and its slope in each count's mean, steps included
        (queries × thresholds)."""
        if self.plain:
            return self.at(counts), np.broadcast_to(self.steps * self.weights[0], counts.shape)
        present, slopes = self._presence(counts, variance)
        return np.asarray(present @ self.weights @ self.steps), slopes @ self.weights * self.steps

    def smooth_slopes(self, counts: FloatArray, deviation: FloatArray) -> FloatArray:
        """The slope in each count, steps included, where D is smoothed by a normal kernel of that deviation."""
        if self.plain:
            return np.broadcast_to(self.steps * self.weights[0], counts.shape)
        places = np.arange(len(self.weights)) + 0.5
        x = (counts[..., np.newaxis] - places) / deviation[..., np.newaxis]
        return np.asarray(np.exp(-(x**2) / 2) @ self.weights / np.sqrt(2 * np.pi) / deviation * self.steps)

    def _presence(self, counts: FloatArray, variance: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The chance that each count reaches each rank (queries × thresholds × ranks), and its slope in the count."""
        from scipy.special import ndtr

        mean = np.maximum(counts, LEAST)
        spread = np.maximum(np.sqrt(np.log1p(variance / mean**2)), 1e-6)[..., np.newaxis]
        x = (np.log(mean)[..., np.newaxis] - self._logs - spread**2 / 2) / spread
        density = np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)
        return ndtr(x), density / (spread * mean[..., np.newaxis])

    @cached_property
    def _logs(self) -> FloatArray:
        return np.asarray(np.log(np.arange(len(self.weights)) + 0.5))


class IdealCascade(IdealSum):
    """The value of the ideal order where a user reads it until a document stops them."""

    @property
    def plain(self) -> bool:
        return False

    def at(self, counts: FloatArray) -> FloatArray:
        places = np.arange(len(self.weights))
        return self._read(np.clip(counts[..., np.newaxis] - places, 0.0, 1.0))[0]

    def expected(self, counts: FloatArray, variance: FloatArray) -> tuple[FloatArray, FloatArray]:
        present, slopes = self._presence(counts, variance)
        value, stake = self._read(present)
        return value, np.einsum("qtr,qr->qt", slopes, stake) * self.steps

    def smooth_slopes(self, counts: FloatArray, deviation: FloatArray) -> FloatArray:
        from scipy.special import ndtr

        x = (counts[..., np.newaxis] - np.arange(len(self.weights)) - 0.5) / deviation[..., np.newaxis]
        density = np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi) / deviation[..., np.newaxis]
        return np.asarray(np.einsum("qtr,qr->qt", density, self._read(ndtr(x))[1]) * self.steps)

    def _read(self, present: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The value of the ideal order (queries), and its slope in the chance of a stop at each rank (queries ×
        ranks)."""
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
    def of(
        cls,
        measure: str | Measure,
        pool: BoardPool,
        *,
        grades: FloatArray,
        dialect: str | Dialect = DIALECT,
        **overrides: Any,
    ) -> BoardTarget:
        """The target that a measure of the registry names, for documents whose grades are on this ascending scale."""
        sizes = {"deepest": pool.deepest, "most": int(pool.sizes.max())}
        return cls.sized(measure, **sizes, grades=grades, dialect=dialect, **overrides)

    @classmethod
    def sized(
        cls,
        measure: str | Measure,
        *,
        deepest: int,
        most: int,
        grades: FloatArray,
        dialect: str | Dialect = DIALECT,
        **overrides: Any,
    ) -> BoardTarget:
        """Take a measure apart for lists of at most `deepest` ranks and queries of at most `most` judged documents."""
        spoken = _spoken(dialect, grades, overrides)
        wanted, above, below = taken_apart(measure, spoken)
        return cls(
            name=str(parse(measure)),
            measure=wanted,
            dialect=spoken,
            shape=above.shape,
            grades=grades,
            steps=_steps(above, spoken, grades, wanted),
            weights=form_weights(above, deepest),
            ideal=None if below is None else _ideal(below, spoken, grades, wanted, most),
        )

    @classmethod
    def scored(
        cls,
        measure: str | Measure,
        pool: BoardPool,
        *,
        grades: FloatArray,
        dialect: str | Dialect = DIALECT,
        **overrides: Any,
    ) -> BoardTarget:
        """The same for any measure that is a mean over queries, under any dialect: for estimates that score whole
        gradings. One that cannot be taken apart has no steps, and all ranks that it looks at weigh alike."""
        try:
            return cls.of(measure, pool, grades=grades, dialect=dialect, **overrides)
        except ParameterError:
            spoken = _spoken(dialect, grades, overrides)
        wanted = spoken.read(parse(measure)).bound(DEFAULTS)
        require_mean(wanted, spoken)
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
        low, high = self.measure.facts.bounds
        return (high - low) / 2

    def needed(self, pool: BoardPool) -> BoolArray:
        """Which documents of the pool the value depends on: those at ranks that count, or all that an ideal has."""
        if self.ideal is not None or self.shape is Shape.OTHER:
            return np.ones(len(pool.documents), dtype=bool)
        found = np.zeros(len(pool.documents), dtype=bool)
        found[pool.document[self.weights[pool.rank - 1] != 0]] = True
        return found

    def over_ideal(self, sums: FloatArray, counts: FloatArray) -> FloatArray:
        """Sums over lists (runs × queries) over the ideal sums of these counts (queries × thresholds), if there is one.

        A query that has no relevant document is worth 0.
        """
        if self.ideal is None:
            return sums
        ideal = self.ideal.at(counts)
        return np.where(ideal > 0, sums / np.where(ideal > 0, ideal, 1.0), 0.0)

    def __str__(self) -> str:
        return self.name


def _spoken(dialect: str | Dialect, grades: FloatArray, overrides: dict[str, Any]) -> Dialect:
    """The dialect on a scale whose top is its highest grade; ties in the runs are those of their files."""
    return dialects.get(dialect).changed(**overrides).changed(ties=Ties.INPUT).topped(float(np.max(grades)))


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
    """Raises an error if two names are one measure."""
    names: dict[str, str] = {}
    for target in targets:
        other = names.setdefault(str(target.measure), target.name)
        if other is not target.name:
            raise InputError(f"{other} and {target.name} are the same measure here", hint="Name it once.")


def check_scale(grades: FloatArray, scale: FloatArray) -> None:
    """Raises an error if a grade that is known is not on the scale."""
    # A grade below the scale is worth as little as its lowest; between two grades or above them it has no worth.
    off = grades[(grades > scale[0]) & ~np.isin(grades, scale)]
    if len(off):
        shown = ", ".join(f"{grade:g}" for grade in scale)
        raise InputError(f"a grade of {off[0]:g} is not on the scale {shown}", hint="Name every grade of the scale.")


def reached(grades: FloatArray, scale: FloatArray) -> FloatArray:
    """Whether each grade reaches each threshold of the scale: 1 or 0 (documents × thresholds)."""
    return np.asarray(grades[:, np.newaxis] >= scale[1:], dtype=np.float64)


def taken_apart(measure: str | Measure, dialect: Dialect) -> tuple[Measure, Form, Form | None]:
    """A measure as the dialect reads it, what is above the line and what is below it; an error if it is not for boards,
    whatever the pool."""
    wanted = dialect.read(parse(measure)).bound(DEFAULTS)
    require_mean(wanted, dialect)
    require_plain(wanted, dialect)
    return (wanted, *_parts(wanted, str(parse(measure))))


def _parts(measure: Measure, name: str) -> tuple[Form, Form | None]:
    """What is above the line and what is below it; an error calls the measure by that name."""
    found = _stated(measure)
    if found is None:
        sums = ", ".join(one for one in MEASURES if _is_sum(one))
        expected = f"one of those that add up what documents are worth at their ranks, by formulas known here: {sums}"
        raise ParameterError("a board", "measure", expected, name)
    return found


def _stated(measure: Measure) -> tuple[Form, Form | None] | None:
    """What is above the line and what is below it, as the measure states them; None if it does not."""
    form, above, below = measure.form(), measure.numerator(), measure.ideal()
    if form is not None and form.shape in (Shape.LINEAR, Shape.CASCADE):
        return form, None
    if above is None or below is None or above.shape is Shape.OTHER or below.shape not in (Shape.LINEAR, Shape.CASCADE):
        return None
    return above, below


def _is_sum(name: str) -> bool:
    """Whether the measure of that name, with a cutoff if it needs one, can be a target."""
    try:
        measure = parse(name).bound(DEFAULTS)
    except RankGaugeError:
        return "@" not in name and _is_sum(f"{name}@10")
    return measure.facts.aggregate is Aggregate.MEAN and _stated(measure) is not None


def require_plain(measure: Measure, dialect: Dialect) -> None:
    """An error if a dialect changes a measure in a way that no estimate of a board knows."""
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


def form_weights(form: Form, deepest: int) -> FloatArray:
    """The weights of the ranks 1, 2, … up to the deepest, 0 past the cutoff."""
    ranks = np.arange(1.0, deepest + 1)
    return np.where(ranks <= (np.inf if form.cutoff is None else form.cutoff), form.weight(ranks), 0.0)


def _ideal(form: Form, dialect: Dialect, grades: FloatArray, measure: Measure, most: int) -> IdealSum:
    last = most if form.cutoff is None else int(min(form.cutoff, most))
    weights = form.weight(np.arange(1.0, last + 1))
    kind = IdealCascade if form.shape is Shape.CASCADE else IdealSum
    return kind(steps=_steps(form, dialect, grades, measure), weights=weights, cut=form.cutoff is not None)
