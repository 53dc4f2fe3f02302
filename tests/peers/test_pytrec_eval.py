"""pytrec_eval: trec_eval's own C code agrees with the trec_eval dialect on random cases."""

from __future__ import annotations

import numpy as np
import pytest
import pytrec_eval

from rankgauge import InputError, evaluate
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


def test_the_dialect() -> None:
    """Queries that the run lacks have no value, scores that are equal in 32 bits are tied, and grades are whole."""
    case = cases(ties=True, lowest=-1, missing=True)
    close = {
        query: {document: score + 1e-9 * place for place, (document, score) in enumerate(listed.items())}
        for query, listed in case.run.items()
    }
    names = {"map", "ndcg_cut.10", "recip_rank", "P.5", "bpref"}
    peer = pytrec_eval.RelevanceEvaluator(case.judgments, names).evaluate(close)
    printed = resolve(sorted(names))
    result = evaluate(case.judgments, close, sorted(names), dialect="pytrec_eval")
    assert set(result.names) == set(peer)
    for p in printed:
        theirs = [peer[query][p.name] for query in result.names]
        np.testing.assert_allclose(result.matrix[:, result.measures.index(p.measure)], theirs, rtol=0, atol=1e-12)
        assert result[p.measure] == pytest.approx(np.mean(theirs), abs=1e-12)


def test_what_it_refuses() -> None:
    """A grade that is not whole is an error in pytrec_eval and here."""
    with pytest.raises(TypeError, match="integer"):
        pytrec_eval.RelevanceEvaluator({"q": {"d": 0.5}}, {"map"}).evaluate({"q": {"d": 1.0}})
    with pytest.raises(InputError, match=r"pytrec_eval does not accept the grade 0\.5"):
        evaluate({"q": {"d": 0.5}}, {"q": {"d": 1.0}}, "map", dialect="pytrec_eval")
