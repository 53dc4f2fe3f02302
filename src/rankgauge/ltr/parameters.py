"""The parameters of a ranker, and what it learns: each is declared once.

A parameter has a default and a constraint. The declaration makes the constructor's keyword and the attribute, as a
dataclass's field does; `fit` checks the value, and the command line reads it from a text. An array that is learned
under a key is saved and loaded under that key.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, dataclass_transform

import numpy as np

from rankgauge.errors import ParameterError


@dataclass(frozen=True)
class Constraint:
    """What a parameter may be, in words and as a test; an `optional` one may also be None."""

    words: str
    holds: Callable[[Any], bool]
    optional: bool = False

    def check(self, owner: str, parameter: str, value: Any) -> None:
        """Raises an error if the value is not allowed."""
        if not (self.optional and value is None) and not self.holds(value):
            expected = f"{self.words} or None" if self.optional else self.words
            raise ParameterError(owner, parameter, expected, value)


def whole_number(*, least: int = 1, optional: bool = False) -> Constraint:
    """A whole number, `least` or more."""

    def holds(value: Any) -> bool:
        return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= least

    return Constraint(f"a whole number, {least} or more", holds, optional)


def real_number(*, positive: bool = False, most: float = np.inf, optional: bool = False) -> Constraint:
    """A number from 0 to `most`; `positive` excludes 0."""
    low = "a number above 0" if positive else "a number from 0" if most < np.inf else "a number, 0 or more"
    end = f" to {most:g}" if most < np.inf else ""

    def holds(value: Any) -> bool:
        real = isinstance(value, Real) and not isinstance(value, bool)
        return real and 0 <= float(value) <= most and not (positive and float(value) == 0)

    return Constraint(low + end, holds, optional)


def flag() -> Constraint:
    """Yes or no."""
    return Constraint("True or False", lambda value: isinstance(value, bool))


def list_of(each: Constraint, *, most: int | None = None) -> Constraint:
    """A list or tuple of one to `most` values, each under a constraint of its own."""

    def holds(value: Any) -> bool:
        few = isinstance(value, list | tuple) and 1 <= len(value) <= (most or len(value))
        return few and all(each.holds(one) for one in value)

    return Constraint(f"a list of {'one or more' if most is None else f'1 to {most}'}, each {each.words}", holds)


def parameter(constraint: Constraint | None = None, *, default: Any) -> Any:
    """A parameter of the constructor, with its default and what it may be."""
    return field(default=default, metadata={} if constraint is None else {"constraint": constraint})


def learned(key: str | None = None, *, dtype: Any = np.float64, init: Literal[False] = False) -> Any:
    """An attribute that only learning sets; with a `key`, an array that is saved."""
    return field(init=init, metadata={} if key is None else {"key": key, "dtype": dtype})


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(parameter, learned))
class Parametrised:
    """Makes the constructor of a subclass from the parameters it declares; the constructor only stores them."""

    constraints: ClassVar[Mapping[str, Constraint]] = {}
    """What each parameter of its own may be, by name."""
    saved: ClassVar[Mapping[str, tuple[str, Any]]] = {}
    """The key and the type of each array that is saved, by the attribute's name."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        declared = fields(dataclass(kw_only=True, eq=False, repr=False)(cls))  # type: ignore[arg-type]
        cls.constraints = {f.name: f.metadata["constraint"] for f in declared if "constraint" in f.metadata}
        cls.saved = {f.name: (f.metadata["key"], f.metadata["dtype"]) for f in declared if "key" in f.metadata}

    @property
    def own_parameters(self) -> dict[str, Any]:
        """Its parameters that have a constraint, sorted by name."""
        return {name: getattr(self, name) for name in sorted(self.constraints)}

    def _state(self) -> dict[str, Any]:
        """What was learned, as lists, numbers and strings: by default the arrays that have a key."""
        return {key: getattr(self, name).tolist() for name, (key, _) in self.saved.items()}

    def _restore(self, state: Mapping[str, Any]) -> None:
        """Takes back what `_state` gave."""
        for name, (key, dtype) in self.saved.items():
            setattr(self, name, np.array(state[key], dtype=dtype))


def literal(text: str) -> Any:
    """The value that a text means: a number, a list, true, false, none, or the text itself."""
    names = {"true": True, "false": False, "none": None}
    if text.lower() in names:
        return names[text.lower()]
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return text
