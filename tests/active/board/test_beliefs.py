"""Beliefs: the penalised likelihood is at its maximum, and probabilities are what a scale of grades allows."""

from __future__ import annotations

import numpy as np
import pytest

from rankgauge.errors import InputError
from rankgauge.labelling.board import Columns
from rankgauge.labelling.board.beliefs import Beliefs, Effects, Fit, believe
from rankgauge.labelling.board.features import Features
from rankgauge.labelling.board.target import mark_reached
from tests.active.board.collection import pooled

SCALE = np.arange(4.0)


@pytest.fixture(scope="module")
def features() -> Features:
    """The features of the collection for three thresholds."""
    return Features.of(pooled()[0], 3)


def test_the_fit_is_a_maximum(features: Features) -> None:
    """No small change of a coefficient or of a query's effect raises the penalised likelihood."""
    labelled = np.arange(0, 400, 7)
    fit = Fit.of(features, labelled, mark_reached(pooled()[1][labelled], SCALE))
    found = fit.effects(Effects.prior(features))
    best, rng = fit.objective(found.beta, found.b), np.random.default_rng(1)
    for _ in range(20):
        for size in (1e-3, 1e-1):
            beta = found.beta + size * rng.normal(size=found.beta.shape)
            b = found.b + size * rng.normal(size=found.b.shape)
            assert fit.objective(beta, b) < best


def test_the_start_does_not_matter(features: Features) -> None:
    """Steps from another fit end at the same beliefs: a fold's beliefs know nothing of the labels left out."""
    grades = pooled()[1]
    some, others = np.arange(0, 400, 9), np.arange(0, 400, 5)
    start = believe(features, others, mark_reached(grades[others], SCALE)).effects
    plain = believe(features, some, mark_reached(grades[some], SCALE))
    warm = believe(features, some, mark_reached(grades[some], SCALE), start)
    assert warm.chance == pytest.approx(plain.chance, abs=1e-5)


def test_labels_teach(features: Features) -> None:
    """Beliefs after many labels are nearer to the other grades than those before the first."""
    labelled, grades = np.arange(0, 400, 2), pooled()[1]
    truth = mark_reached(grades, SCALE)
    before = Beliefs.of(features, Effects.prior(features)).chance
    after = believe(features, labelled, truth[labelled]).chance
    rest = np.arange(1, 400, 2)
    assert np.mean((after - truth)[rest] ** 2) < 0.7 * np.mean((before - truth)[rest] ** 2)


@pytest.mark.parametrize("thresholds", [1, 2, 3, 4, 9])
def test_chances_fall_with_the_threshold(thresholds: int) -> None:
    """On any scale a higher threshold is no likelier than a lower one, and the prior covariance is one."""
    features = Features.of(pooled()[0], thresholds)
    chance = Beliefs.of(features, Effects.prior(features)).chance
    assert chance.shape == (400, thresholds)
    assert (np.diff(chance, axis=1) <= 0).all()
    assert np.linalg.eigvalsh(features.effects).min() > 0


def test_columns_are_believed() -> None:
    """A column with an expected effect moves the beliefs before the first label; its shape is checked."""
    pool, grades = pooled()
    columns = Columns(values=(grades[:, np.newaxis] > 0) * 1.0, mean=np.array([3.0]), precision=np.ones(1), shift=-2.0)
    features = Features.of(pool, 3, columns)
    chance = Beliefs.of(features, Effects.prior(features)).chance[:, 0]
    assert chance[grades > 0].mean() > chance[grades == 0].mean() + 0.3
    with pytest.raises(InputError, match="400 documents"):
        Features.of(pool, 3, Columns(values=np.ones((3, 1)), mean=np.zeros(1), precision=np.ones(1)))
