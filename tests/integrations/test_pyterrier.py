"""ir-measures and PyTerrier: their measures, names and tables are ours.

PyTerrier's own `pt.Experiment` hands such names and frames to ir-measures, which is the peer here.
"""

from __future__ import annotations

from math import log2

import ir_measures
import pandas as pd
import pytest
from ir_measures import AP, ERR, RBP, RR, Judged, P, Qrel, R, Rprec, ScoredDoc, nDCG

from rankgauge import compare, evaluate
from rankgauge.audit.tools import audit
from rankgauge.errors import UnknownNameError
from rankgauge.measures import parse, parse_all

JUDGMENTS = pd.DataFrame(
    {"qid": ["q1", "q1", "q1", "q2"], "docno": ["a", "b", "c", "c"], "label": [2, 0, 1, 1], "iteration": 0}
)
RESULTS = pd.DataFrame(
    {
        "qid": ["q1", "q1", "q2", "q2"],
        "docid": [5, 6, 7, 8],  # a number inside the index
        "docno": ["b", "a", "x", "c"],
        "rank": [0, 1, 0, 1],  # from 0, as PyTerrier counts
        "score": [2.0, 1.0, 3.0, 1.0],
        "query": ["first text", "first text", "second text", "second text"],
    }
)
"""What `pt.Experiment` takes as qrels, and what a retriever gives."""

NAMES = {"map": "AP", "ndcg_cut_10": "nDCG@10", "P_10": "P@10", "recip_rank": "RR", "recall_1000": "R@1000"}
"""Names that PyTerrier's experiments are written with, and ours."""

MEASURES = [
    nDCG @ 10,
    nDCG(gains={0: 0, 1: 3, 2: 7}) @ 5,
    nDCG(judged_only=True) @ 10,
    AP,
    AP(rel=2),
    P(rel=2, judged_only=True) @ 5,
    R @ 1000,
    RR(rel=2),
    Rprec,
]


def rows() -> tuple[list[Qrel], list[ScoredDoc]]:
    """The same as ir-measures has it."""
    judged = JUDGMENTS.itertuples()
    return (
        [Qrel(row.qid, row.docno, row.label) for row in judged],
        [ScoredDoc(row.qid, row.docno, row.score) for row in RESULTS.itertuples()],
    )


@pytest.mark.filterwarnings("ignore")  # ir-measures warns of its own dependencies
@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_measures_of_ir_measures(measure: ir_measures.Measure) -> None:
    """A measure of ir-measures is taken as it is, by itself or among others, and has the value that it has there."""
    theirs = ir_measures.calc_aggregate([measure], *rows())[measure]
    assert evaluate(JUDGMENTS, RESULTS, measure)[measure] == pytest.approx(theirs, abs=1e-12)
    assert evaluate(*map(iter, rows()), [measure, "RR"])[measure] == pytest.approx(theirs, abs=1e-12)


def test_measures_elsewhere() -> None:
    """Comparisons, audits and the parser of names take them too."""
    runs = {"one": RESULTS, "other": RESULTS.assign(score=RESULTS["rank"])}
    assert compare(JUDGMENTS, runs, AP(rel=2)).measures == (parse("AP(rel=2)"),)
    assert audit(JUDGMENTS, RESULTS, nDCG @ 10, dialects=["trec_eval"]).measure == parse("nDCG@10")
    assert parse(ERR @ 20) == parse("ERR@20")
    assert parse(nDCG(dcg="exp-log2") @ 10) == parse("nDCG(gain='exp', discount='log2')@10")
    assert parse_all([RBP(p=0.9), Judged @ 10]) == [parse("RBP(p=0.9)"), parse("Judged@10")]


def test_names_of_pyterrier() -> None:
    """The names of trec_eval that PyTerrier's experiments use are the measures that they are there."""
    found = evaluate(JUDGMENTS, RESULTS, [*NAMES])
    assert list(found.metrics) == [*NAMES.values()]
    assert found["map"] == (1 / 2 / 2 + 1 / 2) / 2
    assert found["recall_1000"] == (1 / 2 + 1) / 2
    ideal = 2 + 1 / log2(3)
    assert found["ndcg_cut_10"] == pytest.approx((2 / log2(3) / ideal + 1 / log2(3)) / 2)
    for name, ours in NAMES.items():
        (measure,) = ir_measures.parse_trec_measure(name)
        assert found[ours] == pytest.approx(ir_measures.calc_aggregate([measure], *rows())[measure])


def test_what_is_no_measure() -> None:
    """Anything else is an unknown name: the mean response time of PyTerrier is no measure of a ranking."""
    with pytest.raises(UnknownNameError, match="no measure called 'mrt'"):
        evaluate(JUDGMENTS, RESULTS, "mrt")
    with pytest.raises(UnknownNameError, match="no measure called 'None'"):
        evaluate(JUDGMENTS, RESULTS, None)  # type: ignore[arg-type]


def test_rr_reads_scores_not_ranks() -> None:
    """PyTerrier's ranks, which begin at 0, do not decide: scores do."""
    shuffled = RESULTS.sample(frac=1, random_state=1)
    assert evaluate(JUDGMENTS, shuffled, RR)[RR] == 1 / 2
