"""RankNet: its gradient, its pairs, and when it stops."""

from __future__ import annotations

from math import exp, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgauge.errors import ParameterError
from rankgauge.numeric import FloatArray
from rankgauge.training import Documents
from rankgauge.training.documents import Preferences
from rankgauge.training.rankers.ranknet import Adam, Batch, Network, RankNet, batches
from rankgauge.training.rankers.ranksvm import RankSVM
from tests.ltr.preferences import graded_documents, mq2008, pairs, parts, random_documents


def whole(documents: Documents) -> Batch:
    """All documents that have preferences, in one batch."""
    (batch,) = batches(Preferences.of(documents), len(documents.sizes), np.random.default_rng(0))
    return batch


def loss(batch: Batch, scores: FloatArray) -> float:
    """The mean of log(1 + exp(s_j − s_i)) over the pairs."""
    preferred, other = batch.pairs()
    return float(np.mean(np.logaddexp(0.0, scores[other] - scores[preferred])))


@pytest.mark.parametrize("hidden", [(1,), (5,), (4, 3), (3, 4, 2)])
def test_gradient(hidden: tuple[int, ...]) -> None:
    """The gradient of the loss by each parameter is what a small change of it does, for 1 to 3 hidden layers."""
    documents = random_documents(0)
    batch, network = whole(documents), Network(widths=(4, *hidden, 1))
    matrix, parameters = documents.matrix[batch.rows], network.initial(np.random.default_rng(1))
    parameters += np.random.default_rng(2).normal(size=network.size) / 10  # so that no bias is 0
    outputs = network.outputs(parameters, matrix)
    found = network.slope(parameters, outputs, batch.slopes(outputs[-1][:, 0]))
    for at, step in enumerate(np.eye(network.size) * 1e-6):
        low, high = (loss(batch, network.scores(parameters + sign * step, matrix)) for sign in (-1, 1))
        assert found[at] == pytest.approx((high - low) / 2e-6, rel=1e-4, abs=1e-8)


def test_network_by_hand() -> None:
    """One unit with weights 2 and −1 and bias ½, then 3: the score is 3 tanh(2 x_1 − x_2 + ½)."""
    network = Network(widths=(2, 1, 1))
    parameters = np.array([2.0, -1.0, 0.5, 3.0])
    assert network.scores(parameters, np.array([[1.0, 2.0]])) == pytest.approx([3 * np.tanh(2 - 2 + 0.5)])
    assert network.weights.tolist() == [True, True, False, True]


def test_one_pair() -> None:
    """Of one pair with scores 1 and 3 the loss is log(1 + e²), and the slopes are ∓ e² / (1 + e²)."""
    batch = whole(Documents.of(np.zeros((2, 1)), [0, 1], [1, 1]))
    scores = np.array([1.0, 3.0])  # the batch has the higher grade first
    assert batch.rows.tolist() == [1, 0]
    assert loss(batch, scores) == pytest.approx(log(1 + exp(2)))
    assert batch.slopes(scores) == pytest.approx([-exp(2) / (1 + exp(2)), exp(2) / (1 + exp(2))])


@given(documents=graded_documents(), size=st.integers(1, 5))
def test_batches_hold_every_pair_once(documents: Documents, size: int) -> None:
    """The pairs of all batches are the preferences, whatever the number of queries in a batch."""
    found = []
    for batch in batches(Preferences.of(documents), size, np.random.default_rng(3)):
        preferred, other = batch.pairs()
        found += zip(batch.rows[preferred].tolist(), batch.rows[other].tolist(), strict=True)
        assert len(np.unique(documents.query[batch.rows])) <= size
    assert sorted(found) == sorted(zip(*(rows.tolist() for rows in pairs(documents)), strict=True))


def test_adam() -> None:
    """The first step is the rate against the sign of each slope; a slope that stays the same keeps it so."""
    adam = Adam(rate=0.1, first=np.zeros(2), second=np.zeros(2))
    for _ in range(3):
        np.testing.assert_allclose(adam.step(np.array([4.0, -0.01])), [0.1, -0.1], rtol=1e-5)


def test_learns_what_no_sum_of_features_can() -> None:
    """Documents whose two features have one sign are good: the network ranks well, and a linear ranker does not."""
    matrix = np.random.default_rng(4).normal(size=(600, 2))
    grades, qid = (matrix[:, 0] * matrix[:, 1] > 0).astype(float), np.repeat(np.arange(60), 10)
    net = RankNet(penalty=0.0, epochs=40).fit(matrix, grades, qid=qid)
    svm = RankSVM(C=1.0).fit(matrix, grades, qid=qid)
    assert net.score(matrix, grades, qid=qid) > 0.95
    assert svm.score(matrix, grades, qid=qid) < 0.85


def test_stops_and_keeps_the_best() -> None:
    """It stops `patience` epochs after the best on the validation set, and keeps that one."""
    train, held = random_documents(5), random_documents(6)
    model = RankNet(patience=4, metric="RR").fit(*parts(train)[:2], qid=train.query, validation=parts(held))
    values = [entry["validation"] for entry in model.curve_]
    assert model.best_round_ == 1 + int(np.argmax(values))
    assert len(values) == min(model.best_round_ + 4, 100)
    assert model.score(held.matrix, held.grades, qid=held.query) == max(values)


def test_all_epochs_without_a_validation_set() -> None:
    """Without a validation set it goes to the end."""
    train = random_documents(7)
    model = RankNet(epochs=25, patience=1).fit(train.matrix, train.grades, qid=train.query)
    assert len(model.curve_) == model.best_round_ == 25
    assert model.curve_[-1]["train"] == model.score(train.matrix, train.grades, qid=train.query)


def test_seeds() -> None:
    """One seed gives one ranker; another seed another."""
    train = random_documents(8)
    one, same, other = (
        RankNet(epochs=2, rng=rng).fit(train.matrix, train.grades, qid=train.query).predict(train.matrix)
        for rng in (1, 1, 2)
    )
    assert (one == same).all()
    assert (one != other).any()


def test_units_of_features_do_not_matter() -> None:
    """Features in other units, or from another zero, give the same scores, as they are standardised."""
    train = random_documents(9)
    scale, shift = np.array([1e6, 1.0, 1e-3, 2.0]), np.array([5.0, -3.0, 0.0, 1.0])
    plain, scaled = (
        RankNet(epochs=2).fit(matrix, train.grades, qid=train.query).predict(matrix)
        for matrix in (train.matrix, train.matrix * scale + shift)
    )
    np.testing.assert_allclose(plain, scaled, rtol=1e-6)


def test_grades_that_prefer_nothing() -> None:
    """Where no document is preferred to another there is nothing to learn, and nothing fails."""
    model = RankNet(epochs=2).fit([[1.0], [2.0], [3.0]], [0, 0, 2], qid=[1, 1, 2])
    assert np.isfinite(model.predict([[5.0], [7.0]])).all()


@pytest.mark.parametrize("changes", [{"hidden": []}, {"hidden": (5, 5, 5, 5)}, {"hidden": (0,)}, {"rate": 0}])
def test_senseless_parameters(changes: dict[str, object]) -> None:
    """There are one to three layers of at least one unit, and the rate is above 0."""
    with pytest.raises(ParameterError, match=f"'{next(iter(changes))}' parameter of RankNet"):
        RankNet(**changes).fit([[1.0], [0.0]], [1, 0], qid=[1, 1])


def test_mq2008() -> None:
    """On the second fold it is better than RankLib's RankNet was, .4297."""
    train, held, test = mq2008(2)
    model = RankNet(dialect="ranklib").fit(*train[:2], qid=train[2], validation=held)
    assert model.score(*test[:2], qid=test[2]) > 0.4297
