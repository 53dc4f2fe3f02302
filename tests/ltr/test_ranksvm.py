"""RankSVM: the loss of preferences by order statistics, its minimum, and the choice of C."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.svm import LinearSVC

from rankgauge.errors import ParameterError
from rankgauge.training import Documents
from rankgauge.training.documents import Preferences
from rankgauge.training.rankers.ranksvm import Margins, RankSVM, path
from tests.ltr.preferences import graded_documents, mq2008, pairs, parts, random_documents


def objective(documents: Documents, weights: np.ndarray, cost: float) -> float:
    """½ ‖w‖² + C Σ max(0, 1 − w·x_i + w·x_j)² over the list of pairs."""
    preferred, other = pairs(documents)
    margins = 1 - (documents.matrix[preferred] - documents.matrix[other]) @ weights
    return float(weights @ weights / 2 + cost * np.sum(np.maximum(margins, 0) ** 2))


@given(documents=graded_documents(), weights=st.tuples(st.integers(-3, 3), st.integers(-3, 3)))
def test_running_sums_are_sums_over_pairs(documents: Documents, weights: tuple[int, int]) -> None:
    """Loss, slopes and curvature are those of the explicit pairs whose margin is lost."""
    preferences = Preferences.of(documents)
    scores = documents.matrix @ np.array(weights) / 3.1  # no two are 1 apart: there the curvature may jump
    margins = Margins.at(preferences, scores[preferences.rows])
    preferred, other = pairs(documents)
    lost = 1 - scores[preferred] + scores[other]
    preferred, other, lost = preferred[lost > 0], other[lost > 0], lost[lost > 0]
    slopes = np.bincount(other, lost, len(scores)) - np.bincount(preferred, lost, len(scores))
    apart = documents.matrix[preferred] - documents.matrix[other]
    assert margins.loss == pytest.approx(np.sum(lost**2), abs=1e-9)
    np.testing.assert_allclose(margins.slopes, slopes[preferences.rows], atol=1e-9)
    np.testing.assert_allclose(margins.curvature(documents.matrix), apart.T @ apart, atol=1e-9)


def test_curvature_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """However few documents are held at a time, the curvature is the same."""
    documents = random_documents(0)
    preferences = Preferences.of(documents)
    margins = Margins.at(preferences, documents.matrix[preferences.rows, 0])
    whole = margins.curvature(documents.matrix)
    monkeypatch.setattr("rankgauge.training.rankers.ranksvm._PIECE", 5)
    np.testing.assert_allclose(margins.curvature(documents.matrix), whole, rtol=1e-12)


@pytest.mark.parametrize("cost", [0.01, 0.5, 10.0])
def test_one_pair(cost: float) -> None:
    """Two documents at 1 and 0: ½ w² + C (1 − w)² is smallest where w = 2C (1 − w)."""
    model = RankSVM(C=cost, tolerance=1e-9).fit([[1.0], [0.0]], [1, 0], qid=[1, 1])
    assert model.weights_ == pytest.approx([2 * cost / (1 + 2 * cost)])


def test_three_grades() -> None:
    """At 3, 1 and 0 with grades 2, 1, 0 and C = ½ the pairs are 2, 3 and 1 apart; w is ½ where the first two are met.

    Only the pair that is 1 apart loses then: ½ w² + ½ (1 − w)² is smallest at w = ½, where 2 w = 1 is just met.
    """
    model = RankSVM(C=0.5, tolerance=1e-9).fit([[3.0], [1.0], [0.0]], [2, 1, 0], qid=[1, 1, 1])
    assert model.weights_ == pytest.approx([0.5])


@pytest.mark.parametrize("seed", range(3))
def test_minimum_is_that_of_linear_svc_on_pairs(seed: int) -> None:
    """For every C the weights are those that scikit-learn's LinearSVC finds on the differences of all pairs."""
    documents, costs = random_documents(seed), [1e-3, 1e-1, 1e1]
    preferred, other = pairs(documents)
    signs = np.where(np.arange(len(preferred)) % 2, 1, -1)
    apart = (documents.matrix[preferred] - documents.matrix[other]) * signs[:, np.newaxis]
    for cost, weights in zip(costs, path(documents, costs, 1e-9), strict=True):
        peer = LinearSVC(C=cost, fit_intercept=False, tol=1e-10, max_iter=100_000, dual=False).fit(apart, signs)
        np.testing.assert_allclose(weights, peer.coef_[0], rtol=1e-4, atol=1e-6)
        best = objective(documents, peer.coef_[0], cost)
        assert objective(documents, weights, cost) == pytest.approx(best, rel=1e-8)


def test_tolerance_bounds_the_objective() -> None:
    """With a tolerance of 1e-3 the objective is at most a millionth above its minimum."""
    documents, costs = random_documents(3, queries=40), [1e-2, 1.0]
    exact, quick = ([*path(documents, costs, tolerance)] for tolerance in (1e-7, 1e-3))
    for cost, one, other in zip(costs, exact, quick, strict=True):
        assert objective(documents, other, cost) <= objective(documents, one, cost) * (1 + 1e-6)


def test_the_way_does_not_matter() -> None:
    """The minimum for a C is the same, sought from 0 or from the minimum of another C."""
    documents = random_documents(4)
    (*_, warm), (cold,) = path(documents, [1e-4, 1e-2, 1e2], 1e-9), path(documents, [1e2], 1e-9)
    np.testing.assert_allclose(warm, cold, rtol=1e-5)


def test_c_is_chosen_on_the_validation_set() -> None:
    """The C that is kept has the best value on the validation set, and that is the value of the ranker."""
    train, held = random_documents(5), random_documents(6)
    model = RankSVM(metric="P@1").fit(*parts(train)[:2], qid=train.query, validation=parts(held))
    values = [entry["validation"] for entry in model.curve_]
    assert len(values) == 11
    assert model.best_round_ == 1 + int(np.argmax(values))
    assert pytest.approx(10.0 ** (model.best_round_ - 7)) == model.C_
    assert model.score(held.matrix, held.grades, qid=held.query) == max(values)


def test_c_is_chosen_on_the_training_set_where_there_is_no_other() -> None:
    """Without a validation set the training values decide."""
    train = random_documents(7)
    model = RankSVM(grid=[10.0, 1e-3]).fit(train.matrix, train.grades, qid=train.query)
    values = [entry["train"] for entry in model.curve_]
    assert [1e-3, 10.0][int(np.argmax(values))] == model.C_
    assert [entry["validation"] for entry in model.curve_] == [None, None]


def test_grades_that_prefer_nothing() -> None:
    """Where all documents of each query have one grade there is nothing to learn, and all scores are 0."""
    model = RankSVM().fit([[1.0], [2.0], [3.0]], [0, 0, 2], qid=[1, 1, 2])
    assert (model.predict([[5.0], [7.0]]) == 0).all()


def test_features_of_very_different_sizes() -> None:
    """A feature of the size of a file's length beside one between 0 and 1 leaves the minimum a minimum."""
    documents = random_documents(8)
    scaled = Documents.of(documents.matrix * [1e8, 1.0, 1e-4, 0.0], documents.grades, documents.query)
    (weights,) = path(scaled, [1.0], 1e-6)
    for step in np.vstack([np.eye(4), -np.eye(4)]) * np.maximum(np.abs(weights), 1e-3) * 1e-2:
        assert objective(scaled, weights, 1.0) <= objective(scaled, weights + step, 1.0)


@pytest.mark.parametrize("changes", [{"C": 0.0}, {"grid": []}, {"grid": [1.0, -1.0]}, {"grid": 1.0}, {"tolerance": 0}])
def test_senseless_parameters(changes: dict[str, object]) -> None:
    """Costs and tolerance must be above 0, and there must be one to try."""
    with pytest.raises(ParameterError, match=f"'{next(iter(changes))}' parameter of RankSVM"):
        RankSVM(**changes).fit([[1.0], [0.0]], [1, 0], qid=[1, 1])


def test_mq2008() -> None:
    """On the second fold it is as good as LinearSVC on the pairs was, .4473."""
    train, held, test = mq2008(2)
    model = RankSVM(dialect="ranklib").fit(*train[:2], qid=train[2], validation=held)
    assert model.score(*test[:2], qid=test[2]) > 0.4473 - 0.002
