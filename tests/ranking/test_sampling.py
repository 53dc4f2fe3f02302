"""Sampling: random orders of tied documents against every order."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from rankgauge.errors import ParameterError
from rankgauge.measures import MEASURES, TieRule, parse
from rankgauge.ranking import RankedLists, Sampling
from rankgauge.ranking.every_order import EveryOrder
from rankgauge.ranking.sampling import Orders

pytestmark = pytest.mark.process  # computes for long


NAN = np.nan

# Two queries. The first has a group of 4 at ranks 1..4 with 2 hits, then a strict hit at rank 5, then a group of 3
# whose documents are all hits; the second a group of 5 at ranks 2..6 with 3 hits.
TIED = RankedLists(
    ranks=np.array([[1.0, 2, 5, 6, 7, 8], [2, 3, 4, NAN, NAN, NAN]]),
    grades=np.array([[2.0, 0, 1, 3, 0, 1], [1, 0, 3, NAN, NAN, NAN]]),
    ideal=np.array([[3.0, 2, 1, 1, 1, 0, 0], [3, 2, 1, 0, NAN, NAN, NAN]]),
    retrieved=np.array([8.0, 6.0]),
    first=np.array([[1.0, 1, 5, 6, 6, 6], [2, 2, 2, NAN, NAN, NAN]]),
    size=np.array([[4.0, 4, 1, 3, 3, 3], [5, 5, 5, NAN, NAN, NAN]]),
)
FIRST = [((2, 0, None, None), (1,), (3, 0, 1)), (1,)]
SECOND = [((None,), (1, 0, 3, None, None)), (2,)]


def every_order(groups: tuple[tuple[int | None, ...], ...]) -> list[tuple[int | None, ...]]:
    """The grades of the list in each order that the groups allow."""
    return [sum(order, ()) for order in itertools.product(*(itertools.permutations(g) for g in groups))]


@pytest.mark.parametrize("name", ["AP", "nDCG@3", "ERR@6", "AP(judged_only=True)"])
def test_sampled_mean_is_near_the_mean_over_every_order(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sampled mean lies within four standard errors of the mean over every order, for every query of a block."""
    measure = parse(name)
    exact = [
        np.mean([measure.score(RankedLists.of(order, missed=missed)) for order in every_order(groups)])
        for groups, missed in (FIRST, SECOND)
    ]
    kind = MEASURES[measure.facts.name]
    monkeypatch.setattr(kind, "facts", replace(kind.facts, ties=TieRule.SAMPLED))
    mean, error = measure.estimate(TIED, Sampling(seed=7, orders=4000, every=0))
    assert (error < 0.01).all()
    assert (abs(mean - exact) <= 4 * error + 1e-12).all()


@pytest.mark.parametrize("name", ["AP", "nDCG@3", "BPM(max_grade=3)@4", "AP(judged_only=True)"])
def test_few_orders_are_all_scored(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The mean of a list with few orders is that over every order, without an error and whatever the seed."""
    measure = parse(name)
    kind = MEASURES[measure.facts.name]
    exact = [
        np.mean([measure.score(RankedLists.of(order, missed=missed)) for order in every_order(groups)])
        for groups, missed in (FIRST, SECOND)
    ]
    monkeypatch.setattr(kind, "facts", replace(kind.facts, ties=TieRule.SAMPLED))
    for seed in (1, 2):
        mean, error = measure.estimate(TIED, Sampling(seed=seed, every=72))
        assert mean == pytest.approx(exact, abs=1e-12)
        assert (error == 0).all()
    one = measure.estimate(TIED.take(np.array([1])), Sampling())
    assert (float(one[0][0]), float(one[1][0])) == (mean[1], 0)


def test_documents_judged_alike_are_interchangeable() -> None:
    """Five documents that are not relevant and one that is have six orders, by subtopic too; another grade on one
    subtopic makes another order."""
    tied = {"first": np.ones((1, 6)), "size": np.full((1, 6), 6.0)}
    plain = replace(RankedLists.of([0, 0, 1, 0, 0, 0]).take(None), **tied)
    alike = replace(RankedLists.of([(0, 1), (0, 1), (1, 0), (0, 1), (0, 1), (0, 1)]).take(None), **tied)
    other = replace(RankedLists.of([(0, 1), (0, 1), (1, 0), (0, 1), (0, 1), (1, 1)]).take(None), **tied)
    for lists, orders in ((plain, 6), (alike, 6), (other, 30)):
        found = [[order.grades.tolist() for order in every] for _, every in EveryOrder(lists.by_grade(), 64)]
        assert [len(one) for one in found] == [orders]
        assert not len(EveryOrder(lists.by_grade(), 64).rest)
    assert EveryOrder(other.by_grade(), 29).rest.tolist() == [0]


@pytest.mark.parametrize("size", [2, 3, 4])
def test_every_placement_is_equally_likely(size: int) -> None:
    """Two hits among n tied documents stand at each of the n (n − 1) ordered pairs of places equally often."""
    lists = replace(TIED, **{name: getattr(TIED, name)[:1, :2] for name in ("ranks", "grades", "first")})
    lists = replace(lists, size=np.full((1, 2), float(size)))
    orders = Orders(lists, seed=1)
    seen: Counter[tuple[float, float]] = Counter()
    for number in range(6000):
        drawn = orders.draw(number)
        assert (np.diff(drawn.ranks) > 0).all()
        seen[tuple(drawn.ranks[0, np.argsort(drawn.grades[0])])] += 1
    assert len(seen) == size * (size - 1)
    expected = 6000 / len(seen)
    assert all(abs(count - expected) < 5 * np.sqrt(expected) for count in seen.values())


def test_untied_hits_and_padding_stay() -> None:
    """Only tied documents move: a strict hit keeps its rank and grade, padding stays padding."""
    drawn = Orders(TIED, seed=0).draw(1)
    assert not drawn.tied
    assert (drawn.ranks[0, 2], drawn.grades[0, 2]) == (5.0, 1.0)
    assert np.isnan(drawn.ranks[1, 3:]).all()
    assert np.isnan(drawn.grades[1, 3:]).all()
    assert sorted(drawn.ranks[0, 3:]) == [6.0, 7.0, 8.0]


def test_the_seed_decides() -> None:
    """The same seed gives the same mean; another seed another one."""
    kernel = parse("AP(rel=1)").values
    again = [Sampling(seed=seed, orders=8, every=0).mean(kernel, TIED)[0] for seed in (3, 3, 4)]
    assert (again[0] == again[1]).all()
    assert (again[0] != again[2]).any()


def test_a_query_is_drawn_for_by_its_id_alone() -> None:
    """Neither the other queries of a block, nor padding, nor the order in which tied documents came, changes a mean."""
    kernel, named = parse("AP(rel=1)").values, replace(TIED, names=pl.Series(["a", "b"]))
    mean, error = Sampling(seed=3, every=0).mean(kernel, named)
    alone = {name: getattr(named, name)[1:, :3] for name in ("ranks", "grades", "first", "size")}
    turned = {**alone, "grades": alone["grades"][:, [2, 0, 1]]}
    for fields in (alone, turned):
        one = replace(named, ideal=named.ideal[1:], retrieved=named.retrieved[1:], names=named.names[1:], **fields)
        again = Sampling(seed=3, every=0).mean(kernel, one)
        assert (again[0][0], again[1][0]) == (mean[1], error[1])
    other = replace(named, names=pl.Series(["a", "c"]))
    assert (Sampling(seed=3, every=0).mean(kernel, other)[0] == mean).tolist() == [True, False]


def test_many_hits_of_a_large_group_stand_in_places_of_their_own() -> None:
    """However many documents of a group are hits, no two of them get one place."""
    for hits, size in ((400, 100_000), (400, 801), (400, 799), (400, 400)):
        row = np.arange(1.0, hits + 1)[np.newaxis]
        lists = RankedLists(
            ranks=row,
            grades=row % 4,
            ideal=row * 0,
            retrieved=np.array([float(size)]),
            first=np.ones_like(row),
            size=np.full_like(row, size),
        )
        ranks = Orders(lists, seed=0).draw(1).ranks[0]
        assert (np.diff(ranks) > 0).all()
        assert 1 <= ranks[0] <= ranks[-1] <= size


def test_exact_measures_have_no_error() -> None:
    """A measure with a closed form is not sampled: its standard error is 0."""
    value, error = parse("AP").estimate(TIED)
    assert (error == 0).all()
    assert value == pytest.approx(parse("AP").score(TIED, Sampling(seed=99)), abs=0)


def test_one_order_is_refused() -> None:
    """One order has no standard error."""
    with pytest.raises(ParameterError, match="at least 2"):
        Sampling(orders=1)
