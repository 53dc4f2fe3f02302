"""Studies: errors, coverage and savings of repetitions whose law is known."""

from __future__ import annotations

import numpy as np
import pytest

from rankgauge.labelling.method import Repetitions
from rankgauge.labelling.simulations.study import ErrorCurve, Study, saving

BUDGETS = (10.0, 20.0, 40.0, 80.0)


def repetitions(spread: float, budget: float, *, seed: int, truth: float = 0.3, count: int = 4000) -> Repetitions:
    """Estimates that are off by spread/√budget, with the error that they say they have."""
    error = spread / np.sqrt(budget)
    value = truth + error * np.random.default_rng(seed).standard_normal(count)
    whole = np.full(count, error)
    return Repetitions.around(
        value=value,
        error=whole,
        freedom=np.full(count, np.inf),
        cost=np.full(count, budget),
        draws=np.full(count, budget),
        labels=np.full(count, 10 * budget),
    )


def curve(name: str, spread: float, *, truth: float = 0.3) -> ErrorCurve:
    """The curve of such estimates."""
    seed = int(100 * spread)
    found = {b: repetitions(spread, b, seed=seed + int(b), truth=truth) for b in BUDGETS}
    return ErrorCurve.of(name, found, truth)


def test_errors_are_those_of_the_normal_law() -> None:
    """The mean absolute error of a normal estimate is √(2/π) of its standard error, and intervals cover 95 %."""
    frame = curve("m", 1.0).to_frame()
    np.testing.assert_allclose(frame["error"], np.sqrt(2 / np.pi / np.array(BUDGETS)), rtol=0.05)
    np.testing.assert_allclose(frame["rmse"], 1 / np.sqrt(BUDGETS), rtol=0.05)
    np.testing.assert_allclose(frame["coverage"], 0.95, atol=0.015)
    np.testing.assert_allclose(frame["coverage_se"], np.sqrt(0.95 * 0.05 / 4000), rtol=0.2)
    assert frame["labels"].to_list() == [100, 200, 400, 800]


def test_half_the_variance_saves_half() -> None:
    """A method with half of the other's variance needs half of its budget; its error says how sure that is."""
    found = saving(curve("good", np.sqrt(0.5)), curve("passive", 1.0), budget=80)
    assert (found.method, found.against, found.budget, found.bound) == ("good", "passive", 80.0, "")
    assert found.value == pytest.approx(0.5, abs=0.06)
    assert 0.005 < found.error < 0.05
    assert abs(found.value - 0.5) < 4 * found.error


def test_savings_outside_of_the_budgets_are_bounds() -> None:
    """What the least budget already reaches is saved at least; what the largest does not reach is reckoned."""
    low = saving(curve("great", 0.1), curve("passive", 1.0), budget=80)
    assert (low.value, low.bound) == (1 - 10 / 80, "≥")
    high = saving(curve("bad", np.sqrt(2)), curve("passive", 1.0), budget=80)
    assert high.bound == "≤"
    assert high.value == pytest.approx(1 - 2, abs=0.15)  # twice the variance, twice the budget


def test_nothing_is_saved_against_oneself() -> None:
    """A method saves nothing against itself."""
    same = curve("m", 1.0)
    assert saving(same, same, budget=40).value == pytest.approx(0.0, abs=1e-9)


def test_selection_errors() -> None:
    """An estimate of the wrong sign chooses the wrong ranker; 0 chooses by a coin."""
    truth = -0.1
    part = Repetitions.around(
        value=np.array([-0.2, 0.3, 0.0, -0.1]),
        **{n: np.ones(4) for n in ("error", "freedom", "cost", "draws", "labels")},
    )
    found = ErrorCurve.of("m", {5.0: part}, truth)
    assert found.wrong.tolist() == [[0.0, 1.0, 0.5, 0.0]]
    assert found.to_frame()["wrong"].to_list() == [1.5 / 4]


def test_repetitions_without_an_estimate_are_counted_apart() -> None:
    """A budget that buys nothing gives no estimate: the means are over those that there are."""
    part = Repetitions.around(
        value=np.array([0.2, np.nan, 0.4, 0.3]),
        **{n: np.ones(4) for n in ("error", "freedom", "cost", "draws", "labels")},
    )
    frame = ErrorCurve.of("m", {5.0: part}, 0.3).to_frame()
    assert frame["estimates"].to_list() == [0.75]
    assert frame["error"].to_list() == pytest.approx([(0.1 + 0.1 + 0.0) / 3])


def test_a_study_compares_with_the_references_that_it_has() -> None:
    """Savings are counted for every method against every reference in the study."""
    curves = {name: curve(name, spread) for name, spread in (("passive", 1.0), ("paper", 0.9), ("greg", 0.7))}
    study = Study(title="pool", measure="ERR", truth=0.3, curves=curves)
    found = [(s.method, s.against) for s in study.savings(["passive", "paper", "absent"])]
    assert found == [("paper", "passive"), ("greg", "passive"), ("passive", "paper"), ("greg", "paper")]
    assert len(study.to_frame()) == 3 * len(BUDGETS)


def test_a_budget_that_buys_nothing_has_no_numbers() -> None:
    """Where no repetition gave an estimate, means are NaN, and nothing is saved by it."""
    ones = {n: np.ones(4) for n in ("error", "freedom", "cost", "draws", "labels")}
    parts = {1.0: np.full(4, np.nan), 2.0: np.array([0.2, 0.4, 0.2, 0.4])}
    found = ErrorCurve.of(
        "m", {b: Repetitions.around(value=v, **{**ones, "cost": np.full(4, b)}) for b, v in parts.items()}, 0.3
    )
    assert np.isnan(found.to_frame()["error"].to_list()).tolist() == [True, False]
    assert saving(found, found).value == pytest.approx(0.0, abs=1e-9)
