"""Draws of a board's beliefs: those of the posterior, whatever the normal distribution at its maximum says."""

from __future__ import annotations

import numpy as np

from rankgauge.labelling.board.beliefs import EffectsPosterior, believe
from rankgauge.labelling.board.features import Features
from rankgauge.labelling.board.target import mark_reached
from tests.active.board.collection import pooled

SCALE = np.arange(4.0)


def drawn(labelled: np.ndarray, grades: np.ndarray, draws: int) -> tuple[Features, np.ndarray]:  # type: ignore[type-arg]
    """The features, and the mean of drawn probabilities."""
    features = Features.of(pooled()[0], 3)
    posterior = EffectsPosterior.of(features, labelled, mark_reached(grades, SCALE))
    found = list(posterior.chances(np.random.default_rng(0), draws))
    assert all((np.diff(chance, axis=1) <= 0).all() for chance in found)
    assert all((chance >= 0).all() and (chance <= 1).all() for chance in found)
    return features, np.mean(found, axis=0)


def test_draws_agree_with_beliefs_where_labels_are_many() -> None:
    """With most documents labelled, the mean of the draws is near the belief."""
    grades = pooled()[1]
    labelled = np.flatnonzero(np.arange(len(grades)) % 5 > 0)
    features, mean = drawn(labelled, grades[labelled], 30)
    belief = believe(features, labelled, mark_reached(grades[labelled], SCALE)).chance
    assert np.abs(mean - belief).mean() < 0.03


def test_draws_are_seeded_and_follow_the_labels() -> None:
    """The same seed gives the same draws; labels that are all 0 lower what is drawn, labels that are all 3 raise it."""
    labelled = np.arange(0, 400, 10)
    low, again, high = (drawn(labelled, np.full(len(labelled), grade), 20)[1] for grade in (0.0, 0.0, 3.0))
    assert np.array_equal(low, again)
    assert low.mean() < 0.2 < 0.6 < high.mean()
