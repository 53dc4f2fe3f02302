"""Ordered logit: its gradient, its chances, and what it finds in simulated grades."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from rankgauge import training
from rankgauge.training.rankers.ordered_logit import OrderedLogit, Posterior, rising
from tests.examples import examples

WEIGHTS, THRESHOLDS = np.array([1.0, -0.5, 0.0]), np.array([-0.5, 1.0, 2.0])


def simulated(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Documents whose grades follow the model."""
    matrix = rng.normal(size=(n, 3)) * [1.0, 2.0, 3.0] + [0.0, 5.0, -5.0]
    worth = (matrix - [0.0, 5.0, -5.0]) / [1.0, 2.0, 3.0] @ WEIGHTS
    return matrix, np.digitize(worth + rng.logistic(size=n), THRESHOLDS).astype(float)


@settings(max_examples=examples(30), deadline=None)
@given(seed=st.integers(0, 10**6), grades=st.integers(2, 5))
def test_the_gradient_is_that_of_differences(seed: int, grades: int) -> None:
    """The gradient is what small steps of each parameter show."""
    rng = np.random.default_rng(seed)
    matrix, classes = rng.normal(size=(40, 3)), np.append(np.arange(grades), rng.integers(0, grades, 40 - grades))
    posterior = Posterior(
        matrix=matrix, classes=classes, center=rng.normal(size=3), scale=np.array([1, 2, 0.5]), prior=0.7
    )
    at, step = rng.normal(size=3 + grades - 1), 1e-6
    shown = [(posterior(at + e)[0] - posterior(at - e)[0]) / (2 * step) for e in step * np.eye(len(at))]
    np.testing.assert_allclose(posterior(at)[1], shown, rtol=1e-5, atol=1e-8)


def test_the_value_is_the_negative_log_of_prior_and_chances() -> None:
    """−log p of each document, and w² / 2σ² of each weight, by the number of documents."""
    matrix, classes = np.array([[1.0], [2.0], [4.0]]), np.array([0, 1, 2])
    posterior = Posterior(matrix=matrix, classes=classes, center=np.array([1.0]), scale=np.array([2.0]), prior=0.5)
    worth = 3 * (np.array([1.0, 2.0, 4.0]) - 1) / 2
    low, high = 0.5, 0.5 + np.exp(0.25)
    chances = expit(low - worth[0]), expit(high - worth[1]) - expit(low - worth[1]), 1 - expit(high - worth[2])
    expected = (-np.log(chances).sum() + 3**2 / (2 * 0.5**2)) / 3
    assert posterior(np.array([3.0, 0.5, 0.25]))[0] == pytest.approx(expected)


@given(st.lists(st.floats(-20, 3), min_size=1, max_size=6))
def test_thresholds_rise(numbers: list[float]) -> None:
    """Whatever the parameters, no threshold is below the one before."""
    assert (np.diff(rising(np.array(numbers))) >= 0).all()


def test_parameters_are_recovered() -> None:
    """From many documents come the weights and thresholds that made their grades, up to their standard errors."""
    matrix, grades = simulated(np.random.default_rng(1), 20_000)
    model = OrderedLogit(prior=10.0).fit(matrix, grades)
    scale, center = np.array([1.0, 2.0, 3.0]), np.array([0.0, 5.0, -5.0])
    np.testing.assert_allclose(model.weights_ * scale, WEIGHTS, atol=0.06)
    np.testing.assert_allclose(model.thresholds_ - center @ model.weights_, THRESHOLDS, atol=0.08)


def test_chances_are_calibrated() -> None:
    """Where the model says p, the grade comes up with a frequency of about p."""
    rng = np.random.default_rng(2)
    model = OrderedLogit().fit(*simulated(rng, 5_000))
    matrix, grades = simulated(rng, 20_000)
    chances = model.predict_proba(matrix)
    for place, grade in enumerate(model.classes_):
        by_tenths = np.digitize(chances[:, place], np.linspace(0, 1, 11))
        for tenth in np.unique(by_tenths):
            said, came = chances[by_tenths == tenth, place], (grades == grade)[by_tenths == tenth]
            error = np.sqrt((said * (1 - said)).sum()) / len(said)
            assert abs(said.mean() - came.mean()) < 4 * error + 0.02


def test_the_optimum_is_reached() -> None:
    """No coordinate of the gradient is left, even where features nearly repeat one another."""
    rng = np.random.default_rng(3)
    matrix, grades = simulated(rng, 2_000)
    matrix = np.column_stack([matrix, matrix[:, 0] + 1e-3 * rng.normal(size=2_000)])
    model = OrderedLogit(tolerance=1e-8).fit(matrix, grades)
    center, scale = matrix.mean(axis=0), matrix.std(axis=0)
    classes = np.searchsorted(model.classes_, grades)
    posterior = Posterior(matrix=matrix, classes=classes, center=center, scale=scale, prior=1.0)
    thresholds = model.thresholds_ - center @ model.weights_
    at = np.concatenate([model.weights_ * scale, thresholds[:1], np.log(np.diff(thresholds))])
    assert np.abs(posterior(at)[1]).max() < 1e-6


def test_a_narrow_prior_holds_weights_near_zero() -> None:
    """The narrower the prior, the smaller the weights; with hardly any weight the chances are the grades' shares."""
    matrix, grades = simulated(np.random.default_rng(4), 500)
    sizes = [np.abs(OrderedLogit(prior=prior).fit(matrix, grades).weights_).sum() for prior in (1e-4, 0.05, 1.0)]
    assert sizes[0] < sizes[1] < sizes[2]
    chances = OrderedLogit(prior=1e-4).fit(matrix, grades).predict_proba(matrix)
    np.testing.assert_allclose(chances.mean(axis=0), np.bincount(grades.astype(int)) / 500, atol=1e-3)


def test_separable_grades_stay_finite() -> None:
    """Where one feature tells the grade for sure, the prior keeps its weight finite and the order is perfect."""
    matrix = np.column_stack([np.arange(30.0), np.full(30, 7.0)])
    model = OrderedLogit().fit(matrix, np.repeat([0.0, 1.0, 4.0], 10))
    assert np.isfinite(model.weights_).all()
    assert model.weights_[1] == 0
    assert (np.diff(model.predict(matrix)) > 0).all()
    np.testing.assert_allclose(model.predict_proba(matrix).sum(axis=1), 1.0)


def test_one_grade_is_certain() -> None:
    """Where all documents have one grade, nothing else is expected."""
    model = OrderedLogit().fit(np.eye(3), [2.0, 2.0, 2.0])
    assert model.predict_proba(np.eye(3)).tolist() == [[1.0]] * 3
    assert model.predict(np.eye(3)).tolist() == [2.0] * 3


def test_a_file_keeps_every_digit(tmp_path: Path) -> None:
    """The loaded model gives exactly what the saved one gave."""
    matrix, grades = simulated(np.random.default_rng(5), 300)
    model = OrderedLogit(prior=0.3).fit(matrix, grades)
    model.save(tmp_path / "model.json")
    loaded = training.load(tmp_path / "model.json")
    assert isinstance(loaded, OrderedLogit)
    assert loaded.prior == 0.3
    assert loaded.predict_proba(matrix).tobytes() == model.predict_proba(matrix).tobytes()
