"""Scale-free measures: the paper's own list, and what makes them free of the scale."""

from __future__ import annotations

from math import log10

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankgauge.measures import parse
from rankgauge.ranking import RankedLists
from tests.examples import examples

# Scheel, Lommatzsch & Albayrak: the documents A..H in the order of the strategy.
LISTED = [1.0, 0.0, 3.0, 3.0, 2.0, 0.0, 1.0, 4.0]
PRECISIONS = {
    0: 1,
    1: (1 / 1 + 2 / 3 + 3 / 4 + 4 / 5 + 5 / 7 + 6 / 8) / 6,
    2: (1 / 3 + 2 / 4 + 3 / 5 + 4 / 8) / 4,
    3: (1 / 3 + 2 / 4 + 3 / 8) / 3,
    4: (1 / 8) / 1,
}

grades = st.lists(st.none() | st.sampled_from([0.0, 1.0, 2.0, 5.0]), max_size=8)
missed = st.lists(st.sampled_from([0.0, 1.0, 2.0, 5.0]), max_size=3)
few = settings(max_examples=examples(60), deadline=None)


def value(name: str, listed: list[float | None], lost: list[float] | None = None) -> float:
    """The measure's value on one list."""
    return float(parse(name).score(RankedLists.of(listed, missed=lost or [])))


def test_average_precision_at_every_grade() -> None:
    """The paper's AP at the grades 0 to 4: 1.000, .780, .483, .403, .125; at 5 nothing is relevant."""
    assert [round(p, 3) for p in PRECISIONS.values()] == [1.0, 0.780, 0.483, 0.403, 0.125]
    for grade, expected in PRECISIONS.items():
        assert value(f"AP(rel={grade})", LISTED) == pytest.approx(expected)
    assert np.isnan(value("AP(rel=5)", LISTED))


def test_muap_of_the_papers_list() -> None:
    """The grades 1 to 4 are in use and a step apart, so µAP is the plain mean of their AP: .448."""
    expected = sum(PRECISIONS[t] for t in (1, 2, 3, 4)) / 4
    assert round(expected, 3) == 0.448
    assert value("muAP", LISTED) == pytest.approx(expected)


def test_ndcg_moves_with_the_scale_and_ndcng_does_not() -> None:
    """Table 2: over the cutoffs 1 to 8 nDCG's mean falls from .28 to .17 as grades double, NDCNG's stays at .39."""
    doubled = [2 * g for g in LISTED]

    def mean(name: str, listed: list[float]) -> float:
        return float(np.mean([value(f"{name}@{k}", listed) for k in range(1, 9)]))

    def by_hand(listed: list[float], divisor: float) -> float:
        gains = [2 ** (g / divisor) - 1 for g in listed]
        best = sorted(gains, reverse=True)
        dcg = [[g / log10(rank + 1) for rank, g in enumerate(order, start=1)] for order in (gains, best)]
        return float(np.mean([sum(dcg[0][:k]) / sum(dcg[1][:k]) for k in range(1, 9)]))

    assert [round(by_hand(*a), 2) for a in ((LISTED, 1), (doubled, 1), (LISTED, 4), (doubled, 8))] == [
        *(0.28, 0.17),
        *(0.39, 0.39),
    ]
    assert mean("nDCG(dcg='exp-log2')", LISTED) == pytest.approx(by_hand(LISTED, 1))
    assert mean("nDCG(dcg='exp-log2')", doubled) == pytest.approx(by_hand(doubled, 1))
    assert mean("NDCNG", LISTED) == pytest.approx(by_hand(LISTED, 4))
    assert mean("NDCNG", doubled) == pytest.approx(by_hand(LISTED, 4))


@pytest.mark.parametrize("name", ["muAP", "muAP@3", "NDCNG", "NDCNG@3"])
@few
@given(listed=grades, lost=missed, factor=st.sampled_from([0.1, 0.5, 3.0, 20.0]))
def test_a_factor_changes_nothing(name: str, listed: list[float | None], lost: list[float], factor: float) -> None:
    """Grades multiplied by a factor give the same value."""
    scaled = [None if g is None else factor * g for g in listed]
    assert value(name, scaled, [factor * g for g in lost]) == pytest.approx(value(name, listed, lost), nan_ok=True)


@few
@given(st.lists(st.none() | st.sampled_from([0.0, 3.0]), max_size=8), st.lists(st.just(3.0), max_size=2))
def test_muap_on_two_levels_is_ap(listed: list[float | None], lost: list[float]) -> None:
    """Where documents are relevant or not and nothing between, µAP is AP."""
    assert value("muAP", listed, lost) == pytest.approx(value("AP", listed, lost), nan_ok=True)


@few
@given(grades, missed)
def test_muap_is_the_weighted_mean_over_the_grades_in_use(listed: list[float | None], lost: list[float]) -> None:
    """µAP weighs AP at each grade in use by its distance from the next lower one."""
    used = sorted({g for g in [*listed, *lost] if g is not None and g > 0})
    steps = [high - low for low, high in zip([0.0, *used], used, strict=False)]
    parts = [step * value(f"AP(rel={t})", listed, lost) for t, step in zip(used, steps, strict=True)]
    expected = sum(parts) / sum(steps) if parts else np.nan
    assert value("muAP", listed, lost) == pytest.approx(expected, nan_ok=True)
