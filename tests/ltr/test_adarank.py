"""AdaRank: which features it takes, what queries weigh, and how it does on MQ2008."""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgauge.dialects import get
from rankgauge.papers.published.ndcg_tools.training import READINGS
from rankgauge.training import AdaRank, Documents, Objective
from rankgauge.training.rankers.adarank import Boosting, sort_as_ranklib
from tests.ltr.mq2008 import folds, mean_over_folds
from tests.ltr.small import small


def boosting(X: list[list[float]], y: list[float], qid: list[int], metric: str = "RR") -> Boosting:
    """What the rounds of these documents need."""
    return Boosting.of(Objective.of(Documents.of(X, y, qid), metric), skip_dead=True)


def test_first_round() -> None:
    """The first feature weighs ½ ln((1 + m) / (1 − m)) by its mean value m, in units of its own spread.

    Feature 1 puts the relevant document of query 1 first and that of query 2 second: m = (1 + ½) / 2. Feature 2 is the
    same throughout each query.
    """
    X = [[2.0, 0.0], [0.0, 0.0], [0.0, 7.0], [2.0, 7.0]]
    ranker = AdaRank(metric="RR", rounds=1).fit(X, [1, 0, 1, 0], qid=[1, 1, 2, 2])
    m = (1 + 1 / 2) / 2
    spread = 1.0  # each document is 1 away from the mean of its query
    np.testing.assert_allclose(ranker.weights_, [np.log((1 + m) / (1 - m)) / 2 / spread, 0.0])


def test_query_weights() -> None:
    """A round multiplies each query's weight by exp(−share · value), and the weights add up to 1."""
    found = boosting([[2.0], [0.0], [0.0], [2.0]], [1, 0, 1, 0], [1, 1, 2, 2])
    (round_,) = found.let_rest(1, rest=0, patience=1)
    share = round_.weights[0]
    raw = np.exp([-share * 1.0, -share * 0.5])
    np.testing.assert_allclose(round_.shares, raw / raw.sum())


def test_weights_do_not_vanish() -> None:
    """After so many rounds that every weight would underflow, the weights still add up to 1."""
    found = boosting([[2.0], [0.0], [0.0], [2.0]], [1, 0, 1, 0], [1, 1, 2, 2])
    (round_,) = found.let_rest(1, rest=0, patience=1)
    late = type(round_)(weights=round_.weights, scores=round_.scores, value=1.0, logs=round_.logs * 1e5)
    assert late.shares.sum() == pytest.approx(1.0)
    assert np.exp(late.logs).sum() == 0.0


def test_falling_feature() -> None:
    """A feature that is the lower, the better the document, gets a negative weight."""
    ranker = AdaRank(metric="RR").fit([[1.0], [5.0], [2.0], [9.0]], [1, 0, 1, 0], qid=[1, 1, 2, 2])
    assert ranker.weights_[0] < 0
    assert ranker.score([[1.0], [5.0]], [1, 0], qid=[1, 1]) == 1.0


def test_ties_of_a_weak_ranker() -> None:
    """A feature that ties documents is worth the mean over their orders, rising and falling; a constant one nothing."""
    found = boosting([[1.0, 1.0], [1.0, 1.0], [1.0, 0.0]], [1, 0, 0], [1, 1, 1])
    np.testing.assert_allclose(found.table[:, 0], [0.0, (1 + 1 / 2) / 2, 0.0, (1 / 2 + 1 / 3) / 2])


def test_rest() -> None:
    """A feature that was taken is left out of the next two rounds, even if it alone tells the grades; no longer."""
    part = small()
    found = Boosting.of(Objective.of(Documents.of(*part), "nDCG@5"), skip_dead=True)
    weights = [np.zeros(5), *(round_.weights for round_ in found.let_rest(12, rest=2, patience=12))]
    taken = [int(np.flatnonzero(change)[0]) for change in np.diff(weights, axis=0)]
    assert taken[0] == 0
    assert all(len({*taken[at : at + 3]}) == 3 for at in range(len(taken) - 2))
    assert any(taken[at] == taken[at + 3] for at in range(len(taken) - 3))


def test_patience() -> None:
    """The rounds end after so many without a larger training value."""
    part = small()
    ranker = AdaRank(metric="nDCG@5", patience=4).fit(*part[:2], qid=part.qid)
    values = [row["train"] for row in ranker.curve_]
    assert len(values) < 500
    assert int(np.argmax(values)) == len(values) - 1 - 4


@pytest.mark.parametrize("ways", [{}, {"rules": "ranklib"}, {"rules": "ranklib", "forget": False, "stable": True}])
def test_strong_feature_does_not_stay_alone(ways: dict[str, Any]) -> None:
    """A feature that comes up in every round is set aside or rests, so that the others have their turn too."""
    rng = np.random.default_rng(0)
    parts, qid = rng.normal(size=(240, 3)), np.repeat(np.arange(30), 8)
    y = np.digitize(parts @ [1.1, 1.0, 1.0], [0.5, 2.0])
    ranker = AdaRank(metric="nDCG@5", **ways).fit(parts, y, qid=qid)
    single = max(Objective.of(Documents.of(parts, y, qid), "nDCG@5").mean(column) for column in parts.T)
    assert (ranker.weights_ > 0).all()
    assert ranker.score(parts, y, qid=qid) > single + 0.1


def test_one_feature() -> None:
    """A feature that rests with none left comes back at once."""
    ranker = AdaRank(metric="RR", rounds=50).fit([[3.0], [1.0], [2.0]], [0, 1, 0], qid=[1, 1, 1])
    assert ranker.score([[3.0], [1.0], [2.0]], [0, 1, 0], qid=[1, 1, 1]) == 1.0
    assert ranker.weights_[0] < 0


@pytest.mark.parametrize("rest", [0, 2])
def test_dead_queries(rest: int) -> None:
    """Queries that no order can change do not move the choice of features, unless they are asked to stay."""
    part = small()
    live = part.y.reshape(-1, 7).max(axis=1).repeat(7) > 0
    ways = {"rounds": 20, "rest": rest}
    whole = AdaRank(**ways).fit(*part[:2], qid=part.qid)
    alone = AdaRank(**ways).fit(*part.rows(live)[:2], qid=part.qid[live])
    kept = AdaRank(**ways, skip_dead=False, dialect="yahoo").fit(*part[:2], qid=part.qid)
    ratio = whole.weights_[np.abs(whole.weights_) > 0] / alone.weights_[np.abs(alone.weights_) > 0]
    assert np.ptp(ratio) < 0.1  # only the spread of features differs
    assert not np.allclose(kept.weights_, whole.weights_)


def test_ranklib_rules() -> None:
    """RankLib's weak rankers are the features as they are, rising only, with tied documents as its sorting leaves them.

    The first document is the relevant one. Feature 1 ties all, feature 2 falls, feature 3 ties the first two: RankLib
    puts the last one in the place of the first, which gets behind its equal.
    """
    X = [[1.0, 0.0, 1.0], [1.0, 5.0, 1.0], [1.0, 7.0, 2.0]]
    objective = Objective.of(Documents.of(X, [1, 0, 0], [1, 1, 1]), "RR")
    found = {stable: Boosting.like_ranklib(objective, stable=stable) for stable in (False, True)}
    assert found[False].units.tolist() == [1.0, 1.0, 1.0]
    np.testing.assert_allclose(found[False].table[:, 0], [1.0, 1 / 3, 1 / 3])
    np.testing.assert_allclose(found[True].table[:, 0], [1.0, 1 / 3, 1 / 2])


@given(st.lists(st.integers(0, 3), min_size=1, max_size=9))
def test_interchanges(values: list[int]) -> None:
    """Without ties the order is that of the values; with them it is that of a plain loop of interchanges."""
    order = list(range(len(values)))
    for first in order[:-1].copy():
        largest = max(range(first, len(values)), key=lambda place: values[order[place]])  # the first of equals
        order[first], order[largest] = order[largest], order[first]
    documents = Documents.of(np.array([values, values[::-1]], dtype=float).T, np.zeros(len(values)), [1] * len(values))
    found = np.argsort(-sort_as_ranklib(documents)[:, 0]).tolist()
    assert found == order
    assert [values[place] for place in found] == sorted(values, reverse=True)


def test_ranklib_weights_vanish() -> None:
    """RankLib's query weights become 0, which ends its training; scaled ones do not."""
    X, qid = np.tile([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]], (20, 1)), np.repeat(np.arange(40), 2)
    objective = Objective.of(Documents.of(X, np.tile([1, 0], 40), qid), "RR")
    found = {stable: Boosting.like_ranklib(objective, stable=stable) for stable in (False, True)}
    lengths = {stable: len([*boosting.set_aside(400, tolerance=0.002)]) for stable, boosting in found.items()}
    assert 745 / np.log(40) < lengths[False] < 350 < lengths[True]


def test_ranklib_sets_strong_features_aside() -> None:
    """The second choice of a feature in a row undoes the first and sets it aside; it returns when the others are done.

    Feature 1 orders both queries, feature 2 only the second: it comes up when feature 1 is set aside, is set aside in
    turn, and then both return, the last one first.
    """
    X = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]]
    found = Boosting.like_ranklib(Objective.of(Documents.of(X, [1, 0, 1, 0], [1, 1, 2, 2]), "RR"))
    rounds = list(found.set_aside(7, tolerance=0.002))
    taken = [int(np.argmax(round_.weights)) for round_ in rounds]
    assert taken[:3] == [0, 1, 1]
    assert [round_.number for round_ in rounds[:3]] == [1, 3, 5]
    assert [round_.rollbacks for round_ in rounds[:3]] == [0, 1, 2]


def test_ranklib_forgets() -> None:
    """After a rollback RankLib's best validation value counts no more, so that a worse ranker can replace the best."""
    part, held = small(seed=0), small(seed=101)
    reached = {}
    for forget in (True, False):
        ranker = AdaRank(metric="nDCG@5", rules="ranklib", stable=True, forget=forget)
        ranker.fit(*part[:2], qid=part.qid, validation=tuple(held))
        best = max(row["validation"] for row in ranker.curve_)
        kept = next(row["validation"] for row in ranker.curve_ if row["round"] == ranker.best_round_)
        reached[forget] = kept, best
    assert reached[False][0] == reached[False][1] == reached[True][1]
    assert reached[True][0] < reached[True][1]


@pytest.mark.parametrize("metric", ["AP", "ERR@5", "DCG@5", "P@3", "GMAP"])
def test_any_measure(metric: str) -> None:
    """It learns under measures of every kind, with and without an upper bound."""
    part = small()
    ranker = AdaRank(metric=metric, rounds=8).fit(*part[:2], qid=part.qid)
    assert np.isfinite(ranker.weights_).all()
    assert ranker.score(*part[:2], qid=part.qid) > Objective.of(Documents.of(*part), metric).mean(np.zeros(len(part.y)))


def test_mq2008() -> None:
    """On the five folds of MQ2008 it does about as well as RankLib's AdaRank, whose nDCG@10 is 0.4952 (± 0.0136)."""
    assert mean_over_folds(AdaRank(metric="nDCG@10", dialect="ranklib")) >= 0.491


PRINTED = {
    "std": (0.476348, 0.436476, 0.472772, 0.549092, 0.541154),
    "yahoo": (0.465251, 0.44225, 0.473435, 0.553177, 0.536806),
    "letor": (0.461236, 0.4133, 0.453588, 0.508939, 0.523108),
}
"""NDCG@10 of RankLib 2.10.1's AdaRank on the folds of MQ2008, trained under three readings, judged by the first."""


@pytest.mark.parametrize("fold", [0, *(pytest.param(fold, marks=pytest.mark.study) for fold in range(1, 5))])
def test_ranklib_itself(fold: int) -> None:
    """By RankLib's rules the models are RankLib's: NDCG@10 of each fold is what RankLib printed, to all its digits."""
    train, held, test = next(islice(folds(), fold, None))
    for reading, printed in PRINTED.items():
        ranker = AdaRank(metric="nDCG@10", dialect=READINGS[reading], rules="ranklib")
        ranker.fit(train.X, train.y, qid=train.qid, validation=tuple(held))
        judged = Objective.of(Documents.of(*test), "nDCG@10", get("papers").changed(ties="input"))
        assert judged.mean(ranker.predict(test.X)) == pytest.approx(printed[fold], abs=6e-7), reading


@pytest.mark.study
@pytest.mark.parametrize(("forget", "loss"), [(True, -0.0418), (False, 0.0018)])
def test_mq2008_under_letor(forget: bool, loss: float) -> None:
    """On MQ2008, RankLib's rules with ties in the order of the file lose 0.0418 ± 0.0057 where short lists count 0, and
    nothing if they remember."""
    usual, ways = get("papers"), {"rules": "ranklib", "stable": True, "forget": forget}
    values = [
        mean_over_folds(AdaRank(metric="nDCG@10", dialect=trained, **ways), judged=usual)
        for trained in (usual.changed(short="zero"), usual)
    ]
    assert values[0] - values[1] == pytest.approx(loss, abs=0.003)
