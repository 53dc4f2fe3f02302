"""How runs are compared: the test, the correction, the level, and what random draws rest on."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Self

import numpy as np

from rankgauge.constraints import Constraint, whole_number
from rankgauge.errors import ParameterError, UnknownNameError
from rankgauge.evaluation.summary import SAMPLE
from rankgauge.records import record
from rankgauge.statistics.intervals import MEAN_INTERVALS
from rankgauge.statistics.paired_test import CORRECTIONS, DRAWS, TESTS, Correction, PairedTest

FINER = 5
"""How many times the least p-value fits into the level after Bonferroni's correction."""


@record
class ComparisonSettings:
    """The choices of a comparison, by name; a wrong one shows when they are made."""

    test: str = "t"
    correction: str = "holm"
    alpha: float = 0.05
    interval: str = "t"
    seed: int = 0
    draws: int | None = None
    """How often to draw; None: 10,000 times, and more where the correction of many pairs needs finer p-values."""

    def __post_init__(self) -> None:
        TESTS.find(self.test)
        CORRECTIONS.find(self.correction)
        if self.interval == SAMPLE:
            wanted = "t or bca: 'sample' belongs to 'rankgauge evaluate', and differences between runs have none"
            raise ParameterError("compare", "interval", wanted, self.interval)
        if self.interval not in MEAN_INTERVALS:
            raise UnknownNameError("interval", self.interval, MEAN_INTERVALS)
        whole_number(least=0).check("compare", "seed", self.seed)
        Constraint("between 0 and 1", lambda alpha: 0 < alpha < 1).check("compare", "alpha", self.alpha)
        whole_number(optional=True).check("compare", "draws", self.draws)

    @property
    def paired_test(self) -> PairedTest:
        """The test of that name."""
        return TESTS.find(self.test)

    @property
    def family_correction(self) -> Correction:
        """The correction of that name."""
        return CORRECTIONS.find(self.correction)

    def draws_for(self, pairs: int) -> int:
        """How often to draw for these pairs: the least p-value must stay far below the level when it is corrected."""
        if self.draws is not None:
            return self.draws
        tests = pairs if self.family_correction.magnifies else 1
        return max(DRAWS, math.ceil(FINER * tests / self.alpha))

    def rng(self) -> np.random.Generator:
        """Return a new generator from the seed, so that all measures share their draws, whatever was drawn before."""
        return np.random.default_rng(self.seed)


FLOOR_COLUMNS: Mapping[str, type] = {
    **dict.fromkeys(("measure", "run"), str),
    **dict.fromkeys(("mean", "floor"), float),
    "queries": int,
    "verdict": str,
}
"""The columns of a table of floors."""


@record
class GateFloor:
    """The least mean that a run may have by a measure; without a measure, by each that the gate's rules name."""

    measure: str | None
    least: float

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `nDCG@10:0.62`, or `0.62` for all measures of the gate."""
        measure, least = _split(text, "min", "a measure and its least mean, such as nDCG@10:0.62")
        return cls(measure=measure or None, least=least)


@record
class SegmentTolerance:
    """The loss that is tolerated in one segment, in the place of a rule's own."""

    segment: str
    """The segment's name, after its column and '=' where several columns have it."""
    loss: float

    def __post_init__(self) -> None:
        if not self.segment or not self.loss >= 0:
            wanted = "a name and a loss of 0 or more, such as brand:0.02"
            raise ParameterError("the gate", "tolerance", wanted, f"{self.segment}:{self.loss:g}")

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `brand:0.02` or `kind=brand:0.02`."""
        segment, loss = _split(text, "tolerance", "a name and its tolerated loss, such as brand:0.02")
        return cls(segment=segment, loss=loss)

    def concerns(self, by: str, segment: str) -> bool:
        """Say whether this is about a segment of that column."""
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
