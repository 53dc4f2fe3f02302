"""What a parameter may be, in words and as a test; and the value that a text of the command line means."""

from __future__ import annotations

import ast
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any

import numpy as np

from rankgauge.errors import ParameterError
from rankgauge.records import tuple_record


@tuple_record
class Constraint:
    """What a parameter may be, in words and as a test; an `optional` one may also be None."""

    words: str
    holds: Callable[[Any], bool]
    optional: bool = False

    def check(self, owner: str, parameter: str, value: Any) -> None:
        """Raise an error if the value is not allowed."""
        try:
            allowed = (self.optional and value is None) or self.holds(value)
        except (TypeError, ValueError, OverflowError):  # a value of another kind, which cannot even be compared
            allowed = False
        if not allowed:
            expected = f"{self.words} or None" if self.optional else self.words
            raise ParameterError(owner, parameter, expected, value)


def whole_number(*, least: int = 1, optional: bool = False) -> Constraint:
    """Return a whole number, `least` or more."""

    def holds(value: Any) -> bool:
        return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= least

    return Constraint(f"a whole number, {least} or more", holds, optional)


def real_number(*, positive: bool = False, most: float = np.inf, optional: bool = False) -> Constraint:
    """Return a number from 0 to `most`; `positive` excludes 0."""
    low = "a number above 0" if positive else "a number from 0" if most < np.inf else "a number, 0 or more"
    end = f" to {most:g}" if most < np.inf else ""

    def holds(value: Any) -> bool:
        real = isinstance(value, Real) and not isinstance(value, bool) and np.isfinite(float(value))
        return bool(real and 0 <= float(value) <= most and not (positive and float(value) == 0))

    return Constraint(low + end, holds, optional)


def flag() -> Constraint:
    """Return yes or no."""
    return Constraint("True or False", lambda value: isinstance(value, bool))


def choice_of(*names: str) -> Constraint:
    """Return one of some names."""
    return Constraint(f"{', '.join(names[:-1])} or {names[-1]}", lambda value: value in names)


def list_of(each: Constraint, *, most: int | None = None) -> Constraint:
    """Return a list or tuple of one to `most` values, each under a constraint of its own."""

    def holds(value: Any) -> bool:
        few = isinstance(value, list | tuple) and 1 <= len(value) <= (most or len(value))
        return few and all(each.holds(member) for member in value)

    return Constraint(f"a list of {'one or more' if most is None else f'1 to {most}'}, each {each.words}", holds)


def literal(text: str) -> Any:
    """Return the value that a text means: a number, a list, true, false, none, or the text itself."""
    names = {"true": True, "false": False, "none": None}
    if text.lower() in names:
        return names[text.lower()]
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return text
