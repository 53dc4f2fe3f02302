"""ir-measures and its provider pyndeval, which is ndeval's own code: the same names give the same values."""

from __future__ import annotations

from functools import cache

import ir_measures
import numpy as np
import polars as pl
import pytest

from rankgauge import evaluate
from rankgauge.measures import parse

CASES = 1_000
NAMES = [
    "alpha_DCG@1",
    "alpha_DCG@10",
    "alpha_DCG(alpha=0.25)@5",
    "alpha_nDCG@1",
    "alpha_nDCG@20",
    "alpha_nDCG(alpha=0.75)@10",
    "alpha_nDCG(rel=2)@5",
    "AP_IA",
    "AP_IA(rel=2)",
    "ERR_IA@1",
    "ERR_IA@20",
    "ERR_IA(rel=2)@10",
    "nERR_IA@5",
    "nERR_IA@20",
    "NRBP",
    "NRBP(alpha=0.25,beta=0.75)",
    "nNRBP",
    "nNRBP(alpha=0.75,beta=0.25)",
    "P_IA@5",
    "P_IA(rel=2)@20",
    "StRecall@1",
    "StRecall@10",
    "StRecall(rel=2)@5",
]


@cache
def cases() -> tuple[list[ir_measures.Qrel], list[ir_measures.ScoredDoc]]:
    """Lists of 1 to 30 documents with ties, judged for up to six subtopics; some queries have nothing relevant."""
    rng = np.random.default_rng(20_262)
    judged, listed = [], []
    for number in range(CASES):
        query, documents = f"{number}", [f"d{i:02}" for i in rng.permutation(50)]
        subtopics, share = int(rng.integers(1, 7)), rng.uniform(0, 0.5)
        for document in rng.choice(documents, size=int(rng.integers(1, 41)), replace=False):
            for subtopic in range(subtopics):
                if rng.random() < 0.8:
                    grade = int(rng.integers(1, 4)) if rng.random() < share else 0
                    judged.append(ir_measures.Qrel(query, str(document), grade, str(subtopic)))
        scores = rng.integers(0, 12, int(rng.integers(1, 31))) / 4
        listed += [ir_measures.ScoredDoc(query, d, float(s)) for d, s in zip(documents, scores, strict=False)]
    return sorted(judged, key=lambda one: one.iteration), listed


@cache
def ours() -> dict[str, dict[str, float]]:
    """All values; tied documents are in ascending order of their ids, as pyndeval sorts them for ir-measures."""
    judged, listed = cases()
    columns = ["query", "document", "grade", "subtopic"]
    judgments = pl.DataFrame([tuple(row) for row in judged], schema=columns, orient="row")
    run = pl.DataFrame([tuple(row) for row in listed], schema=["query", "document", "score"], orient="row")
    return evaluate(judgments, run, NAMES, dialect="ir-measures", strict=True).by_query


@pytest.fixture(scope="module")
def theirs() -> dict[str, dict[str, float]]:
    """What ir-measures gives, by measure and query."""
    pytest.importorskip("pyndeval", reason="pyndeval is not installed: pip install pyndeval")
    judged, listed = cases()
    found: dict[str, dict[str, float]] = {name: {} for name in NAMES}
    # The provider goes through the run once: of measures with different parameters only the first would see it.
    for parameters in dict.fromkeys(map(_parameters, NAMES)):
        wanted = {ir_measures.parse_measure(name): name for name in NAMES if _parameters(name) == parameters}
        for metric in ir_measures.providers.registry["pyndeval"].iter_calc(list(wanted), judged, listed):
            found[wanted[metric.measure]][metric.query_id] = metric.value
    return found


def _parameters(name: str) -> str:
    return name.partition("(")[2].partition(")")[0]


@pytest.mark.parametrize("name", NAMES)
def test_same_name_same_value(name: str, theirs: dict[str, dict[str, float]]) -> None:
    """Each query is a case; where a query has nothing relevant, nNRBP is NaN there and 0 here."""
    key = str(parse(name))
    queries = sorted(theirs[name])
    assert len(queries) > 0.99 * CASES
    got = np.array([ours()[query][key] for query in queries])
    wanted = np.nan_to_num(np.array([theirs[name][query] for query in queries]))
    np.testing.assert_allclose(got, wanted, rtol=1e-9, atol=1e-12)
