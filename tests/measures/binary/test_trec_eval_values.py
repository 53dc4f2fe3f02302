"""Set and binary measures beside trec_eval's own code (pytrec_eval), to the last bit."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
import pytrec_eval

from rankgauge.measures import parse
from tests.engines import Evaluate

TENTHS = [tenth / 10 for tenth in range(11)]
SAME = {
    "AP": "map",
    "P@5": "P_5",
    "R@5": "recall_5",
    "Rprec": "Rprec",
    "Success@5": "success_5",
    "RR": "recip_rank",
    "Bpref": "bpref",
    "infAP": "infAP",
    "SetP": "set_P",
    "SetR": "set_recall",
    "SetF": "set_F",
    "SetAP": "set_map",
    "NumRet": "num_ret",
    "NumRel": "num_rel",
    "NumRelRet": "num_rel_ret",
    "NumQ": "num_q",
    "IPrecAvg(rounding='trec_eval')": "11pt_avg",
    **{f"IPrec(rounding='trec_eval')@{level:g}": f"iprec_at_recall_{level:.2f}" for level in TENTHS},
}
POOL = [f"d{number}" for number in range(80)]


def judged(rng: np.random.Generator) -> dict[str, int]:
    """A pool of which some part was judged, some of it as -1: pooled and never judged."""
    part = rng.choice([0.1, 0.5, 0.9, 1.0])
    return {d: int(rng.choice([-1, 0, 0, 1, 2])) for d in POOL if rng.random() < part} or {"d0": 0}


def retrieved(rng: np.random.Generator) -> dict[str, float]:
    """Some documents of the pool with scores that differ even as single-precision numbers."""
    count = int(rng.integers(1, 60))
    return dict(zip(rng.choice(POOL, count, replace=False), rng.permutation(count) / 1.0, strict=True))


@pytest.fixture(scope="module")
def both(evaluate: Evaluate) -> tuple[dict[str, dict[str, float]], dict[tuple[str, str], float]]:
    """The values of trec_eval and ours on 200 random queries."""
    rng = np.random.default_rng(7)
    qrels = {f"q{number}": judged(rng) for number in range(200)}
    runs = {query: retrieved(rng) for query in qrels}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, pytrec_eval.supported_measures).evaluate(runs)
    judgments = [(q, d, float(grade)) for q, grades in qrels.items() for d, grade in grades.items()]
    run = [(q, d, score) for q, scores in runs.items() for d, score in scores.items()]
    result = evaluate(
        pl.DataFrame(judgments, schema=["query", "document", "grade"], orient="row"),
        pl.DataFrame(run, schema=["query", "document", "score"], orient="row"),
        list(SAME),
        dialect="trec_eval",
    )
    return theirs, {(query, measure): value for query, measure, value in result.values.iter_rows()}


@pytest.mark.parametrize("ours", SAME)
def test_values_are_trec_evals(ours: str, both: tuple[dict, dict]) -> None:
    """A measure in trec_eval's dialect has trec_eval's value for every query, bit by bit."""
    theirs, values = both
    assert {q: values[q, str(parse(ours))] for q in theirs} == {q: theirs[q][SAME[ours]] for q in theirs}
