"""The contracts of a paired test and of a correction for many of them, and the registries of both.

A test reads differences of paired values (queries × pairs of runs), NaN if a query has no pair, and gives a
two-sided p-value for each pair of runs: 1 if every difference is 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankgauge.errors import ParameterError
from rankgauge.numeric import FloatArray, IndexArray
from rankgauge.records import entity, record
from rankgauge.registry import Registered, Registry

DRAWS = 10_000
"""How many random signs or resamples a test takes: a p-value of 0.05 is then right within 0.004."""

SLACK = 1 - 1e-12
"""Sums added in another order differ in the last bits; sums that differ only there count as equal."""

CELLS = 1 << 21
"""How many cells are worked on at once: 16 MB of doubles."""

TESTS: Registry[PairedTest] = Registry("test", "rankgauge.statistics.paired_tests")


class Tested(NamedTuple):
    """The p-value of each pair, and its standard error: 0 unless the p-value comes from random draws."""

    p: FloatArray
    error: FloatArray


@record
class PairedTest(Registered):
    """A paired test: `kernel` takes differences (queries × pairs), a generator, and how often to draw from it."""

    registry = TESTS

    name: str
    title: str
    words: str
    reference: str
    kernel: Callable[[FloatArray, np.random.Generator, int], Tested]
    draws: bool = False
    """Whether it may draw at random."""

    def __call__(self, differences: npt.ArrayLike, *, rng: np.random.Generator, draws: int = DRAWS) -> Tested:
        """Return the p-values of one pair (queries) or of many (queries × pairs)."""
        values = np.asarray(differences, dtype=np.float64)
        if values.ndim not in (1, 2):
            raise ParameterError(self.name, "differences", "a vector, or a matrix of queries × pairs", values.shape)
        if draws < 1:
            raise ParameterError(self.name, "draws", "a whole number, 1 or more", draws)
        tested = self.kernel(values.reshape(len(values), -1), rng, draws)
        return Tested(*(column.reshape(values.shape[1:])[()] for column in tested))


def sampled_p(extreme: FloatArray, draws: int) -> Tested:
    """Return the p-value if so many draws were at least as extreme as what was seen, which itself counts as one more.

    Without that one a p-value could be 0, and a test at any level would be wrong too often (Phipson & Smyth 2010).
    """
    p = (extreme + 1) / (draws + 1)
    return Tested(p, np.sqrt(p * (1 - p) / draws))


def pieces(draws: int, *, width: int) -> Iterator[int]:
    """Yield how many draws to take at a time, each of which needs `width` cells."""
    step = max(1, CELLS // max(width, 1))
    for start in range(0, draws, step):
        yield min(step, draws - start)


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
