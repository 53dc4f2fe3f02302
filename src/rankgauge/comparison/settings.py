"""How runs are compared: the test, the correction, the level, and what random draws rest on."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rankgauge.constraints import whole_number
from rankgauge.errors import ParameterError, UnknownNameError
from rankgauge.evaluation.summary import SAMPLE
from rankgauge.statistics import MEAN_INTERVALS
from rankgauge.statistics.correction import CORRECTIONS, Correction
from rankgauge.statistics.paired_test import DRAWS, TESTS, PairedTest

FINER = 5
"""How many times the least p-value fits into the level after Bonferroni's correction."""


@dataclass(frozen=True, kw_only=True)
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
        if not 0 < self.alpha < 1:
            raise ParameterError("compare", "alpha", "between 0 and 1", self.alpha)
        if self.draws is not None and self.draws < 1:
            raise ParameterError("compare", "draws", "a whole number, 1 or more", self.draws)

    @property
    def paired_test(self) -> PairedTest:
        """The test of that name."""
        return TESTS.find(self.test)

    @property
    def family_correction(self) -> Correction:
        """The correction of that name."""
        return CORRECTIONS.find(self.correction)

    def drawn(self, pairs: int) -> int:
        """How often to draw for these pairs: the least p-value must stay far below the level when it is corrected."""
        if self.draws is not None:
            return self.draws
        tests = pairs if self.family_correction.magnifies else 1
        return max(DRAWS, math.ceil(FINER * tests / self.alpha))

    def rng(self) -> np.random.Generator:
        """A new generator from the seed, so that all measures share their draws, whatever was drawn before."""
        return np.random.default_rng(self.seed)
