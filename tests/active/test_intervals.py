"""Intervals of estimates: what they are, and when they hold."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from rankgauge.errors import ParameterError, UnknownNameError
from rankgauge.labelling import methods
from rankgauge.labelling.intervals import FIRST, IntervalKind, bernstein, half_width
from rankgauge.labelling.target import Target
from tests.active.graded import DCG, ERR, graded_pool


def test_student() -> None:
    """The t interval is the quantile of the degrees of freedom times the error; endless where there are none."""
    found = half_width([2.0, 2.0, 2.0], draws=5, freedom=[4.0, np.inf, 0.0], level=0.95)
    assert found[0] == pytest.approx(2 * stats.t.ppf(0.975, 4))
    assert found[1] == pytest.approx(2 * stats.norm.ppf(0.975), rel=1e-5)
    assert found[2] == np.inf


def test_the_price_of_stopping_at_any_time() -> None:
    """From 100 draws on a sequence is 1.55 times as wide as the t interval; before there is none."""
    found = half_width(1.0, draws=[FIRST - 1, FIRST], freedom=np.inf, level=0.95, kind="sequence")
    assert found[0] == np.inf
    assert found[1] / stats.norm.ppf(0.975) == pytest.approx(1.55, abs=0.01)


@pytest.mark.parametrize("freedom", [0.5, 1.5, 4.0, 99.0, np.inf])
def test_a_sequence_is_never_the_narrower_one(freedom: float) -> None:
    """However little is known of the error, what holds at any time is 1.55 times as wide, or there is no interval."""
    found = [half_width(1.0, draws=FIRST, freedom=freedom, level=0.95, kind=kind) for kind in ("t", "sequence")]
    assert found[1] == pytest.approx(found[0] * 1.55, rel=0.01)


def test_kinds_and_levels() -> None:
    """What makes no sense is refused."""
    with pytest.raises(UnknownNameError, match="interval"):
        half_width(1.0, draws=5, freedom=4, level=0.95, kind="z")
    with pytest.raises(ParameterError, match="level"):
        half_width(1.0, draws=5, freedom=4, level=95)
    with pytest.raises(ParameterError, match="finite bounds"):
        bernstein(np.ones(3), bounds=(0, np.inf), level=0.95)


@pytest.mark.parametrize("population", [np.inf, 400])
def test_bernstein_holds_at_all_times(population: float) -> None:
    """The sequence holds the mean at every time at once in at least 95 % of the repetitions, and narrows."""
    rng = np.random.default_rng(0)
    all_ = rng.beta(0.5, 2.0, 400)
    missed, widths = 0, []
    for _ in range(200):
        drawn = rng.permutation(all_) if np.isfinite(population) else rng.choice(all_, 400)
        ends = [bernstein(drawn[:n], bounds=(0, 1), level=0.95, population=population) for n in (5, 20, 60, 150, 300)]
        missed += any(not low <= all_.mean() <= high for low, high in ends)
        widths.append([high - low for low, high in ends])
    assert missed <= 0.05 * 200 + 3 * np.sqrt(200 * 0.05 * 0.95)
    assert (np.diff(np.mean(widths, axis=0)) < 0).all()


def test_sequences_hold_where_t_intervals_do_not() -> None:
    """One who stops when the interval looks narrow misses often with t, rarely with a sequence."""
    pool, truth = graded_pool(queries=400)
    target = Target.of(ERR, pool)
    value = target.values(pool, truth).mean()
    missed = {IntervalKind.T: 0, IntervalKind.SEQUENCE: 0}
    values = target.values(pool, truth)
    for seed in range(200):
        plan = methods.get("passive").plan(pool, target, budget=1.0, rng=seed)
        drawn = values[[plan.query(j) for j in range(350)]]
        n = np.arange(1, 351)
        means = np.cumsum(drawn) / n
        spread = np.sqrt(np.maximum(np.cumsum(drawn**2) / n - means**2, 0) / n * (1 - n / 400))
        for kind in missed:
            half = half_width(spread, draws=n, freedom=n - 1.0, level=0.95, kind=kind)
            missed[kind] += bool((np.abs(means - value) > half)[FIRST:].any())
    assert missed[IntervalKind.SEQUENCE] <= 0.05 * 200 + 3 * np.sqrt(200 * 0.05 * 0.95)
    assert missed[IntervalKind.T] > 3 * missed[IntervalKind.SEQUENCE] + 10


def test_bernstein_of_methods() -> None:
    """Methods whose draws are bounded give the empirical Bernstein interval; others, and DCG, refuse it."""
    pool, truth = graded_pool()
    target = Target.of(ERR, pool)
    for name in ("passive", "passive-iid", "paper+defensive"):
        found = methods.get(name).plan(pool, target, budget=100).estimate(30, truth, interval="bernstein")
        assert found.low < target.values(pool, truth).mean() < found.high
    with pytest.raises(ParameterError, match="t or sequence"):
        methods.get("greg").plan(pool, target, budget=100).estimate(30, truth, interval="bernstein")
    with pytest.raises(ParameterError, match="t or sequence"):
        methods.get("document").plan(pool, target, budget=100).estimate(30, truth, interval="bernstein")
    with pytest.raises(ParameterError, match="finite bounds"):
        methods.get("passive").plan(pool, Target.of(DCG, pool), budget=100).estimate(5, truth, interval="bernstein")
