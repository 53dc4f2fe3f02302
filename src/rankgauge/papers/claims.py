"""Claims of a paper, the conditions that test them, and the verdicts: what an `expected.toml` says.

A condition bounds a number that the experiment measures. A number that is two standard errors away from its bounds
decides; one that is nearer leaves the condition undecided, since the interval around it contains both answers. A number
from a deterministic table has no error.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

CLEAR = 2.0
"""How many standard errors a number must be away from a bound to decide."""


class Verdict(StrEnum):
    """The result for a claim."""

    HOLDS = "holds"
    IN_PART = "holds in part"
    FAILS = "does not hold"
    UNDECIDED = "undecided"
    UNTESTED = "not tested"


@dataclass(frozen=True, kw_only=True)
class Number:
    """A measured number and its standard error, which is 0 if nothing was drawn at random."""

    value: float
    error: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Condition:
    """The bounds that a number must lie within."""

    number: str
    low: float = -math.inf
    high: float = math.inf
    printed: str | None = None
    """The number as the paper prints it, if the bounds are those of rounding to it."""

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> Condition:
        """The condition of an entry in `expected.toml`: `printed`, or `above`, `below` or both."""
        if "printed" in entry:
            printed = str(entry["printed"])
            half = 0.5 * 10.0 ** -len(printed.partition(".")[2])
            value = float(printed)
            return cls(number=entry["number"], low=value - half, high=value + half, printed=printed)
        return cls(number=entry["number"], low=entry.get("above", -math.inf), high=entry.get("below", math.inf))

    def verdict(self, found: Number | None) -> Verdict:
        """Whether the number lies within the bounds."""
        if found is None or math.isnan(found.value):
            return Verdict.UNTESTED
        inside = min(found.value - self.low, self.high - found.value)
        if abs(inside) < CLEAR * found.error:
            return Verdict.UNDECIDED
        return Verdict.HOLDS if inside >= 0 else Verdict.FAILS

    @property
    def words(self) -> str:
        """What is expected of the number."""
        if self.printed is not None:
            return f"paper: {self.printed}"
        bounds = ((math.isfinite(self.low), f"above {self.low:g}"), (math.isfinite(self.high), f"below {self.high:g}"))
        return " and ".join(text for given, text in bounds if given)


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A statement of a paper, and how it is tested."""

    place: str
    words: str
    tested: str
    conditions: tuple[Condition, ...]
    needs: str = ""
    """What the user must supply for the test; empty if nothing."""

    def verdict(self, numbers: Mapping[str, Number]) -> Verdict:
        """Holds if every condition does, does not hold if none does, and holds in part if some do and some do not.

        Undecided if a condition is, unless the verdict is the same whichever way it goes.
        """
        found = {condition.verdict(numbers.get(condition.number)) for condition in self.conditions}
        if Verdict.UNTESTED in found:
            return Verdict.UNTESTED
        if {Verdict.HOLDS, Verdict.FAILS} <= found:
            return Verdict.IN_PART
        return Verdict.UNDECIDED if Verdict.UNDECIDED in found else found.pop()


@dataclass(frozen=True, kw_only=True)
class Paper:
    """A paper: what it is called, what it claims, and which figures are drawn."""

    title: str
    reference: str
    claims: tuple[Claim, ...]
    figures: Mapping[str, str]
    """What each figure shows, by the name of its file."""

    @classmethod
    def read(cls, path: Path) -> Paper:
        """The paper in an `expected.toml`."""
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        claims = tuple(
            Claim(**{**entry, "conditions": tuple(map(Condition.of, entry["conditions"]))})
            for entry in content["claims"]
        )
        return cls(title=content["title"], reference=content["reference"], claims=claims, figures=content["figures"])
