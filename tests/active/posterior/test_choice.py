"""The choice of labels: its approximation against the draws and against all that could be true."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ndtr

from rankgauge.labelling.board.design import Goal
from rankgauge.labelling.posterior import GradePosterior
from rankgauge.labelling.posterior.choice import LabelChoice
from rankgauge.labelling.posterior.model import EffectRows, NormalEffects, StepBeliefs
from rankgauge.numeric import FloatArray
from tests.active.posterior.small import OWN, SCALE, SPREAD, integrated, labels, model, shallow


def test_beliefs_are_near_the_integral() -> None:
    """Laplace's approximation of predictors has nearly the mean and the variance of numerical integration."""
    rows, passed = np.array([0, 1, 3]), np.array([True, False, False])
    found = StepBeliefs.of(model(), 0, rows, passed, np.array([OWN]))
    mean, variance = integrated(rows.tolist(), passed.tolist())
    assert found.variance == pytest.approx(variance, rel=0.1)
    assert found.chance == pytest.approx(ndtr(mean / np.sqrt(1 + variance)), abs=0.05)


def test_the_covariance_is_that_of_regression() -> None:
    """Rows and products agree with k − k A'(K + V⁻¹)⁻¹ A k, written out for labels of the weights V."""
    made, rows = model(), np.array([0, 1, 3])
    found = StepBeliefs.of(made, 0, rows, np.array([True, False, False]), np.array([OWN]))
    weight = np.array([0.5, 2.0, 1.0])
    effects = NormalEffects.of(EffectRows.of(made, rows), np.array([OWN]), weight)
    found = replace(found, effects=effects, u=effects.features())
    prior = SPREAD**2 * np.outer(made.x, made.x) + OWN**2 * np.equal.outer(made.query, made.query)
    noisy = prior[np.ix_(rows, rows)] + np.diag(1 / weight)
    dense = prior - prior[:, rows] @ np.linalg.solve(noisy, prior[rows])
    assert np.array([found.row(z) for z in range(4)]) == pytest.approx(dense)
    weights = np.array([[1.0, -2.0, 0.5, 3.0], [0.0, 1.0, 1.0, 0.0]])
    assert found.times(weights) == pytest.approx(weights @ dense)
    amounts = np.array([[0.3, 1.0], [-1.0, 0.0], [2.0, -0.5]])
    beta, b = effects.solve(amounts)
    moved = made.x @ beta + b[made.query, 0]
    assert moved[rows] == pytest.approx(dense[np.ix_(rows, rows)] @ amounts)
    drawn = effects.noise(np.random.default_rng(1), 40_000)
    predictors = made.x @ drawn[0] + drawn[1][made.query, 0]
    assert np.cov(predictors) == pytest.approx(dense, abs=0.03)


def _choice(posterior: GradePosterior, known: FloatArray, goal: str = "values") -> LabelChoice:
    after = posterior.estimate(known, seed=1)
    return LabelChoice.of(
        posterior.pool,
        posterior.model,
        posterior.targets,
        known,
        spread=after[0].learnt,
        goal=Goal.parse(goal),
        values=[one.values for one in after],
    )


def test_updates_within_a_batch_are_exact() -> None:
    """After some labels are taken, products and variances are those of the covariance without what they tell."""
    pool, grades = shallow()
    posterior = GradePosterior.of(pool, ["nDCG@5"], grades=SCALE)
    choice = _choice(posterior, labels(grades, posterior.order(1), 20))
    step = choice.steps[0]
    places = np.flatnonzero(choice.open_)[:3]
    for place in places:
        choice.take(int(place))
    dense = np.array([step.beliefs.row(z) for z in range(len(grades))])
    for column in step.taken[: step.count]:
        dense -= np.outer(column, column)
    assert step.shared == pytest.approx(step.pull @ dense, abs=1e-12)
    assert step.variance == pytest.approx(np.maximum(np.diag(dense), 1e-12), rel=1e-6, abs=1e-9)
    assert (step.pull[:, places] == 0).all()


def test_spread_of_values_is_near_that_of_the_draws() -> None:
    """The linear approximation knows about how uncertain the values are that the draws give."""
    pool, grades = shallow(depth=10)
    posterior = GradePosterior.of(pool, ["nDCG@10"], grades=SCALE)
    known = labels(grades, posterior.order(1), 60)
    choice, (estimate,) = _choice(posterior, known), posterior.estimate(known, seed=1)
    whole = np.sum([step.covariance(choice.open_) for step in choice.steps], axis=0)
    ratio = np.sqrt(np.diag(whole)) / estimate.drawn.std(axis=0)
    assert (ratio > 0.7).all()
    assert (ratio < 1.5).all()


@pytest.mark.parametrize("goal", ["values", "rank", "best", "best 2", "beats run 1"])
def test_next_documents_are_open_and_differ(goal: str) -> None:
    """Whatever the goal: none that is judged or pending, none twice, the same for the same seed."""
    pool, grades = shallow()
    posterior = GradePosterior.of(pool, ["nDCG@5", "AP"], grades=SCALE)
    known = labels(grades, posterior.order(1), 20)
    after, pending = posterior.estimate(known, seed=1), posterior.order(1)[20:23].tolist()
    found, again = (posterior.next(known, 12, seed=1, after=after, goal=goal, pending=pending) for _ in range(2))
    assert len(set(found.tolist())) == 12
    assert np.isnan(known[found]).all()
    assert not set(found.tolist()) & set(pending)
    assert (found == again).all()
    left = posterior.next(known, 10_000, seed=1, after=after, goal=goal)
    assert sorted(left) == np.flatnonzero(np.isnan(known)).tolist()


def test_the_first_labels_are_those_of_the_order() -> None:
    """One for each query; so are all labels of a measure that is no sum over documents."""
    pool, grades = shallow()
    posterior = GradePosterior.of(pool, ["nDCG@5"], grades=SCALE)
    none = np.full(len(grades), np.nan)
    assert (posterior.next(none, 10, seed=4, after=()) == posterior.order(4)[:10]).all()
    odd = GradePosterior.of(pool, ["Bpref"], grades=SCALE)
    known = labels(grades, odd.order(4), 15)
    assert (odd.next(known, 5, seed=4, after=odd.estimate(known, seed=1)) == odd.order(4)[15:20]).all()


def test_chosen_labels_tell_more_than_the_order() -> None:
    """After the same number of labels intervals are narrower, on average over some seeds."""
    pool, grades = shallow(depth=10)
    posterior = GradePosterior.of(pool, ["nDCG@10"], grades=SCALE)
    widths = []
    for seed in range(3):
        known = labels(grades, posterior.order(seed), 20)
        for _ in range(3):
            chosen = posterior.next(known, 15, seed=seed, after=posterior.estimate(known, seed=seed))
            known[chosen] = grades[chosen]
        plain = labels(grades, posterior.order(seed), 65)
        widths.append([posterior.estimate(one, seed=seed)[0].half_widths().mean() for one in (known, plain)])
    assert np.mean(widths, axis=0)[0] < 0.95 * np.mean(widths, axis=0)[1]
