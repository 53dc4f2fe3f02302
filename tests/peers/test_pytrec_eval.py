"""pytrec_eval: trec_eval's own C code agrees with the trec_eval dialect on random cases."""

from __future__ import annotations

import numpy as np
import pytest
import pytrec_eval

from rankgauge import evaluate
from rankgauge.measures import resolve
from tests.peers.cases import cases

OVERALL = {"num_q", "gm_map", "gm_bpref", "runid", "relstring"}
"""What trec_eval does not give as a number for each query."""

NAMES = sorted(pytrec_eval.supported_measures - OVERALL)


@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize("name", NAMES)
def test_every_measure(name: str, level: int) -> None:
    """Each measure of trec_eval has the same value in each random case: ties, unjudged and negative grades included."""
    case = cases(ties=True, lowest=-1)
    peer = pytrec_eval.RelevanceEvaluator(case.judgments, {name}, relevance_level=level).evaluate(case.run)
    printed = resolve([name])
    result = evaluate(case.judgments, case.run, [p.measure for p in printed], dialect="trec_eval", rel=level)
    for p in printed:
        theirs = np.array([peer[query][p.name] for query in result.queries])
        np.testing.assert_allclose(result.matrix[:, result.measures.index(p.measure)], theirs, rtol=0, atol=1e-12)
