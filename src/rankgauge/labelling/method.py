"""The contract of a method: how documents are chosen, the draws of its plan, and the estimate from their labels; and
forecasts of how wide its interval will be at each budget, before a single label is bought.

Labels may come in any order, but an estimate uses a *prefix* of the draws, all of them complete: otherwise what is
quick to judge would be over-represented.

A method makes a plan from the pool, the target, the budget and a seed, which fix the plan's draws 0, 1, 2, …

Forecasts rest on the beliefs alone. If these are poor, so is the forecast; the estimates themselves stay valid.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
import polars as pl

from rankgauge.errors import ParameterError, UnknownNameError
from rankgauge.evaluation import display
from rankgauge.labelling.defaults import LEVEL
from rankgauge.labelling.intervals import Basis, IntervalKind, ends, half_width
from rankgauge.labelling.pool import Pool, PooledDocuments
from rankgauge.labelling.target import Target
from rankgauge.measures.forms import Shape
from rankgauge.numeric import BoolArray, FloatArray, IndexArray
from rankgauge.registry import Registry


class Draws(ABC):
    """The draws 0, 1, 2, … of a plan, fixed by its pool, budget and seed: whole queries, or single documents."""

    pool: PooledDocuments

    @property
    @abstractmethod
    def length(self) -> int | None:
        """How many draws there are; None if they never end."""

    @property
    @abstractmethod
    def needed(self) -> BoolArray:
        """The documents whose grades an estimate may depend on."""

    @abstractmethod
    def query(self, j: int) -> int:
        """Return the query of draw j: its position in the pool."""

    @abstractmethod
    def asks(self, j: int, grades: FloatArray) -> IndexArray:
        """Return the documents whose grades draw j needs next; none if it is complete.

        `grades` are those of all documents of the pool, NaN if not judged.
        """

    def count_open(self, grades: FloatArray) -> int | None:
        """Return how many draws may ask for labels now; None if all may.

        In a plan of several stages the draws of a stage wait until those of the stages before are complete, because
        their beliefs are fitted to those labels.
        """
        return self.length

    def complete(self, j: int, grades: FloatArray) -> bool:
        """Say whether draw j needs no more labels."""
        return len(self.asks(j, grades)) == 0


class DocumentDraws(Draws):
    """Single documents in an order."""

    _order: IndexArray

    @property
    def length(self) -> int:
        return len(self._order)

    def query(self, j: int) -> int:
        return int(self.pool.query[self._order[j]])

    def asks(self, j: int, grades: FloatArray) -> IndexArray:
        place = self._order[j : j + 1]
        return place if np.isnan(grades[place[0]]) else place[:0]


EVEN = 5e-5
"""The ends of an interval are as far from the value if they are printed alike."""


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """An estimate from the first draws: the value, its standard error, and a confidence interval at the level.

    `freedom` is the degrees of freedom of the standard error. `interval` is the kind of the interval: t if the budget
    was fixed in advance, sequence to stop at any time. `basis` says what the interval rests on; a campaign that a
    version before 0.3 began has none. While no honest interval can be given, its ends are infinite.
    """

    value: float
    error: float
    low: float
    high: float
    level: float
    draws: int
    labels: int
    cost: float
    method: str
    interval: str = IntervalKind.T
    freedom: float = np.inf
    basis: Basis | None = None

    @classmethod
    def around(cls, value: float, error: float, *, draws: int, freedom: float, **fields: Any) -> Estimate:
        """Return the estimate with the interval of its kind and level around the value."""
        level, kind, basis = fields["level"], fields["interval"], fields.get("basis")
        half = float(half_width(error, draws=draws, freedom=freedom, level=level, kind=kind))
        low, high = ends(value, half, basis=basis, level=level)
        return cls(value=value, error=error, low=float(low), high=float(high), draws=draws, freedom=freedom, **fields)

    @property
    def shown(self) -> bool:
        """Whether there is an interval; without one the value is not shown either."""
        return bool(np.isfinite(self.high - self.low))

    @property
    def half(self) -> float | None:
        """How far the interval reaches to either side; None if there is none, or one side is longer than the other."""
        even = math.isclose(self.high - self.value, self.value - self.low, abs_tol=EVEN)
        return (self.high - self.low) / 2 if self.shown and even else None

    @property
    def queries(self) -> int:
        """How many different queries the estimate rests on, as far as it is known."""
        return self.draws if self.basis is None else int(np.asarray(self.basis.queries))

    def to_json(self) -> dict[str, Any]:
        """Return the fields, for JSON; a value that is not shown is NaN."""
        kept = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "basis"}
        if self.basis is None:
            return kept
        return kept | {"value": self.value if self.shown else np.nan, "queries": self.queries}

    def __str__(self) -> str:
        spent = f"{self.cost:g} spent, {self.method}"
        if not self.shown:
            return f"not yet ({spent})"
        return f"{self.value:.4f} ({self.level:.0%} interval {display.interval(self.low, self.high)}; {spent})"

    def _repr_html_(self) -> str:
        cells = (f"{self.value:.4f}", display.interval(self.low, self.high)) if self.shown else ("not yet", "")
        row = (*cells, f"{self.cost:g}")
        heads = ("estimate", f"{self.level:.0%} interval", "spent")
        return display.table(heads, [row], f"method {self.method}; {self.draws} draws; interval: {self.interval}")


@dataclass(frozen=True, kw_only=True, eq=False)
class Repetitions:
    """The estimates of many repetitions on a pool with known grades (one entry per repetition).

    `low` and `high` are the ends of the 95 % interval for a fixed budget, infinite where there is none.
    """

    value: FloatArray
    error: FloatArray
    freedom: FloatArray
    cost: FloatArray
    draws: FloatArray
    labels: FloatArray
    low: FloatArray
    high: FloatArray

    def __len__(self) -> int:
        return len(self.value)

    @classmethod
    def around(
        cls, *, value: FloatArray, error: FloatArray, freedom: FloatArray, basis: Basis | None = None, **facts: Any
    ) -> Self:
        """Return the estimates with their intervals, as those of `Estimate.around`."""
        half = half_width(error, draws=facts["draws"], freedom=freedom, level=LEVEL)
        low, high = ends(value, half, basis=basis, level=LEVEL)
        return cls(value=value, error=error, freedom=freedom, low=low, high=high, **facts)

    @classmethod
    def join(cls, parts: list[Repetitions]) -> Repetitions:
        """Return the repetitions of all parts, one after another."""
        return cls(**{f.name: np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(cls)})


class Plan(Draws):
    """The draws of a method, fixed by pool, target, budget and seed: what they ask for, and the estimate from them.

    At the query level a draw asks for all its documents at once; at the document level the next one depends on the
    grades before.
    """

    method: str = ""
    pool: Pool
    cautious: bool = True
    """Whether intervals widen where they rest on few queries. In campaigns begun before version 0.3 they do not."""

    def __init__(self, pool: Pool, target: Target, *, budget: float, seed: int) -> None:
        if not budget > 0:
            raise ParameterError("a plan", "budget", "a cost above 0", budget)
        self.pool, self.target, self.budget, self.seed = pool, target, float(budget), seed

    @property
    def needed(self) -> BoolArray:
        return self.target.needed_documents(self.pool)

    @abstractmethod
    def price(self, j: int, grades: FloatArray) -> float:
        """Return what draw j has cost, or will cost at the query level; documents of earlier draws are free."""

    @abstractmethod
    def estimate(self, n: int, grades: FloatArray, *, level: float = 0.95, interval: str = IntervalKind.T) -> Estimate:
        """Return the estimate from the first n draws, all of which must be complete."""

    def waiting(self, n: int, grades: FloatArray) -> int:
        """Return how many of the first n draws the estimate does not use yet."""
        return 0

    def basis(self, queries: npt.ArrayLike, whole: npt.ArrayLike = 1.0) -> Basis:
        """Return what an estimate from that number of different queries rests on."""
        return Basis(queries=queries, size=len(self.pool.sizes), bounds=self.target.extent(self.pool), whole=whole)


METHODS: Registry[type[Method]] = Registry("method", "rankgauge.labelling.methods")


@dataclass(frozen=True, kw_only=True)
class Method(ABC):
    """A way to spend a budget of labels; its options are its fields."""

    name: ClassVar[str]
    title: ClassVar[str]

    def __init_subclass__(cls) -> None:
        if not cls.__dict__.get("name") or not cls.__dict__.get("title") or not cls.__doc__:
            raise TypeError(f"{cls.__name__} needs a name, a title and a docstring")
        METHODS.add(cls, cls.name)

    @abstractmethod
    def plan(self, pool: Pool, target: Target, *, budget: float, rng: int = 0) -> Plan:
        """Return the plan for a budget and a seed."""

    @abstractmethod
    def expected_error(self, pool: Pool, target: Target, *, budgets: FloatArray, rng: int = 0) -> FloatArray:
        """Return the standard error to expect at each budget if the beliefs are right."""

    @abstractmethod
    def repeat(
        self, pool: Pool, target: Target, grades: FloatArray, *, budget: float, seeds: IndexArray
    ) -> Repetitions:
        """The estimates of many seeds on a pool with known grades; each spends the budget as a campaign would."""

    def __str__(self) -> str:
        return self.name


def get(name: str | Method, **options: Any) -> Method:
    """Return the method of that name with its options: get("paper", beliefs="uniform")."""
    if isinstance(name, Method):
        return name
    method = METHODS.find(name)
    known = [field.name for field in fields(method)]
    for option in options:
        if option not in known:
            none = "" if known else "It has none."
            raise UnknownNameError(f"option of the method {method.name}", option, known, otherwise=none)
    return method(**options)


SHARES = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75)
"""The budgets of a forecast if none are named, as shares of what judging everything costs."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Forecast:
    """The expected width of the interval by method, at each of the budgets."""

    budgets: FloatArray
    widths: Mapping[str, FloatArray]
    level: float

    def to_frame(self) -> pl.DataFrame:
        """Return a row per method and budget, with what the method saves against passive there."""
        rows = [
            {"method": method, "budget": budget, "width": width, "saving": self.saving(method, "passive", budget)}
            for method, widths in self.widths.items()
            for budget, width in zip(self.budgets.tolist(), widths.tolist(), strict=True)
        ]
        return pl.DataFrame(rows)

    def width(self, method: str, budget: float) -> float:
        """Return the width at a budget, by linear interpolation on logarithmic scales."""
        return float(np.exp(np.interp(np.log(budget), np.log(self.budgets), np.log(self._widths(method)))))

    def budget(self, method: str, width: float) -> float:
        """Return the budget that a width takes; infinite if no budget of the forecast is enough."""
        widths = np.minimum.accumulate(self._widths(method))
        if width < widths[-1]:
            return np.inf
        return float(np.exp(np.interp(-np.log(width), -np.log(widths), np.log(self.budgets))))

    def best(self, budget: float) -> str:
        """Return the method with the narrowest interval at the budget; among equals the first."""
        return min(self.widths, key=lambda method: self.width(method, budget))

    def saving(self, method: str, against: str, budget: float) -> float:
        """The share of the budget that a method saves if its interval need only be as narrow as another method's."""
        return 1.0 - self.budget(method, self.width(against, budget)) / budget if against in self.widths else np.nan

    def break_even(self, method: str, against: str) -> float:
        """Return the smallest budget from which a method is never worse than another; infinite if there is none."""
        pays = self._widths(method) <= self._widths(against) * (1 + 1e-9)
        last = np.flatnonzero(~pays)
        first = int(last[-1]) + 1 if len(last) else 0
        return float(self.budgets[first]) if first < len(self.budgets) else np.inf

    def _widths(self, method: str) -> FloatArray:
        if method not in self.widths:
            raise UnknownNameError("method in the forecast", method, self.widths)
        # If everything is judged the width is 0, which has no logarithm.
        return np.maximum(self.widths[method], np.finfo(float).tiny)


def forecast(
    pool: Pool,
    target: Target,
    *,
    budgets: Sequence[float] | None = None,
    chosen: Sequence[str | Method] | None = None,
    level: float = 0.95,
    rng: int = 0,
) -> Forecast:
    """Return the expected width of the interval by method and budget; by default of all methods that fit the target."""
    total = float(target.query_costs(pool).sum())
    spent = np.sort(np.asarray([share * total for share in SHARES] if budgets is None else budgets, dtype=np.float64))
    if not len(spent) or not (spent > 0).all():
        raise ParameterError("a forecast", "budgets", "costs above 0", budgets)
    kinds = [kind for kind in METHODS.values() if kind.name != "document" or target.shape is not Shape.OTHER]
    made = (kind() for kind in kinds) if chosen is None else map(get, chosen)
    errors = {str(method): method.expected_error(pool, target, budgets=spent, rng=rng) for method in made}
    widths = 2 * half_width(np.array([*errors.values()]), draws=np.inf, freedom=np.inf, level=level)
    return Forecast(budgets=spent, widths=dict(zip(errors, widths, strict=True)), level=level)
