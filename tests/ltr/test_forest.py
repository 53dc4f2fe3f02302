"""Forests as models of graded relevance."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from rankgauge import training
from rankgauge.training.rankers.forest import Forest, ForestClassification, ForestOrdinal, ForestRegression
from rankgauge.training.trees import Trees

FORESTS = (ForestRegression, ForestClassification, ForestOrdinal)


def documents(seed: int, n: int = 400) -> tuple[np.ndarray, np.ndarray]:
    """Documents whose grades hang on two features, not linearly; some features repeat their values."""
    rng = np.random.default_rng(seed)
    matrix = np.column_stack([rng.normal(size=(n, 3)), rng.integers(0, 3, size=n)])
    worth = np.abs(matrix[:, 0]) + (matrix[:, 3] == 1) + 0.5 * rng.normal(size=n)
    return matrix, np.digitize(worth, [0.8, 1.6]).astype(float) * 2


def test_documents_reach_the_leaves_of_scikit_learn() -> None:
    """Every document ends in the leaf that scikit-learn's own trees send it to."""
    matrix, grades = documents(0)
    grown = RandomForestRegressor(n_estimators=5, min_samples_leaf=3, random_state=0).fit(matrix, grades)
    trees = Trees.of([tree.tree_ for tree in grown.estimators_])
    nodes = grown.apply(matrix) + trees.roots
    leaves = np.column_stack([leaves for _, leaves in trees.leaves(matrix)])
    assert (np.flatnonzero(trees.is_leaf)[leaves] == nodes).all()


def test_rows_go_down_the_trees_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many documents go together, each ends in the same leaf."""
    matrix, grades = documents(0)
    model = ForestRegression(trees=3).fit(matrix, grades)
    whole = model.predict_proba(matrix)
    monkeypatch.setattr("rankgauge.training.trees.ROWS", 7)
    assert (model.predict_proba(matrix) == whole).all()


def test_classification_without_smoothing_is_scikit_learn_s() -> None:
    """With smoothing=0 the beliefs are `predict_proba` of the forest that scikit-learn grows from the same seed."""
    matrix, grades = documents(1)
    model = ForestClassification(trees=10, smoothing=0.0, rng=3).fit(matrix, grades)
    seed = int(np.random.default_rng(3).integers(1 << 31))
    peer = RandomForestClassifier(n_estimators=10, min_samples_leaf=5, max_features=0.3, random_state=seed)
    peer.fit(matrix.astype(np.float32), grades)
    np.testing.assert_allclose(model.predict_proba(matrix), peer.predict_proba(matrix.astype(np.float32)), atol=1e-12)


def test_regression_believes_its_leaves_histograms() -> None:
    """One tree's belief in a grade is its share among the training documents of the same leaf."""
    matrix, grades = documents(2)
    model = ForestRegression(trees=1, smoothing=0.0).fit(matrix, grades)
    (_, leaves), *_ = model.trees_.leaves(matrix)
    for leaf in np.unique(leaves):
        shares = [np.mean(grades[leaves == leaf] == grade) for grade in model.classes_]
        np.testing.assert_allclose(model.predict_proba(matrix[leaves == leaf]), [shares] * int((leaves == leaf).sum()))


def test_smoothing_adds_documents_of_average_grades() -> None:
    """A leaf of n documents with c of a grade believes (c + s · share) / (n + s)."""
    matrix, grades = documents(2)
    model = ForestRegression(trees=1, smoothing=2.0).fit(matrix, grades)
    (_, leaves), *_ = model.trees_.leaves(matrix)
    inside, share = grades[leaves == leaves[0]], np.mean(grades == 2.0)
    expected = (np.sum(inside == 2.0) + 2.0 * share) / (len(inside) + 2.0)
    assert model.predict_proba(matrix[:1])[0, 1] == pytest.approx(expected)


def test_ordinal_beliefs_are_differences() -> None:
    """p(c) = P(≥ c) − P(≥ c + 1), each from the forest that learns whether a document is that good or better."""
    matrix, grades = documents(2)
    model = ForestOrdinal(trees=4, smoothing=0.0, rng=3).fit(matrix, grades)
    rng, reached = np.random.default_rng(3), []
    for grade in (2.0, 4.0):
        seed = int(rng.integers(1 << 31))
        peer = RandomForestRegressor(n_estimators=4, min_samples_leaf=5, max_features=0.3, random_state=seed)
        peer.fit(matrix.astype(np.float32), (grades >= grade).astype(float))
        # Every training document counts in the leaf that it ends in, not only those that a tree was grown from.
        leaves = peer.apply(matrix.astype(np.float32))
        shares = [[np.mean(grades[tree == leaf] >= grade) for leaf in tree] for tree in leaves.T]
        reached.append(np.mean(shares, axis=0))
    plain = np.column_stack([1 - reached[0], reached[0] - reached[1], reached[1]])
    kept = np.maximum(plain, 1e-3)
    assert (plain < 0).any()
    np.testing.assert_allclose(model.predict_proba(matrix), kept / kept.sum(axis=1, keepdims=True), atol=1e-12)


@pytest.mark.parametrize("kind", FORESTS)
def test_beliefs_are_chances_and_scores_their_means(kind: type[Forest]) -> None:
    """Beliefs are above 0 and add up to 1; the score is the expected grade."""
    matrix, grades = documents(3)
    model = kind(trees=10).fit(matrix, grades)
    beliefs = model.predict_proba(documents(4)[0])
    assert (beliefs > 0).all()
    np.testing.assert_allclose(beliefs.sum(axis=1), 1.0)
    assert model.classes_.tolist() == [0.0, 2.0, 4.0]
    np.testing.assert_allclose(model.predict(documents(4)[0]), beliefs @ [0.0, 2.0, 4.0])


@pytest.mark.parametrize("kind", FORESTS)
def test_forests_learn_what_is_there(kind: type[Forest]) -> None:
    """On new documents the log likelihood is far better than that of the grades' shares."""
    model = kind(trees=30).fit(*documents(5, 1000))
    matrix, grades = documents(6, 1000)
    places = np.searchsorted(model.classes_, grades)
    shares = np.bincount(places) / len(places)
    said = -np.log(model.predict_proba(matrix)[np.arange(len(places)), places]).mean()
    assert said < 0.9 * -np.log(shares[places]).mean()


@pytest.mark.parametrize("kind", FORESTS)
def test_queries_do_not_matter(kind: type[Forest]) -> None:
    """With or without queries, in any order, the same is learned from the same documents."""
    matrix, grades = documents(7, 100)
    qid = np.random.default_rng(0).integers(0, 9, 100)
    one, other = kind(trees=3).fit(matrix, grades), kind(trees=3).fit(matrix, grades, qid=qid)
    assert (one.predict_proba(matrix) == other.predict_proba(matrix)).all()


@pytest.mark.parametrize("kind", FORESTS)
def test_a_file_keeps_every_tree(kind: type[Forest], tmp_path: Path) -> None:
    """The loaded forest gives exactly what the saved one gave, on documents of its own and new ones."""
    matrix, grades = documents(8)
    model = kind(trees=5, min_leaf=2).fit(matrix, grades)
    model.save(tmp_path / "model.json")
    loaded = training.load(tmp_path / "model.json")
    for each in (matrix, documents(9)[0]):
        assert loaded.predict_proba(each).tobytes() == model.predict_proba(each).tobytes()  # type: ignore[attr-defined]


@pytest.mark.parametrize("kind", FORESTS)
def test_one_grade_is_certain(kind: type[Forest]) -> None:
    """Where all documents have one grade, nothing else is expected; such trees are single leaves."""
    model = kind(trees=2).fit(documents(0)[0], np.full(400, 3.0))
    assert model.predict(documents(1)[0]).tolist() == [3.0] * 400
