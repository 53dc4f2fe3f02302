"""The contract of a cause (a choice of dialects, named as a user would name it), and differences split over causes.

Two tools differ in several choices at once, and the choices interact: a query that one tool drops cannot be hurt by
the other's gain. So the share of a choice depends on the order in which the choices are switched from one tool's to the
other's. The Shapley value is its mean over all orders: no order is favoured, and the shares sum to the difference.

    φ_c = Σ_{S ⊆ C∖{c}} |S|! (n − |S| − 1)! / n! · [ v(S ∪ {c}) − v(S) ]

v(S) is the value under the first dialect with the choices of S as in the second. Shapley, A value for n-person games,
1953.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import cache
from itertools import combinations
from math import factorial
from typing import TYPE_CHECKING

import numpy as np

from rankgauge.audit.tools.scores import REFUSING, REPORTED, RESOLVED, Conditions, Scores, simplest
from rankgauge.dialects import Dialect
from rankgauge.measures import Measure
from rankgauge.policies import Policy
from rankgauge.registry import Registered, Registry

if TYPE_CHECKING:
    from rankgauge.audit.tools.overview import Remedy

Setting = Callable[[Dialect, Measure, Conditions], str]

CAUSES: Registry[Cause] = Registry("cause", "rankgauge.audit.tools.causes", order=lambda cause: cause.place)
"""Every cause; together they have every field of a dialect that can change a value."""

LAST = 1000


@dataclass(frozen=True, kw_only=True)
class Cause(Registered):
    """A choice that every tool makes in its own way."""

    registry = CAUSES

    name: str
    fields: tuple[str, ...] = ()
    """The dialect's fields that make the choice; by default the one of the same name."""
    subject: str
    """What it is about; it completes the sentence "Most of the gap comes from …"."""
    setting: Setting | None = None
    """What a dialect chose, in words; by default those of its policy."""
    kind: str | None = None
    """The kind of queries that it concerns, if not all."""
    phrase: str = ""
    """What is said of these queries."""
    advice: str = ""
    """What to do about it, if it has a share of the gap."""
    why: str = ""
    """Why; `{share}` is how many queries are of the kind."""
    remedy: Remedy | None = None
    """The advice, if it depends on the data."""
    place: int = LAST
    """Causes are listed by rising place."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "fields", self.fields or (self.name,))

    def count_queries(self, conditions: Conditions) -> str:
        """Return how many queries it concerns."""
        if self.kind is None:
            return ""
        n = conditions.count(self.kind)
        return f"{n} of {len(conditions.queries)} queries {_match_number(self.phrase, n).format(k=conditions.cutoff)}"

    def name_subject(self, conditions: Conditions) -> str:
        """Return its subject."""
        return self.subject.format(k=conditions.cutoff)

    def about(self, conditions: Conditions) -> str:
        """Return its subject, with the number of queries."""
        subject = self.name_subject(conditions)
        if self.kind is None:
            return subject
        n = conditions.count(self.kind)
        # A dialect whose ideal is made of the retrieved list has 0/0 where the judgments have not.
        return f"{n} {_match_number(subject, n)}" if n else "lists that a tool counts like " + subject

    def describe_change(self, base: Dialect, other: Dialect, measure: Measure, conditions: Conditions) -> str:
        """Return what each of the two dialects does."""
        head = self.count_queries(conditions)
        new, old = (self.describe_choice(dialect, measure, conditions) for dialect in (other, base))
        return (f"{head}: " if head else "") + f"{new} ({other.name}), {old} ({base.name})"

    def describe_choice(self, dialect: Dialect, measure: Measure, conditions: Conditions) -> str:
        """Return what the dialect chose, in words."""
        if self.setting is not None:
            return self.setting(dialect, measure, conditions)
        value = getattr(dialect, self.fields[0])
        return value.words if isinstance(value, Policy) else f"{self.fields[0].replace('_', ' ')} {value}"


def differing(base: Dialect, other: Dialect) -> tuple[Cause, ...]:
    """Return the causes in which two dialects differ."""
    return tuple(cause for cause in _all() if any(getattr(base, name) != getattr(other, name) for name in cause.fields))


@cache
def _all() -> tuple[Cause, ...]:
    """Return the causes; a field of a dialect that belongs to none of them is a cause of its own."""
    known = {name for cause in CAUSES.values() for name in cause.fields}
    rest = [f.name for f in fields(Dialect) if f.name not in {*known, *REPORTED, *REFUSING, *RESOLVED}]
    return (*CAUSES.values(), *(Cause(name=name, subject=name) for name in rest))


_SINGULAR = {"queries": "query", "lists": "list", "have": "has", "are": "is"}


def _match_number(words: str, n: int) -> str:
    """Return the words in the singular if there is one query."""
    return " ".join(_SINGULAR.get(word, word) for word in words.split(" ")) if n == 1 else words


UNSEEN = 5e-5
"""Four decimals do not show what is smaller."""

NOTHING = 1e-12
"""A share below this is the rounding of sums of doubles."""


@dataclass(frozen=True, kw_only=True)
class Part:
    """What one cause adds to the difference."""

    cause: Cause
    amount: float
    queries: int
    """How many queries change their value when this cause alone is switched, from either end."""

    @property
    def matters(self) -> bool:
        """Whether the cause changes anything."""
        return abs(self.amount) > NOTHING

    @property
    def shows(self) -> bool:
        """Whether four decimals show what it changes."""
        return abs(self.amount) > UNSEEN


@dataclass(frozen=True, kw_only=True)
class Attribution:
    """Why the values of one run under two dialects differ: `other` − `base`, part by part."""

    measure: Measure
    base: Dialect
    other: Dialect
    difference: float
    parts: tuple[Part, ...]
    """One for each cause in which the dialects differ, largest first; they sum to the difference."""

    @property
    def mattering(self) -> tuple[Part, ...]:
        """The parts that are not 0."""
        return tuple(part for part in self.parts if part.matters)

    def amount(self, cause: Cause) -> float:
        """Return what the cause adds; 0 if the two dialects make the same choice."""
        return sum(part.amount for part in self.parts if part.cause is cause)


def attribute(scores: Scores, base: Dialect, other: Dialect, measure: Measure) -> Attribution:
    """Return the difference of the measure between two dialects on the same data, split over the causes."""
    base, other = base.provider(measure), other.provider(measure)
    traits = scores.traits(base) | scores.traits(other)
    first, last = (simplest(dialect, measure, traits) for dialect in (base, other))
    causes = differing(first, last)
    n, none, whole = len(causes), frozenset[Cause](), frozenset(causes)
    mixed = {
        chosen: replace(first, **{name: getattr(last, name) for cause in chosen for name in cause.fields})
        for size in range(n + 1)
        for chosen in map(frozenset, combinations(causes, size))
    }
    values = {chosen: scores.mean(dialect, measure) for chosen, dialect in mixed.items()}
    # A mixture of two tools may leave out every query though neither tool does; the mean is 0 then, as in gdeval.
    values = {c: 0.0 if np.isnan(value) and c not in (none, whole) else value for c, value in values.items()}
    parts = []
    for cause in causes:
        amount = sum(
            factorial(len(chosen)) * factorial(n - len(chosen) - 1) / factorial(n) * (values[chosen | {cause}] - value)
            for chosen, value in values.items()
            if cause not in chosen
        )
        switched = [(mixed[none], mixed[frozenset({cause})]), (mixed[whole - {cause}], mixed[whole])]
        queries = _count_changed_queries(scores, measure, switched) if abs(amount) > NOTHING else 0
        parts.append(Part(cause=cause, amount=amount, queries=queries))
    parts += [Part(cause=cause, amount=0.0, queries=0) for cause in differing(base, other) if cause not in causes]
    return Attribution(
        measure=measure,
        base=base,
        other=other,
        difference=values[whole] - values[none],
        parts=tuple(sorted(parts, key=lambda part: -abs(part.amount))),
    )


def _count_changed_queries(scores: Scores, measure: Measure, switched: list[tuple[Dialect, Dialect]]) -> int:
    """Return how many queries change their value from one dialect to the other, in either of two pairs."""
    pairs = [[scores.values(dialect, measure) for dialect in pair] for pair in switched]
    same = [np.isclose(old, new, rtol=0.0, atol=NOTHING, equal_nan=True) for old, new in pairs]
    return int((~np.logical_and(*same)).sum())
