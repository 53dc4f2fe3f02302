"""The contract of a correction for many tests, and the registry of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rankgauge.numeric import FloatArray, IndexArray
from rankgauge.records import entity, record
from rankgauge.registry import Registered, Registry

CORRECTIONS: Registry[Correction] = Registry("correction", "rankgauge.statistics.corrections")


@entity
class Family:
    """The tests that are corrected together: those of one measure.

    `p` (pairs) are their p-values; `values` (queries × runs) what was compared, NaN if a run has no value; `first`
    and `second` (pairs) which runs each test is about.
    """

    p: FloatArray
    values: FloatArray
    first: IndexArray
    second: IndexArray
    rng: np.random.Generator
    draws: int


@record
class Correction(Registered):
    """A correction: `adjust` gives p-values to compare with the level as if there were only one test."""

    registry = CORRECTIONS

    name: str
    title: str
    words: str
    reference: str
    adjust: Callable[[Family], FloatArray]
    tests_alone: bool = False
    """Whether it compares the runs itself, whatever the paired test says."""
    magnifies: bool = True
    """Whether p-values are multiplied, so that more tests need finer p-values from random draws."""
