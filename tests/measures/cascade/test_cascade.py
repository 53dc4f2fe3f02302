"""Cascade measures: the published numbers, and how they relate to each other."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankgauge.errors import InputError, ParameterError, UnknownNameError
from rankgauge.measures import parse
from rankgauge.ranking import RankedLists
from tests.examples import examples

probabilities = st.lists(st.none() | st.sampled_from([0.0, 0.07, 0.14, 0.41, 0.61, 1.0]), max_size=8)
few = settings(max_examples=examples(60), deadline=None)


def value(name: str, listed: list[float | None], lost: list[float] | None = None) -> float:
    """The measure's value on one list."""
    return float(parse(name).score(RankedLists.of(listed, missed=lost or [])))


def found(chances: list[float | None], decay: float) -> float:
    """PFound as CatBoost computes it: in one loop, with the label as probability and a decay per document."""
    looks, sum_ = 1.0, 0.0
    for chance in chances:
        sum_ += looks * (chance or 0.0)
        looks *= (1 - (chance or 0.0)) * decay
    return sum_


def test_romips_pfound() -> None:
    """ROMIP's probabilities are 1/2, 1/4 and 1/8 for the grades 3, 2 and 1; [3, 1, 0, 2, 2] gives .663116."""
    expected = found([1 / 2, 1 / 8, 0, 1 / 4, 1 / 4], 0.85)
    assert round(expected, 6) == 0.663116
    assert value("PFound", [3, 1, 0, 2, 2]) == pytest.approx(expected)


@few
@given(probabilities)
def test_pfound_with_probabilities_as_grades(listed: list[float | None]) -> None:
    """With p_rel='grade' it is CatBoost's PFound, whatever the decay."""
    assert value("PFound(p_rel='grade')", listed) == pytest.approx(found(listed, 0.85))
    assert value("PFound(p_rel='grade', p_break=0.4)@3", listed) == pytest.approx(found(listed[:3], 0.6))


def test_pfound_of_2009() -> None:
    """In its first form every relevant document is what the user looks for with probability 0.4."""
    assert value("PFound(p_rel=0.4)", [0, 3, 1]) == pytest.approx(0.85 * 0.4 + 0.85**2 * 0.6 * 0.4)
    assert value("PFound(p_rel=0.4, rel=2)", [0, 3, 1]) == pytest.approx(0.85 * 0.4)


def test_romips_graded_reciprocal_rank_is_err() -> None:
    """ROMIP's graded reciprocal rank stops at a document of grade g with probability (2^g − 1) / 2^3."""
    assert value("ERR(max_grade=3)", [1, 0, 3]) == pytest.approx(1 / 8 + (7 / 8) * (7 / 8) / 3)


@few
@given(st.lists(st.sampled_from([0.0, 1.0, 2.0]), min_size=1, max_size=5))
def test_nerr_divides_by_the_best_order(listed: list[float]) -> None:
    """nERR is ERR divided by the greatest ERR of any order."""
    best = max(value("ERR@3", list(order)) for order in itertools.permutations(listed))
    expected = value("ERR@3", listed) / best if best else np.nan
    assert value("nERR@3", listed) == pytest.approx(expected, nan_ok=True)


def test_tied_cascade_by_hand() -> None:
    """Two hits among three tied documents, with a cutoff inside the group: the mean over the six orders."""
    lists = RankedLists(
        ranks=np.array([[1.0, 2.0]]),
        grades=np.array([[2.0, 1.0]]),
        ideal=np.array([[2.0, 1.0]]),
        retrieved=np.array([3.0]),
        first=np.array([[1.0, 1.0]]),
        size=np.array([[3.0, 3.0]]),
    )
    high, low = 3 / 4, 1 / 4
    orders = [
        high + (1 - high) * low / 2,  # high, low, unjudged
        low + (1 - low) * high / 2,  # low, high, unjudged
        high,  # high, unjudged, low
        low,  # low, unjudged, high
        high / 2,  # unjudged, high, low
        low / 2,  # unjudged, low, high
    ]
    assert parse("ERR(max_grade=2)@2").score(lists) == pytest.approx(sum(orders) / 6)


def test_grades_off_the_scale_are_refused() -> None:
    """A grade whose probability would be above 1 is an error that says what to do."""
    with pytest.raises(InputError, match="max_grade"):
        value("nERR(max_grade=2)", [3])
    with pytest.raises(InputError, match="a grade of 5 has a probability above 1"):
        value("PFound(max_grade=3)", [5])
    with pytest.raises(InputError, match="probabilities"):
        value("PFound(p_rel='grade')", [2])


def test_senseless_parameters_are_refused() -> None:
    """Probabilities lie between 0 and 1, and names are known."""
    with pytest.raises(ParameterError, match="p_break"):
        parse("PFound(p_break=1.5)")
    with pytest.raises(ParameterError, match="p_rel"):
        parse("PFound(p_rel=2)")
    with pytest.raises(UnknownNameError, match="romip"):
        parse("PFound(p_rel='romp')")
