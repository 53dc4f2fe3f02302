"""Several: the rule of a parameter that holds some values of one kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rankgauge.ltr.parameters import Rule

__all__ = ["Several"]


@dataclass(frozen=True, kw_only=True)
class Several(Rule):
    """A list or tuple of one to `most` values, each of which keeps a rule of its own."""

    each: Rule
    most: int | None = None

    @property
    def words(self) -> str:
        return f"a list of {'one or more' if self.most is None else f'1 to {self.most}'}, each {self.each.words}"

    def holds(self, value: Any) -> bool:
        few = isinstance(value, list | tuple) and 1 <= len(value) <= (self.most or len(value))
        return few and all(self.each.holds(one) for one in value)
