"""The contract of a similarity of ranked lists, and the registry of them.

A similarity reads two ranked lists, which may have ties and different documents, and gives one number: 1 for lists that
agree fully. What it does with documents that only one list has, it says itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from rankgauge.errors import ParameterError
from rankgauge.records import record
from rankgauge.registry import Registered, Registry
from rankgauge.statistics.overlap import RankedPair, overlap

PERSISTENCE = 0.9
"""The chance that the reader of a list goes on to the next rank, unless it is given."""

SIMILARITIES: Registry[Similarity] = Registry("similarity", "rankgauge.statistics.similarities", lenient=True)


class SimilarityValue(NamedTuple):
    """How alike two lists are; where lists are cut off, the least that it can be and what the rest may add to that."""

    value: float
    minimum: float = math.nan
    residual: float = math.nan


Kernel = Callable[[RankedPair, float], SimilarityValue]


@record
class Similarity(Registered):
    """A similarity: `kernel` takes two lists that are not empty and the reader's persistence p."""

    registry = SIMILARITIES

    name: str
    title: str
    words: str
    reference: str
    kernel: Kernel
    lowest: float = -1.0
    """The value of lists that disagree fully; the highest is 1."""
    persistent: bool = False
    """Whether it depends on p."""

    def __call__(self, pair: RankedPair, p: float = PERSISTENCE) -> SimilarityValue:
        """How alike the lists are; NaN where one is empty, or too short or too tied to have an order."""
        if not 0 < p < 1:
            raise ParameterError(self.name, "p", "between 0 and 1", p)
        return SimilarityValue(math.nan) if pair.is_empty else self.kernel(pair, p)

    def label(self, p: float = PERSISTENCE) -> str:
        """The name as a report shows it, with the persistence where it matters."""
        return f"{self.title} (p = {p:g})" if self.persistent else self.title


UNSHARED = "a document that a list lacks is tied below its last one"
"""What coefficients of one order of the same documents do with others."""


def correlation(coefficient: Callable[..., float]) -> Kernel:
    """The kernel of a coefficient of two scorings of the same documents; documents that a list lacks are tied below its
    last one."""

    def kernel(pair: RankedPair, p: float) -> SimilarityValue:
        x, y = pair.scores()
        return SimilarityValue(coefficient(x, y) if len(x) > 1 else math.nan)

    return kernel


def rank_biased(ties: str) -> Kernel:
    """The kernel of rank-biased overlap with that treatment of ties."""

    def kernel(pair: RankedPair, p: float) -> SimilarityValue:
        found = overlap(pair, p, ties)
        return SimilarityValue(found.extrapolated, found.minimum, found.residual)

    return kernel
