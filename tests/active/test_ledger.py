"""The ledger: what it counts as labels come in is what the labels say."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rankgauge.labelling.campaign.ledger import Ledger
from rankgauge.labelling.campaign.settings import CampaignSettings
from rankgauge.labelling.labels import LabelKind

SAID = st.tuples(st.integers(0, 3), st.sampled_from(["ann", "bob", "cleo"]), st.sampled_from([None, 0.0, 1.0, "1"]))
"""Document, assessor, and a grade; None: it cannot be judged; a word: it settles a disagreement."""


@given(st.lists(SAID, max_size=30), st.lists(st.integers(0, 3), unique=True))
def test_counts_follow_the_labels(said: list[tuple[int, str, float | str | None]], asked: list[int]) -> None:
    """Documents in dispute, those that nobody could judge and those that no draw asked for are as by definition."""
    ledger = Ledger(CampaignSettings(budget=9, grades=(0.0, 1.0)), np.zeros(4, dtype=np.int64))
    task = {"stage": 0, "draw": 0, "cost": 1.0, "made": 0.0}
    ledger.take_tasks([SimpleNamespace(id=n, place=place, **task) for n, place in enumerate(asked, start=1)])
    last, settled = dict[int, dict[str, float | None]](), set[int]()
    for number, (place, who, grade) in enumerate(said, start=1):
        settles = isinstance(grade, str)
        kind = LabelKind.SETTLED if settles else LabelKind.SKIP if grade is None else LabelKind.GRADE
        facts = {"origin": "answered", "comment": None, "made": float(number), "key": None, "person": None}
        value = None if grade is None else float(grade)
        ledger.take_labels([SimpleNamespace(id=number, place=place, assessor=who, kind=kind, grade=value, **facts)])
        settled |= {place} if settles else set()
        if not settles:
            last.setdefault(place, {})[who] = value
    assert ledger.disputed == {place for place, grades in last.items() if len(set(grades.values())) > 1}
    hopeless = {place for place, grades in last.items() if set(grades.values()) == {None}}
    assert set(ledger.unjudgeable) == (hopeless & set(asked)) - settled
    assert set(ledger.unasked) == (last.keys() | settled) - set(asked)
    assert ledger.counting == sum(map(len, last.values())) + len(settled)
