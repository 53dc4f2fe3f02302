"""Expected values: the model of unjudged documents, and intervals from teams that were left out."""

from __future__ import annotations

import numpy as np
import pytest

from rankgauge.labelling.pools.expectation import FEWEST_TEAMS, Expectations, UnjudgedModel


def foretold(rng: np.random.Generator, teams: int) -> Expectations:
    """Expectations whose errors are normal, twice as large as the model says, two runs of a team alike."""
    error = np.repeat(rng.normal(0, 0.02, teams), 2) + rng.normal(0, 0.001, 2 * teams)
    return Expectations(
        measures=("AP",),
        run=np.arange(2 * teams),
        team=np.repeat(np.arange(teams), 2),
        truth=np.full((1, 2 * teams), 0.3),
        plain=np.full((1, 2 * teams), 0.28),
        expected=0.3 + error[np.newaxis],
        deviation=np.full((1, 2 * teams), 0.01),
        model=None,
        documents=0,
    )


def test_the_model_is_a_logistic_regression() -> None:
    """Coefficients come out that labels were drawn with, and chances of a higher grade are never higher."""
    rng = np.random.default_rng(0)
    features = np.column_stack([np.ones(40_000), rng.normal(0, 1, (40_000, 2))])
    chance = 1 / (1 + np.exp(-(features @ [-2.0, 1.0, -0.5])))
    first = rng.random(40_000) < chance
    labels = np.column_stack([first, first & (rng.random(40_000) < 0.5)]).astype(float)
    model = UnjudgedModel.fit(features, labels)
    assert model.coefficients[0] == pytest.approx([-2.0, 1.0, -0.5], abs=0.06)
    chances = model.chances(features)
    assert (np.diff(chances, axis=1) <= 0).all()
    assert chances[:, 0].mean() == pytest.approx(chance.mean(), rel=0.03)


def test_labels_that_are_all_the_same_do_not_run_away() -> None:
    """Nothing relevant gives small chances, not an endless fit."""
    features = np.column_stack([np.ones(50), np.arange(50.0)])
    model = UnjudgedModel.fit(features, np.zeros((50, 1)))
    assert (model.chances(features) < 0.05).all()


def test_intervals_hold_for_a_new_team() -> None:
    """With exchangeable teams the interval from the others holds a team's worst run 95 % of the time or more."""
    rng = np.random.default_rng(1)
    held = []
    for _ in range(400):
        every = foretold(rng, 31)
        held.append(every.off[0, every.team == 0].max() <= every.factor(0, without=0))
    assert 0.93 <= np.mean(held) <= 0.99


def test_too_few_teams_have_no_interval() -> None:
    """Below 19 teams there is none; coverage leaves one more out."""
    few, enough = foretold(np.random.default_rng(2), FEWEST_TEAMS - 1), foretold(np.random.default_rng(2), FEWEST_TEAMS)
    assert np.isnan(few.factor(0))
    assert np.isfinite(enough.factor(0))
    assert np.isnan(enough.coverage(0))
