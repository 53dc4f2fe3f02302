"""The difference between two dialects, split exactly over its causes.

Two tools differ in several choices at once, and the choices interact: a query that one tool drops cannot be hurt by
the other's gain. So the share of a choice depends on the order in which the choices are switched from one tool's to the
other's. The Shapley value is its mean over all orders: no order is favoured, and the shares sum to the difference.

    φ_c = Σ_{S ⊆ C∖{c}} |S|! (n − |S| − 1)! / n! · [ v(S ∪ {c}) − v(S) ]

v(S) is the value under the first dialect with the choices of S as in the second. Shapley, A value for n-person games,
1953.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from math import factorial

import numpy as np

from rankgauge.audit.tools.cause import Cause, differing
from rankgauge.audit.tools.scores import Scores, simplest
from rankgauge.dialects import Dialect
from rankgauge.measures import Measure

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
