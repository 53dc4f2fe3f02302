"""Slopes and sums over lists, against finite differences and sums by hand."""

from __future__ import annotations

import numpy as np
import pytest

from rankgauge.labelling.board import Board
from rankgauge.labelling.board.beliefs import covariances
from rankgauge.labelling.board.design import guessed_slopes
from rankgauge.labelling.board.lists import PrecisionLists
from rankgauge.labelling.board.target import IdealCascade, IdealSum
from rankgauge.numeric import FloatArray
from tests.active.board.collection import pooled

MEASURES = ["DCG@5", "P(rel=2)@4", "RBP", "ERR@6", "RR(rel=2)", "AP(rel=2)", "AP@7", "nDCG", "nDCG@5", "nERR@5", "R@5"]
STEP = 1e-6


def board(*measures: str) -> Board:
    """The board of the collection for these measures."""
    return Board.of(pooled()[0], measures, grades=(0, 1, 2, 3))


@pytest.mark.parametrize("measure", MEASURES)
def test_slopes_of_lists(measure: str) -> None:
    """A slope of what is above the line is its derivative in one document's worth, for each run that retrieves it."""
    listed = board(measure).lists[0]
    worth = np.random.default_rng(1).uniform(size=400)
    slopes = listed.slopes(worth)
    for document in listed.document[[0, 33, -1]]:
        moved = worth + STEP * (np.arange(400) == document)
        change = ((listed.values(moved) - listed.values(worth)) / STEP).sum(axis=1)
        stated = np.bincount(listed.run, np.where(listed.document == document, slopes, 0.0), minlength=5)
        assert change == pytest.approx(stated, abs=1e-5)


@pytest.mark.parametrize("measure", ["DCG@5", "ERR@6", "AP(rel=2)", "AP", "R@5"])
def test_slopes_of_means(measure: str) -> None:
    """The slope in a label is the derivative of the run's mean value, ideal included, for any document of the pool."""
    made = board(measure)
    target, listed, chance = made.targets[0], made.lists[0], made.prior.chance

    def means(chance: FloatArray) -> FloatArray:
        values = listed.values(chance @ target.steps)
        if target.ideal is not None:
            values = values / target.ideal.at(np.add.reduceat(chance, made.pool.starts, axis=0))
        return np.asarray(values.mean(axis=1))

    slopes = guessed_slopes(listed, chance)
    documents = np.array([0, 39, 111, 399])
    for t in range(3):
        stated = slopes.move(np.eye(3)[np.full(4, t)], documents)
        for n, document in enumerate(documents):
            moved = chance.copy()
            moved[document, t] += STEP
            assert (means(moved) - means(chance)) / STEP == pytest.approx(stated[:, n], abs=1e-6)


@pytest.mark.parametrize("measure", ["DCG@5", "AP(rel=2)", "nDCG@5"])
def test_sums_of_slopes(measure: str) -> None:
    """Sums over documents of products of slopes are those of the slopes written out, one by one."""
    made = board(measure)
    slopes = guessed_slopes(made.lists[0], made.prior.chance)
    covariance = covariances(made.prior.chance)
    every = np.arange(400)
    dense = np.stack([slopes.move(np.eye(3)[np.full(400, t)], every) for t in range(3)], axis=2)
    by_hand = np.einsum("rzt,ztu,szu->rs", dense, covariance, dense)
    assert slopes.gram(covariance) == pytest.approx(by_hand, rel=1e-4)
    assert slopes.squares(covariance) == pytest.approx(np.diag(by_hand), rel=1e-9)
    shares = np.array([0.5, 0.2, 0.2, 0.1, 0.0])
    whole, shared = slopes.spread(covariance, shares)
    mean, each = np.tensordot(shares, dense, 1), np.einsum("rzt,ztu,rzu->rz", dense, covariance, dense)
    assert whole == pytest.approx(shares @ each, rel=1e-9, abs=1e-15)
    assert shared == pytest.approx(np.einsum("zt,ztu,zu->z", mean, covariance, mean), rel=1e-9, abs=1e-15)


def test_pairs_by_hand() -> None:
    """Sums over pairs take each pair of a list once, over the rank of the lower document."""
    listed = board("AP").lists[0]
    assert isinstance(listed, PrecisionLists)
    x = np.random.default_rng(2).normal(size=400)
    first = listed.cell == listed.cell[0]
    amounts, rank = x[listed.document[first]], listed.pool.rank[first]
    by_hand = sum(amounts[i] * amounts[j] / rank[i] ** 2 for i in range(len(rank)) for j in range(i))
    assert listed.pairs(x, power=2).ravel()[listed.cell[0]] == pytest.approx(by_hand)


def test_ideal_sum() -> None:
    """Whole counts give the plain sum of weights; uncertain ones less, with the slope of that expectation."""
    ideal = IdealSum(steps=np.array([1.0, 2.0]), weights=1 / np.log2(np.arange(2.0, 7.0)), cut=True)
    counts = np.array([[3.0, 1.0], [40.0, 0.0]])
    plain = np.array([1 + 1 / np.log2(3) + 1 / 2 + 2, ideal.weights.sum()])
    _check_ideal(ideal, counts, plain)


def test_ideal_cascade() -> None:
    """The same for a cascade: with a chance of 3/4 and of 1/4 to stop, the ideal order is read from the best on."""
    ideal = IdealCascade(steps=np.array([1 / 4, 1 / 2]), weights=1 / np.arange(1.0, 6.0), cut=True)
    counts = np.array([[3.0, 1.0], [1.0, 0.0]])
    _check_ideal(ideal, counts, np.array([3 / 4 + 1 / 4 * 1 / 4 / 2 + 1 / 4 * 3 / 4 * 1 / 4 / 3, 1 / 4]))
    smooth = ideal.smooth_slopes(counts, np.full((2, 2), 0.5))
    assert (smooth > 0).all()


def _check_ideal(ideal: IdealSum, counts: FloatArray, plain: FloatArray) -> None:
    assert ideal.at(counts) == pytest.approx(plain)
    assert ideal.expect(counts, np.zeros((2, 2)))[0] == pytest.approx(plain)
    doubtful = 0.3 * counts**2
    value, slopes = ideal.expect(counts, doubtful)
    assert (value < plain).all()
    for t in range(2):
        more = counts * (1 + STEP * (np.arange(2) == t))  # the same relative spread
        change = (ideal.expect(more, 0.3 * more**2)[0] - value) / STEP
        assert change == pytest.approx(slopes[:, t] * counts[:, t], abs=1e-5)
