"""Rules: what the parameters of a ranker may be, checked before it learns and when the command line sets them."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

from rankgauge.errors import ParameterError

__all__ = ["Choice", "Flag", "Number", "Rule", "Whole", "literal"]


@dataclass(frozen=True, kw_only=True)
class Rule(ABC):
    """What a parameter may be; `optional` says that it may be None as well."""

    optional: bool = False

    @property
    @abstractmethod
    def words(self) -> str:
        """What is expected, in the words of an error message."""

    @abstractmethod
    def holds(self, value: Any) -> bool:
        """Whether the value is one of those."""

    def check(self, owner: str, parameter: str, value: Any) -> None:
        """Refuses a value that breaks the rule."""
        if not (self.optional and value is None) and not self.holds(value):
            expected = f"{self.words} or None" if self.optional else self.words
            raise ParameterError(owner, parameter, expected, value)


@dataclass(frozen=True, kw_only=True)
class Whole(Rule):
    """A whole number that is not too small."""

    least: int = 1

    @property
    def words(self) -> str:
        return f"a whole number from {self.least} on"

    def holds(self, value: Any) -> bool:
        return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= self.least


@dataclass(frozen=True, kw_only=True)
class Number(Rule):
    """A number between two others, or above the first where it is `open`."""

    least: float = 0.0
    most: float = float("inf")
    open: bool = False

    @property
    def words(self) -> str:
        low = f"a number {'above' if self.open else 'from'} {self.least:g}"
        return low + (" on" if self.most == float("inf") and not self.open else "") + self._end

    @property
    def _end(self) -> str:
        return "" if self.most == float("inf") else f" to {self.most:g}"

    def holds(self, value: Any) -> bool:
        if not isinstance(value, Real) or isinstance(value, bool):
            return False
        return self.least <= float(value) <= self.most and not (self.open and float(value) == self.least)


@dataclass(frozen=True, kw_only=True)
class Choice(Rule):
    """One of some names."""

    names: tuple[str, ...]

    @property
    def words(self) -> str:
        return f"one of {', '.join(self.names)}"

    def holds(self, value: Any) -> bool:
        return value in self.names


@dataclass(frozen=True, kw_only=True)
class Flag(Rule):
    """Yes or no."""

    @property
    def words(self) -> str:
        return "True or False"

    def holds(self, value: Any) -> bool:
        return isinstance(value, bool)


def literal(text: str) -> Any:
    """The value that a text stands for: a number, a list, true, none, or the text itself."""
    names = {"true": True, "false": False, "none": None}
    if text.lower() in names:
        return names[text.lower()]
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return text
