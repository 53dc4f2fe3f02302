"""Rank-biased overlap: the published examples, and lists that go on."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankgauge.errors import ParameterError
from rankgauge.statistics.similarity import rbo
from tests.examples import examples

few = settings(max_examples=examples(60), deadline=None)
lists = st.lists(st.sampled_from("abcdefg"), min_size=1, max_size=6, unique=True)


def to_infinity(a: list[str], b: list[str], p: float) -> float:
    """RBO of two lists so long that the rest weighs nothing."""
    agreements = [len({*a[:d]} & {*b[:d]}) / d for d in range(1, len(a) + 1)]
    return (1 - p) * sum(agreement * p**d for d, agreement in enumerate(agreements))


def orders(ranked: list[str | set[str]]) -> list[list[str]]:
    """Every order that the ties allow."""
    groups = [sorted(entry) if isinstance(entry, set) else [entry] for entry in ranked]
    return [
        list(itertools.chain.from_iterable(parts)) for parts in itertools.product(*map(itertools.permutations, groups))
    ]


def test_webbers_lists() -> None:
    """The lists of Webber, Moffat & Zobel's section 4 overlap by 0, 0, 2, 2, 2, 2, 2 at the depths 1 to 7."""
    p = 0.9
    seen = sum(2 / d * p**d for d in range(3, 8))
    overlap = rbo("abcdefg", "zcavwxy", p)
    assert overlap.extrapolated == pytest.approx((1 - p) / p * seen + 2 / 7 * p**7)
    beyond = 2 * (math.log(1 / (1 - p)) - sum(p**d / d for d in range(1, 8)))
    assert overlap.minimum == pytest.approx((1 - p) / p * (seen + beyond))


def test_published_overlap_with_ties() -> None:
    """Corsi & Urbano's example of tied lists of unequal length: .6922853, at least .3310519, residual .5620173."""
    x = ["red", {"blue", "green"}, "yellow", "pink"]
    y = [{"blue", "red"}, "white", {"yellow", "black", "purple"}, "green"]
    overlap = rbo(x, y, p=0.95)
    got = [round(v, 7) for v in (overlap.extrapolated, overlap.minimum, overlap.residual)]
    assert got == [0.6922853, 0.3310519, 0.5620173]


@few
@given(lists, st.sampled_from([0.5, 0.9]))
def test_equal_lists_overlap_fully(a: list[str], p: float) -> None:
    """A list and itself extrapolate to 1, lists without a common item to 0."""
    assert rbo(a, a, p).extrapolated == pytest.approx(1)
    assert rbo(a, [item.upper() for item in a], p).extrapolated == 0


@few
@given(lists, lists, st.sampled_from([0.5, 0.8]))
def test_bounds_are_reached(a: list[str], b: list[str], p: float) -> None:
    """The minimum is the overlap of lists that go on apart, minimum and residual that of lists that go on as one."""
    short, long = sorted((a, b), key=len)
    overlap = rbo(a, b, p)
    depth = 400
    apart = [[*ranked, *(f"{side}{n}" for n in range(depth - len(ranked)))] for side, ranked in enumerate((a, b))]
    assert overlap.minimum == pytest.approx(to_infinity(*apart, p), abs=1e-9)
    follow = [*short, *(item for item in long if item not in short)]
    follow += [f"new{n}" for n in range(depth - len(follow))]
    lead = [*long, *(item for item in follow if item not in long)]
    assert overlap.minimum + overlap.residual == pytest.approx(to_infinity(lead, follow, p), abs=1e-9)
    assert overlap.minimum - 1e-12 <= overlap.extrapolated <= overlap.minimum + overlap.residual + 1e-12


@few
@given(lists, lists)
def test_the_order_of_the_two_is_nothing(a: list[str], b: list[str]) -> None:
    """RBO is symmetric."""
    assert rbo(a, b).extrapolated == pytest.approx(rbo(b, a).extrapolated)
    assert rbo(a, b).residual == pytest.approx(rbo(b, a).residual)


@pytest.mark.parametrize(
    ("a", "b"),
    [(["a", {"b", "c"}, "d"], ["c", "a", {"d", "e"}]), ([{"a", "b", "c"}], ["c", {"b", "x"}])],
)
def test_ties_take_every_order(a: list[str | set[str]], b: list[str | set[str]]) -> None:
    """The overlap of tied lists of one length is the mean over every order of the tied items."""
    pairs = [rbo(x, y, 0.8) for x in orders(a) for y in orders(b)]
    assert rbo(a, b, 0.8).extrapolated == pytest.approx(np.mean([pair.extrapolated for pair in pairs]))
    assert rbo(a, b, 0.8).minimum == pytest.approx(np.mean([pair.minimum for pair in pairs]))


def test_past_the_end_of_the_shorter_list_ties_are_extrapolated() -> None:
    """Lists of unequal length are as Corsi & Urbano extrapolate them, which is not the mean over every order."""
    a: list[str | set[str]] = ["h", {"e", "i", "g"}, "b"]
    assert {rbo(order, ["h"], 0.5).extrapolated for order in orders(a)} == {1.0}
    assert rbo(a, ["h"], 0.5).extrapolated == pytest.approx(8 / 9)


def test_senseless_lists_are_refused() -> None:
    """A list holds each item once and is not empty; p lies between 0 and 1."""
    with pytest.raises(ParameterError, match="each only once"):
        rbo("aba", "abc")
    with pytest.raises(ParameterError, match="items"):
        rbo([], "abc")
    with pytest.raises(ParameterError, match="between 0 and 1"):
        rbo("abc", "abc", p=1)
