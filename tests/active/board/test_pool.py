"""The pool of a board: which documents it has, and every run's ranks of them."""

from __future__ import annotations

import numpy as np
import pytest

from rankgauge.errors import InputError, ParameterError
from rankgauge.labelling.board import BoardPool
from tests.active.board.collection import pooled

FIRST = {"q1": {"a": 3.0, "b": 2.0, "c": 2.0, "d": 1.0}, "q2": {"x": 1.0}}
SECOND = {"q1": {"e": 9.0, "a": 8.0}}


def hits(pool: BoardPool) -> set[tuple[str, str, int]]:
    """The hits as run, document and rank."""
    return {
        (pool.runs[run], pool.documents[document], rank)
        for run, document, rank in zip(pool.run.tolist(), pool.document.tolist(), pool.rank.tolist(), strict=True)
    }


def test_every_run_keeps_its_ranks() -> None:
    """A pool has each document once, and each run's rank of it, equal scores in the order of the input."""
    pool = BoardPool.from_runs({"one": FIRST, "two": SECOND})
    assert pool.queries.to_list() == ["q1", "q2"]
    assert sorted(pool.documents.to_list()) == ["a", "b", "c", "d", "e", "x"]
    ranked = {("one", "a", 1), ("one", "b", 2), ("one", "c", 3), ("one", "d", 4), ("one", "x", 1)}
    assert hits(pool) == ranked | {("two", "e", 1), ("two", "a", 2)}
    assert pool.lengths.tolist() == [[4, 1], [2, 0]]


def test_depth_pools_the_top_only() -> None:
    """With a depth only the top of each list is pooled; what is pooled keeps its rank in every list."""
    pool = BoardPool.from_runs({"one": FIRST, "two": SECOND}, depth=1)
    assert sorted(pool.documents.to_list()) == ["a", "e", "x"]
    assert ("two", "a", 2) in hits(pool)


def test_weight_inside_says_what_a_value_rests_on() -> None:
    """The share of a run's weight inside the pool is that of the ranks of its pooled documents."""
    pool = BoardPool.from_runs({"one": FIRST, "two": SECOND}, depth=1)
    inside = pool.weight_inside(1 / np.arange(1.0, pool.deepest + 1))
    assert inside == pytest.approx([2 / (1 + 1 / 2 + 1 / 3 + 1 / 4 + 1), 1.0])


def test_judged_documents_join_the_pool() -> None:
    """Documents that were judged belong to the pool though no run has them; grades are found by both ids."""
    judged = {"q1": {"z": 2, "a": 1}, "q9": {"y": 1}}
    pool = BoardPool.from_runs({"one": FIRST}, also=judged)
    assert pool.queries.to_list() == ["q1", "q2"]
    known = dict(zip(pool.documents, pool.grades(judged), strict=True))
    assert known["z"] == 2
    assert known["a"] == 1
    assert np.isnan(known["x"])


def test_judged_documents_may_be_the_whole_pool() -> None:
    """A pool of judged documents only keeps the ranks of the whole lists."""
    pool = BoardPool.from_runs({"one": FIRST, "two": SECOND}, only={"q1": {"d": 0, "z": 2}})
    assert pool.documents.to_list() == ["d", "z"]
    assert hits(pool) == {("one", "d", 4)}
    assert pool.lengths.tolist() == [[4], [2]]


def test_hits_are_in_list_order() -> None:
    """Hits come run by run and query by query in rank order, which sums over lists rely on."""
    pool, _ = pooled()
    order = np.lexsort((pool.rank, pool.cell))
    assert (order == np.arange(len(order))).all()


def test_what_is_no_pool_is_refused() -> None:
    """No runs, a depth below 1 and a document listed twice are errors."""
    with pytest.raises(ParameterError, match="at least one run"):
        BoardPool.from_runs({})
    with pytest.raises(ParameterError, match="depth"):
        BoardPool.from_runs({"one": FIRST}, depth=0)
    with pytest.raises(InputError, match="one: the run lists document a more than once for query q"):
        BoardPool.from_runs({"one": [("q", "a", 1.0), ("q", "a", 2.0)]})
