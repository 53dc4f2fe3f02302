"""The causes of a difference between tools: the choices of a dialect, grouped and named as a user would name them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import Any

import numpy as np

from rankgauge.audit.conditions import Conditions
from rankgauge.audit.scores import REFUSING, REPORTED, RESOLVED
from rankgauge.dialects import Dialect
from rankgauge.measures import Measure
from rankgauge.measures.gains import DISCOUNTS, GAINS
from rankgauge.policies import LEAVE_OUT, HighGrade, Policy

__all__ = ["CAUSES", "Cause", "differing"]

Setting = Callable[[Dialect, Measure, Conditions], str]


def _chosen(name: str) -> Setting:
    """What the dialect says in a field, as the policy words it."""

    def words(dialect: Dialect, measure: Measure, conditions: Conditions) -> str:
        value = getattr(dialect, name)
        return value.words if isinstance(value, Policy) else f"{name.replace('_', ' ')} {value}"

    return words


def _gain(dialect: Dialect, measure: Measure, conditions: Conditions) -> str:
    """What the grades in use are worth."""
    name = getattr(dialect.read(measure), "gain", dialect.gain)
    if name not in GAINS:
        return f"the gain is {name}"
    worth = GAINS[name](np.maximum(np.array(conditions.grades), 0.0))
    unit = next((gain for gain in worth if gain > 0), 1.0) if _is_ratio(measure) else 1.0
    return f"grades {_list(conditions.grades)} are worth {_list(worth / unit)}"


def _discount(dialect: Dialect, measure: Measure, conditions: Conditions) -> str:
    """What the first ranks are divided by."""
    name = getattr(dialect.read(measure), "discount", dialect.discount)
    if name not in DISCOUNTS:
        return f"the discount is {name}"
    divisors = 1 / DISCOUNTS[name](np.arange(1.0, 5.0))
    return f"ranks 1, 2, 3, 4 are divided by {_list(divisors / (divisors[0] if _is_ratio(measure) else 1.0))}"


def _is_ratio(measure: Measure) -> bool:
    """Whether the unit of gains and discounts does not matter, as they stand above and below the line."""
    return measure.facts.bounds == (0.0, 1.0)


def _empty(dialect: Dialect, measure: Measure, conditions: Conditions) -> str:
    choice = dialect.choice("empty", measure)
    return "each is left out of the mean" if choice == LEAVE_OUT else f"each counts {float(choice):g}"


def _short(dialect: Dialect, measure: Measure, conditions: Conditions) -> str:
    words: str = dialect.choice("short", measure).words
    return words


def _ideal(dialect: Dialect, measure: Measure, conditions: Conditions) -> str:
    cut = ", down to the depth of the run and without documents that are not relevant" if dialect.cut_ideal else ""
    words: str = dialect.choice("ideal", measure).words
    return words + cut


def _arithmetic(dialect: Dialect, measure: Measure, conditions: Conditions) -> str:
    return f"values and means are {32 if dialect.single_arithmetic else 64}-bit numbers"


def _precision(dialect: Dialect, measure: Measure, conditions: Conditions) -> str:
    return f"scores are compared as {32 if dialect.single_precision else 64}-bit numbers"


def _relevant(dialect: Dialect, measure: Measure, conditions: Conditions) -> str:
    return f"a grade of {dialect.rel:g} or more is relevant"


def _top(dialect: Dialect, measure: Measure, conditions: Conditions) -> str:
    if hasattr(measure, "max_grade"):
        return f"grades go up to {dialect.max_grade:g}; {dialect.high.words}"
    cut = dialect.high is HighGrade.ZERO and conditions.grades[-1] > dialect.max_grade
    return f"grades above {dialect.max_grade:g} count 0" if cut else "grades are used as they are"


def _readings(dialect: Dialect, measure: Measure, conditions: Conditions) -> str:
    chosen: Mapping[str, Any] = dialect.readings.get(measure.facts.name, {})
    return ", ".join(f"{name}={value!r}" for name, value in chosen.items()) or "the measure as defined"


def _depth(dialect: Dialect, measure: Measure, conditions: Conditions) -> str:
    return "whole lists are looked at" if dialect.depth is None else f"lists are cut at {dialect.depth}"


@dataclass(frozen=True, kw_only=True)
class Cause:
    """A choice that tools make each in its own way."""

    name: str
    fields: tuple[str, ...]
    """The dialect's fields that make the choice."""
    subject: str
    """What it is about, to end the sentence: most of the gap comes from …"""
    setting: Setting
    """What a dialect chose, in words."""
    kind: str | None = None
    """The kind of queries that it is about, where it is not about all."""
    phrase: str = ""
    """What is said of these queries."""

    def counted(self, conditions: Conditions) -> str:
        """How many queries it is about."""
        if self.kind is None:
            return ""
        n = conditions.count(self.kind)
        return f"{n} of {len(conditions.queries)} queries {_numbered(self.phrase, n).format(k=conditions.cutoff)}"

    def named(self, conditions: Conditions) -> str:
        """Its subject."""
        return self.subject.format(k=conditions.cutoff)

    def about(self, conditions: Conditions) -> str:
        """Its subject, with the number of queries."""
        subject = self.named(conditions)
        if self.kind is None:
            return subject
        n = conditions.count(self.kind)
        return f"{n} {_numbered(subject, n)}"

    def told(self, base: Dialect, other: Dialect, measure: Measure, conditions: Conditions) -> str:
        """What the second dialect does instead of what the first does."""
        head = self.counted(conditions)
        new, old = (self.setting(dialect, measure, conditions) for dialect in (other, base))
        return (f"{head}: " if head else "") + f"{new} ({other.name}), {old} ({base.name})"


CAUSES = (
    Cause(name="gain", fields=("gain",), subject="what a grade is worth", setting=_gain),
    Cause(name="discount", fields=("discount",), subject="what a rank is worth", setting=_discount),
    Cause(
        name="empty",
        fields=("empty",),
        subject="queries without a relevant document",
        setting=_empty,
        kind="empty",
        phrase="have no relevant document",
    ),
    Cause(
        name="short",
        fields=("short",),
        subject="lists of fewer than {k} documents",
        setting=_short,
        kind="short",
        phrase="have a list of fewer than {k} documents",
    ),
    Cause(name="ideal", fields=("ideal", "cut_ideal"), subject="what the ideal ranking is made of", setting=_ideal),
    Cause(
        name="ties",
        fields=("ties",),
        subject="queries with tied scores",
        setting=_chosen("ties"),
        kind="tied",
        phrase="have tied scores",
    ),
    Cause(
        name="precision",
        fields=("single_precision",),
        subject="the precision of scores",
        setting=_precision,
    ),
    Cause(
        name="arithmetic",
        fields=("single_arithmetic",),
        subject="the precision of sums and quotients",
        setting=_arithmetic,
    ),
    Cause(
        name="missing",
        # The order in which queries are added up moves the last bit of a mean, no more.
        fields=("missing", "query_order"),
        subject="judged queries that are not in the run",
        setting=_chosen("missing"),
        kind="missing",
        phrase="are judged but not in the run",
    ),
    Cause(
        name="unjudged",
        fields=("unjudged",),
        subject="queries with unjudged documents",
        setting=_chosen("unjudged"),
        kind="unjudged",
        phrase="have unjudged documents in their lists",
    ),
    Cause(
        name="negative",
        fields=("negative",),
        subject="queries with negative grades",
        setting=_chosen("negative"),
        kind="negative",
        phrase="have negative grades",
    ),
    Cause(name="relevant", fields=("rel",), subject="which grades are relevant", setting=_relevant),
    Cause(name="top grade", fields=("max_grade", "high"), subject="the top of the grading scale", setting=_top),
    Cause(name="fractions", fields=("fractional",), subject="fractional grades", setting=_chosen("fractional")),
    Cause(
        name="duplicates",
        fields=("duplicates",),
        subject="documents that stand twice in a query",
        setting=_chosen("duplicates"),
    ),
    Cause(
        name="grouping",
        fields=("grouping",),
        subject="queries whose lines do not stand together",
        setting=_chosen("grouping"),
    ),
    Cause(name="parameters", fields=("readings",), subject="how the measure is read", setting=_readings),
    Cause(name="depth", fields=("depth",), subject="how deep lists are looked at", setting=_depth),
    Cause(name="assessors", fields=("assessors",), subject="how assessors are combined", setting=_chosen("assessors")),
)
"""Every cause; together they have every field of a dialect that can change a value."""


def differing(base: Dialect, other: Dialect) -> tuple[Cause, ...]:
    """The causes in which two dialects differ."""
    return tuple(cause for cause in _all() if any(getattr(base, name) != getattr(other, name) for name in cause.fields))


@cache
def _all() -> tuple[Cause, ...]:
    """The causes, and each field of a dialect that none of them has as a cause by its own name."""
    known = {name for cause in CAUSES for name in cause.fields}
    rest = [f.name for f in fields(Dialect) if f.name not in {*known, *REPORTED, *REFUSING, *RESOLVED}]
    return (*CAUSES, *(Cause(name=name, fields=(name,), subject=name, setting=_chosen(name)) for name in rest))


_SINGULAR = {"queries": "query", "lists": "list", "have": "has", "are": "is"}


def _numbered(words: str, n: int) -> str:
    """The words as they are of so many queries."""
    return " ".join(_SINGULAR.get(word, word) for word in words.split(" ")) if n == 1 else words


def _list(values: Any) -> str:
    return ", ".join(f"{value:.3g}" for value in values)
