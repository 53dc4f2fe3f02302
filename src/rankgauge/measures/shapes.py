"""The shape of a measure: what its value is made of, where that is worths of grades and weights of ranks alone.

Whoever needs more of a measure than its value on a list, such as its mean and variance under beliefs about the
grades, asks for its form; a measure that has none answers None.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from rankgauge.measures.parts import cascade
from rankgauge.numeric import FloatArray
from rankgauge.ranking import RankedLists
from rankgauge.ranking.lists import Weight

__all__ = ["Form", "Shape"]


class Shape(Enum):
    """How worths and weights make a value."""

    LINEAR = "linear"  # Σ weight(rank) · worth(grade)
    CASCADE = "cascade"  # Σ weight(rank) · worth(grade) · Π (1 − worth of those before)
    OTHER = "other"  # anything else


@dataclass(frozen=True, kw_only=True)
class Form:
    """A measure taken apart: the worth of each hit by its grade, the weight of a rank, and the last rank that counts.

    In a cascade the worth is the chance that a user stops.
    """

    shape: Shape
    worth: Callable[[RankedLists], FloatArray]
    weight: Weight
    cutoff: float | None = None

    def contributions(self, lists: RankedLists) -> FloatArray:
        """What each hit adds to the value."""
        lists = lists.top(self.cutoff)
        if self.shape is Shape.CASCADE:
            return cascade(lists, self.worth(lists), self.weight, self.cutoff)
        return self.worth(lists) * lists.weigh(self.weight, self.cutoff)
