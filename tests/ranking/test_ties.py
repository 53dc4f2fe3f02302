"""Ties: closed forms against the plain mean over every order."""

from __future__ import annotations

import itertools

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankgauge as rg
from rankgauge.measures import MEASURES, TieRule, parse
from rankgauge.policies import JudgmentKind
from rankgauge.ranking import RankedLists
from tests.engines import Evaluate

TOP = {"max_grade": 3.0}
"""The top of the scale: one list alone may not reach it."""

EXACT = [
    str(parse(kind.facts.examples[0].measure).bound(TOP))
    for kind in MEASURES.values()
    if kind.facts.ties is TieRule.EXACT and kind.facts.judgments is JudgmentKind.GRADES
]
documents = st.lists(
    st.tuples(st.integers(0, 2), st.sampled_from([None, 0, 1, 2, 3])),
    min_size=1,
    max_size=6,
)
MISSED = 2.0


def every_order(listed: list[tuple[int, int | None]], name: str) -> np.ndarray:
    """The measure's value on each order that the scores allow."""
    values = []
    for order in itertools.permutations(listed):
        scores = [score for score, _ in order]
        if scores == sorted(scores, reverse=True):
            lists = RankedLists.of([grade for _, grade in order], missed=[MISSED])
            values.append(parse(name).score(lists))
    return np.nan_to_num(np.array(values))  # 0/0 counts as 0


def tables(listed: list[tuple[int, int | None]]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The same list as judgments and a run."""
    ids = [f"d{i}" for i in range(len(listed))]
    judged = [("q", i, float(grade)) for i, (_, grade) in zip(ids, listed, strict=True) if grade is not None]
    run = [("q", i, float(score)) for i, (score, _) in zip(ids, listed, strict=True)]
    return (
        pl.DataFrame([*judged, ("q", "missed", MISSED)], schema=["query", "document", "grade"], orient="row"),
        pl.DataFrame(run, schema=["query", "document", "score"], orient="row"),
    )


@pytest.mark.parametrize("name", EXACT)
@settings(max_examples=60, deadline=None)
@given(listed=documents)
def test_expected_is_the_mean_over_every_order(name: str, listed: list[tuple[int, int | None]]) -> None:
    """`expected` equals the mean over all orders of tied documents; `best` and `worst` bound it where order can only
    improve a value."""
    judgments, run = tables(listed)
    orders = every_order(listed, name)
    got = {ties: rg.evaluate(judgments, run, [name], ties=ties).matrix.item() for ties in ("expected", "best", "worst")}
    assert got["expected"] == pytest.approx(orders.mean(), abs=1e-12)
    if parse(name).facts.improves:
        assert got["best"] == pytest.approx(orders.max(), abs=1e-12)
        assert got["worst"] == pytest.approx(orders.min(), abs=1e-12)


LISTS: list[list[tuple[int, int | None]]] = [
    [(1, 0), (1, 2), (1, None), (0, 1), (0, 0)],
    [(2, 1), (1, 3), (1, 0), (1, 1), (0, 2)],
    [(1, None), (1, 3), (1, 3), (1, 0)],
    [(2, None), (1, 0), (0, 3)],
]


def test_expected_on_each_engine(evaluate: Evaluate) -> None:
    """The same means and bounds, of all measures on some lists at once, wherever they are computed."""
    named = [[frame.with_columns(query=pl.lit(f"q{n}")) for frame in tables(listed)] for n, listed in enumerate(LISTS)]
    judgments, run = (pl.concat(side) for side in zip(*named, strict=True))
    got = {ties: evaluate(judgments, run, EXACT, ties=ties).matrix for ties in ("expected", "best", "worst")}
    for column, name in enumerate(EXACT):
        orders = [every_order(listed, name) for listed in LISTS]
        assert got["expected"][:, column] == pytest.approx([one.mean() for one in orders], abs=1e-12)
        if parse(name).facts.improves:
            assert got["best"][:, column] == pytest.approx([one.max() for one in orders], abs=1e-12)
            assert got["worst"][:, column] == pytest.approx([one.min() for one in orders], abs=1e-12)
