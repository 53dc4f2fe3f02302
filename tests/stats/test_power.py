"""Effect sizes, power, and how well measures tell runs apart."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats as peer

from rankgauge.errors import ParameterError
from rankgauge.statistics.effects import cohen_dz, detectable_effect, outcomes, power, queries_needed, separated_share

NAN, INF = float("nan"), float("inf")


def test_effect_by_hand() -> None:
    """The mean 0.2 over the standard deviation of 0.1, 0.2, 0.3, which is 0.1."""
    assert cohen_dz([0.1, 0.2, 0.3]) == pytest.approx(0.2 / 0.1)
    assert cohen_dz([0.1, NAN, 0.2, 0.3]) == pytest.approx(0.2 / 0.1)


def test_effects_without_spread() -> None:
    """No difference is no effect; the same difference everywhere has no bound; one query says nothing."""
    found = cohen_dz(np.array([[0.0, 0.2, -0.2, 0.4], [0.0, 0.2, -0.2, NAN]]))
    assert found[:3].tolist() == [0.0, INF, -INF]
    assert math.isnan(found[3])


def test_outcomes() -> None:
    """Wins, ties and losses; a query without a pair is none of them."""
    assert [int(count) for count in outcomes([0.1, 0.0, -0.2, 0.3, NAN])] == [2, 1, 1]


@pytest.mark.parametrize(("effect", "queries"), [(0.2, 50), (0.5, 34), (0.5, 10), (0.8, 15), (1.5, 5), (0.05, 2000)])
@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_power_is_that_of_the_noncentral_t(effect: float, queries: int, alpha: float) -> None:
    """SciPy's noncentral t distribution gives the same power."""
    bound, shift = peer.t.ppf(1 - alpha / 2, queries - 1), effect * math.sqrt(queries)
    expected = peer.nct.sf(bound, queries - 1, shift) + peer.nct.cdf(-bound, queries - 1, shift)
    assert power(effect, queries, alpha=alpha) == pytest.approx(expected, abs=1e-5)


def test_power_is_how_often_the_test_separates() -> None:
    """The power is the share of simulated experiments (effect 0.5, 20 queries) that a t test separates."""
    values = np.random.default_rng(4).normal(0.5, 1.0, size=(20, 4000))
    share = (peer.ttest_1samp(values, 0.0).pvalue < 0.05).mean()
    assert power(0.5, 20) == pytest.approx(share, abs=4 * math.sqrt(0.25 / 4000))


def test_queries_needed_are_the_least() -> None:
    """One query fewer has less power than 80 %; Cohen's medium effect needs 34."""
    effects = np.array([0.03, 0.1, 0.2, 0.5, 0.8, 1.0, 2.0])
    needed = queries_needed(effects)
    assert needed[3] == 34
    assert (power(effects, needed) >= 0.8).all()
    assert (power(effects, needed - 1) < 0.8).all()
    assert queries_needed(-0.5) == 34


def test_queries_needed_at_the_ends() -> None:
    """No effect needs endless queries, an endless one two, a tiny one what the normal distribution says."""
    found = queries_needed([0.0, INF, NAN, 0.001])
    assert found[:2].tolist() == [INF, 2.0]
    assert math.isnan(found[2])
    assert found[3] == math.ceil(((peer.norm.ppf(0.975) + peer.norm.ppf(0.8)) / 0.001) ** 2)
    with pytest.raises(ParameterError, match="aim"):
        queries_needed(0.5, aim=0.01)


def test_fewer_queries_for_larger_effects() -> None:
    """The number never grows with the effect."""
    assert (np.diff(queries_needed(np.geomspace(0.02, 1e4, 80), alpha=0.001)) <= 0).all()


def test_separated_share() -> None:
    """Two of four p-values are below 0.05; without pairs there is no share."""
    assert separated_share([0.01, 0.05, 0.2, 0.04]) == 2 / 4
    assert math.isnan(separated_share([]))
    with pytest.raises(ParameterError, match="alpha"):
        separated_share([0.1], alpha=0)


@pytest.mark.parametrize("queries", [2, 6, 24, 500])
def test_the_least_effect_that_is_detected(queries: int) -> None:
    """It has exactly the power that is aimed at, and a larger one is not needed; one query shows nothing."""
    effect = detectable_effect(queries, alpha=0.01)
    assert power(effect, queries, alpha=0.01) == pytest.approx(0.8, abs=1e-6)
    assert detectable_effect(1) == math.inf
