"""LambdaMART: its slopes, what dialects change in them, and how well it ranks."""

from __future__ import annotations

import json
from pathlib import Path

import lightgbm
import numpy as np
import pytest

from rankgauge import dialects, training
from rankgauge.training import Documents
from rankgauge.training.objective import Objective
from rankgauge.training.rankers.lambdamart import LambdaMART, Lambdas
from tests.ltr.preferences import parts, random_documents
from tests.ltr.small import small
from tests.shared import shared

EXPONENTIAL = dialects.get("standard").changed(gain="exp")


def lambdas(grades: list[float], metric: str, *, tops: int = 30, queries: list[int] | None = None) -> Lambdas:
    """The lambdas of some documents."""
    documents = Documents.of(np.zeros((len(grades), 1)), grades, queries or [1] * len(grades))
    objective = Objective.of(documents, metric, EXPONENTIAL)
    return Lambdas(objective=objective, tops=tops, most=100, rng=np.random.default_rng(0))


def logistic(x: float) -> float:
    """1 / (1 + e^−x)."""
    return 1 / (1 + np.exp(-x))


def test_slopes_of_one_pair() -> None:
    """A better document below is pulled up by |ΔnDCG| / (1 + exp(s_better − s_worse)), the other down by as much."""
    slopes, curves = lambdas([0, 2], "nDCG@10")(np.array([0.7, 0.2]))
    change = (3 - 0) * (1 - 1 / np.log2(3)) / 3
    force = change * logistic(0.7 - 0.2)
    np.testing.assert_allclose(slopes, [force, -force])
    np.testing.assert_allclose(curves, change * logistic(0.5) * (1 - logistic(0.5)))


def test_slopes_of_a_pair_in_order() -> None:
    """A better document above is pulled up too, the less the further it is ahead."""
    slopes, _ = lambdas([2, 0], "nDCG@10")(np.array([0.7, 0.2]))
    assert slopes[0] == pytest.approx(-(1 - 1 / np.log2(3)) * logistic(0.2 - 0.7))


def test_slopes_add_up_over_pairs_and_queries() -> None:
    """Each query's slopes add up to 0, and are those of the query alone, whatever the lengths of others."""
    rng = np.random.default_rng(0)
    grades, sizes = rng.integers(0, 3, 60).astype(float), [1, 3, 40, 16]
    query, scores = np.repeat(np.arange(4), sizes), rng.normal(size=60)
    slopes, curves = lambdas(grades.tolist(), "nDCG@10", queries=query.tolist())(scores)
    for one in range(4):
        alone, bent = lambdas(grades[query == one].tolist(), "nDCG@10")(scores[query == one])
        np.testing.assert_allclose(slopes[query == one], alone, atol=1e-15)
        np.testing.assert_allclose(curves[query == one], bent, atol=1e-15)
        assert abs(alone.sum()) < 1e-12


def test_pairs_past_the_tops_pull_nothing() -> None:
    """Documents that are both behind the first `tops` have no slope of their own pair."""
    slopes, _ = lambdas([1, 0, 2], "DCG", tops=1)(np.array([3.0, 2.0, 1.0]))
    below = (2**2 - 2**1) * (1 - 1 / np.log2(4)) * logistic(3 - 1)
    assert slopes[2] == pytest.approx(-below)
    assert slopes[1] == pytest.approx((1 - 1 / np.log2(3)) * logistic(2 - 3))


def test_dialects_decide_which_queries_move() -> None:
    """A query without relevant documents never counts; a short one does not where the dialect gives it 0."""
    grades, queries = [1, 0, 0, 0, 1, 0, 2], [1, 1, 2, 2, 3, 3, 3]
    documents = Documents.of(np.zeros((7, 1)), grades, queries)
    for metric in ("nDCG@3", "AP@3"):
        objective = Objective.of(documents, metric, EXPONENTIAL)
        assert (objective.live & ~objective.short).tolist() == [True, False, True]
        objective = Objective.of(documents, metric, EXPONENTIAL.changed(short="zero"))
        assert (objective.live & ~objective.short).tolist() == [False, False, True]


@pytest.mark.parametrize("metric", ["nDCG@5", "ERR", "AP", "RR", "P@2", "RBP", "Bpref", "nERR@4", "Rprec", "MeanNDCG"])
@pytest.mark.parametrize("dialect", ["standard", "letor4", "yahoo", "ranklib"])
def test_any_measure_is_learned(metric: str, dialect: str) -> None:
    """Under any dialect the training value of any measure comes out well above that of no order at all."""
    train = small(queries=20, documents=12)
    model = LambdaMART(metric=metric, dialect=dialect, trees=15, min_leaf=5).fit(train.X, train.y, qid=train.qid)
    objective = model.objective(Documents.of(train.X, train.y, train.qid))
    blind = np.mean([objective.mean(np.random.default_rng(n).normal(size=len(train.y))) for n in range(5)])
    assert model.score(train.X, train.y, qid=train.qid) > blind + 0.02


def test_the_best_round_is_kept() -> None:
    """Of the curve the best validation value is kept, and growing ends `patience` trees after it."""
    train, held = random_documents(0, noise=2.0), random_documents(1, noise=2.0)
    model = LambdaMART(trees=200, patience=7, rate=0.5).fit(*parts(train)[:2], qid=train.query, validation=parts(held))
    values = [point["validation"] for point in model.curve_]
    assert model.best_round_ == int(np.argmax(values)) + 1
    assert len(values) == min(model.best_round_ + 7, 200)
    assert model.score(*parts(held)[:2], qid=held.query) == pytest.approx(max(values), abs=1e-12)


def test_a_file_keeps_every_tree(tmp_path: Path) -> None:
    """The loaded model gives exactly what the saved one gave; the file holds numbers, no text that LightGBM trusts."""
    train, held = small(), small(seed=3)
    model = LambdaMART(trees=20, feature_share=0.5, document_share=0.7).fit(train.X, train.y, qid=train.qid)
    model.save(tmp_path / "model.json")
    assert len(json.loads((tmp_path / "model.json").read_text())["model"]["trees"]) == 20
    loaded = training.load(tmp_path / "model.json")
    assert loaded.predict(held.X).tobytes() == model.predict(held.X).tobytes()


def test_lightgbm_gives_the_same_for_the_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    """What LightGBM has grown and what is made of its trees' numbers score alike to the last bit, NaN among them."""
    train, rng = small(), np.random.default_rng(5)
    grown: list[lightgbm.Booster] = []
    train_ = lightgbm.train
    monkeypatch.setattr(lightgbm, "train", lambda *a, **k: grown.append(train_(*a, **k)) or grown[-1])
    holes = np.where(rng.random(train.X.shape) < 0.2, np.nan, train.X)
    model = LambdaMART(trees=30, min_leaf=3).fit(holes, train.y, qid=train.qid)
    other = np.where(rng.random(train.X.shape) < 0.2, np.nan, rng.permuted(train.X, axis=0))
    assert model.predict(other).tobytes() == grown[0].predict(other, num_iteration=model.best_round_).tobytes()


def test_one_seed_gives_one_model() -> None:
    """With features and documents drawn for each tree, the seed decides; another seed gives another model."""
    train = small()
    same, again, other = (
        LambdaMART(trees=5, feature_share=0.5, document_share=0.5, rng=seed).fit(train.X, train.y, qid=train.qid)
        for seed in (1, 1, 2)
    )
    assert (same.predict(train.X) == again.predict(train.X)).all()
    assert (same.predict(train.X) != other.predict(train.X)).any()


@pytest.mark.parametrize("matrix", [np.full((6, 2), 3.0), np.zeros((6, 1)), np.full((6, 1), np.nan)])
def test_features_that_say_nothing(matrix: np.ndarray) -> None:
    """Where no feature varies, all documents score alike."""
    model = LambdaMART(trees=3).fit(matrix, [0, 1, 2, 0, 1, 2], qid=[1, 1, 1, 2, 2, 2])
    assert len(set(model.predict(matrix).tolist())) == 1


def test_grades_that_say_nothing() -> None:
    """Where no query has a relevant document, all documents score 0."""
    train = small()
    model = LambdaMART().fit(train.X, np.zeros(len(train.y)), qid=train.qid)
    assert not model.predict(train.X).any()


def test_nan_is_a_value() -> None:
    """A missing value can tell documents apart."""
    rng = np.random.default_rng(0)
    matrix = np.where(rng.random(200) < 0.5, np.nan, 1.0)[:, np.newaxis]
    grades = np.isnan(matrix[:, 0]).astype(float)
    model = LambdaMART(trees=3).fit(matrix, grades, qid=np.repeat(np.arange(20), 10))
    assert model.predict([[np.nan], [1.0]])[0] > model.predict([[np.nan], [1.0]])[1]


def test_mq2008_is_ranked_better_than_by_its_best_feature() -> None:
    """On the first fold of MQ2008 it is well above feature 39, the best that there is, and far above no order."""
    paths = [shared(f"data/mq2008/S{n}.txt") for n in range(1, 6)]
    train = [training.documents.read(path) for path in paths[:3]]
    matrix, grades, queries = (
        np.concatenate([getattr(part, name) for part in train]) for name in ("matrix", "grades", "queries")
    )
    model = LambdaMART(dialect=EXPONENTIAL.changed(empty=0.0)).fit(matrix, grades, qid=queries, validation=paths[3])
    test = Documents.of(paths[4])
    value, objective = model.score(paths[4]), model.objective(test)
    assert value > objective.mean(test.matrix[:, 38]) + 0.01
    assert value > objective.mean(np.zeros(len(test.grades))) + 0.1


def test_the_curve_is_of_all_queries() -> None:
    """Without validation the last round's value is that of the whole training set, constant queries included."""
    X, y, qid = small()
    empty = np.where(qid == qid[0], 0.0, y)
    model = LambdaMART(metric="nDCG@10", trees=5).fit(X, empty, qid=qid)
    objective = model.objective(Documents.of(X, empty, qid))
    assert not objective.live.all()
    assert model.curve_[-1]["train"] == pytest.approx(objective.mean(model.predict(X)))
