"""The sampler against sums and integrals over everything that could be true."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr

from rankgauge.labelling.posterior.sampler import StepSampler, draw_grades, merged_levels, sampled_predictors
from rankgauge.numeric import FloatArray
from tests.active.posterior.small import OWN, SPREAD, integrated, model


def _predictors(sampler: StepSampler, **choices: Any) -> FloatArray:
    """Five draws from each chain of a step without neighbours (draws × documents)."""
    return np.concatenate([steps[0] for steps in sampled_predictors([sampler], per_chain=5, **choices)], axis=1).T


@pytest.mark.parametrize(("rows", "passed"), [([0], [True]), ([0, 1, 3], [True, False, False]), ([2, 2], [True] * 2)])
def test_predictors_are_those_of_the_integral(rows: list[int], passed: list[bool]) -> None:
    """Their means and variances agree with numerical integration over all effects."""
    mean, variance = integrated(rows, passed)
    rng = np.random.default_rng(3)
    sampler = StepSampler(model=model(), step=0, rows=np.array(rows), passed=np.array(passed), rng=rng, chains=4000)
    drawn = _predictors(sampler, learnt_at=())
    assert drawn.shape == (20_000, 4)
    assert drawn.mean(axis=0) == pytest.approx(mean, abs=0.03)
    assert drawn.var(axis=0) == pytest.approx(variance, rel=0.05)


def test_without_labels_it_is_the_prior() -> None:
    """A step that no judged document has come to knows what was expected of it."""
    none = np.zeros(0, dtype=np.int64)
    sampler = StepSampler(
        model=model(), step=0, rows=none, passed=none.astype(bool), rng=np.random.default_rng(1), chains=4000
    )
    drawn, x = _predictors(sampler, learnt_at=()), np.array([1.0, 0.5, 1.0, -1.0])
    assert drawn.mean(axis=0) == pytest.approx(0.3 * x, abs=0.04)
    assert drawn.var(axis=0) == pytest.approx(x**2 * SPREAD**2 + OWN**2, rel=0.08)


def test_steps_that_follow_one_another_are_those_of_the_integral() -> None:
    """Where a query's intercept follows that of the step before, labels of each step tell of both."""
    grid, carried = np.linspace(-5.0, 5.0, 201), 0.6
    first, second = np.meshgrid(grid, grid, indexing="ij")
    weight = np.exp(-((first / OWN) ** 2 + ((second - carried * first) / OWN) ** 2) / 2)
    # One document of the first query passes the first step and fails the second; there is no shared effect.
    weight = weight * ndtr(first) * ndtr(-second)
    weight /= weight.sum()
    alone = replace(model(2, carried), x=np.zeros((4, 1)), mean=np.zeros((2, 1)))
    rng, rows = np.random.default_rng(4), np.array([0])
    steps = [
        StepSampler(model=alone, step=n, rows=rows, passed=np.array([n == 0]), rng=rng, chains=4000) for n in (0, 1)
    ]
    drawn = [np.array(both)[:, 0] for both in sampled_predictors(steps, per_chain=5, learnt_at=())]
    pair = np.concatenate(drawn, axis=1)
    means = [(weight * one).sum() for one in (first, second)]
    assert pair.mean(axis=1) == pytest.approx(means, abs=0.03)
    assert np.cov(pair)[0, 1] == pytest.approx((weight * first * second).sum() - means[0] * means[1], abs=0.05)


def test_grades_are_those_of_the_sum() -> None:
    """Chances of all grades agree with sums over a grid: two steps, the second asked only after the first."""
    grid = np.linspace(-5.0, 5.0, 41)
    beta, first, second = np.meshgrid(grid, grid, grid, indexing="ij")
    prior = np.exp(-((beta / SPREAD) ** 2 + (first / OWN) ** 2 + (second / OWN) ** 2) / 2)
    made = [x * (0.3 + beta) + b for x, b in zip([1.0, 0.5, 1.0, -1.0], [first, first, second, second], strict=True)]

    def passing(step: int) -> FloatArray:
        """The chance that each document passes a step, after the labels 2, 1 and 0 of the first three."""
        labels = [(0, 1), (1, 1), (2, 0)] if step == 0 else [(0, 1), (1, 0)]
        weight = prior * np.prod([ndtr(made[row] if passed else -made[row]) for row, passed in labels], axis=0)
        return np.array([float((weight * ndtr(one)).sum() / weight.sum()) for one in made])

    once, twice = passing(0), passing(1)
    labels = np.array([2.0, 1.0, 0.0, np.nan])
    chances = np.zeros(3)
    for seed in range(4):
        drawn = draw_grades(
            model(2), np.arange(3.0), labels, np.random.default_rng(seed), chains=1500, per_chain=3
        ).grades
        assert (drawn[:, :3] == labels[:3]).all()
        chances += np.bincount(drawn[:, 3].astype(int), minlength=3) / len(drawn) / 4
    # Spreads are learnt from two queries, which moves them a little from those of the sum.
    assert chances == pytest.approx([1 - once[3], once[3] * (1 - twice[3]), once[3] * twice[3]], abs=0.03)


def test_fine_scales_are_merged_and_drawn_again() -> None:
    """A scale of eleven grades has five levels for the model, and draws reach every grade."""
    assert merged_levels(4).tolist() == [0, 1, 2, 3]
    assert merged_levels(11).tolist() == [0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    labels = np.array([0.0, 10.0, np.nan, np.nan])
    drawn = draw_grades(model(4), np.arange(11.0), labels, np.random.default_rng(2)).grades
    assert set(np.unique(drawn)) == set(range(11))
    assert (drawn[:, :2] == labels[:2]).all()


def test_chains_share_nothing_but_the_labels() -> None:
    """A seed gives the same draws again, another seed others."""
    labels = np.array([1.0, np.nan, 0.0, np.nan])
    first, again, other = (
        draw_grades(model(), np.arange(2.0), labels, np.random.default_rng(seed)).grades for seed in (1, 1, 2)
    )
    assert (first == again).all()
    assert (first != other).any()


def test_every_grading_is_possible() -> None:
    """No grade of an unjudged document is ruled out by few labels."""
    labels = np.array([1.0, np.nan, np.nan, 0.0])
    drawn = draw_grades(model(), np.arange(2.0), labels, np.random.default_rng(5)).grades
    assert {tuple(row) for row in drawn.tolist()} == {(1.0, a, b, 0.0) for a, b in product((0.0, 1.0), repeat=2)}
