"""Paired tests: SciPy as a peer, what they owe to each other, and p-values that are uniform where nothing differs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as peer

from rankgauge.errors import ParameterError, UnknownNameError
from rankgauge.statistics.paired_test import TESTS, PairedTest
from tests.examples import examples

NAN = float("nan")
NORMAL = np.random.default_rng(5).normal(0.06, 0.2, size=(43, 12))
ROUGH = np.round(NORMAL * 8) / 8  # exact in doubles, so that equal sums are equal


def seeded(seed: int = 1) -> np.random.Generator:
    """A generator of its own for each call."""
    return np.random.default_rng(seed)


def p(name: str, differences: object, **options: int) -> np.ndarray:
    """The p-values of a test."""
    return np.asarray(TESTS.find(name)(differences, rng=seeded(), **options).p)  # type: ignore[arg-type]


def test_five_tests() -> None:
    """The tests of the field are there, each under its name."""
    assert list(TESTS) == ["bootstrap", "randomisation", "sign", "t", "wilcoxon"]


def test_t_is_scipys() -> None:
    """Student's test is SciPy's, pair by pair."""
    assert p("t", NORMAL) == pytest.approx(peer.ttest_1samp(NORMAL, 0.0).pvalue)


@pytest.mark.parametrize("size", [4, 8, 14, 43])
@pytest.mark.parametrize("values", [NORMAL, ROUGH], ids=["distinct", "tied"])
def test_wilcoxon_is_scipys(values: np.ndarray, size: int) -> None:
    """Wilcoxon's test is SciPy's for each pair by itself, with and without ties and zeros, exact and normal."""
    expected = [peer.wilcoxon(column).pvalue for column in values[:size].T]
    assert p("wilcoxon", values[:size]) == pytest.approx(np.array(expected))


def test_wilcoxon_beyond_fifty_queries() -> None:
    """From 51 queries on the normal distribution replaces the exact one, as in SciPy."""
    values = seeded().normal(0.05, 0.3, size=60)
    assert p("wilcoxon", values) == pytest.approx(peer.wilcoxon(values).pvalue)


def test_sign_is_the_binomial() -> None:
    """Wins against losses as SciPy's exact binomial test; ties are dropped."""
    for column, found in zip(ROUGH.T, p("sign", ROUGH), strict=True):
        wins, losses = int((column > 0).sum()), int((column < 0).sum())
        assert found == pytest.approx(peer.binomtest(wins, wins + losses).pvalue)


def test_sign_by_hand() -> None:
    """Five wins, no loss: both tails have one outcome of 2⁵ each."""
    assert p("sign", [0.1, 0.2, 0.3, 0.0, 0.1, 0.5]) == pytest.approx(2 / 2**5)


@pytest.mark.parametrize("values", [NORMAL[:12], ROUGH[:12]], ids=["distinct", "tied"])
def test_randomisation_of_few_queries_is_exact(values: np.ndarray) -> None:
    """Up to 20 queries every choice of signs counts, as in SciPy's permutation test."""
    found = TESTS.find("randomisation")(values, rng=seeded())
    expected = [
        peer.permutation_test((column,), np.mean, permutation_type="samples", n_resamples=np.inf).pvalue
        for column in values.T
    ]
    assert found.p == pytest.approx(np.array(expected))
    assert not found.error.any()


def test_randomisation_by_hand() -> None:
    """0.1 + 0.2 + 0.4: of eight choices of signs only + + + and − − − are as far from 0; with −0.1, four are."""
    assert p("randomisation", [0.1, 0.2, 0.4]) == pytest.approx(2 / 8)
    assert p("randomisation", [-0.1, 0.2, 0.4]) == pytest.approx(4 / 8)


def test_sampled_randomisation_is_within_its_error() -> None:
    """Random signs give SciPy's p-value within four standard errors, and say how large these are."""
    found = TESTS.find("randomisation")(NORMAL, rng=seeded(), draws=20_000)
    assert found.error == pytest.approx(np.sqrt(found.p * (1 - found.p) / 20_000))
    for column, value, error in zip(NORMAL.T, found.p, found.error, strict=True):
        other = peer.permutation_test(
            (column,), np.mean, permutation_type="samples", n_resamples=20_000, rng=seeded(2)
        ).pvalue
        assert abs(value - other) < 4 * math.sqrt(2) * error + 1e-4


def test_bootstrap_is_near_students() -> None:
    """On normal differences the studentised bootstrap and Student's t agree."""
    values = seeded(7).normal(0.05, 0.2, size=(200, 6))
    assert p("bootstrap", values, draws=40_000) == pytest.approx(p("t", values), abs=0.02)


def test_bootstrap_by_hand() -> None:
    """The quotient that replaces t² orders resamples as t² itself does."""
    values = seeded(3).normal(0.1, 0.3, size=15)
    rng, draws = seeded(), 4000
    found = TESTS.find("bootstrap")(values, rng=rng, draws=draws).p
    centred = values - values.mean()
    resamples = centred[seeded().integers(15, size=(draws, 15))]
    t = np.abs(resamples.mean(axis=1)) / (resamples.std(axis=1, ddof=1) / math.sqrt(15))
    observed = abs(values.mean()) / (values.std(ddof=1) / math.sqrt(15))
    assert found == pytest.approx(((t >= observed).sum() + 1) / (draws + 1))


@pytest.mark.parametrize("test", TESTS.values(), ids=lambda test: test.name)
def test_uniform_where_nothing_differs(test: PairedTest) -> None:
    """Where both runs are alike, p-values are uniform, or above that where a test has few outcomes."""
    values = np.random.default_rng(11).normal(0.0, 0.2, size=(30, 1500))
    found = test(values, rng=seeded(), draws=4000).p
    assert found.mean() == pytest.approx(0.5, abs=0.05 if test.name != "sign" else 0.12)
    for level in (0.01, 0.05, 0.2):
        allowed = 4 * math.sqrt(level * (1 - level) / values.shape[1])
        assert (found <= level).mean() < level + allowed
        if test.name != "sign":
            assert (found <= level).mean() > level - allowed


@pytest.mark.parametrize("test", TESTS.values(), ids=lambda test: test.name)
def test_no_difference_is_no_evidence(test: PairedTest) -> None:
    """Runs that are equal on every query have a p-value of 1, and so have runs without a common query."""
    values = np.array([[0.0, NAN, 0.3], [0.0, NAN, 0.1], [0.0, NAN, 0.2]])
    found = test(values, rng=seeded(), draws=100)
    assert list(found.p[:2]) == [1.0, 1.0]
    assert found.p[2] < 1


@pytest.mark.parametrize("test", TESTS.values(), ids=lambda test: test.name)
def test_queries_without_a_pair_leave(test: PairedTest) -> None:
    """A query that one run lacks plays no part: the p-value is that of the other queries."""
    gaps = np.vstack([NORMAL[:10], np.full((3, 12), NAN)])
    assert test(gaps, rng=seeded(), draws=2000).p == pytest.approx(test(NORMAL[:10], rng=seeded(), draws=2000).p)
    mixed = NORMAL[:10].copy()
    mixed[:4, 3] = NAN
    alone = test(mixed[4:, 3], rng=seeded(), draws=20_000)
    found = test(mixed, rng=seeded(), draws=20_000)
    assert found.p[3] == pytest.approx(alone.p, abs=0.02)


@settings(max_examples=examples(30), deadline=None)
@given(values=st.lists(st.floats(-1, 1).map(lambda x: round(x, 3)), min_size=2, max_size=9), place=st.integers(0, 4))
def test_two_sided(values: list[float], place: int) -> None:
    """Which of the runs comes first does not change the p-value, and it lies between 0 and 1."""
    test = list(TESTS.values())[place]
    one, other = (test(np.array(values) * sign, rng=seeded(), draws=200).p for sign in (1, -1))
    assert one == pytest.approx(other)
    assert 0 <= one <= 1


@pytest.mark.parametrize("test", TESTS.values(), ids=lambda test: test.name)
def test_one_pair_or_many(test: PairedTest) -> None:
    """A vector gives a number, a matrix one for each column."""
    assert np.shape(test(NORMAL[:, 0], rng=seeded(), draws=50).p) == ()
    assert np.shape(test(NORMAL, rng=seeded(), draws=50).p) == (12,)
    with pytest.raises(ParameterError, match="queries × pairs"):
        test(np.zeros((2, 2, 2)), rng=seeded())
    with pytest.raises(ParameterError, match="draws"):
        test(NORMAL, rng=seeded(), draws=0)


def test_unknown_test() -> None:
    """A wrong name gets the nearest right one."""
    with pytest.raises(UnknownNameError, match="Did you mean wilcoxon"):
        TESTS.find("wilcoxn")
