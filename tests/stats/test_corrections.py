"""Corrections for many tests: by hand, against SciPy, and how often they err where nothing differs."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as peer

from rankgauge.errors import UnknownNameError
from rankgauge.statistics.paired_test import CORRECTIONS, TESTS, Family


def family(p: object = (), values: object = None, *, seed: int = 1, draws: int = 5000) -> Family:
    """Tests of all pairs of the values' runs."""
    table = np.zeros((2, 2)) if values is None else np.asarray(values, dtype=np.float64)
    first, second = np.triu_indices(table.shape[1], 1)
    return Family(
        p=np.asarray(p, dtype=np.float64),
        values=table,
        first=first,
        second=second,
        rng=np.random.default_rng(seed),
        draws=draws,
    )


def adjusted(name: str, *p: float) -> list[float]:
    """The p-values after a correction."""
    return [float(value) for value in CORRECTIONS.find(name).adjust(family(p))]


def test_by_hand() -> None:
    """Four p-values, corrected by arithmetic."""
    p = (0.01, 0.04, 0.03, 0.5)
    assert adjusted("none", *p) == list(p)
    assert adjusted("bonferroni", *p) == pytest.approx([4 * 0.01, 4 * 0.04, 4 * 0.03, 1.0])
    # Holm: 0.01 · 4, 0.03 · 3, then 0.04 · 2 = 0.08, which may not be below the 0.09 before it, then 0.5 · 1.
    assert adjusted("holm", *p) == pytest.approx([4 * 0.01, 3 * 0.03, 3 * 0.03, 0.5])
    # Benjamini-Hochberg: 0.03 · 4/2 = 0.06 may not be above the 0.04 · 4/3 after it.
    assert adjusted("benjamini-hochberg", *p) == pytest.approx([4 * 0.01, 0.04 * 4 / 3, 0.04 * 4 / 3, 0.5])


@given(p=st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_from_weak_to_strong(p: list[float]) -> None:
    """Bonferroni is never below Holm, Holm never below Benjamini-Hochberg, and no p-value falls."""
    steps = [adjusted(name, *p) for name in ("none", "benjamini-hochberg", "holm", "bonferroni")]
    for low, high in pairwise(steps):
        assert all(a <= b + 1e-12 for a, b in zip(low, high, strict=True))
    assert max(steps[-1]) <= 1


@given(p=st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_benjamini_hochberg_is_scipys(p: list[float]) -> None:
    """SciPy controls the false discovery rate by the same numbers."""
    assert adjusted("benjamini-hochberg", *p) == pytest.approx(list(peer.false_discovery_control(p)))


def test_tukey_of_two_runs_is_the_randomisation_test() -> None:
    """With two runs, shuffling them within a query is flipping a sign."""
    values = np.random.default_rng(3).normal([0.0, 0.08], 0.2, size=(40, 2))
    tukey = float(CORRECTIONS.find("tukey").adjust(family(values=values, draws=20_000))[0])
    flips = float(
        TESTS.find("randomisation")(values[:, 0] - values[:, 1], rng=np.random.default_rng(4), draws=20_000).p
    )
    assert tukey == pytest.approx(flips, abs=4 * math.sqrt(2 * flips * (1 - flips) / 20_000))


def test_tukey_is_near_the_studentised_range() -> None:
    """On normal values with one spread, shuffling agrees with Tukey's own test for runs on the same queries."""
    n, runs = 60, 4
    rng = np.random.default_rng(8)
    values = rng.normal(0, 0.3, size=(n, 1)) + rng.normal([0.0, 0.02, 0.04, 0.1], 0.15, size=(n, runs))
    means = values.mean(axis=0)
    rest = values - values.mean(axis=1, keepdims=True) - means + values.mean()
    error = math.sqrt((rest**2).sum() / ((n - 1) * (runs - 1)) / n)
    first, second = np.triu_indices(runs, 1)
    expected = peer.studentized_range.sf(np.abs(means[first] - means[second]) / error, runs, (n - 1) * (runs - 1))
    assert CORRECTIONS.find("tukey").adjust(family(values=values, draws=10_000)) == pytest.approx(expected, abs=0.05)


@pytest.mark.parametrize("name", ["holm", "bonferroni", "tukey"])
def test_seldom_a_false_separation(name: str) -> None:
    """Of experiments with five equal runs, about 5 % or fewer separate any pair at 0.05."""
    rng, false = np.random.default_rng(2), 0
    for experiment in range(300):
        values = rng.normal(0, 0.2, size=(25, 1)) + rng.normal(0, 0.2, size=(25, 5))
        first, second = np.triu_indices(5, 1)
        p = TESTS.find("t")(values[:, first] - values[:, second], rng=rng).p
        false += bool((CORRECTIONS.find(name).adjust(family(p, values, seed=experiment, draws=500)) < 0.05).any())
    assert false / 300 < 0.05 + 3 * math.sqrt(0.05 * 0.95 / 300)


def test_tukey_without_common_queries() -> None:
    """Queries that a run lacks leave; without any left nothing is separated."""
    nan = float("nan")
    assert (
        CORRECTIONS.find("tukey").adjust(family(values=[[0.1, nan, 0.2], [nan, 0.3, 0.4]], draws=100)).tolist()
        == [1.0] * 3
    )


def test_names() -> None:
    """The corrections are there under their names, and a wrong name gets the nearest right one."""
    assert list(CORRECTIONS) == ["benjamini-hochberg", "bonferroni", "holm", "none", "tukey"]
    with pytest.raises(UnknownNameError, match="Did you mean holm"):
        CORRECTIONS.find("hol")
