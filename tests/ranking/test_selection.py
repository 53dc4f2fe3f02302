"""The order that a selection sort with swaps gives to ties."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgauge import score_arrays
from rankgauge.evaluation.evaluation import evaluate
from rankgauge.ranking.sorts import selection_order


def by_hand(scores: list[float]) -> list[int]:
    """The sort itself, place by place."""
    order = list(range(len(scores)))
    for place in range(len(order)):
        rest = [scores[document] for document in order[place:]]
        found = place + rest.index(max(rest))
        order[place], order[found] = order[found], order[place]
    return order


@given(st.lists(st.sampled_from([0.0, 1.0, 2.0, 2.5]), max_size=12))
def test_it_is_the_order_of_the_sort(scores: list[float]) -> None:
    """Heaps of places give what the swaps give."""
    assert selection_order(np.array(scores)) == by_hand(scores)


def test_a_document_is_thrown_behind_its_equals() -> None:
    """The 2 takes the first place, and the first of the 1s goes where the 2 was: behind the other."""
    assert selection_order(np.array([1.0, 1.0, 2.0])) == [2, 1, 0]


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=8))
def test_frames_and_arrays_agree(pairs: list[tuple[int, int]]) -> None:
    """Tables and arrays put ties in the same order."""
    grades, scores = ([float(pair[i]) for pair in pairs] for i in (0, 1))
    names = [str(n) for n in range(len(pairs))]
    judged = pl.DataFrame({"query": ["q"] * len(pairs), "document": names, "grade": grades})
    run = pl.DataFrame({"query": ["q"] * len(pairs), "document": names, "score": scores})
    frame = evaluate(judged, run, "DCG", ties="selection")["DCG"]
    (value,) = score_arrays([grades], [scores], "DCG", ties="selection")
    assert frame == pytest.approx(value)
