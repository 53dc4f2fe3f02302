"""RankBoost: weights of pairs as products, the best stump, and RankLib's rounds."""

from __future__ import annotations

from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgauge.errors import ParameterError
from rankgauge.training import Documents
from rankgauge.training.documents import Preferences
from rankgauge.training.rankers.rankboost import RankBoost, Stumps, potentials
from tests.ltr.preferences import graded_documents, mq2008, pairs, parts, random_documents

RANKLIB = {1: 0.48678, 2: 0.44495, 3: 0.48179, 4: 0.55302, 5: 0.53510}
"""NDCG@10 of RankLib 2.10.1 on the folds of MQ2008: 300 rounds, 10 thresholds."""


def loss(documents: Documents, scores: np.ndarray) -> float:
    """Σ exp(s_j − s_i) over the list of pairs."""
    preferred, other = pairs(documents)
    return float(np.sum(np.exp(scores[other] - scores[preferred])))


@given(documents=graded_documents())
def test_weights_of_pairs_are_products(documents: Documents) -> None:
    """A document's potential is the weight of the explicit pairs that prefer it, less that of those against it."""
    preferences, scores = Preferences.of(documents), documents.matrix[:, 0] * 3
    preferred, other = pairs(documents)
    if not len(preferred):
        assert not len(preferences.rows)
        return
    weights = np.exp(scores[other] - scores[preferred])
    weights /= weights.sum()
    expected = np.bincount(preferred, weights, len(scores)) - np.bincount(other, weights, len(scores))
    np.testing.assert_allclose(
        potentials(preferences, scores[preferences.rows]), expected[preferences.rows], atol=1e-12
    )


def test_first_potentials() -> None:
    """Grades 2, 1, 1, 0 have 5 pairs of weight ⅕: the best is in 3 of them, the worst in 3, the others in 1 of each."""
    documents = Documents.of(np.zeros((4, 1)), [1, 2, 0, 1], [7, 7, 7, 7])
    found = potentials(Preferences.of(documents), np.zeros(4))
    np.testing.assert_allclose(found, [(1 - 1) / 5, 3 / 5, -3 / 5, (1 - 1) / 5], atol=1e-15)


@given(documents=graded_documents(features=3), bins=st.sampled_from([2, 3, 10, None]))
def test_best_stump_is_the_best_of_all(documents: Documents, bins: int | None) -> None:
    """No feature and no threshold between two of its values, or of its equal bins, adds up to more."""
    weights = np.random.default_rng(len(documents.grades)).normal(size=len(documents.grades))
    weights -= weights.mean()
    feature, threshold, worth = Stumps.of(documents.matrix, bins).best(weights)
    worths = [0.0]
    for column in documents.matrix.T:
        cuts = np.unique(column) if bins is None else np.linspace(column.max(), column.min(), bins + 1)[1:-1]
        worths += [weights[column > cut].sum() for cut in cuts]
    assert worth == pytest.approx(max(worths), abs=1e-12)
    taken = documents.matrix[:, feature] > threshold
    assert weights[taken].sum() == pytest.approx(worth, abs=1e-12)


def test_thresholds_of_equal_bins() -> None:
    """Ten bins of a feature from 0 to 5 have thresholds 4.5, 4, … 0.5, as RankLib's have, and a constant has none."""
    stumps = Stumps.of(np.column_stack([np.arange(6.0), np.ones(6)]), 10)
    assert stumps.thresholds.tolist() == [4.5, 4.0, 3.5, 3.0, 2.5, 2.0, 1.5, 1.0, 0.5, -np.inf, -np.inf]


def test_first_round() -> None:
    """Of two pairs of weight ½ the stump x > 1 orders one and leaves the other: worth ½, weight ½ log(3/2 : 1/2)."""
    model = RankBoost(rounds=1, bins=None).fit([[2.0], [1.0], [3.0]], [1, 0, 0], qid=[1, 1, 1])
    assert (model.features_.tolist(), model.thresholds_.tolist()) == ([0], [1.0])
    assert model.weights_ == pytest.approx([log((1 + 1 / 2) / (1 - 1 / 2)) / 2])
    assert model.predict([[1.5], [1.0]]) == pytest.approx([log(3) / 2, 0.0])


@pytest.mark.parametrize("bins", [10, None])
def test_every_round_lowers_the_loss(bins: int | None) -> None:
    """A round with worth r multiplies Σ exp(s_j − s_i) by √(1 − r²) at most (Freund et al. 2003, theorem 1)."""
    documents = random_documents(1)
    model = RankBoost(rounds=20, bins=bins).fit(documents.matrix, documents.grades, qid=documents.query)
    scores = np.zeros(len(documents.grades))
    for feature, threshold, weight in zip(model.features_, model.thresholds_, model.weights_, strict=True):
        before = loss(documents, scores)
        scores = scores + weight * (documents.matrix[:, feature] > threshold)
        assert loss(documents, scores) <= before * sqrt(1 - np.tanh(weight) ** 2) * (1 + 1e-9)
    np.testing.assert_array_equal(scores, model.predict(documents.matrix))


def test_a_stump_that_orders_all() -> None:
    """Where one stump puts every pair in order there is one round, with a weight that is a number."""
    model = RankBoost().fit([[1.0, 5.0], [1.0, 3.0], [1.0, 4.0]], [1, 0, 1], qid=[1, 1, 2])
    assert model.features_.tolist() == [1]
    assert np.isfinite(model.weights_).all()


def test_stumps_that_together_order_all() -> None:
    """Weights of pairs that all vanish tell stumps apart as before, until they leave the range of numbers."""
    matrix = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0], [1, 1, 0], [0, 1, 0], [1, 0, 0], [0, 0, 1]]
    model = RankBoost(rounds=5000).fit(matrix, [1, 1, 1, 0, 1, 0, 0, 0], qid=[1, 1, 1, 1, 2, 2, 2, 2])
    assert len(model.weights_) > 3
    assert np.isfinite(model.weights_).all()


def test_grades_that_prefer_nothing() -> None:
    """Where all documents of each query have one grade there is no round, and all scores are 0."""
    model = RankBoost().fit([[1.0], [2.0], [3.0]], [0, 0, 2], qid=[1, 1, 2])
    assert model.curve_ == []
    assert (model.predict([[5.0], [7.0]]) == 0).all()


def test_rounds_are_chosen_on_the_validation_set() -> None:
    """The stumps of the best round are kept, and the value of that round is the value of the ranker."""
    train, held = random_documents(2), random_documents(3)
    model = RankBoost(rounds=30, metric="AP").fit(*parts(train)[:2], qid=train.query, validation=parts(held))
    values = [entry["validation"] for entry in model.curve_]
    assert len(model.weights_) == model.best_round_ == 1 + int(np.argmax(values))
    assert model.score(held.matrix, held.grades, qid=held.query) == max(values)


def test_all_rounds_without_a_validation_set() -> None:
    """Without a validation set every round is kept."""
    train = random_documents(4)
    model = RankBoost(rounds=12).fit(train.matrix, train.grades, qid=train.query)
    assert len(model.weights_) == model.best_round_ == 12
    assert model.curve_[-1]["train"] == model.score(train.matrix, train.grades, qid=train.query)


@pytest.mark.parametrize("changes", [{"rounds": 0}, {"bins": 1}, {"bins": 2.5}])
def test_senseless_parameters(changes: dict[str, object]) -> None:
    """There must be a round, and a feature must be cut in two at least."""
    with pytest.raises(ParameterError, match=f"'{next(iter(changes))}' parameter of RankBoost"):
        RankBoost(**changes).fit([[1.0], [0.0]], [1, 0], qid=[1, 1])


@pytest.mark.parametrize("fold", [4])
def test_ranklib(fold: int) -> None:
    """With features of 32 bits the rounds and the value on the test set are RankLib's; fold 4 has the most, 198."""
    train, held, test = ((x.astype(np.float32), y, qid) for x, y, qid in mq2008(fold))
    model = RankBoost(dialect="ranklib").fit(*train[:2], qid=train[2], validation=held)
    assert model.score(*test[:2], qid=test[2]) == pytest.approx(RANKLIB[fold], abs=1e-4)
    assert model.best_round_ == 198
