"""The contract of a coefficient of agreement, and the registry of them.

A coefficient reads a tally: how many assessors gave each grade to an item. Who gave it does not matter, so kernels need
not care how many assessors there are and which of them judged an item.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from rankgauge.numeric import FloatArray, ratio
from rankgauge.registry import Registered, Registry

COEFFICIENTS: Registry[Coefficient] = Registry("coefficient of agreement", "rankgauge.judgments.coefficients")


@dataclass(frozen=True, kw_only=True, eq=False)
class Tally:
    """How many assessors gave each grade, for every kind of item.

    `grades` (levels) ascend; `counts` (kinds × levels) tells how often each grade was given. Items with the same counts
    are one kind, and `weights` (samples × kinds) tells how many items are of each kind: the items themselves are one
    sample, a bootstrap has many, and a kernel computes them all at once.
    """

    grades: FloatArray
    counts: FloatArray
    weights: FloatArray

    @cached_property
    def judged(self) -> FloatArray:
        """How many assessors judged an item of each kind."""
        return np.asarray(self.counts.sum(axis=-1))

    @property
    def shared(self) -> Tally:
        """The items that at least two assessors judged."""
        several = self.judged >= 2
        return replace(self, counts=self.counts[several], weights=self.weights[:, several])

    def mean(self, amounts: FloatArray) -> FloatArray:
        """Return the mean over the items of an amount per kind; NaN without items."""
        return ratio(self.weights @ amounts, self.weights.sum(axis=-1))


@dataclass(frozen=True, kw_only=True)
class Coefficient(Registered):
    """A coefficient of agreement; `kernel` gives its value for each sample, NaN if its formula is 0/0."""

    registry = COEFFICIENTS

    name: str
    title: str
    words: str
    reference: str
    kernel: Callable[[Tally], FloatArray]
