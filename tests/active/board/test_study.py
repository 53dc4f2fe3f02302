"""Studies of boards: the marks of a repetition, their means, and the labels for a good order."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rankgauge.labelling.simulations.study import MARKS, BoardCurve, mark_repetition
from rankgauge.labelling.yardstick import Standing

TRUTH = np.array([0.5, 0.3, 0.1])


def curve(*tau: list[float], labels: tuple[int, ...] = (10, 100, 1000)) -> BoardCurve:
    """A curve with that τ: a list for each number of labels, a number for each repetition."""
    marks = {name: np.full((len(tau), len(tau[0])), np.nan) for name in MARKS}
    return BoardCurve(method="m", measure="AP", labels=labels, marks={**marks, "tau": np.array(tau)})


def test_marks_of_values() -> None:
    """Errors are over the runs; one pair of three is in the wrong order; there is nothing to cover."""
    found = mark_repetition(Standing(values=np.array([0.4, 0.2, 0.3])), TRUTH)
    assert found["rmse"] == pytest.approx((0.1**2 + 0.1**2 + 0.2**2) / 3)  # the square
    assert found["bias"] == pytest.approx((-0.1 - 0.1 + 0.2) / 3)
    assert found["tau"] == pytest.approx((2 - 1) / 3)
    assert found["tau_ap"] == pytest.approx(2 * (1 + 1 / 2) / 2 - 1)
    assert found["winner"] == 1
    assert math.isnan(found["coverage"])
    assert math.isnan(found["family_error"])


def test_marks_of_intervals() -> None:
    """Two of three runs are covered, not all; two pairs are settled, one of them wrongly."""
    standing = Standing(
        values=np.array([0.4, 0.2, 0.35]),
        own=np.array([0.11, 0.11, 0.11]),
        joint=np.array([0.2, 0.2, 0.2]),
        pairs=np.full((3, 3), 0.14),
    )
    found = mark_repetition(standing, TRUTH)
    assert found["coverage"] == pytest.approx(2 / 3)
    assert found["joint_coverage"] == 0
    assert found["half_width"] == pytest.approx(0.11)
    assert found["settled"] == pytest.approx(2 / 3)  # 0.4 against 0.2, and 0.35 against 0.2, which is wrong
    assert found["family_error"] == 1


def test_rounding_is_covered() -> None:
    """Where everything is judged, intervals have no width and hold the truth, whatever the last digit is."""
    whole = Standing(values=TRUTH + 1e-16, own=np.zeros(3), joint=np.zeros(3), pairs=np.zeros((3, 3)))
    found = mark_repetition(whole, TRUTH)
    assert found["coverage"] == found["joint_coverage"] == found["settled"] == 1
    assert found["family_error"] == 0


def test_what_is_not_estimated_has_no_marks() -> None:
    """Values that a yardstick does not give are no values of 0; values that are all equal are no order."""
    assert all(math.isnan(mark) for mark in mark_repetition(Standing(values=np.full(3, np.nan)), TRUTH).values())
    assert mark_repetition(Standing(values=np.zeros(3)), TRUTH)["tau"] == 0


def test_means_and_standard_errors() -> None:
    """A mark is a mean over repetitions with s/√n; the root of the mean square has half of its relative error."""
    found = curve([0.8, 0.9, 1.0])
    mean, error = found.mark("tau")
    assert mean.tolist() == pytest.approx([0.9])
    assert error.tolist() == pytest.approx([0.1 / math.sqrt(3)])
    squares = BoardCurve(method="m", measure="AP", labels=(10,), marks={**found.marks, "rmse": found.marks["tau"]})
    root, spread = squares.mark("rmse")
    assert root[0] == pytest.approx(math.sqrt(0.9))
    assert spread[0] == pytest.approx(0.1 / math.sqrt(3) / (2 * math.sqrt(0.9)))
    assert np.isnan(found.mark("coverage")[0]).all()


def test_labels_for_a_good_order() -> None:
    """Between two budgets the labels are on a straight line over their logarithm; outside there is a bound."""
    found = curve([0.7, 0.7], [0.8, 0.8], [1.0, 1.0]).labels_for()
    assert found.labels == pytest.approx(100 * math.sqrt(10))
    assert found.error == pytest.approx(0, abs=1e-9)
    assert curve([0.7, 0.7], [0.8, 0.8], [0.85, 0.85]).labels_for().bound == ">"
    assert curve([0.95, 0.91], [0.92, 0.94], [0.99, 0.97]).labels_for().bound == "≤"
    assert math.isnan(curve([np.nan, np.nan], [np.nan, np.nan], [np.nan, np.nan]).labels_for().labels)
    again = curve([0.95, 0.95], [0.8, 0.8], [1.0, 1.0]).labels_for()  # a good order counts from where it lasts
    assert again.labels == pytest.approx(100 * math.sqrt(10))


def test_the_error_of_labels_for_a_good_order() -> None:
    """The jackknife's standard error, by hand for two repetitions: half the distance of what each gives alone."""
    found = curve([0.7, 0.7], [0.8, 0.8], [1.0, 0.95]).labels_for()
    alone = [100 * 10 ** ((0.9 - 0.8) / (top - 0.8)) for top in (1.0, 0.95)]
    assert found.error == pytest.approx(abs(alone[0] - alone[1]) / 2)
