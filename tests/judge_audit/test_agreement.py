"""Agreement of a judge with people: worked examples, laws, and intervals."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankgauge.audit.judge.agreement import (
    Comparable,
    agreement,
    auc,
    bootstrap_interval,
    confusion_table,
    contrast,
    percentiles,
)
from rankgauge.audit.judge.pairs import GradedPairs
from rankgauge.errors import InputError
from tests.examples import examples

CELLS = ((20, 5), (10, 15))
"""People say no and yes in rows, the judge in columns: the textbook example of Cohen's kappa."""


def pairs(people: list[float], judge: list[float], queries: int = 10, **more: object) -> GradedPairs:
    """Pairs that are dealt to queries in turn."""
    rows = [(f"q{n % queries}", f"d{n}") for n in range(len(people))]
    frame = pl.DataFrame(rows, schema=["query", "document"], orient="row")
    human = frame.with_columns(grade=pl.Series(people, dtype=pl.Float64), **more)  # type: ignore[arg-type]
    return GradedPairs.from_grades(human, {"judge": frame.with_columns(grade=pl.Series(judge, dtype=pl.Float64))})


def found(people: list[float], judge: list[float], **more: object) -> dict[str, float]:
    """The coefficients by name."""
    seen = agreement(Comparable.from_pairs(pairs(people, judge, **more), "judge", rel=1), seed=0)  # type: ignore[arg-type]
    return dict(seen.select("coefficient", "value").iter_rows())


def test_kappa_of_the_textbook() -> None:
    """Fifty decisions with 35 alike: kappa is (0.7 − 0.5) / (1 − 0.5); AUC is that of two grades."""
    people = [row for row, cells in enumerate(CELLS) for count in cells for _ in range(count)]
    judge = [column for cells in CELLS for column, count in enumerate(cells) for _ in range(count)]
    seen = found([float(grade) for grade in people], [float(grade) for grade in judge])
    assert seen["identical"] == pytest.approx(35 / 50)
    assert seen["kappa"] == pytest.approx((0.7 - 0.5) / (1 - 0.5))
    assert seen["auc"] == pytest.approx((15 * 20 + (15 * 5 + 10 * 20) / 2) / (25 * 25))
    # Of 100 grades 55 are no and 45 yes; 15 pairs of them differ, each counted both ways.
    assert seen["alpha"] == pytest.approx(1 - (100 - 1) * 15 * 2 / (2 * 55 * 45))


def test_auc_counts_pairs() -> None:
    """The share of pairs in the right order, by hand: grades 0, 1 not relevant; 1, 2 relevant."""
    assert auc(np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]])) == pytest.approx((1 + 0.5 + 1 + 1) / 4)
    assert np.isnan(auc(np.array([[1.0, 1.0], [0.0, 0.0]])))


@settings(max_examples=examples(20), deadline=None)
@given(st.lists(st.sampled_from([0.0, 1.0, 2.0, 3.0]), min_size=20, max_size=60).filter(lambda g: min(g) < 1 < max(g)))
def test_a_perfect_and_a_constant_judge(people: list[float]) -> None:
    """Who always agrees has 1 everywhere; who always says the same has kappa 0 and AUC one half."""
    perfect = found(people, people)
    assert all(value == pytest.approx(1.0) for value in perfect.values())
    same = found(people, [2.0] * len(people))
    assert same["kappa"] == pytest.approx(0.0, abs=1e-12)
    assert same["kappa_quadratic"] == pytest.approx(0.0, abs=1e-12)
    assert same["auc"] == pytest.approx(0.5)


def test_labels_weigh_what_they_stand_for() -> None:
    """A pair that was chosen with probability 1/4 stands for four: the confusion is that of all of them."""
    people, judge = [0.0] * 20 + [1.0] * 20, [0.0] * 20 + [1.0, 0.0] * 10
    chance = [1.0] * 20 + [0.25] * 20
    seen = found(people, judge, probability=pl.Series(chance))
    assert seen["identical"] == pytest.approx((20 + 4 * 10) / (20 + 4 * 20))


def test_different_scales_are_compared_as_relevant_or_not() -> None:
    """A judge of grades beside people who say yes or no: both are cut at the relevance level, and it is told."""
    one = Comparable.from_pairs(pairs([0.0, 1.0] * 20, [1.0, 3.0] * 20), "judge", rel=2)
    assert "scales differ" in one.words
    assert one.levels.tolist() == [0.0, 1.0] or one.levels.tolist() == [0.0]
    table = confusion_table(Comparable.from_pairs(pairs([0.0, 1.0] * 20, [1.0, 3.0] * 20), "judge", rel=1))
    assert table["pairs"].sum() == 40


@pytest.mark.parametrize("change", [lambda grade: grade * 100 / 3, lambda grade: grade / 3, lambda grade: grade + 1])
def test_another_scale_is_put_on_peoples(change: Callable[[float], float]) -> None:
    """Points, chances and grades from 1 on are people's grades in other words: agreement and errors are the same."""
    people, judge = [0.0, 1.0, 2.0, 3.0] * 15, [0.0, 1.0, 3.0, 3.0, 1.0] * 12
    plain, other = found(people, judge), found(people, [change(grade) for grade in judge])
    assert other == pytest.approx(plain)
    one = Comparable.from_pairs(pairs(people, [change(grade) for grade in judge]), "judge", rel=1)
    assert "put on people's scale" in one.words
    assert abs(one.errors).max() <= 3
    assert Comparable.from_pairs(pairs(people, judge), "judge", rel=1).words == ""


def test_auc_is_of_the_judges_own_grades() -> None:
    """Grades below 0 tell pairs apart for AUC, and count as 0 elsewhere."""
    people, judge = [0.0, 1.0] * 20, [-1.0, 0.0] * 20
    assert found(people, judge)["auc"] == 1.0
    assert found(people, judge)["identical"] == 0.5


def test_too_few_labels_give_no_number() -> None:
    """Below twenty labels there is no value, and below five queries no interval."""
    assert all(np.isnan(value) for value in found([0.0, 1.0] * 9, [0.0, 1.0] * 9).values())
    seen = agreement(Comparable.from_pairs(pairs([0.0, 1.0] * 20, [0.0, 1.0] * 20, queries=4), "judge", rel=1))
    assert seen["value"].to_list() == [1.0] * 6
    assert np.isnan(seen["low"].to_numpy()).all()


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    """Over 200 samples of 20 queries, intervals of a mean hold it in 95 % of them, within chance."""
    rng, held = np.random.default_rng(5), 0
    for _ in range(200):
        values = rng.gamma(2.0, size=20)
        counts = np.stack([values, np.ones(20)], axis=1)
        low, high = bootstrap_interval(counts, lambda c: c[:, 0] / c[:, 1], rng=rng, resamples=400)
        held += low <= 2.0 <= high
    assert held >= 180


def test_a_part_is_held_against_the_rest() -> None:
    """A part whose values are one higher differs by one; errors are those of queries, not of pairs."""
    rng = np.random.default_rng(2)
    query = np.repeat(np.arange(20), 10)
    inside = np.tile(np.arange(10) < 3, 20).astype(float)
    values = inside + np.repeat(rng.normal(size=20), 10)
    seen = contrast(values, np.ones(200), query, inside)
    assert seen.apart == pytest.approx(1.0)
    assert seen.p < 1e-6
    assert np.isnan(contrast(values, np.ones(200), np.zeros(200, dtype=np.int64), inside).p)


def test_percentiles_move_with_a_biased_statistic() -> None:
    """Resamples that all lie below the value give an interval near their top."""
    values = np.linspace(0.0, 1.0, 1001)
    plain, moved = percentiles(values, 50), percentiles(values, 50, measured=0.9)
    assert moved[0] > plain[0]
    assert moved[1] > plain[1]


def test_bad_input_is_refused() -> None:
    """No pair in common, no judge, several assessors, a chance above one: an error that says so."""
    frame = pl.DataFrame({"query": ["a"], "document": ["x"], "grade": [1.0]})
    with pytest.raises(InputError, match="no pair in common"):
        GradedPairs.from_grades(frame, {"judge": frame.with_columns(document=pl.lit("y"))})
    with pytest.raises(InputError, match="no judge"):
        GradedPairs.from_grades(frame, {})
    with pytest.raises(InputError, match="several people judged one document"):
        GradedPairs.from_grades(
            pl.concat([frame.with_columns(assessor=pl.lit(name)) for name in ("ann", "bob")]), {"judge": frame}
        )
    with pytest.raises(InputError, match="above 0"):
        GradedPairs.from_grades(frame.with_columns(probability=pl.lit(2.0)), {"judge": frame})
