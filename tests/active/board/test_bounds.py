"""Bounds: the lowest and highest value of a list over all grades of its unjudged documents, against every one tried."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from rankgauge import evaluate
from rankgauge.labelling.board import BoardPool
from rankgauge.labelling.board.bounds import OpenList, bounds
from rankgauge.labelling.pools.contributions import RunValues, targets_of

MEASURES = (
    "nDCG@4",
    "nDCG",
    "nDCG(dcg='exp-log2')@3",
    "AP",
    "AP(rel=2)@4",
    "P@3",
    "RBP",
    "ERR@5",
    "R@3",
    "RR",
    "DCG@3",
)


def open_list(grades: dict[str, float], listed: str) -> tuple[RunValues, OpenList]:
    """A list of letters, those without a grade unjudged, and the measures on it."""
    run = {"run": {"q": {letter: -float(n) for n, letter in enumerate(listed)}}}
    every = {"q": {letter: grades.get(letter, 0.0) for letter in sorted({*grades, *listed})}}
    pool = BoardPool.from_runs(run, only=every)
    found = pool.grades({"q": grades})
    valued = RunValues(
        pool=pool, targets=targets_of(pool, np.append(found, 2.0), MEASURES, dialect="standard"), queries=1
    )
    known = valued.reach_levels(found)
    judged = ~np.isnan(found[pool.document])
    one = OpenList(
        ranks=pool.rank[judged],
        reached=known[pool.document[judged]],
        unjudged=pool.rank[~judged],
        counts=known.sum(axis=0),
    )
    return valued, one


def tried(grades: dict[str, float], listed: str) -> dict[str, tuple[float, float]]:
    """The extremes over all grades 0, 1, 2 of the unjudged documents, each evaluated."""
    lacking = [letter for letter in listed if letter not in grades]
    run = {"q": {letter: -float(n) for n, letter in enumerate(listed)}}
    names = [name.replace("ERR@5", "ERR(max_grade=2)@5") for name in MEASURES]
    values = []
    for given in itertools.product((0.0, 1.0, 2.0), repeat=len(lacking)):
        whole = {"q": {**grades, **dict(zip(lacking, given, strict=True))}}
        if not any(whole["q"].values()):
            values.append([0.0] * len(names))
            continue
        found = evaluate(whole, run, names, ties="input", empty=0)
        values.append(found.matrix[0].tolist())
    return dict(zip(MEASURES, zip(np.min(values, axis=0), np.max(values, axis=0), strict=True), strict=True))


@pytest.mark.parametrize("seed", range(8))
def test_bounds_are_the_extremes_of_all_grades(seed: int) -> None:
    """No assignment of grades gives less or more, and one gives just that."""
    rng = np.random.default_rng(seed)
    listed = "".join(rng.permutation(list("abcdefgh"))[: rng.integers(3, 8)])
    open_ = set(rng.choice(list(listed), size=min(4, len(listed) - 1), replace=False))
    grades = {letter: float(rng.choice([0, 0, 1, 2])) for letter in "abcdefghij" if letter not in open_}
    valued, one = open_list(grades, listed)
    truth = tried(grades, listed)
    for target in valued.targets:
        assert bounds(target, one) == pytest.approx(truth[target.name], abs=1e-12), target.name


@pytest.mark.parametrize("seed", range(3))
def test_a_query_without_a_judged_relevant_document_has_bounds_too(seed: int) -> None:
    """Where nothing relevant was judged, unjudged documents alone make the ratio: by hand, and every grade tried."""
    rng = np.random.default_rng(seed)
    listed = "".join(rng.permutation(list("abcdef"))[: rng.integers(1, 7)])
    open_ = set(rng.choice(list(listed), size=min(3, len(listed)), replace=False))
    grades = {letter: 0.0 for letter in "abcdefgh" if letter not in open_}
    valued, one = open_list(grades, listed)
    truth = tried(grades, listed)
    for target in valued.targets:
        assert bounds(target, one) == pytest.approx(truth[target.name], abs=1e-12), target.name
    (first, *_), second = one.unjudged, valued.targets[MEASURES.index("R@3")]
    assert bounds(second, one) == (0.0, float(first <= 3))


def test_a_grade_in_between_may_be_best() -> None:
    """After a 1 an unjudged document is best at 0 or 1: a 2 would belong before it."""
    valued, one = open_list({"a": 1.0}, "ab")
    ndcg = valued.targets[0]
    assert bounds(ndcg, one)[1] == pytest.approx(1.0)
    assert bounds(ndcg, one)[0] == pytest.approx((1 + 2 / np.log2(3)) / (2 + 1 / np.log2(3)))


def test_unjudged_documents_far_down_can_lower_a_ratio() -> None:
    """Two relevant documents at ranks 5 and 6 make nDCG@4 of a perfect list fall: its ideal has them too."""
    valued, one = open_list({letter: float(letter in "ab") for letter in "abcd"}, "abcdef")
    ideal = 2 + 2 / np.log2(3) + 1 / np.log2(4) + 1 / np.log2(5)
    assert bounds(valued.targets[0], one)[0] == pytest.approx((1 + 1 / np.log2(3)) / ideal)


def test_nothing_relevant_and_nothing_unjudged_is_zero() -> None:
    """A list without a relevant document is worth 0, however it is normalised."""
    valued, one = open_list({"a": 0.0, "b": 0.0}, "ab")
    assert [bounds(target, one) for target in valued.targets] == [(0.0, 0.0)] * len(MEASURES)


def test_not_known_is_said() -> None:
    """A normalised cascade has no bounds yet."""
    run = {"run": {"q": {"a": 1.0}}}
    pool = BoardPool.from_runs(run, only={"q": {"a": 1.0}})
    (target,) = targets_of(pool, np.array([1.0]), ("nERR@3",), dialect="standard")
    one = OpenList(ranks=np.array([1]), reached=np.ones((1, 1)), unjudged=np.array([], dtype=int), counts=np.ones(1))
    assert np.isnan(bounds(target, one)).all()
