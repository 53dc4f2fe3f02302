"""What is estimated for every run of a board: a measure, taken apart into steps of worth and weights of ranks.

A grade's worth is a sum of steps, one for each threshold of the scale that the grade reaches. So the value of a run is
a polynomial in indicators "the document reaches threshold t", and a ratio divides it by a function of their sums.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankgauge import dialects
from rankgauge.dialects import Dialect
from rankgauge.errors import InputError, ParameterError, RankGaugeError
from rankgauge.labelling.board.ideal import IdealCascade, IdealSum
from rankgauge.labelling.board.pool import BoardPool
from rankgauge.labelling.defaults import DIALECT
from rankgauge.labelling.target import grade_worths, require_mean
from rankgauge.measures import MEASURES, Aggregate, Measure, parse
from rankgauge.measures.forms import Form, Shape
from rankgauge.measures.measure import DEFAULTS
from rankgauge.numeric import FloatArray
from rankgauge.policies import IdealPool, ShortList, Ties, Unjudged

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
            weights=_weights(above, deepest),
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


def _weights(form: Form, deepest: int) -> FloatArray:
    ranks = np.arange(1.0, deepest + 1)
    return np.where(ranks <= (np.inf if form.cutoff is None else form.cutoff), form.weight(ranks), 0.0)


def _ideal(form: Form, dialect: Dialect, grades: FloatArray, measure: Measure, most: int) -> IdealSum:
    last = most if form.cutoff is None else int(min(form.cutoff, most))
    weights = form.weight(np.arange(1.0, last + 1))
    kind = IdealCascade if form.shape is Shape.CASCADE else IdealSum
    return kind(steps=_steps(form, dialect, grades, measure), weights=weights, cut=form.cutoff is not None)
