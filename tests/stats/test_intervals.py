"""Intervals of means: formulas, SciPy as a peer, coverage, and values left out."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats as peer

from rankgauge.errors import ParameterError
from rankgauge.statistics.intervals import bca_interval, geometric_mean, t_interval
from tests.examples import examples

NAN = float("nan")
SKEWED = np.random.default_rng(3).beta(0.5, 1.5, size=50)
values = st.lists(st.floats(0, 1), min_size=2, max_size=40)


def seeded(seed: int = 1) -> np.random.Generator:
    """A generator of its own for each call."""
    return np.random.default_rng(seed)


def test_t_interval_by_hand() -> None:
    """Mean ± t · s / √n; the 97.5 % point of Student's t with 2 degrees of freedom is 4.302653."""
    low, high = t_interval([0.2, 0.4, 0.9])
    s = math.sqrt(((0.2 - 0.5) ** 2 + (0.4 - 0.5) ** 2 + (0.9 - 0.5) ** 2) / 2)
    assert low == pytest.approx(0.5 - 4.302653 * s / math.sqrt(3), abs=1e-6)
    assert high == pytest.approx(0.5 + 4.302653 * s / math.sqrt(3), abs=1e-6)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.99])
def test_t_interval_is_scipys(level: float) -> None:
    """SciPy's t distribution gives the same ends at every level."""
    expected = peer.t.interval(level, len(SKEWED) - 1, loc=SKEWED.mean(), scale=peer.sem(SKEWED))
    assert t_interval(SKEWED, level) == pytest.approx(expected)


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_bca_is_scipys(level: float) -> None:
    """The mean ends over ten seeds agree with SciPy's within Monte Carlo error, on skewed values."""
    ours = [bca_interval(SKEWED, rng=seeded(i), level=level, resamples=10_000) for i in range(10)]
    theirs = [
        peer.bootstrap(
            (SKEWED,), np.mean, n_resamples=10_000, method="BCa", confidence_level=level, rng=seeded(i)
        ).confidence_interval
        for i in range(10, 20)
    ]
    error = np.std(ours + [tuple(t) for t in theirs], axis=0) * math.sqrt(2 / 10)
    assert (np.abs(np.mean(ours, axis=0) - np.mean(theirs, axis=0)) < 4 * error).all()
    # What BCa corrects of the plain percentiles is larger than that error, so the test would see it missing.
    plain = peer.bootstrap(
        (SKEWED,), np.mean, n_resamples=100_000, method="percentile", confidence_level=level, rng=seeded(20)
    ).confidence_interval
    assert (np.abs(np.mean(ours, axis=0) - plain) > 4 * error).all()


def test_bca_counts_equal_means_by_half() -> None:
    """On binary values, symmetric about the mean, the resampled means are too: the interval has its middle there."""
    low, high = bca_interval([0.1, 0.3] * 8, rng=seeded(), resamples=20_000)
    assert (low + high) / 2 == pytest.approx(0.2, abs=1e-9)


def test_coverage() -> None:
    """About 95 of 100 intervals hold the true mean of skewed values (.25); 400 trials err by .011 (one sigma)."""
    samples = seeded(5).beta(0.5, 1.5, size=(60, 400))
    rng = seeded(6)
    for low, high in (t_interval(samples), bca_interval(samples, rng=rng, resamples=2000)):
        assert np.mean((low <= 0.25) & (high >= 0.25)) == pytest.approx(0.95, abs=0.033)


def test_a_matrix_is_its_columns() -> None:
    """Each measure has the interval that it has alone; queries that a measure leaves out do not count."""
    matrix = np.column_stack([SKEWED, SKEWED**2, SKEWED])
    matrix[[0, 7, 9], 2] = np.nan
    low, high = t_interval(matrix)
    for column, kept in enumerate([SKEWED, SKEWED**2, np.delete(SKEWED, [0, 7, 9])]):
        assert (low[column], high[column]) == pytest.approx(t_interval(kept))
        alone = bca_interval(kept, rng=seeded(2), resamples=40_000)
        together = bca_interval(matrix, rng=seeded(4), resamples=40_000)
        assert (together.low[column], together.high[column]) == pytest.approx(alone, abs=0.004)
    means = geometric_mean(matrix, floor=1e-30)
    assert means[1] == pytest.approx(means[0] ** 2)
    assert means[2] == pytest.approx(geometric_mean(np.delete(SKEWED, [0, 7, 9]), floor=1e-30))


def test_measures_with_the_same_queries_share_their_resamples() -> None:
    """Twice the values is twice the interval, as both measures saw the same resamples."""
    low, high = bca_interval(np.column_stack([SKEWED, 2 * SKEWED]), rng=seeded())
    assert low[1] == pytest.approx(2 * low[0])
    assert high[1] == pytest.approx(2 * high[0])


def test_the_seed_decides() -> None:
    """The same seed gives the same interval, another seed another."""
    assert bca_interval(SKEWED, rng=seeded(1)) == bca_interval(SKEWED, rng=seeded(1))
    assert bca_interval(SKEWED, rng=seeded(1)) != bca_interval(SKEWED, rng=seeded(2))


def test_pieces_hold_every_resample() -> None:
    """Long lists are resampled in pieces: 3,000 queries with 1,000 resamples take three, and the spread is right."""
    long = seeded(8).normal(size=3000)
    low, high = bca_interval(long, rng=seeded(), resamples=1000)
    assert high - low == pytest.approx(2 * 1.96 * long.std() / math.sqrt(3000), rel=0.15)


@pytest.mark.parametrize("few", [[], [0.7], [0.7, NAN], [NAN, NAN]])
def test_fewer_than_two_queries_have_no_interval(few: list[float]) -> None:
    """One value says nothing about its spread."""
    assert np.isnan(t_interval(few)).all()
    assert np.isnan(bca_interval(few, rng=seeded())).all()


@pytest.mark.parametrize("value", [0.0, 0.1, 1 / 3])
def test_equal_values_are_a_point(value: float) -> None:
    """Three times .1 is the point .1, to the last bit."""
    assert t_interval([value] * 3) == (value, value)
    assert bca_interval([value, NAN, value, value], rng=seeded()) == (value, value)


@example(listed=[0.0, 4e-122])
@settings(max_examples=examples(60), deadline=None)
@given(listed=values)
def test_ends_surround_the_mean_and_stay_among_the_values(listed: list[float]) -> None:
    """The bootstrap never leaves the range of the values, which Student's interval may."""
    low, high = bca_interval(listed, rng=seeded(), resamples=200)
    assert min(listed) - 1e-12 <= low <= high <= max(listed) + 1e-12
    low, high = t_interval(listed)
    assert low - 1e-12 <= np.mean(listed) <= high + 1e-12


def test_geometric_mean_has_trec_evals_floor() -> None:
    """exp of the mean logarithm; 0 counts as .00001; what is left out does not count."""
    assert geometric_mean([0.5, 0.125]) == pytest.approx(0.25)
    assert geometric_mean([0.4, 0.0, NAN]) == pytest.approx(math.sqrt(0.4 * 0.00001))
    assert geometric_mean([[0.4, 1.0], [0.1, 0.0]], floor=0.01) == pytest.approx([0.2, 0.1])
    assert np.isnan(geometric_mean([]))


def test_no_measure_and_no_query_are_no_error() -> None:
    """An empty matrix gives empty or undefined ends."""
    assert t_interval(np.empty((5, 0))).low.shape == (0,)
    assert bca_interval(np.empty((5, 0)), rng=seeded()).high.shape == (0,)
    assert np.isnan(bca_interval(np.empty((0, 3)), rng=seeded()).low).tolist() == [True] * 3


@pytest.mark.parametrize("level", [0.0, 1.0, 95.0, NAN])
def test_levels_are_shares(level: float) -> None:
    """A level of 95 is .95 in disguise, and refused."""
    with pytest.raises(ParameterError, match="'level'"):
        t_interval(SKEWED, level)
    with pytest.raises(ParameterError, match="'level'"):
        bca_interval(SKEWED, rng=seeded(), level=level)


def test_shapes_and_resamples_are_checked() -> None:
    """Neither a number nor a cube is values of queries; no resample gives no interval."""
    with pytest.raises(ParameterError, match="'values'"):
        t_interval(0.5)
    with pytest.raises(ParameterError, match="'values'"):
        geometric_mean(np.zeros((2, 2, 2)))
    with pytest.raises(ParameterError, match="'resamples'"):
        bca_interval(SKEWED, rng=seeded(), resamples=0)


def test_importing_intervals_does_not_import_scipy() -> None:
    """A command that prints no interval does not wait for SciPy."""
    code = "import sys, rankgauge.statistics.intervals; sys.exit('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
