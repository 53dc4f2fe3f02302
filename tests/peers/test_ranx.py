"""ranx: the same values on random cases without ties, but for the differences named here."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import ranx

from rankgauge import InputError, Result, evaluate
from rankgauge.measures import parse
from tests.peers.cases import Cases, cases

pytestmark = [
    pytest.mark.filterwarnings("ignore"),  # numba warns of its own dependencies
    pytest.mark.xdist_group("ranx"),  # numba compiles once in a process
]

SHARED = {
    "hits": "HitCount",
    "hits@5": "HitCount@5",
    "hits@10-l2": "HitCount(rel=2)@10",
    "hit_rate@5": "Success@5",
    "precision@5": "P@5",
    "precision@10-l2": "P(rel=2)@10",
    "recall@10": "R@10",
    "recall@10-l2": "R(rel=2)@10",
    "f1": "SetF",
    "r-precision": "Rprec",
    "mrr": "RR",
    "mrr@5": "RR@5",
    "map": "AP",
    "map@10": "AP@10",
    "map-l2": "AP(rel=2)",
    "dcg@10": "DCG@10",
    "dcg_burges@10": "DCG(dcg='exp-log2')@10",
    "ndcg": "nDCG",
    "ndcg@10": "nDCG@10",
    "ndcg_burges@10": "nDCG(dcg='exp-log2')@10",
    "dcg@10-l2": "DCG(rel=2)@10",
    "ndcg@10-l2": "nDCG(rel=2)@10",
    "ndcg_burges@5-l2": "nDCG(dcg='exp-log2', rel=2)@5",
}


def theirs_and_ours(case: Cases, theirs: str, ours: str) -> tuple[np.ndarray, np.ndarray]:
    """The values of both, query by query."""
    peer, result = all_values(case, {theirs: ours})
    return peer[theirs], result.matrix[:, 0]


def all_values(case: Cases, names: dict[str, str]) -> tuple[dict[str, np.ndarray], Result]:
    """The values of both, of several measures, by the names that ranx has for them."""
    run = ranx.Run(case.run)
    ranx.evaluate(ranx.Qrels(case.judgments), run, list(names), save_results_in_run=True)
    result = evaluate(case.judgments, case.run, list(names.values()))
    return {name: np.array([run.scores[name][query] for query in result.queries]) for name in names}, result


@cache
def shared() -> tuple[dict[str, np.ndarray], Result]:
    """The values of every shared measure in random cases without ties; ranx sorts ties by an unstable sort."""
    return all_values(cases(ties=False), SHARED)


@pytest.mark.parametrize(("theirs", "ours"), SHARED.items())
def test_every_shared_measure(theirs: str, ours: str) -> None:
    """A measure of ranx has its value in each random case without ties."""
    peer, result = shared()
    values = result.matrix[:, result.measures.index(parse(ours))]
    np.testing.assert_allclose(values, peer[theirs], rtol=0, atol=1e-12)


def test_rbp_of_grades() -> None:
    """ranx's RBP multiplies by the grade itself, so it can exceed 1; on binary judgments it is RBP."""
    graded, values = theirs_and_ours(cases(ties=False), "rbp.80", "RBP(p=0.8)")
    assert graded.max() > 1 >= values.max()
    peer, values = theirs_and_ours(cases(ties=False, highest=1), "rbp.80", "RBP(p=0.8)")
    np.testing.assert_allclose(values, peer, rtol=0, atol=1e-12)


def test_bpref_of_both_kinds() -> None:
    """ranx's bpref divides by zero where all documents were judged alike, and then gives other queries 0 as well.

    On queries with relevant and non-relevant documents, it is trec_eval's.
    """
    case = cases(ties=False)
    both = [q for q, judged in case.judgments.items() if min(judged.values()) < 1 <= max(judged.values())]
    assert len(both) > 500
    usual = Cases(judgments={q: case.judgments[q] for q in both}, run={q: case.run[q] for q in both})
    peer, values = theirs_and_ours(usual, "bpref", "Bpref")
    np.testing.assert_allclose(values, peer, rtol=0, atol=1e-12)


DIALECT = {
    **SHARED,
    "f1@10": "F@10",
    "hit_rate": "Success",
    "precision": "SetP",
    "recall": "SetR",
    "precision-l2": "SetP(rel=2)",
    "rbp.80": "RBP(p=0.8)",
}


def test_the_dialect() -> None:
    """Every measure with ties as Numba's quicksort leaves them, RBP of grades, negative grades and empty queries."""
    case = cases(ties=True, lowest=-1)
    run = ranx.Run(case.run)
    ranx.evaluate(ranx.Qrels(case.judgments), run, list(DIALECT), save_results_in_run=True)
    result = evaluate(case.judgments, case.run, list(DIALECT), dialect="ranx")
    for theirs, ours in DIALECT.items():
        values = [run.scores[theirs][query] for query in result.names]
        column = result.measures.index(parse(ours))
        np.testing.assert_allclose(result.matrix[:, column], values, rtol=0, atol=1e-12, err_msg=theirs)
        assert result[ours] == pytest.approx(np.mean(values)), theirs


def test_what_it_refuses() -> None:
    """A judged query that the run lacks is an error in ranx and here."""
    case = cases(ties=False, missing=True)
    with pytest.raises(AssertionError, match="do not match"):
        ranx.evaluate(ranx.Qrels(case.judgments), ranx.Run(case.run), "map")
    with pytest.raises(InputError, match="ranx refuses a run without documents for a judged query: 7"):
        evaluate(case.judgments, case.run, "map", dialect="ranx")
