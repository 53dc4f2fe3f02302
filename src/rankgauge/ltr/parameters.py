"""The parameters of a ranker: each is declared once, with its default and what it may be.

A declaration makes the keyword of the constructor and the attribute, as a dataclass's field does; `fit` checks the
value, and the command line reads it from a text.
"""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, dataclass_transform

from rankgauge.errors import ParameterError

__all__ = [
    "Constraint",
    "Flag",
    "ListOf",
    "Parametrised",
    "RealNumber",
    "WholeNumber",
    "learned",
    "literal",
    "parameter",
]


@dataclass(frozen=True, kw_only=True)
class Constraint(ABC):
    """What a parameter may be; an `optional` one may also be None."""

    optional: bool = False

    @property
    @abstractmethod
    def words(self) -> str:
        """What is expected, for an error message."""

    @abstractmethod
    def holds(self, value: Any) -> bool:
        """Whether the value is allowed."""

    def check(self, owner: str, parameter: str, value: Any) -> None:
        """Raises an error if the value is not allowed."""
        if not (self.optional and value is None) and not self.holds(value):
            expected = f"{self.words} or None" if self.optional else self.words
            raise ParameterError(owner, parameter, expected, value)


@dataclass(frozen=True, kw_only=True)
class WholeNumber(Constraint):
    """A whole number that is not too small."""

    least: int = 1

    @property
    def words(self) -> str:
        return f"a whole number from {self.least} on"

    def holds(self, value: Any) -> bool:
        return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= self.least


@dataclass(frozen=True, kw_only=True)
class RealNumber(Constraint):
    """A number from `least` to `most`; `least` itself is excluded if the interval is `open`."""

    least: float = 0.0
    most: float = float("inf")
    open: bool = False

    @property
    def words(self) -> str:
        bounded = self.most < float("inf")
        low = f"a number {'above' if self.open else 'from'} {self.least:g}"
        return f"{low} to {self.most:g}" if bounded else low if self.open else f"{low} on"

    def holds(self, value: Any) -> bool:
        if not isinstance(value, Real) or isinstance(value, bool):
            return False
        return self.least <= float(value) <= self.most and not (self.open and float(value) == self.least)


@dataclass(frozen=True, kw_only=True)
class Flag(Constraint):
    """Yes or no."""

    @property
    def words(self) -> str:
        return "True or False"

    def holds(self, value: Any) -> bool:
        return isinstance(value, bool)


@dataclass(frozen=True, kw_only=True)
class ListOf(Constraint):
    """A list or tuple of one to `most` values, each under a constraint of its own."""

    each: Constraint
    most: int | None = None

    @property
    def words(self) -> str:
        return f"a list of {'one or more' if self.most is None else f'1 to {self.most}'}, each {self.each.words}"

    def holds(self, value: Any) -> bool:
        few = isinstance(value, list | tuple) and 1 <= len(value) <= (self.most or len(value))
        return few and all(self.each.holds(one) for one in value)


def parameter(constraint: Constraint | None = None, *, default: Any) -> Any:
    """A parameter of the constructor, with its default and what it may be."""
    return field(default=default, metadata={} if constraint is None else {"constraint": constraint})


def learned(*, init: Literal[False] = False) -> Any:
    """An attribute that only learning sets."""
    return field(init=init)


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(parameter, learned))
class Parametrised:
    """Makes the constructor of a subclass from the parameters it declares; the constructor only stores them."""

    constraints: ClassVar[Mapping[str, Constraint]] = {}
    """What each parameter of its own may be, by name."""

    @property
    def own_parameters(self) -> dict[str, Any]:
        """Its parameters that have a constraint, sorted by name."""
        return {name: getattr(self, name) for name in sorted(self.constraints)}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        made = dataclass(kw_only=True, eq=False, repr=False)(cls)
        cls.constraints = {f.name: f.metadata["constraint"] for f in fields(made) if "constraint" in f.metadata}  # type: ignore[arg-type]


def literal(text: str) -> Any:
    """The value that a text means: a number, a list, true, false, none, or the text itself."""
    names = {"true": True, "false": False, "none": None}
    if text.lower() in names:
        return names[text.lower()]
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return text
