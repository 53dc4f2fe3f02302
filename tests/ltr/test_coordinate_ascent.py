"""Coordinate Ascent: what it climbs to, from where, and how it does on MQ2008."""

from __future__ import annotations

import numpy as np
import pytest

from rankgauge import dialects
from rankgauge.training import CoordinateAscent, Documents, Objective
from tests.ltr.mq2008 import mean_over_folds
from tests.ltr.small import small


def test_separable() -> None:
    """Where a weighted sum ranks all queries perfectly, it is found, negative weights and all scales included."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3)) * [1e-4, 1.0, 1e6]
    worth = X @ [2e4, -1.0, 5e-7]
    qid = np.repeat(np.arange(10), 6)
    y = np.digitize(worth, [0.0, 2.0]).astype(float)
    ranker = CoordinateAscent(metric="nDCG", dialect="letor4").fit(X, y, qid=qid)
    assert ranker.score(X, y, qid=qid) > 0.98
    np.testing.assert_array_equal(np.sign(ranker.weights_), [1, -1, 1])


def test_climbs() -> None:
    """From each start the training value rises round by round."""
    part = small(queries=30)
    ranker = CoordinateAscent(metric="nDCG@5", restarts=3, iterations=6).fit(*part[:2], qid=part.qid)
    for start in range(3):
        rounds = [row["train"] for row in ranker.curve_ if start * 6 < row["round"] <= start * 6 + 6]
        assert rounds == sorted(rounds)
        assert rounds
    assert ranker.score(*part[:2], qid=part.qid) == max(row["train"] for row in ranker.curve_)


def test_validation_chooses() -> None:
    """The weights that stay are the best of all rounds on the validation documents."""
    part, held = small(queries=30), small(seed=5, queries=12)
    ranker = CoordinateAscent(metric="nDCG@5", restarts=4).fit(*part[:2], qid=part.qid, validation=tuple(held))
    best = max(ranker.curve_, key=lambda row: row["validation"])
    assert ranker.best_round_ == best["round"]
    assert ranker.score(*held[:2], qid=held.qid) == best["validation"]


def test_best_start() -> None:
    """Asked to keep starts, it proposes only the weights at which a start ends, the same ones as round by round."""
    part, asked = small(queries=30), {"metric": "nDCG@5", "restarts": 3, "iterations": 6}
    rounds = CoordinateAscent(**asked).fit(*part[:2], qid=part.qid).curve_
    starts = CoordinateAscent(**asked, keep="start").fit(*part[:2], qid=part.qid).curve_
    assert len(starts) == 3
    assert starts == [[row for row in rounds if n * 6 < row["round"] <= n * 6 + 6][-1] for n in range(3)]


def test_restarts_differ() -> None:
    """Starts are drawn anew, not the same weights in another order of features: rounds of one pass end apart."""
    part = small(queries=30)
    ranker = CoordinateAscent(metric="nDCG@3", restarts=6, iterations=1).fit(*part[:2], qid=part.qid)
    assert len({row["train"] for row in ranker.curve_}) > 3


def test_useless_features() -> None:
    """A feature that cannot change any order has the weight 0: constant, or the same throughout each query."""
    part = small()
    X = np.column_stack([part.X, part.qid * 0.1])
    ranker = CoordinateAscent(**CoordinateAscent.quick).fit(X, part.y, qid=part.qid)
    assert ranker.weights_[3] == ranker.weights_[5] == 0
    assert np.count_nonzero(ranker.weights_) == 4


def test_dialect_counts() -> None:
    """A dialect under which short queries count nothing learns from the long ones only.

    In the short queries the feature falls with the grade, in the long ones it rises; there are more short ones.
    """
    short = [([0.0, 1.0, 2.0], [2, 0, 0])] * 20
    long = [([0.0, 1.0, 2.0, 3.0, 4.0, 5.0], [0, 0, 0, 0, 1, 2])] * 5
    X = np.array([[value] for values, _ in short + long for value in values])
    y = np.array([grade for _, grades in short + long for grade in grades])
    qid = np.repeat(np.arange(25), [len(values) for values, _ in short + long])
    cut = dialects.get("ranklib")
    signs = [
        np.sign(CoordinateAscent(metric="nDCG@5", dialect=dialect).fit(X, y, qid=qid).weights_[0])
        for dialect in (cut, cut.changed(short="zero"))
    ]
    assert signs == [-1, 1]


@pytest.mark.parametrize("metric", ["AP", "ERR@5", "RR", "RBP"])
def test_any_measure(metric: str) -> None:
    """It learns under measures of every kind, also those for which each step is an evaluation."""
    part = small(queries=8)
    ranker = CoordinateAscent(metric=metric, restarts=1, iterations=1).fit(*part[:2], qid=part.qid)
    equal = Objective.of(Documents.of(*part), metric).mean(part.X @ [1 / s if s else 0 for s in part.X.std(axis=0)])
    assert ranker.score(*part[:2], qid=part.qid) >= equal - 0.02


def test_mq2008() -> None:
    """On the five folds of MQ2008 two starts come near RankLib's five, whose nDCG@10 is 0.5035 (± 0.0136).

    From seed to seed the mean moves by some 0.003: the bound is the target of 0.501 less twice that.
    """
    assert mean_over_folds(CoordinateAscent(metric="nDCG@10", dialect="ranklib", restarts=2)) >= 0.495
