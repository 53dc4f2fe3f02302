"""Student's t and the normal distribution, beside SciPy's."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from rankgauge.statistics.intervals import normal_cdf, normal_quantile, student_quantile, student_tail, unit_nodes

FREEDOMS = [1, 2, 3, 5, 23, 49, 1_000, 6_979, 50_000]


@pytest.mark.parametrize("freedom", FREEDOMS)
@pytest.mark.parametrize("p", [0.025, 0.3, 0.6, 0.95, 0.975, 0.9999])
def test_quantiles(freedom: int, p: float) -> None:
    """Quantiles are SciPy's to twelve digits at least."""
    assert student_quantile(freedom, p) == pytest.approx(stdtrit(freedom, p), rel=1e-12)


@pytest.mark.parametrize("freedom", FREEDOMS)
def test_tails(freedom: int) -> None:
    """So are tails, however thin, and their sum with the rest is 1."""
    t = np.array([0.0, 0.1, 1.0, 2.0, 5.0, 8.0, 20.0, 100.0])
    expected = stdtr(freedom, -t)
    assert student_tail(freedom, t) == pytest.approx(expected, rel=1e-12, abs=1e-300)
    assert student_tail(freedom, -t) == pytest.approx(1 - expected)
    assert student_tail(freedom, 0.0) == 0.5


def test_what_is_known_exactly() -> None:
    """With one degree of freedom t is Cauchy's; without one there is no quantile; the median is 0."""
    assert student_quantile(1, 0.75) == pytest.approx(1.0, rel=1e-15)
    assert math.isnan(student_quantile(math.nan, 0.975))
    assert student_quantile(7, 0.5) == 0


def test_a_value_depends_on_no_other() -> None:
    """Equal values of t have equal tails, to the last bit, wherever they stand."""
    tails = student_tail(23, np.tile([2.1, 0.4, 3.7], 11))
    assert len(set(tails.tolist())) == 3


def test_integrals() -> None:
    """The nodes integrate x^k exactly: 1 / (k + 1)."""
    nodes, weights = unit_nodes()
    for power in (0, 1, 5, 40, 127):
        assert weights @ nodes**power == pytest.approx(1 / (power + 1), rel=1e-13)


def test_normal() -> None:
    """Chances and quantiles are SciPy's."""
    x = np.linspace(-8, 8, 41)
    assert normal_cdf(x) == pytest.approx(ndtr(x), rel=1e-13)
    for p in (1e-10, 0.025, 0.3, 0.5, 0.8, 0.975, 1 - 1e-10):
        assert normal_quantile(p) == pytest.approx(ndtri(p), rel=1e-13)
