"""Selections: the order in which the documents of a pool are judged, with all grades known, some, or none."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rankgauge.labelling.board import BoardPool
from rankgauge.labelling.selection import SELECTIONS
from rankgauge.labelling.yardstick import YARDSTICKS


def pool_of(**runs: str) -> BoardPool:
    """One query whose documents are letters; a run is a word."""
    listed = {name: {"q": {letter: -float(n) for n, letter in enumerate(word)}} for name, word in runs.items()}
    return BoardPool.from_runs(listed)


def orders(name: str, pool: BoardPool, relevant: str | None, seeds: int = 40) -> set[str]:
    """The orders of some seeds; `relevant` are the relevant documents, None if nobody knows any grade."""
    known = np.array([np.nan if relevant is None else float(letter in relevant) for letter in pool.documents])
    found = (SELECTIONS[name].order(pool, known, len(known), np.random.default_rng(seed)) for seed in range(seeds))
    return {"".join(pool.documents.gather(order)) for order in found}


@pytest.mark.parametrize("name", SELECTIONS)
def test_every_document_once(name: str) -> None:
    """An order has every document once, those that only one run retrieves too, and the seed decides it."""
    runs = {f"run {n}": {f"q{q}": {f"d{(7 * n + d) % 23}": -d for d in range(9)} for q in range(3)} for n in range(4)}
    pool = BoardPool.from_runs(runs)
    known = np.where(np.arange(len(pool.documents)) % 3 == 0, 1.0, np.nan)
    one, same = (SELECTIONS[name].order(pool, known, 5, np.random.default_rng(3)) for _ in range(2))
    assert sorted(one) == list(range(len(pool.documents)))
    assert (one == same).all()


@pytest.mark.parametrize("name", SELECTIONS)
def test_adaptive_is_what_follows_grades(name: str) -> None:
    """Grades change the order of those that say so, and of no other."""
    pool = pool_of(one="abcdef", two="uvwxyz")
    same = orders(name, pool, "abc", 5) == orders(name, pool, "uvw", 5)
    assert same != SELECTIONS[name].adaptive


def test_yardsticks_take_their_orders_from_selections() -> None:
    """A yardstick that adjudicates says what its selection says."""
    for name in YARDSTICKS.keys() & SELECTIONS.keys():
        assert YARDSTICKS[name].title == SELECTIONS[name].title


def test_depth() -> None:
    """The first documents of all lists come before the second ones."""
    for found in orders("depth", pool_of(one="abc", two="dab"), None, 5):
        assert set(found[:2]) == {"a", "d"}
        assert found[2:] == "bc"


def test_move_to_front() -> None:
    """A run is read until it fails; then the other one, and again the first where both have failed as often."""
    # One run fails at c, the other at x and at z; the run that a coin put first is first again where they are equal.
    assert orders("mtf", pool_of(one="abcd", two="xyz"), "abdy") == {"abcxdyz", "xabcyzd"}


def test_max_mean() -> None:
    """The run with the highest share of relevant documents is read, a label counting for all runs that have it."""
    # one: 1/2, a 2/3, b 3/4, c 3/5, d 3/6; two: 1/2, x 1/3.
    assert orders("maxmean", pool_of(one="abcd", two="xyz"), "ab") == {"abcdxyz", "xabcdyz"}
    # After a both have 2/3, after z one has 2/4: so b is next. Did a count for one run alone, two would have 1/2.
    shared = orders("maxmean", pool_of(one="azwc", two="bayv"), "a")
    assert {order for order in shared if order[0] == "a"} == {"azbwycv"}


@pytest.mark.parametrize("name", ["mtf", "maxmean"])
def test_runs_take_turns_where_nothing_is_judged(name: str) -> None:
    """What is not judged counts as not relevant, so that no run is read twice before the other."""
    assert orders(name, pool_of(one="abc", two="xyz"), None) == {"axbycz", "xaybzc"}


def test_rrf() -> None:
    """b has 1/62 + 1/61, more than a's 1/61 + 1/63; d and c, once each, follow by their ranks."""
    assert orders("rrf", pool_of(one="abc", two="bda"), None) == {"badc"}
    assert 1 / 62 + 1 / 61 > 1 / 61 + 1 / 63 > 1 / 62 > 1 / 63


def test_hedge_follows_the_run_that_was_right() -> None:
    """Once a, which is relevant, is judged, the weight of its run makes its second document come before x."""
    # a is first in one list of three, second in none: ½ ln 3 of one run; x the same of the other.
    found = orders("hedge", pool_of(one="abc", two="xyz"), "ab")
    assert {order for order in found if order[0] == "a"} == {"abxycz", "abxyzc"}
    weight = 0.1 ** -(0.5 * math.log(3 / 1))
    assert weight * 0.5 * math.log(3 / 2) > 0.5 * math.log(3)  # b of the run that was right, x of the other


def test_hedge_without_judgments_is_the_mean_of_the_runs() -> None:
    """Nothing changes the weights: documents come by ½ Σ ln(Z / rank)."""
    # Z = 3: b has ln(3/2) + ln(3/1), a ln(3/1) + ln(3/3), d ln(3/2), c nothing.
    assert orders("hedge", pool_of(one="abc", two="bda"), None) == {"badc"}
