"""Graded measures: the published numbers, and how they relate to each other."""

from __future__ import annotations

from math import log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankgauge.errors import ParameterError
from rankgauge.measures import parse
from rankgauge.ranking import RankedLists
from tests.examples import examples

grades = st.lists(st.none() | st.sampled_from([0.0, 1.0, 2.0, 3.0]), max_size=8)
missed = st.lists(st.sampled_from([0.0, 1.0, 2.0, 3.0]), max_size=3)
few = settings(max_examples=examples(60), deadline=None)


def value(name: str, listed: list[float | None], lost: list[float] | None = None) -> float:
    """The measure's value on one list."""
    return float(parse(name).score(RankedLists.of(listed, missed=lost or [])))


def test_both_readings_of_romips_discount() -> None:
    """ROMIP prints log2(2 + p) where log2(1 + p) was probably meant; on [0, 3, 1, 2, 0] they give .802 and .661."""
    listed = [0, 3, 1, 2, 0]
    printed = (7 / log2(4) + 1 / log2(5) + 3 / log2(6)) / (7 / log2(3) + 3 / log2(4) + 1 / log2(5))
    meant = (7 / log2(3) + 1 / log2(4) + 3 / log2(5)) / (7 / log2(2) + 3 / log2(3) + 1 / log2(4))
    assert (round(printed, 3), round(meant, 3)) == (0.802, 0.661)
    assert value("nDCG(gain='exp', discount='log2+2')", listed) == pytest.approx(printed)
    assert value("nDCG(gain='exp', discount='log2')", listed) == pytest.approx(meant)


def test_gain_orders_the_ideal() -> None:
    """A table that values a low grade above a high one puts it first in the ideal order too."""
    ideal = 5 / log2(2) + 3 / log2(3) + 3 / log2(4)
    assert value("nDCG(gains={1: 5, 2: 3})", [2, 1], [2]) == pytest.approx((3 / log2(2) + 5 / log2(3)) / ideal)
    assert value("nDCG(gains={1: 5, 2: 3})", [1, 2, 2]) == pytest.approx(1)


@few
@given(grades, missed)
def test_ndcg_is_dcg_over_the_ideal_orders(listed: list[float | None], lost: list[float]) -> None:
    """nDCG is DCG divided by DCG of the judged documents in falling order."""
    known = sorted([g for g in listed if g is not None] + lost, reverse=True)
    ideal = value("DCG@3", known)
    expected = value("DCG@3", listed, lost) / ideal if ideal else np.nan
    assert value("nDCG@3", listed, lost) == pytest.approx(expected, nan_ok=True)


@few
@given(grades)
def test_cg_is_dcg_without_a_discount(listed: list[float | None]) -> None:
    """CG is DCG in which every rank counts alike."""
    assert value("CG(gain='exp')@4", listed) == pytest.approx(value("DCG(gain='exp', discount='none')@4", listed))


@few
@given(grades, missed)
def test_q_without_gain_is_ap(listed: list[float | None], lost: list[float]) -> None:
    """The Q-measure with β = 0 is average precision, at every cutoff and threshold."""
    for q, ap in (("Q(beta=0)", "AP"), ("Q(beta=0, rel=2)@3", "AP(rel=2)@3")):
        assert value(q, listed, lost) == pytest.approx(value(ap, listed, lost), nan_ok=True)


def test_q_of_the_ideal_order_is_one() -> None:
    """Count and gain keep up with rank and ideal gain as long as the order is ideal."""
    assert value("Q", [3, 2, 2, 1, 0, 0]) == pytest.approx((2 * 4 / 2) / 4)


def test_a_better_document_higher_up_can_lower_q() -> None:
    """The blended ratio at rank 1 suffers where the ideal order has a 4 there: (1, 4, 0) is below (0, 4, 1)."""
    assert value("Q", [1, 4, 0]) == pytest.approx(((1 + 1) / (1 + 4) + (2 + 5) / (2 + 5)) / 2)
    assert value("Q", [0, 4, 1]) == pytest.approx(((1 + 4) / (2 + 5) + (2 + 5) / (3 + 5)) / 2)


@few
@given(st.lists(st.none() | st.sampled_from([0.0, 2.0]), max_size=8), st.lists(st.just(2.0), max_size=2))
def test_gap_on_two_levels_is_ap(listed: list[float | None], lost: list[float]) -> None:
    """Where documents are relevant or not and nothing between, graded average precision is average precision."""
    assert value("GAP", listed, lost) == pytest.approx(value("AP", listed, lost), nan_ok=True)


@few
@given(grades, missed)
def test_gap_weighs_the_precisions_of_its_users(listed: list[float | None], lost: list[float]) -> None:
    """GAP is the mean of AP over the users' thresholds t, each weighed by share of users × documents from t on."""
    known = [g for g in listed if g is not None] + lost
    shares = {1: 0.5, 2: 0.3, 3: 0.2}
    weights = {t: share * sum(g >= t for g in known) for t, share in shares.items()}
    parts = [w * value(f"AP(rel={t})", listed, lost) for t, w in weights.items() if w]
    expected = sum(parts) / sum(weights.values()) if parts else np.nan
    assert value(f"GAP(thresholds={shares})", listed, lost) == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("name", ["Q(beta=-1)", "GAP(thresholds={1: -0.5, 2: 1.5})", "GAP(thresholds={})"])
def test_senseless_parameters_are_refused(name: str) -> None:
    """A parameter that makes no sense is an error that names it."""
    with pytest.raises(ParameterError, match=r"beta|thresholds"):
        parse(name)


def test_tied_lists_have_the_mean_gain_of_their_places() -> None:
    """A document among three tied ones gets the mean of the three places' discounts (McSherry & Najork 2008)."""
    lists = RankedLists(
        ranks=np.array([[1.0, 2.0]]),
        grades=np.array([[2.0, 1.0]]),
        ideal=np.array([[2.0, 1.0]]),
        retrieved=np.array([3.0]),
        first=np.array([[1.0, 1.0]]),
        size=np.array([[3.0, 3.0]]),
    )
    place = (1 / log2(2) + 1 / log2(3) + 1 / log2(4)) / 3
    assert parse("DCG").score(lists) == pytest.approx((2 + 1) * place)
    # At a cutoff inside the group, two of its three places count.
    assert parse("CG@2").score(lists) == pytest.approx((2 + 1) * 2 / 3)
