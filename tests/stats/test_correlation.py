"""Rank correlations: SciPy and plain loops as peers, and the published examples."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as peer

from rankgauge.errors import ParameterError
from rankgauge.statistics.correlation import kendall_tau, tau_ap, tau_ap_b
from tests.examples import examples

few = settings(max_examples=examples(60), deadline=None)
scorings = st.integers(2, 40).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, n), min_size=n, max_size=n) for _ in range(2)])
)
small = st.integers(2, 5).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 2), min_size=n, max_size=n) for _ in range(2)])
)

# The ten systems of the ircor package's own checks (Urbano & Marrero), with and without ties.
X = [0.897, 0.372, 0.908, 0.898, 0.661, 0.062, 0.177, 0.384, 0.498, 0.992]
Y = [0.82, 0.406, 0.817, 0.953, 0.673, 0.073, 0.364, 0.547, 0.589, 0.988]
X_TIED = [0.9, 0.4, 0.9, 0.9, 0.7, 0.1, 0.2, 0.4, 0.5, 1]
Y_TIED = [0.8, 0.4, 0.8, 1, 0.7, 0.1, 0.4, 0.5, 0.6, 1]


def by_definition(x: list[float], y: list[float]) -> float:
    """τ_AP of untied scores, from its definition."""
    order = sorted(range(len(y)), key=lambda i: -y[i])
    shares = [sum(x[above] > x[order[i]] for above in order[:i]) / i for i in range(1, len(order))]
    return 2 * sum(shares) / (len(order) - 1) - 1


def untied(scores: list[int]) -> list[list[float]]:
    """Every way to break the ties of the scores."""
    ways = itertools.permutations(np.linspace(0, 0.5, len(scores)))
    distinct = {tuple(np.argsort([s + e for s, e in zip(scores, way, strict=True)])) for way in ways}
    return [[float(order.index(i)) for i in range(len(scores))] for order in distinct]


@few
@given(scorings)
def test_tau_b_is_scipys(pair: tuple[list[int], list[int]]) -> None:
    """Kendall's τ_b is what scipy.stats.kendalltau gives, ties and all."""
    expected = peer.kendalltau(*pair).statistic
    assert kendall_tau(*pair) == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_tau_by_hand() -> None:
    """Of the six pairs of four systems, five agree and one does not: (5 − 1) / 6."""
    assert kendall_tau([4, 3, 2, 1], [4, 2, 3, 1]) == pytest.approx((5 - 1) / 6)


def test_tau_of_many_systems() -> None:
    """A reversed order of many systems has τ = −1, a shuffled one SciPy's."""
    up = np.arange(10_001)
    assert kendall_tau(up, -up) == -1
    shuffled = np.random.default_rng(0).permutation(up) // 3
    assert kendall_tau(up, shuffled) == pytest.approx(peer.kendalltau(up, shuffled).statistic, abs=1e-12)


def test_tau_ap_by_hand() -> None:
    """The ranking b, a, c, d of a > b > c > d: shares 0/1, 2/2, 3/3; an error at the bottom would cost less."""
    assert tau_ap([4, 3, 2, 1], [3, 4, 2, 1]) == pytest.approx(2 / 3 * (0 / 1 + 2 / 2 + 3 / 3) - 1)
    assert tau_ap([4, 3, 2, 1], [4, 3, 1, 2]) == pytest.approx(2 / 3 * (1 / 1 + 2 / 2 + 2 / 3) - 1)


def test_published_tau_ap() -> None:
    """The published values: .8519 without ties, .7454 with y tied, .8333 and .7321 for the symmetric form."""
    assert round(tau_ap(X, Y), 4) == 0.8519
    assert round(tau_ap(X, Y_TIED), 4) == 0.7454
    assert round(tau_ap_b(X, Y), 4) == 0.8333
    assert round(tau_ap_b(X_TIED, Y_TIED), 4) == 0.7321


@few
@given(st.permutations(range(7)), st.permutations(range(7)))
def test_tau_ap_is_its_definition(x: list[int], y: list[int]) -> None:
    """Without ties τ_AP is the mean share of the systems above that belong there, and τ_AP,b its symmetric form."""
    assert tau_ap(x, y) == pytest.approx(by_definition(x, y), abs=1e-12)
    assert tau_ap_b(x, y) == pytest.approx((by_definition(x, y) + by_definition(y, x)) / 2, abs=1e-12)


@few
@given(small)
def test_tau_ap_averages_over_ties(pair: tuple[list[int], list[int]]) -> None:
    """With ties in either scoring τ_AP is the mean over every way to break them."""
    x, y = pair
    ways = [by_definition(a, b) for a in untied(x) for b in untied(y)]
    assert tau_ap(x, y) == pytest.approx(np.mean(ways), abs=1e-12)


@few
@given(small)
def test_tau_ap_b_is_symmetric(pair: tuple[list[int], list[int]]) -> None:
    """τ_AP,b does not tell the two scorings apart, and is 1 for a scoring and itself."""
    x, y = pair
    assert tau_ap_b(x, y) == pytest.approx(tau_ap_b(y, x), abs=1e-12, nan_ok=True)
    assert tau_ap_b(x, x) == pytest.approx(1 if len(set(x)) > 1 else math.nan, nan_ok=True)


@pytest.mark.parametrize("correlation", [kendall_tau, tau_ap, tau_ap_b])
def test_senseless_scorings_are_refused(correlation: object) -> None:
    """Scorings are of one length, of two systems at least, and without gaps."""
    for x, y in (([1, 2], [1, 2, 3]), ([1], [1]), ([1, math.nan], [1, 2])):
        with pytest.raises(ParameterError, match=correlation.__name__):
            correlation(x, y)
