"""Measures of the C/W/L framework beside cwl_eval, through ir-measures."""

from __future__ import annotations

import ir_measures
import numpy as np
import pytest

from rankgauge import evaluate
from tests.peers.cases import CASES, cases

pytest.importorskip("cwl", reason="cwl_eval is not installed: pip install cwl-eval")

NAMES = [
    "SDCG(max_rel=4)@10",
    "INSQ(max_rel=4)",
    "INSQ(T=2.0, max_rel=4)",
    "INST(max_rel=4)",
    "INST(T=3.0, max_rel=4)",
    "BPM(max_rel=4)@10",
    "NERR8(max_rel=4)@10",
    "NERR9(max_rel=4)@10",
    "NERR10(p=0.8, max_rel=4)",
    "NERR11(T=2.0, max_rel=4)",
]


@pytest.mark.filterwarnings("ignore")  # ir-measures warns of its own dependencies
def test_cwl_eval() -> None:
    """Each measure has cwl_eval's value in random cases without ties: in all of them, of which some are tried here."""
    case = cases(ties=False)
    run = dict(list(case.run.items())[::20])  # cwl_eval takes a millisecond for each of a list's 1,000 ranks
    judgments = {query: case.judgments[query] for query in run}
    result = evaluate(judgments, run, NAMES)
    rows = {query: row for row, query in enumerate(result.queries)}
    columns = {name: column for column, name in enumerate(NAMES)}
    peers = {ir_measures.parse_measure(name): name for name in NAMES}
    theirs = np.full(result.matrix.shape, np.nan)
    for found in ir_measures.iter_calc(list(peers), judgments, run):
        theirs[rows[found.query_id], columns[peers[found.measure]]] = found.value
    assert len(theirs) == CASES // 20
    np.testing.assert_allclose(result.matrix, theirs, rtol=0, atol=1e-12)
