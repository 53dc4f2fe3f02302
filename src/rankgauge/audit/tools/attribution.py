"""The difference between two dialects, split exactly over its causes.

Two tools differ in several choices at once, and the choices interact: a query that one tool drops cannot be hurt by
the other's gain. So the share of a choice depends on the order in which the choices are switched from one tool's to the
other's. The Shapley value is its mean over all orders: no order is favoured, and the shares sum to the difference.

    φ_c = Σ_{S ⊆ C∖{c}} |S|! (n − |S| − 1)! / n! · [ v(S ∪ {c}) − v(S) ]

v(S) is the value under the first dialect with the choices of S as in the second. Shapley, A value for n-person games,
1953.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from math import factorial

import numpy as np

from rankgauge.audit.tools.cause import Cause, differing
from rankgauge.audit.tools.scores import Scores, bare
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
    first, last = (bare(traits.simplest(dialect, measure)) for dialect in (base, other))
    causes = differing(first, last)
    subsets = (frozenset(chosen) for size in range(len(causes) + 1) for chosen in combinations(causes, size))
    values = {chosen: scores.mean(_mix_dialects(first, last, chosen), measure) for chosen in subsets}
    # A mixture of two tools may leave out every query though neither tool does; the mean is 0 then, as in gdeval.
    ends = (frozenset[Cause](), frozenset(causes))
    values = {c: 0.0 if np.isnan(value) and c not in ends else value for c, value in values.items()}
    parts = []
    for cause in causes:
        amount = _share(cause, causes, values)
        queries = _count_changed_queries(scores, first, last, causes, cause, measure) if abs(amount) > NOTHING else 0
        parts.append(Part(cause=cause, amount=amount, queries=queries))
    idle = [Part(cause=cause, amount=0.0, queries=0) for cause in differing(base, other) if cause not in causes]
    return Attribution(
        measure=measure,
        base=base,
        other=other,
        difference=values[frozenset(causes)] - values[frozenset()],
        parts=tuple(sorted([*parts, *idle], key=lambda part: -abs(part.amount))),
    )


def _mix_dialects(first: Dialect, last: Dialect, chosen: frozenset[Cause]) -> Dialect:
    """Return the first dialect with the chosen causes as in the last."""
    return replace(first, **{name: getattr(last, name) for cause in chosen for name in cause.fields})


def _share(cause: Cause, causes: tuple[Cause, ...], values: Mapping[frozenset[Cause], float]) -> float:
    n = len(causes)
    return sum(
        factorial(len(chosen)) * factorial(n - len(chosen) - 1) / factorial(n) * (values[chosen | {cause}] - value)
        for chosen, value in values.items()
        if cause not in chosen
    )


def _count_changed_queries(
    scores: Scores, first: Dialect, last: Dialect, causes: tuple[Cause, ...], cause: Cause, measure: Measure
) -> int:
    """Return how many queries change their value when the cause is the first to be switched, or the last."""
    whole = frozenset(causes)
    same = []
    for before, after in ((frozenset[Cause](), frozenset({cause})), (whole - {cause}, whole)):
        old, new = (scores.values(_mix_dialects(first, last, chosen), measure) for chosen in (before, after))
        same.append(np.isclose(old, new, rtol=0.0, atol=NOTHING, equal_nan=True))
    return int((~np.logical_and(*same)).sum())
