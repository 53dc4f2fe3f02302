"""Parameters of the binary measures: what each admits, and how they hang together."""

from __future__ import annotations

import numpy as np
import pytest

from rankgauge.errors import ParameterError, UnknownNameError
from rankgauge.measures import parse
from rankgauge.measures.binary.iprec import ROUNDINGS
from rankgauge.ranking import RankedLists


@pytest.mark.parametrize(
    "name",
    [
        "RR(ruler='yard')",
        "Bpref(variant='own')",
        "IPrec(rounding='down')@0.5",
        "IPrecAvg(rounding='down')",
        "ERR(stop='half')",
    ],
)
def test_unknown_choices_are_refused(name: str) -> None:
    """A choice that does not exist is an error that lists the ones that do."""
    with pytest.raises(UnknownNameError, match=r"Did you mean|Known"):
        parse(name)


@pytest.mark.parametrize("name", ["RBP(p=1)", "RBP(p=-0.1)", "RBPResidual(p=1)", "RBPResidual(p=-0.1)"])
def test_persistence_is_a_probability_below_one(name: str) -> None:
    """A user who never stops, or with a negative chance to go on, is an error."""
    with pytest.raises(ParameterError, match="'p' parameter"):
        parse(name)


@pytest.mark.parametrize("name", ["RBP(p=0)", "RBPResidual(p=0)"])
def test_a_user_of_one_document(name: str) -> None:
    """With p = 0 only the first document counts."""
    assert parse(name).score(RankedLists.of([None, 1])) == (0 if name.startswith("RBP(") else 1)
    assert parse(name).score(RankedLists.of([1, None])) == (1 if name.startswith("RBP(") else 0)


@pytest.mark.parametrize("levels", ["()", "(0.5, 1.1)", "(-0.1,)"])
def test_recall_levels_are_shares(levels: str) -> None:
    """An average over no level, or over one beyond 0 to 1, is an error."""
    with pytest.raises(ParameterError, match="levels"):
        parse(f"IPrecAvg(levels={levels})")


def test_ceiling_is_exact() -> None:
    """The exact ceiling of level · R is that of whole numbers: tenths of R, rounded up."""
    R = np.arange(0.0, 2000.0)
    for tenth in range(11):
        wanted = [(tenth * r + 9) // 10 for r in range(2000)]
        assert list(ROUNDINGS["ceiling"](tenth / 10, R)) == wanted


def test_nearest_rounds_halves_up() -> None:
    """trec_eval 10 takes the nearest whole number, halves upwards: 0.5 · 3 needs 2."""
    assert list(ROUNDINGS["nearest"](0.5, np.array([1.0, 2.0, 3.0, 4.0]))) == [1, 1, 2, 2]


@pytest.mark.parametrize("grades", [(1, 0, 2, None), (None, None, 1), (0, 0)])
def test_precision_and_residual_reach_one_at_most(grades: tuple[int | None, ...]) -> None:
    """RBP and its residual are what is sure and what is open: with all judged relevant they make 1."""
    lists = RankedLists.of(grades)
    known = RankedLists.of([None if grade is None else 1 for grade in grades])
    assert parse("RBP").score(known) + parse("RBPResidual").score(lists) == pytest.approx(1, abs=1e-15)


def test_ideal_order_has_the_first_rank() -> None:
    """Where a relevant document exists the ideal order has RR 1, under every ruler."""
    for name in ("RR", "RR(ruler='trec')", "RR(ruler='romip')"):
        assert parse(name).score(RankedLists.of([0, 2], missed=[1]).ideal_order()) == 1


def test_precision_of_a_short_list() -> None:
    """P divides by k; with padded=False by the documents that there are, and an empty list has nothing."""
    lists = RankedLists.of([2, 0, 1, None], missed=[1])
    assert parse("P@5").score(lists) == 2 / 5
    assert parse("P(padded=False)@5").score(lists) == 2 / 4
    assert parse("P(padded=False)@3").score(lists) == 2 / 3
    assert parse("P(padded=False)@3").score(RankedLists.of([], missed=[1])) == 0


def test_reciprocal_rank_in_single_precision() -> None:
    """A third has 24 bits where RR is a number of 32."""
    assert parse("RR(ruler='single')").score(RankedLists.of([0, None, 1])) == float(np.float32(1 / 3)) != 1 / 3
