"""Worths from comparisons: Davidson's model with a bias for the place."""

from __future__ import annotations

import numpy as np
import pytest

from rankgauge.numeric import FloatArray
from rankgauge.statistics.paired_comparisons import Comparisons, fit_worths


def answers(
    worth: FloatArray, rng: np.random.Generator, *, times: int, place: float = 0.0, tie: float = -0.5
) -> Comparisons:
    """Every two documents (queries × documents) in both orders, some times, as a judge of the model answers."""
    queries, size = worth.shape
    first, second = np.nonzero(~np.eye(size, dtype=bool))
    first, second = (
        np.concatenate([np.tile(side, times) + query * size for query in range(queries)]) for side in (first, second)
    )
    gap = (worth.ravel()[first] - worth.ravel()[second] + place) / 2
    odds = np.exp(np.stack([gap, -gap, np.full_like(gap, tie)]))
    won, lost, _ = odds / odds.sum(axis=0)
    drawn = rng.random(len(gap))
    better = np.where(drawn < won, 1.0, np.where(drawn < won + lost, -1.0, 0.0))
    query = np.repeat(np.arange(queries), size)
    return Comparisons(query=query, first=first, second=second, better=better, weight=np.ones(len(gap)))


def test_the_parameters_of_the_model_come_back() -> None:
    """From many answers of the model, the fit finds the worths, the bias for the place and the odds of ties."""
    rng = np.random.default_rng(1)
    worth = rng.normal(size=(20, 5))
    fitted = fit_worths(answers(worth, rng, times=60, place=0.8))
    centred = fitted.worth.reshape(worth.shape)
    assert fitted.place == pytest.approx(0.8, abs=0.06)
    assert fitted.tie == pytest.approx(-0.5, abs=0.06)
    assert centred - centred.mean(axis=1, keepdims=True) == pytest.approx(
        worth - worth.mean(axis=1, keepdims=True), abs=0.5
    )


def test_shares_are_those_that_were_won() -> None:
    """With many answers a share is the mean of what a document won, ties counting by half, over both orders."""
    rng = np.random.default_rng(2)
    held = answers(rng.normal(size=(1, 4)), rng, times=400, place=1.0)
    won = [
        np.concatenate([(1 + held.better[held.first == d]) / 2, (1 - held.better[held.second == d]) / 2]).mean()
        for d in range(4)
    ]
    assert fit_worths(held).shares() == pytest.approx(won, abs=0.01)


def test_who_never_loses_has_a_finite_worth() -> None:
    """A document that won every comparison, and a judge that never ties, are no reason to diverge."""
    held = Comparisons(
        query=np.zeros(3, dtype=np.int64),
        first=np.array([0, 1, 0, 2]),
        second=np.array([1, 0, 2, 0]),
        better=np.array([1.0, -1.0, 1.0, -1.0]),
        weight=np.ones(4),
    )
    fitted = fit_worths(held)
    assert np.isfinite(fitted.worth).all()
    assert fitted.shares()[0] > fitted.shares()[1] == pytest.approx(fitted.shares()[2])


@pytest.mark.parametrize("seeds", [2, pytest.param(30, marks=pytest.mark.study)])
def test_intervals_hold(seeds: int) -> None:
    """95 % intervals of shares hold those of the true worths in 93 to 99 % of the cases."""
    held = []
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        worth = rng.normal(size=(30, 8))
        fitted = fit_worths(answers(worth, rng, times=1, place=1.0))
        low, high = np.quantile(fitted.shares(fitted.draws(rng)), [0.025, 0.975], axis=0)
        true = fitted.shares(worth.ravel())
        held.append(((low <= true) & (true <= high)).mean())
    assert 0.93 <= np.mean(held) <= 0.99
