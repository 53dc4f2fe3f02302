"""What a gate asks beside its rules: the least mean of a measure (a floor), and the loss that a segment may have.

A floor is a promise about the queries at hand: the mean itself is compared with it, not its interval.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from rankgauge.errors import ParameterError

FLOOR_COLUMNS: Mapping[str, type] = {
    **dict.fromkeys(("measure", "run"), str),
    **dict.fromkeys(("mean", "floor"), float),
    "queries": int,
    "verdict": str,
}
"""The columns of a table of floors."""


@dataclass(frozen=True, kw_only=True)
class GateFloor:
    """The least mean that a run may have by a measure; without a measure, by each that the gate's rules name."""

    measure: str | None
    least: float

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `nDCG@10:0.62`, or `0.62` for all measures of the gate."""
        measure, least = _split(text, "min", "a measure and its least mean, such as nDCG@10:0.62")
        return cls(measure=measure or None, least=least)


@dataclass(frozen=True, kw_only=True)
class SegmentTolerance:
    """The loss that is tolerated in one segment, in the place of a rule's own."""

    segment: str
    """The segment's name, after its column and '=' where several columns have it."""
    loss: float

    def __post_init__(self) -> None:
        if not self.segment or not self.loss >= 0:
            wanted = "a segment and a loss of 0 or more, such as brand:0.02"
            raise ParameterError("the gate", "segment-tolerance", wanted, f"{self.segment}:{self.loss:g}")

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `brand:0.02` or `kind=brand:0.02`."""
        segment, loss = _split(text, "segment-tolerance", "a segment and its tolerated loss, such as brand:0.02")
        return cls(segment=segment, loss=loss)

    def concerns(self, by: str, segment: str) -> bool:
        """Whether this is about a segment of that column."""
        return self.segment in (segment, f"{by}={segment}")


def _split(text: str, name: str, wanted: str) -> tuple[str, float]:
    """Split a text at its last colon into a name and a number."""
    subject, _, number = text.rpartition(":")
    try:
        value = float(number)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ParameterError("the gate", name, wanted, text)
    return subject.strip(), value
