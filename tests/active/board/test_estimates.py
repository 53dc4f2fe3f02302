"""Estimates: unbiased whatever the beliefs, exact once all is judged, and intervals that cover."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import rankgauge
from rankgauge.errors import InputError, ParameterError
from rankgauge.labelling.board import Board, BoardPool
from rankgauge.labelling.board.beliefs import Beliefs, Effects
from rankgauge.labelling.board.features import Features
from rankgauge.labelling.board.readings import FOLDS, Readings
from rankgauge.labelling.board.target import BoardTarget, mark_reached
from rankgauge.labelling.board.values import value
from rankgauge.numeric import FloatArray, IndexArray
from tests.active.board.collection import pooled, tables

MEASURES = ["nDCG@5", "nDCG", "AP", "AP(rel=2)@8", "P@5", "RBP(rel=2)", "DCG@5", "CG@3", "ERR@5", "RR"]
RATIOS = ["nERR@5", "nERR", "R@5", "RelativeP(rel=2)@6", "SetR"]
SCALE = (0, 1, 2, 3)


@pytest.mark.parametrize("dialect", ["standard", "papers"])
def test_all_judged_is_the_truth(dialect: str) -> None:
    """With every document judged the estimate is what an evaluation gives, query by query, and has no error."""
    judgments, runs, grades = tables()
    board = Board.of(pooled()[0], MEASURES + RATIOS, grades=SCALE, dialect=dialect)
    found = board.read(board.stream(1), np.arange(400), grades, budget=400)
    for measure, estimate in zip(MEASURES + RATIOS, board.estimate(found), strict=True):
        for n, run in enumerate(runs.values()):
            result = rankgauge.evaluate(judgments, run, measure, dialect=dialect)
            assert estimate.values[n] == pytest.approx(result[measure], abs=1e-9), measure
        assert estimate.half_widths() == pytest.approx(np.zeros(5), abs=1e-7)
        assert estimate.joint_half_widths() == pytest.approx(np.zeros(5), abs=1e-6)


def _any_beliefs(features: Features, labelled: IndexArray, truth: FloatArray) -> Beliefs:
    """Beliefs that make no sense, and depend on every label that they know."""
    known = np.zeros((len(features.x), len(features.mean)))
    known[labelled] = 1.0 + truth[labelled]
    seed = known @ np.array([0.37]) @ np.array([1.0, 2.3, 5.1, 11.9])
    return Beliefs(chance=0.5 + 0.45 * np.sin(seed + np.arange(4.0))[:, np.newaxis], effects=Effects.prior(features))


def test_unbiased_whatever_the_beliefs() -> None:
    """Over every possible sample and dealing into folds, pseudo-labels, P and AP's numerator have the true mean."""
    runs = {"one": {"q": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}}, "two": {"q": {"d": 3.0, "b": 2.0, "a": 1.0}}}
    pool = BoardPool.from_runs(runs)
    board = Board.of(pool, ["P@2", "AP"], grades=(0, 1))
    truth = np.array([1.0, 0.0, 1.0, 1.0])[:, np.newaxis]
    chance = np.array([0.9, 0.3, 0.5, 0.2])
    mean, share, summed = np.zeros((4, 1)), np.zeros(2), np.zeros((2, 1))

    for state in product(range(6), repeat=4):  # 5: not labelled; else the fold
        fold = np.array(state)
        labelled = np.flatnonzero(fold < 5)
        weight = np.prod(np.where(fold < 5, chance / 5, 1 - chance))
        parts = (labelled, *(labelled[fold[labelled] != k] for k in range(FOLDS)))
        believed = (_any_beliefs(board.features, part, truth) for part in parts)
        found = Readings.of(labelled, truth[labelled], chance=chance, fold=fold, believed=believed)
        mean += weight * found.mean
        share += weight * value(board.lists[0], board.features, found).by_query[:, 0]
        summed += weight * np.mean([board.lists[1].values(fold[:, 0]) for fold in found.folds], axis=0)
    assert mean == pytest.approx(truth)
    assert share == pytest.approx([1 / 2, 1 / 2])
    assert summed[:, 0] == pytest.approx([1 + 2 / 3 + 3 / 4, 1 + 2 / 3])


@pytest.fixture(scope="module")
def campaigns() -> tuple[Board, FloatArray, list[tuple]]:
    """Thirty campaigns of 240 labels on the collection, and the true values."""
    pool, grades = pooled(12, 60)
    board = Board.of(pool, ["nDCG@5", "AP", "P@5", "ERR@5"], grades=SCALE)
    truth = board.estimate(board.read(board.stream(0), np.arange(len(grades)), grades, budget=len(grades)))
    found = []
    for seed in range(30):
        stream = board.stream(seed)
        found.append(board.estimate(board.read(stream, stream.exactly(240), grades, budget=240)))
    return board, np.array([estimate.values for estimate in truth]), found


@pytest.mark.parametrize("n", range(4), ids=["nDCG@5", "AP", "P@5", "ERR@5"])
def test_intervals_cover(campaigns: tuple[Board, FloatArray, list[tuple]], n: int) -> None:
    """Intervals of single runs and of all runs at once hold about as often as they say, and settled pairs are right."""
    _, truth, found = campaigns
    off = np.array([estimates[n].values - truth[n] for estimates in found])
    own = np.array([estimates[n].half_widths() for estimates in found])
    joint = np.array([estimates[n].joint_half_widths() for estimates in found])
    assert np.mean(np.abs(off) <= own) > 0.90
    assert np.mean((np.abs(off) <= joint).all(axis=1)) > 0.87
    assert (joint >= own).all()
    gaps = np.array([np.subtract.outer(e[n].values, e[n].values) for e in found])
    claimed = np.abs(gaps) > np.array([e[n].pair_half_widths() for e in found])
    wrong = claimed & (gaps * np.subtract.outer(truth[n], truth[n]) < 0)
    assert claimed.any()
    assert wrong.any(axis=(1, 2)).mean() <= 0.05


def test_linear_estimates_have_no_bias(campaigns: tuple[Board, FloatArray, list[tuple]]) -> None:
    """With exactly so many labels, the mean of P over campaigns is the true value up to its standard error."""
    _, truth, found = campaigns
    off = np.array([estimates[2].values - truth[2] for estimates in found])
    assert (np.abs(off.mean(axis=0)) < 4 * off.std(axis=0) / np.sqrt(len(off))).all()


def test_queries_like_these_are_wider(campaigns: tuple[Board, FloatArray, list[tuple]]) -> None:
    """The interval that includes the luck of the queries is wider than the spread of the values by query alone."""
    estimate = campaigns[2][0][0]
    alone = np.sqrt(estimate.by_query.var(axis=1, ddof=1) / 12)
    assert (estimate.like_half_widths() >= 2.2 * alone).all()  # t with 11 degrees of freedom


def test_what_is_shown_stays_within_bounds(campaigns: tuple[Board, FloatArray, list[tuple]]) -> None:
    """Values that few labels push beyond the measure's bounds are shown at the bound, and so are ends of intervals."""
    estimate = campaigns[2][0][0]
    lifted = replace(estimate, by_query=estimate.by_query - estimate.by_query.mean() + 1.0)
    assert (lifted.bounded == np.minimum(lifted.values, 1.0)).all()
    assert (lifted.values > 1.0).any()
    low, high = lifted.joint_ends()
    half = lifted.joint_half_widths()
    assert (high == np.minimum(lifted.values + half, 1.0)).all()
    assert (low == np.minimum(lifted.values - half, 1.0)).all()


def test_a_seed_fixes_the_board(campaigns: tuple[Board, FloatArray, list[tuple]]) -> None:
    """The same seed and labels give the same estimates and intervals."""
    board, _, found = campaigns
    grades = pooled(12, 60)[1]
    stream = board.stream(7)
    again = board.estimate(board.read(stream, stream.exactly(240), grades, budget=240))
    for one, other in zip(found[7], again, strict=True):
        assert (one.values == other.values).all()
        assert (one.joint_half_widths() == other.joint_half_widths()).all()


def test_one_more_label_starts_from_the_last(campaigns: tuple[Board, FloatArray, list[tuple]]) -> None:
    """Readings that start from those of a label less, again and again, are those without a start, to seven digits."""
    board, grades = campaigns[0], pooled(12, 60)[1]
    stream, warm = board.stream(4), None
    for n in range(100, 110):
        warm = board.read(stream, stream.exactly(n), grades, budget=n, start=warm)
    cold = board.read(stream, stream.exactly(109), grades, budget=109)
    assert warm is not None
    assert warm.best == pytest.approx(cold.best, abs=1e-7)
    assert warm.folds == pytest.approx(cold.folds, rel=1e-7, abs=1e-7)
    for one, other in zip(board.estimate(warm), board.estimate(cold), strict=True):
        assert one.by_query == pytest.approx(other.by_query, abs=1e-7)
        assert one.covariance.matrix == pytest.approx(other.covariance.matrix, rel=1e-5, abs=1e-10)


def test_not_yet() -> None:
    """With too few labels, too few of them drawn, or one query, there is a reason and no interval; AP waits longer.

    So it is if intervals would be as wide as the scale.
    """
    pool, grades = pooled()
    board = Board.of(pool, ["nDCG@5", "AP"], grades=SCALE)
    stream = board.stream(1)
    ndcg, _ = board.estimate(board.read(stream, stream.exactly(30), grades, budget=30))
    assert ndcg.reason == "what labels say of nDCG@5 so far is too uncertain to be shown"
    ndcg, ap = board.estimate(board.read(stream, stream.exactly(100), grades, budget=100))
    assert ndcg.reason is None
    assert ndcg.half_widths() is not None
    assert ap.reason == "not yet: 100 more labels before AP has an interval"
    shown = (ap.half_widths(), ap.joint_half_widths(), ap.pair_half_widths(), ap.like_half_widths())
    assert shown == (None, None, None, None)
    stage = board.refit(np.where(np.arange(400) < 200, grades, np.nan))
    stream = stage.stream(2)
    ndcg, _ = stage.estimate(stage.read(stream, stream.exactly(15), grades, budget=15))
    assert ndcg.reason == "not yet: 5 more labels before nDCG@5 has an interval"
    lone, known = pooled(1, 40)
    board = Board.of(lone, ["P@5"], grades=SCALE)
    stream = board.stream(1)
    (estimate,) = board.estimate(board.read(stream, stream.exactly(20), known, budget=20))
    assert estimate.reason == "not yet: an interval needs 2 queries or more"


def test_known_labels_are_used() -> None:
    """Labels from before are in every reading without error, and the beliefs start from them."""
    pool, grades = pooled()
    known = np.where(np.arange(400) % 2 == 0, grades, np.nan)
    board = Board.of(pool, ["P@5"], grades=SCALE, known=known)
    stream = board.stream(1)
    found = board.read(stream, stream.exactly(10), grades, budget=10)
    assert len(found.labelled) == 210
    assert found.mean[::2] == pytest.approx(mark_reached(grades[::2], np.arange(4.0)))


def test_a_stage_starts_from_what_is_labelled() -> None:
    """A refitted board knows the labels so far, never asks for them again, and has scores that follow from them."""
    pool, grades = pooled()
    board = Board.of(pool, ["nDCG@5"], grades=SCALE)
    first = board.stream(1).exactly(60)
    stage = board.refit(np.where(np.isin(np.arange(400), first), grades, np.nan))
    stream = stage.stream(2)
    assert not np.isin(stream.order, first).any()
    assert (stage.scores[first] == 0).all()
    assert np.corrcoef(stage.scores[stream.order], board.scores[stream.order])[0, 1] < 0.99
    (estimate,) = stage.estimate(stage.read(stream, stream.exactly(40), grades, budget=40))
    assert estimate.labels == 100


def test_one_run_is_a_board() -> None:
    """A single run has scores that differ, and an interval of nDCG; P, which other methods serve, has none."""
    _, runs, _ = tables()
    pool = BoardPool.from_runs({"lone": runs["run 1"]})
    grades = pool.grades(tables()[0])
    board = Board.of(pool, ["nDCG@5", "P@5"], grades=SCALE)
    assert board.scores.max() > 2 * board.scores.min()
    stream = board.stream(1)
    ratio, plain = board.estimate(board.read(stream, stream.exactly(50), grades, budget=50))
    widths = ratio.half_widths()
    assert widths is not None
    assert 0 < widths[0] < 0.3
    assert plain.half_widths() is None
    assert "fewer than 3 runs" in str(plain.reason)
    every = np.arange(len(grades))
    _, exact = board.estimate(board.read(stream, every, grades, budget=len(grades)))
    assert exact.half_widths() == pytest.approx([0.0])


def test_a_sample_is_judged_throughout() -> None:
    """A document of the sample without a grade, or with one off the scale, is an error: leaving it out would bias."""
    pool, grades = pooled()
    board = Board.of(pool, ["P@5"], grades=SCALE)
    stream = board.stream(1)
    sample = stream.sample(30)
    with pytest.raises(InputError, match=r"1 of the \d+ documents"):
        board.read(stream, sample, np.where(np.arange(400) == sample[0], np.nan, grades), budget=30)
    with pytest.raises(InputError, match="4 is not on the scale"):
        board.read(stream, sample, np.where(np.arange(400) == sample[0], 4.0, grades), budget=30)


@pytest.mark.parametrize(
    "measure", ["GAP", "Rprec", "Bpref", "G", "muAP", "NDCNG", "infAP", "Q", "MeanNDCG", "P(padded=False)@5"]
)
def test_measures_that_state_nothing_are_refused(measure: str) -> None:
    """A measure that does not state its numerator and its ideal is refused, never estimated by a guess."""
    with pytest.raises(ParameterError, match="add up what documents are worth"):
        BoardTarget.of(measure, pooled()[0], grades=np.arange(4.0))


def test_other_readings_are_refused() -> None:
    """What is no mean over all queries, skips documents, or values the lowest grade, is refused."""
    pool, grades = pooled()[0], np.arange(4.0)
    with pytest.raises(ParameterError, match="averaged"):
        BoardTarget.of("GMAP", pool, grades=grades)
    with pytest.raises(ParameterError, match="empty"):
        BoardTarget.of("AP", pool, grades=grades, empty="leave-out")
    with pytest.raises(ParameterError, match="unjudged"):
        BoardTarget.of("AP", pool, grades=grades, unjudged="skip")
    with pytest.raises(InputError, match="lowest grade"):
        BoardTarget.of("DCG", pool, grades=grades + 1)
    with pytest.raises(InputError, match=r"no grade up to 3(.|\n)*AP\(rel=3\)"):
        BoardTarget.of("AP(rel=4)", pool, grades=grades)
    with pytest.raises(ParameterError, match="ascending"):
        Board.of(pool, ["AP"], grades=(1, 0))
    with pytest.raises(ParameterError, match="at least one name"):
        Board.of(pool, [], grades=(0, 1))
