"""The contracts of fusion methods and of normalisations, and their registries.

A method is a frozen dataclass whose fields are its parameters, and whose `scores` gives every document of a stack its
fused score. What tuning may try stands beside each parameter. A normalisation makes scores of different runs
comparable.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, dataclass_transform

import numpy as np

from rankgauge.constraints import Constraint, real_number
from rankgauge.errors import InputError, ParameterError, UnknownNameError
from rankgauge.fusion.stack import Stack
from rankgauge.numeric import FloatArray
from rankgauge.registry import Registered, Registry, plain

if TYPE_CHECKING:
    from rankgauge.fusion.judged_queries import Lessons


class Evidence(Enum):
    """What a method looks at."""

    SCORES = "scores"
    RANKS = "ranks"
    BOTH = "scores and ranks"


METHODS: Registry[type[FusionMethod]] = Registry("fusion method", "rankgauge.fusion.methods", lenient=True)
NORMALISATIONS: Registry[Normalisation] = Registry("normalisation", "rankgauge.fusion.normalisations", lenient=True)

NONE = "none"
"""The name of leaving scores as they are."""


def parameter(constraint: Constraint, *, default: Any, tries: Sequence[Any] = ()) -> Any:
    """Return a parameter of a method: what it may be, its default, and the values that tuning tries."""
    return field(default=default, metadata={"constraint": constraint, "tries": tuple(tries)})


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(field, parameter))
@dataclass(frozen=True, kw_only=True)
class FusionMethod(ABC):
    """A way to make one list out of several; its subclasses are frozen dataclasses."""

    name: ClassVar[str]
    formula: ClassVar[str]
    reference: ClassVar[str]
    ranx: ClassVar[str | None] = None
    """What ranx calls it."""
    looks_at: ClassVar[Evidence]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        dataclass(frozen=True, kw_only=True)(cls)
        if "name" not in cls.__dict__:
            return
        lacking = [fact for fact in ("formula", "reference", "looks_at") if not hasattr(cls, fact)]
        if lacking or inspect.isabstract(cls):
            raise TypeError(f"the fusion method {cls.name} lacks {', '.join(lacking) or 'scores'}")
        METHODS.add(cls, cls.name)

    @abstractmethod
    def scores(self, stack: Stack) -> FloatArray:
        """Return the fused score of each document of the stack."""

    @classmethod
    def constraints(cls) -> dict[str, Constraint]:
        """Return what each of its parameters may be, by name."""
        return {f.name: f.metadata["constraint"] for f in fields(cls) if "constraint" in f.metadata}

    @classmethod
    def tries(cls) -> dict[str, tuple[Any, ...]]:
        """Return the values that tuning tries, for each parameter that it tunes."""
        return {f.name: f.metadata["tries"] for f in fields(cls) if f.metadata.get("tries")}

    @property
    def parameters(self) -> dict[str, Any]:
        """Its parameters and their values."""
        return {name: getattr(self, name) for name in self.constraints()}

    def check(self, runs: int) -> None:
        """Refuse a parameter that makes no sense, with this number of runs."""
        for name, constraint in self.constraints().items():
            constraint.check(self.name, name, getattr(self, name))


class WeightedMethod(FusionMethod):
    """A method in which runs have weights; without any, all have the same, and they add up to 1."""

    weights: tuple[float, ...] = ()

    def check(self, runs: int) -> None:
        super().check(runs)
        if not self.weights:
            return
        if len(self.weights) != runs:
            raise ParameterError(self.name, "weights", f"one for each of the {runs} runs", self.weights)
        number = real_number()
        if not all(number.holds(weight) for weight in self.weights) or not any(self.weights):
            raise ParameterError(self.name, "weights", "numbers, 0 or more, not all 0", self.weights)

    @property
    def parameters(self) -> dict[str, Any]:
        return {"weights": list(self.weights), **super().parameters}

    def weighing(self, runs: int) -> FloatArray:
        """Return the weight of each run."""
        return np.array(self.weights, dtype=np.float64) if self.weights else np.full(runs, 1.0 / runs)

    def entry_weights(self, stack: Stack) -> FloatArray:
        """Return the weight of each entry's run."""
        return self.weighing(stack.runs).take(stack.run)


class LearnedMethod(FusionMethod):
    """A method that learns from judged queries how far each run is to be trusted at each rank."""

    looks_at = Evidence.RANKS
    rel: float = parameter(real_number(positive=True), default=1)
    """The lowest grade that counts as relevant."""
    learned: FloatArray | None = field(default=None, compare=False, repr=False)
    """What it has learned, by run."""

    def learn(self, lessons: Lessons) -> Self:
        """Return the method after these lessons; an error where nothing is relevant, as any order would do then."""
        if not lessons.relevant.any():
            raise InputError(
                f"no judged document of the runs has grade {self.rel:g} or above in the queries to learn from, so that "
                f"{self.name} has nothing to learn",
                hint="Are the ids of runs and judgments spelled alike? --set rel=GRADE says what counts as relevant.",
            )
        return replace(self, learned=self.estimate(lessons))

    @abstractmethod
    def estimate(self, lessons: Lessons) -> FloatArray:
        """Return what judged queries teach, a row for each run."""

    @property
    def known(self) -> FloatArray:
        """What was learned; an error if that is nothing."""
        if self.learned is None:
            expected = "given: the method learns from judged queries"
            raise ParameterError(self.name, "judgments", expected, None)
        return self.learned

    def by_run(self, stack: Stack, table: FloatArray, *, past: float = 0.0) -> FloatArray:
        """Return what each entry is worth by a table (runs × ranks from 1 on); `past` where the table ends."""
        rank = stack.rank - 1
        if table.shape[1] < stack.sizes.max(initial=0):
            table = np.pad(table, ((0, 0), (0, int(stack.sizes.max()) - table.shape[1])), constant_values=past)
        return stack.average_ties(table[stack.run, rank])


Named = TypeVar("Named", type[FusionMethod], "Normalisation")


def find(known: Registry[Named], name: str) -> Named:
    """Return the method or normalisation of that name, ours or ranx's."""
    theirs = {} if name in known else {plain(one.ranx): one for one in known.values() if one.ranx}
    return theirs.get(plain(name)) or known.find(name)


def make_method(name: str, *, weights: Sequence[float] | None = None, **settings: Any) -> FusionMethod:
    """Return the method with these parameters; a wrong name is an error."""
    kind = find(METHODS, name)
    if weights is not None and not issubclass(kind, WeightedMethod):
        able = ", ".join(one for one, known in METHODS.items() if issubclass(known, WeightedMethod))
        raise ParameterError(kind.name, "weights", f"left out: only {able} have weights", list(weights))
    unknown = sorted(set(settings) - set(kind.constraints()))
    if unknown:
        raise UnknownNameError(f"parameter of {kind.name}", unknown[0], kind.constraints())
    given = settings if weights is None else {**settings, "weights": tuple(float(weight) for weight in weights)}
    return kind(**given)


class UnfitListError(Exception):
    """A list that cannot be computed with: its number in the stack, for who knows its run and query, and why not."""

    def __init__(self, number: int, problem: str, hint: str) -> None:
        self.number, self.problem, self.hint = number, problem, hint
        super().__init__(problem)


@dataclass(frozen=True, kw_only=True)
class Normalisation(Registered):
    """A normalisation: `apply` gives a stack with other scores, list by list."""

    registry = NORMALISATIONS

    name: str
    title: str
    formula: str
    apply: Callable[[Stack], Stack]
    ranx: str | None = None
    """What ranx calls it."""
    by_rank: bool = False
    """Whether it looks at ranks in place of scores."""
    inverts: bool = False
    """Whether the least score is the best, as of distances; runs are turned over before anything else."""
