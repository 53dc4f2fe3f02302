"""Comparisons: what is asked, how orders are read, and what they come to."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rankgauge import evaluate
from rankgauge.errors import InputError
from rankgauge.judgments.llm import ask
from rankgauge.judgments.llm.asking.pairs import TextPairs
from rankgauge.judgments.llm.asking.question import compared_lists, parse_order
from rankgauge.judgments.llm.machine_judge import MachineJudge
from rankgauge.judgments.pairwise import Choices, FittedPreferences
from tests.judges.pools import graded, pool
from tests.judges.stand_ins import WatchedStandIn

READ = [
    ("A", 2, 12),
    ("b", 2, 21),
    ("TIE", 2, 11),
    ("[[B]]", 2, 21),
    ("**A**", 2, 12),
    ("Document B.", 2, 21),
    ("Passage A", 2, 12),
    ("Answer: B", 2, 21),
    ("Final verdict: [[A]]", 2, 12),
    ("B answers it, A does not.\nB", 2, 21),
    ("<think>A?</think>\nB", 2, 21),
    ("A<|im_end|>", 2, 12),
    ('"A"', 2, 12),
    ("(B)", 2, 21),
    ("<answer>\nB\n</answer>", 2, 21),
    ("Output: Passage A", 2, 12),
    ("Document B is better.", 2, 21),
    (r"The final answer is: $\boxed{B}$", 2, 21),
    ("```\n[2] > [1] > [3]\n```", 3, 213),
    ("[2] > [1]", 2, 21),
    ("A = B", 2, 11),
    ("[2] > [1] > [3]", 3, 213),
    ("3 > 1 = 2", 3, 221),
    ("Ranking: [1] > [3] > [2].", 3, 132),
    ("B>A>C", 3, 213),
]
REFUSED = [
    ("", 2),
    ("A or B", 2),
    ("<think>It may be\nA", 2),
    ('{"answer": "A"}', 2),
    ("[2] < [1]", 2),
    ("Both are good.", 2),
    ("C", 2),
    ("1", 2),
    ("A", 3),
    ("[1] > [2]", 3),
    ("[1] > [2] > [2]", 3),
    ("[1] > [2] > [4]", 3),
    ("The order is [1] > [2] > [3]", 3),
    ("I prefer A to B", 2),
    ("² > ¹", 2),
    ("[0] > [1]", 2),
]


def choice(text: str, reason: str = "stop") -> dict[str, object]:
    """A choice of a chat completion."""
    return {"message": {"content": text}, "finish_reason": reason}


@pytest.mark.parametrize(("text", "size", "places"), READ)
def test_orders_are_read(text: str, size: int, places: int) -> None:
    """A letter, a tie, or an order of all documents on the last line."""
    assert parse_order(choice(text), size).grade == places


@pytest.mark.parametrize(("text", "size"), REFUSED)
def test_what_is_no_order_is_refused(text: str, size: int) -> None:
    """Prose, a document that is not there, or an order that leaves one out."""
    answer = parse_order(choice(text), size)
    assert answer.grade is None
    assert answer.refused


def test_filters_and_limits_are_named() -> None:
    """An answer that was stopped is refused for that reason, whatever it says."""
    assert parse_order(choice("A", "content_filter"), 2).refused == "stopped by the endpoint's content filter"
    assert parse_order(choice("A", "length"), 2).refused == "cut off at the limit of tokens"


@pytest.mark.parametrize(("size", "others"), [(2, 3), (2, 50), (3, 4), (5, 8)])
def test_lists_come_in_both_orders(size: int, others: int) -> None:
    """Every list is shown forwards and backwards; each document meets about as many others as was said."""
    pairs = TextPairs.from_pool(pool(2, 11))
    lists = [json.loads(one) for one in compared_lists(pairs, size=size, others=others).frame["document"]]
    assert Counter(map(tuple, lists)) == Counter(tuple(reversed(one)) for one in lists)
    met: dict[str, set[str]] = {}
    for one in lists:
        for document in one:
            met.setdefault(document, set()).update(set(one) - {document})
    assert len(met) == 22
    assert all(min(others, 10) * 0.5 <= len(each) <= 10 for each in met.values())
    again = [json.loads(one) for one in compared_lists(pairs, size=size, others=others).frame["document"]]
    assert again == lists


@pytest.mark.parametrize("prompt", ["pairwise", "listwise"])
def test_a_model_with_a_liking_for_the_first_place(prompt: str, tmp_path: Path) -> None:
    """The liking is measured, and the fitted order is nevertheless that of the grades."""
    known = graded(pool(6, 6))
    with WatchedStandIn(known, first=0.3) as stand_in:
        asked = ask(pool(6, 6), stand_in.url, model="m", cache=tmp_path / "a.db", prompt=prompt)
        requests = stand_in.received.total()
        again = ask(pool(6, 6), stand_in.url, model="m", cache=tmp_path / "a.db", prompt=prompt)
    assert asked.choices is not None
    assert requests == asked.pairs == again.cached
    assert again.requests == 0
    value, low, high = FittedPreferences.fit(asked.choices).first_share()
    assert 0.5 < low < value < high
    joined = asked.frame.join(known.rename({"grade": "true"}), on=["query", "document"])
    mean = dict(joined.group_by("true").agg(pl.col("grade").mean()).iter_rows())
    assert mean[0] < mean[1] < mean[2] < mean[3]
    assert (joined["low"] <= joined["grade"]).all()
    assert (joined["grade"] <= joined["high"]).all()
    assert MachineJudge.read(asked.frame).frame["grade"].is_between(0, 1).all()


def test_preferences_are_for_measures_that_take_them(tmp_path: Path) -> None:
    """A pair on which both orders agree is a preference; a divided one is none."""
    table = pl.DataFrame(
        {
            "query": ["q"] * 4,
            "documents": ["a b", "b a", "a c", "c a"],
            "order": ["a > b", "a > b", "a > c", "c > a"],
        }
    )
    fitted = FittedPreferences.fit(Choices.from_table(table))
    assert fitted.write_preferences(tmp_path / "prefs.txt") == 1
    assert (tmp_path / "prefs.txt").read_text() == "q 1 1 a 1\nq 1 1 b 0\n"
    assert fitted.swap_share() == 0.5
    run = {"q": {"a": 2.0, "b": 1.0, "c": 0.0}}
    assert evaluate(tmp_path / "prefs.txt", run, "Prefs")["Prefs"] == 1.0
    grade = dict(fitted.frame.select("document", "grade").iter_rows())
    assert grade["a"] > grade["c"] > grade["b"]


def test_the_order_of_the_rows_does_not_matter() -> None:
    """Choices of several queries may come in any order, as people make them."""
    rows = [("q1", "a b", "a > b"), ("q2", "x y", "x > y"), ("q1", "b c", "b > c"), ("q2", "y z", "y > z")]
    table = pl.DataFrame(rows, schema=["query", "documents", "order"], orient="row")
    mixed, sorted_ = (FittedPreferences.fit(Choices.from_table(one)) for one in (table, table.sort("query")))
    assert mixed.frame.select("query", "document", "grade").equals(sorted_.frame.select("query", "document", "grade"))


def test_bad_choices_are_named() -> None:
    """An order of other documents than those shown, or a table without the columns, is one clear error."""
    with pytest.raises(InputError, match="choice 1: 'a > c' is no order of a, b"):
        Choices.from_table(pl.DataFrame({"query": ["q"], "documents": ["a b"], "order": ["a > c"]}))
    with pytest.raises(InputError, match="no column order"):
        Choices.from_table(pl.DataFrame({"query": ["q"], "documents": ["a b"]}))


def test_both_orders_take_the_bias_out(tmp_path: Path) -> None:
    """Asked in one order, documents shown first gain; in both they do not: `reproduce pairwise`, in small."""
    from rankgauge.papers.pages.pairwise import try_judge

    rng = np.random.default_rng(0)
    grades = [rng.choice(4, size=40, p=[0.6, 0.2, 0.1, 0.1]).astype(np.float64) for _ in range(15)]
    one, both = (try_judge(grades, 2, both=both, rng=rng) for both in (False, True))
    assert one["bias"] > 0.03
    assert abs(both["bias"]) < 0.025
    assert 0.92 <= both["coverage"] <= 0.99
    assert both["settled right"] > 0.95


def test_the_figure_shows_losses_too() -> None:
    """A panel for each collection; whiskers reach below 0, where a bias that is gone may lie."""
    pytest.importorskip("altair")
    from rankgauge.papers.pages.pairwise import draw_bias

    rows = [
        {"collection": collection, "prompt": prompt, "asked": asked, "bias": bias, "bias error": 0.002}
        for collection in ("DL19", "DL21")
        for prompt in ("pairwise", "listwise")
        for asked, bias in (("one order", 0.05), ("both orders", 0.001))
    ]
    drawn = draw_bias(pl.DataFrame(rows)).to_dict()
    assert [panel["title"] for panel in drawn["hconcat"]] == ["DL19", "DL21"]
    assert {row["low"] for data in drawn["datasets"].values() for row in data} == {0.046, -0.003}
