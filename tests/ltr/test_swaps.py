"""What swaps change: closed forms beside the measure's own kernel on the swapped list."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankgauge.measures import parse
from rankgauge.measures.forms import Shape
from rankgauge.measures.measure import DEFAULTS
from rankgauge.ranking import RankedLists
from rankgauge.training import Documents
from rankgauge.training.objective import Objective
from rankgauge.training.rankers.lambdamart import Closed, Rescored, swaps_of
from tests.examples import examples

CLOSED = {
    "DCG@3": Shape.LINEAR,
    "CG": Shape.LINEAR,
    "P@3": Shape.LINEAR,
    "RBP": Shape.LINEAR,
    "ERR": Shape.CASCADE,
    "ERR@3": Shape.CASCADE,
    "PFound@4": Shape.CASCADE,
    "RR": Shape.CASCADE,
    "Success@2": Shape.CASCADE,
    "AP": Shape.PRECISION,
    "AP(rel=2)@3": Shape.PRECISION,
    "Q": None,
    "nERR@3": Shape.CASCADE,
}


TOP = 3.0
"""The highest grade."""


def swaps(measure: str, most: int = 10**6) -> Closed | Rescored:
    """The swaps of a measure under the standard dialect."""
    documents = Documents.of(np.zeros((4, 1)), [0, 1, 2, TOP], [1, 1, 1, 1])
    return swaps_of(Objective.of(documents, measure, "standard"), most)


def changed(measure: str, grades: list[float], tops: int) -> np.ndarray:
    """The same by swapping one pair after another and evaluating."""
    kernel = parse(measure).bound({**DEFAULTS, "max_grade": TOP})
    before, found = float(kernel.score(RankedLists.of(grades))), np.zeros((tops, len(grades)))
    for i in range(tops):
        for j in range(i + 1, len(grades)):
            swapped = list(grades)
            swapped[i], swapped[j] = swapped[j], swapped[i]
            found[i, j] = float(kernel.score(RankedLists.of(swapped))) - before
    return np.nan_to_num(found)


@pytest.mark.parametrize(("measure", "kind"), CLOSED.items())
@settings(max_examples=examples(30), deadline=None)
@given(grades=st.lists(st.sampled_from([0.0, 1.0, 2.0, 3.0]), min_size=1, max_size=7), data=st.data())
def test_swaps_change_what_the_kernel_says(
    measure: str, kind: Shape | None, grades: list[float], data: st.DataObject
) -> None:
    """In closed form or not, what a swap gains is the value of the swapped list less that of the list."""
    tops = min(parse(measure).depth or data.draw(st.integers(1, 7)), len(grades))
    found = swaps(measure)
    assert (found.form.shape if isinstance(found, Closed) else None) is kind
    padded = np.array([[*grades, np.nan, np.nan]])
    gains = found.gains(padded, tops, np.random.default_rng(0))
    np.testing.assert_allclose(gains[0, :, : len(grades)], changed(measure, grades, tops), atol=1e-12)
    assert not gains[0, :, len(grades) :].any()


def test_drawn_swaps_stand_for_the_others() -> None:
    """Where only some swaps are tried, their sum is on the average that of all."""
    grades = np.array([[0.0, 1.0, 0.0, 2.0, 0.0, 1.0]])
    rng, whole = np.random.default_rng(0), swaps("Q").gains(grades, 6, np.random.default_rng(0)).sum()
    few = swaps("Q", most=3)
    drawn = [few.gains(grades, 6, rng) for _ in range(300)]
    assert all(np.count_nonzero(gains) <= 3 for gains in drawn)
    sums = np.array([gains.sum() for gains in drawn])
    assert abs(sums.mean() - whole) < 4 * sums.std() / np.sqrt(len(sums))
