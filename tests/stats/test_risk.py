"""Risk against a baseline: worked examples, and laws."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgauge.statistics.effects import georisk, trade_off, trisk, urisk

DIFFERENCES = np.array([0.3, -0.1, 0.0, 0.2])
VALUES = st.lists(st.floats(-1, 1), min_size=2, max_size=12).map(np.array)


def test_worked_example() -> None:
    """Losses weigh six times with alpha = 5; TRisk is Student's t of the weighed differences."""
    weighed = [0.3, -0.1 * 6, 0.0, 0.2]
    mean = sum(weighed) / 4
    spread = math.sqrt(sum((one - mean) ** 2 for one in weighed) / 3)
    assert trade_off(DIFFERENCES, 5).tolist() == pytest.approx(weighed)
    assert urisk(DIFFERENCES, 5) == pytest.approx((0.3 + 0.2 - 6 * 0.1) / 4)
    assert trisk(DIFFERENCES, 5) == pytest.approx(mean / (spread / math.sqrt(4)))


def test_georisk_by_hand() -> None:
    """Two runs on two queries: what totals let expect, the distances in their roots, and the normal share of them."""
    values = np.array([[0.4, 0.2], [0.1, 0.3]])
    expected = {(q, r): values[:, r].sum() * values[q].sum() / 1.0 for q in (0, 1) for r in (0, 1)}
    for run in (0, 1):
        z = [(values[q, run] - expected[q, run]) / math.sqrt(expected[q, run]) for q in (0, 1)]
        zrisk = sum(one if one >= 0 else 3 * one for one in z)
        phi = 0.5 * (1 + math.erf(zrisk / 2 / math.sqrt(2)))
        assert georisk(values, 2)[run] == pytest.approx(math.sqrt(values[:, run].sum() / 2 * phi))


@given(VALUES, st.floats(0, 10))
def test_without_aversion_it_is_the_mean(differences: np.ndarray, alpha: float) -> None:
    """With alpha = 0 URisk is the mean difference; aversion never raises it, and gains alone are the same for any."""
    assert urisk(differences, 0) == pytest.approx(differences.mean())
    assert urisk(differences, alpha) <= urisk(differences, 0) + 1e-12
    assert urisk(np.abs(differences), alpha) == pytest.approx(np.abs(differences).mean())


def test_what_has_no_value() -> None:
    """Queries without a pair are left out; one query has no TRisk; values below 0 have no GeoRisk."""
    gaps = np.array([[0.5], [np.nan], [-0.5]])
    assert urisk(gaps, 1).tolist() == [(0.5 - 1.0) / 2]
    assert math.isnan(trisk(gaps[:2], 1)[0])
    assert trisk(np.zeros(3), 1) == 0
    assert np.isnan(georisk(np.array([[0.1, -0.2], [0.1, 0.2]]), 1)).all()
    assert georisk(np.zeros((3, 2)), 1).tolist() == [0, 0]
