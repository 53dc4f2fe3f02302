"""Decisions on the 2×2 table: how the set measures hang together."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgauge.measures import parse
from rankgauge.ranking import RankedLists

grades = st.lists(st.none() | st.sampled_from([0.0, 1.0, 2.0]), min_size=1, max_size=10)
missed = st.lists(st.sampled_from([0.0, 1.0, 2.0]), max_size=5)


@given(grades=grades, missed=missed)
def test_every_decision_is_right_or_wrong(grades: list[float | None], missed: list[float]) -> None:
    """Accuracy and error share the whole between them."""
    lists = RankedLists.of(grades, missed=missed)
    assert parse("SetAccuracy").score(lists) + parse("SetError").score(lists) == pytest.approx(1, abs=1e-15)


@given(grades=grades, missed=missed)
def test_counts_make_the_shares(grades: list[float | None], missed: list[float]) -> None:
    """Precision and recall are the counts' quotients; NumRet with a grade counts what NumRelRet does."""
    lists = RankedLists.of(grades, missed=missed)
    found, retrieved, relevant = (parse(name).score(lists) for name in ("NumRelRet", "NumRet", "NumRel"))
    assert parse("NumRet(rel=1)").score(lists) == found
    assert parse("SetP").score(lists) == found / retrieved
    if relevant:
        assert parse("SetR").score(lists) == found / relevant
