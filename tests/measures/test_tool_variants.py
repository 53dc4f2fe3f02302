"""Parameters by which a measure is computed as one tool does it; they break laws that the measure itself keeps."""

from __future__ import annotations

from math import log2

import numpy as np
import pytest

from rankgauge.measures import parse
from rankgauge.ranking import RankedLists, Sampling
from tests.measures.bench import Listed


@pytest.mark.parametrize(
    ("measure", "grades", "missed", "value"),
    [
        ("AP(out_of='found')@3", (1, 0, 2, 1), (1,), (1 / 1 + 2 / 3) / 2),
        ("AP(out_of='found')", (0, None, 0), (1,), 0.0),
        ("AP(out_of='found')", (0, None, 0), (), np.nan),
        ("AP(out_of='found', rel=2)", (1, 2, 0, 2), (2,), (1 / 2 + 2 / 4) / 2),
        ("RBP(graded=True)", (3, None, 2), (1,), 0.2 * (3 + 2 * 0.8**2)),
        ("RBP(graded=True, p=0.5, rel=2)@2", (1, 3, 2), (), 0.5 * 3 * 0.5),
        ("nDCG(ideal_depth='list')@3", (1, 2), (2,), (1 + 2 / log2(3)) / (2 + 2 / log2(3))),
        ("nDCG(ideal_depth='list')@3", (None, 2), (2, 1), (2 / log2(3)) / (2 + 2 / log2(3))),
        ("nDCG(ideal_depth='list')", (), (2, 1), np.nan),
        ("nDCG(ideal_depth='all')@1", (1, 2), (2,), 1 / (2 + 2 / log2(3) + 1 / log2(4))),
        ("nDCG(ideal_depth='cutoff')@1", (1, 2), (2,), 1 / 2),
    ],
)
def test_worked_examples(
    measure: str, grades: tuple[float | None, ...], missed: tuple[float, ...], value: float
) -> None:
    """Each variant gives the arithmetic of its tool."""
    assert float(parse(measure).score(RankedLists.of(grades, missed=missed))) == pytest.approx(value, nan_ok=True)


def test_ties_of_ap_among_those_found() -> None:
    """How many are found depends on the order of ties, so that orders are tried one by one, or drawn if many.

    Of three tied documents one is relevant, and the cutoff is 1: it is first in a third of the orders, where AP is 1.
    """
    tied = Listed((1, 0, 0), scores=(1, 1, 1)).tied()
    value, error = parse("AP(out_of='found')@1").estimate(tied, Sampling(every=0))
    assert abs(float(value) - 1 / 3) < 4 * float(error)
    value, error = parse("AP(out_of='found')@1").estimate(tied)
    assert (float(value), float(error)) == (pytest.approx(1 / 3), 0)
