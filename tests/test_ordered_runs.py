"""Runs as {query: [documents in order]}: what a search program has before it has scores."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rankgauge import InputError, compare, evaluate, files
from rankgauge.audit.tools import audit

JUDGMENTS = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"d": 1}, "q3": {"e": 1}}
SCORED = {"q1": {"b": 3.0, "a": 2.0, "x": 1.0}, "q2": {"d": 1.0}}
ORDERED = {"q1": ["b", "a", "x"], "q2": ["d"], "q3": []}
NAMES = ["nDCG@10", "AP", "RR", "P@3"]


@pytest.mark.parametrize("kind", [list, tuple, np.array, iter])
def test_the_order_is_the_ranking(kind: Any) -> None:
    """Lists, tuples and arrays of ids have the values of falling scores; an empty list is a missing query."""
    run = {query: kind(documents) for query, documents in ORDERED.items()}
    assert evaluate(JUDGMENTS, run, NAMES).by_query == evaluate(JUDGMENTS, SCORED, NAMES).by_query


def test_several_runs_and_every_door() -> None:
    """Several runs by name may be ordered lists too: in evaluate, compare and audit."""
    runs = {"one": ORDERED, "two": {"q1": ["a", "c"], "q2": ["x", "d"]}}
    found = evaluate(JUDGMENTS, runs, "nDCG@10")
    assert set(found) == {"one", "two"}
    assert compare(JUDGMENTS, runs, "nDCG@10").results["one"]["nDCG@10"] == found["one"]["nDCG@10"]
    assert list(audit(JUDGMENTS, runs, dialects=["trec_eval"]).scores) == ["one", "two"]
    assert list(audit(JUDGMENTS, ORDERED, dialects=["trec_eval"]).scores) == ["run"]


def test_columns_stay_columns() -> None:
    """A dict whose keys are names of columns is a table, even if a column is missing; judgments are no lists."""
    columns = {"qid": ["q1", "q1"], "docno": ["a", "b"], "score": [2.0, 1.0]}
    assert files.as_run(columns)["document"].to_list() == ["a", "b"]
    with pytest.raises(InputError, match="no column for document"):
        files.as_run({"qid": ["q1"], "file": ["a"], "score": [1.0]})
    with pytest.raises(InputError, match="no column for query"):
        evaluate({"q1": ["a"]}, ORDERED, "AP")


def test_a_document_twice() -> None:
    """A list holds each document once."""
    with pytest.raises(InputError, match="lists document a more than once for query q1"):
        evaluate(JUDGMENTS, {"q1": ["a", "b", "a"]}, "AP")


def test_sets_have_no_order() -> None:
    """A set of documents is no ranking."""
    with pytest.raises(InputError):
        evaluate(JUDGMENTS, {"q1": {"a", "b"}}, "AP")


def test_pairs_of_document_and_score() -> None:
    """What retrievers give: the scores count; other things in a list are refused, not taken for ids."""
    pairs = {query: list(found.items()) for query, found in SCORED.items()}
    assert evaluate(JUDGMENTS, pairs, NAMES).by_query == evaluate(JUDGMENTS, SCORED, NAMES).by_query
    for odd in ({"_id": "a"}, ("a", "b"), ["a", 1.0, 2.0]):
        with pytest.raises(InputError, match="ids or pairs"):
            evaluate(JUDGMENTS, {"q1": [odd]}, "AP")
