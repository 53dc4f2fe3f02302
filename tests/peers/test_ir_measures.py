"""ir-measures: the same names give the same values on random cases, but for the differences named here."""

from __future__ import annotations

import shutil

import ir_measures
import numpy as np
import pytest

from rankgauge import evaluate
from tests.peers.cases import Cases, cases

NAMES = [
    "AP",
    "AP(rel=2)@10",
    "AP(judged_only=True)",
    "Bpref",
    "Bpref(rel=2)",
    "infAP",
    "IPrec@0.1",
    "IPrec@0.5",
    "nDCG",
    "nDCG@10",
    "nDCG(judged_only=True)@5",
    "nDCG(gains={0: 0, 1: 1, 2: 3, 3: 7})@10",
    "NumRel",
    "NumRet",
    "NumRet(rel=2)",
    "P@5",
    "P(rel=2)@10",
    "P(judged_only=True)@5",
    "R@10",
    "Rprec",
    "Rprec(rel=2)",
    "RR",
    "RR(rel=2)",
    "SetAP",
    "SetF",
    "SetF(beta=2.0)",
    "SetP",
    "SetR",
    "Success@5",
    "Success(rel=3)@1",
]
ASCENDING = ["Judged@10", "RR@10", "RR(rel=2)@5"]
"""What ir-measures computes itself, with tied documents in ascending order of their ids: trec_eval's is descending."""

GDEVAL = ["ERR@5", "ERR@20", "nDCG(dcg='exp-log2')@10"]


def theirs(case: Cases, name: str, queries: list[str]) -> np.ndarray:
    """The peer's values, query by query."""
    measure = ir_measures.parse_measure(name)
    values = {m.query_id: m.value for m in ir_measures.iter_calc([measure], case.judgments, case.run)}
    return np.array([values[query] for query in queries])


@pytest.mark.filterwarnings("ignore")  # ir-measures warns of its own dependencies
@pytest.mark.parametrize("name", NAMES)
def test_every_shared_measure(name: str) -> None:
    """A name of ir-measures has its value in each random case, with ties as its trec_eval orders them."""
    case = cases(ties=True)
    result = evaluate(case.judgments, case.run, [name], dialect="trec_eval")
    np.testing.assert_allclose(result.matrix[:, 0], theirs(case, name, list(result.queries)), rtol=0, atol=1e-12)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ASCENDING)
def test_without_ties(name: str) -> None:
    """Where ir-measures orders ties otherwise than trec_eval, the values agree on lists without ties."""
    case = cases(ties=False)
    result = evaluate(case.judgments, case.run, [name], dialect="trec_eval")
    np.testing.assert_allclose(result.matrix[:, 0], theirs(case, name, list(result.queries)), rtol=0, atol=1e-12)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["Accuracy", "Accuracy@10", "Accuracy(rel=2)"])
def test_accuracy_where_defined(name: str) -> None:
    """ir-measures divides by zero where all or none of the documents are relevant; elsewhere the values agree."""
    case = cases(ties=False)
    result = evaluate(case.judgments, case.run, [name], dialect="trec_eval", empty=np.nan)
    known = ~np.isnan(result.matrix[:, 0])
    queries = result.queries.filter(known).to_list()
    defined = Cases(judgments={q: case.judgments[q] for q in queries}, run={q: case.run[q] for q in queries})
    assert len(queries) > 100
    np.testing.assert_allclose(result.matrix[known, 0], theirs(defined, name, queries), rtol=0, atol=1e-12)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.skipif(shutil.which("perl") is None, reason="ir-measures runs gdeval.pl, and there is no perl")
@pytest.mark.parametrize("name", GDEVAL)
def test_gdeval(name: str) -> None:
    """What ir-measures takes from gdeval.pl agrees to the five decimals that gdeval prints."""
    case = cases(ties=True)
    result = evaluate(case.judgments, case.run, [name], dialect="trec_eval")
    np.testing.assert_allclose(result.matrix[:, 0], theirs(case, name, list(result.queries)), rtol=0, atol=5.1e-6)


PROVIDED = {
    "ir-measures": ["nDCG@10", "AP", "AP(rel=2)@10", "RR", "P@5", "R@10", "Rprec", "Success@5", "SetF"],
    "ir-measures-msmarco": ["RR@10", "RR(rel=2)@5", "Judged@10"],
    "ir-measures-gdeval": ["ERR@20", "nDCG(dcg='exp-log2')@10"],
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dialect", PROVIDED)
def test_by_provider(dialect: str) -> None:
    """The means of each provider, with ties in its order, and 0 for queries that the run does not answer."""
    if dialect == "ir-measures-gdeval" and shutil.which("perl") is None:
        pytest.skip("ir-measures runs gdeval.pl, and there is no perl")
    case = cases(ties=True, missing=True)
    asked = [ir_measures.parse_measure(name) for name in PROVIDED[dialect]]
    means = ir_measures.calc_aggregate(asked, case.judgments, case.run)
    result = evaluate(case.judgments, case.run, PROVIDED[dialect], dialect=dialect)
    near = 5.1e-6 if dialect == "ir-measures-gdeval" else 1e-12
    assert {str(measure): result[str(measure)] for measure in means} == {
        str(measure): pytest.approx(mean, abs=near) for measure, mean in means.items()
    }
