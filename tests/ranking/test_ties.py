"""Ties: closed forms against the plain mean over every order."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

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
from tests.examples import examples

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


def block(orders: Sequence[RankedLists]) -> RankedLists:
    """Orders of one list as a block, which is scored at once."""
    cells = ("ranks", "grades", "ideal", "retrieved")
    return replace(orders[0], **{name: np.stack([getattr(one, name) for one in orders]) for name in cells})


def every_order(listed: list[tuple[int, int | None]]) -> RankedLists:
    """The list in each order that the scores allow."""
    allowed = [one for one in itertools.permutations(listed) if all(a[0] >= b[0] for a, b in itertools.pairwise(one))]
    return block([RankedLists.of([grade for _, grade in order], missed=[MISSED]) for order in allowed])


def values(name: str, orders: RankedLists) -> np.ndarray:
    """The measure's value on each order."""
    measure = parse(name)
    return np.nan_to_num(
        measure.score(orders), nan=np.nan if measure.left_out else 0.0
    )  # 0/0 counts as 0, or not at all


def tables(listed: list[tuple[int, int | None]]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The same list as judgments and a run."""
    ids = [f"d{i}" for i in range(len(listed))]
    judged = [("q", i, float(grade)) for i, (_, grade) in zip(ids, listed, strict=True) if grade is not None]
    run = [("q", i, float(score)) for i, (score, _) in zip(ids, listed, strict=True)]
    return (
        pl.DataFrame([*judged, ("q", "missed", MISSED)], schema=["query", "document", "grade"], orient="row"),
        pl.DataFrame(run, schema=["query", "document", "score"], orient="row"),
    )


@settings(max_examples=examples(60), deadline=None)
@given(listed=documents)
def test_expected_is_the_mean_over_every_order(listed: list[tuple[int, int | None]]) -> None:
    """`expected` equals the mean over all orders of tied documents; `best` and `worst` bound it where order can only
    improve a value."""
    judgments, run = tables(listed)
    orders = every_order(listed)
    got = {ties: rg.evaluate(judgments, run, EXACT, ties=ties).matrix[0] for ties in ("expected", "best", "worst")}
    for column, name in enumerate(EXACT):
        found = values(name, orders)
        assert got["expected"][column] == pytest.approx(found.mean(), abs=1e-12, nan_ok=True), name
        if parse(name).facts.improves:
            assert got["best"][column] == pytest.approx(found.max(), abs=1e-12, nan_ok=True), name
            assert got["worst"][column] == pytest.approx(found.min(), abs=1e-12, nan_ok=True), name


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
    every = [every_order(listed) for listed in LISTS]
    for column, name in enumerate(EXACT):
        orders = [values(name, one) for one in every]
        assert got["expected"][:, column] == pytest.approx([one.mean() for one in orders], abs=1e-12)
        if parse(name).facts.improves:
            assert got["best"][:, column] == pytest.approx([one.max() for one in orders], abs=1e-12)
            assert got["worst"][:, column] == pytest.approx([one.min() for one in orders], abs=1e-12)


BY_FACET = [
    kind.facts.examples[0].measure
    for kind in MEASURES.values()
    if kind.facts.judgments in (JudgmentKind.SUBTOPICS, JudgmentKind.GROUPS, JudgmentKind.PREFERENCES)
]
ADDITIVE = ["P_IA@2", "P_IA(rel=2)@4", "D_nDCG@3", "D_nDCG(gain='exp')@2"]
"""Measures of diversity to which each document adds, whatever the others are."""

Judged = list[tuple[float, ...]]
"""The grades of each document by facet."""

judged_by_facet = st.tuples(*[st.sampled_from([0.0, 0.0, 1.0, 2.0])] * 3)


def by_facet(listed: Sequence[Judged]) -> pl.DataFrame:
    """The same documents as judgments, a query for each list, and one more that the run lacks."""
    rows = [
        (f"q{q}", f"d{n}", str(facet), grade)
        for q, found in enumerate(listed)
        for n, grades in enumerate(found)
        for facet, grade in enumerate(grades)
    ]
    rows += [(f"q{q}", "missed", "1", 1.0) for q in range(len(listed))]
    return pl.DataFrame(rows, schema=["query", "document", "subtopic", "grade"], orient="row")


def of_every_order(name: str, listed: Judged) -> np.ndarray:
    """The measure's value on each order of the documents."""
    orders = itertools.permutations(listed)
    lists = (RankedLists.of(order, missed=[(np.nan, 1.0, np.nan)]) for order in orders)
    return np.nan_to_num(np.array([parse(name).score(one) for one in lists]))


def all_tied(listed: Sequence[Judged], *names: str) -> dict[str, np.ndarray]:
    """The values of the first measure under each policy for ties, list by list, if all documents of a list are tied."""
    run = {f"q{q}": {f"d{n}": 1.0 for n in range(len(found))} for q, found in enumerate(listed)}
    policies, judgments = ("worst", "expected", "best"), by_facet(listed)
    return {ties: rg.evaluate(judgments, run, names, ties=ties).matrix[:, 0] for ties in policies}


@pytest.mark.parametrize("name", [*BY_FACET, *ADDITIVE])
@settings(max_examples=examples(4), deadline=None)
@given(listed=st.lists(st.lists(judged_by_facet, min_size=2, max_size=4), min_size=1, max_size=6))
def test_best_and_worst_of_few_orders(name: str, listed: list[Judged]) -> None:
    """Of documents judged by subtopic or group, `best` and `worst` are each measure's own best and worst order."""
    orders, got = [of_every_order(name, one) for one in listed], all_tied(listed, name)
    assert got["best"] == pytest.approx([one.max() for one in orders], abs=1e-12)
    assert got["worst"] == pytest.approx([one.min() for one in orders], abs=1e-12)


@settings(max_examples=examples(15), deadline=None)
@given(listed=st.lists(judged_by_facet, min_size=2, max_size=4))
def test_whole_documents_keep_their_own_order(listed: Judged) -> None:
    """Beside a measure of diversity, one that takes a document's highest grade has its own best and worst order."""
    highest = [max(grades) for grades in listed]
    lists = [RankedLists.of(order, missed=[1.0]) for order in itertools.permutations(highest)]
    orders, got = [parse("nDCG@2").score(one) for one in lists], all_tied([listed], "nDCG@2", "P_IA@1")
    assert (got["best"].item(), got["worst"].item()) == (pytest.approx(max(orders)), pytest.approx(min(orders)))


@pytest.mark.parametrize("name", [*BY_FACET, *ADDITIVE])
def test_expected_lies_between_worst_and_best(name: str) -> None:
    """So it is where there are too many orders to try them all; what documents add up to is exact even then."""
    drawn = np.random.default_rng(5).choice([0.0, 0.0, 1.0, 2.0], size=(40, 6, 3)).tolist()
    got = all_tied([[tuple(grades) for grades in listed] for listed in drawn], name)
    assert (got["worst"] <= got["expected"] + 1e-12).all()
    assert (got["expected"] <= got["best"] + 1e-12).all()


@pytest.mark.parametrize("name", ADDITIVE)
def test_sums_over_documents_are_exact(name: str) -> None:
    """To P_IA and D_nDCG each document adds what it adds, whatever the others are: many orders or few."""
    listed = [(1.0, 1.0, 1.0), (2.0, 0.0, 0.0), (0.0, 2.0, 1.0), (0.0, 0.0, 1.0), (2.0, 2.0, 0.0), (1.0, 0.0, 1.0)]
    orders, got = of_every_order(name, listed), all_tied([listed], name)
    assert got["best"].item() == pytest.approx(orders.max(), abs=1e-12)
    assert got["worst"].item() == pytest.approx(orders.min(), abs=1e-12)


def test_the_range_of_ties_has_the_mean_in_it() -> None:
    """A document with grade 1 on three subtopics is better than one with grade 2 on one, to measures of diversity."""
    judgments = {"query": ["q"] * 4, "document": ["x", "x", "x", "y"], "subtopic": list("abca"), "grade": [1, 1, 1, 2]}
    found = rg.evaluate(judgments, {"q": {"x": 1.0, "y": 1.0}}, ["P_IA@1", "nDCG@1"])
    assert found.summary["worst"].to_list() == pytest.approx([1 / 3, 1 / 2])
    assert found.summary["mean"].to_list() == pytest.approx([2 / 3, 3 / 4])
    assert found.summary["best"].to_list() == [1, 1]
