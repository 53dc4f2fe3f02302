"""pytrec_eval: trec_eval's own C code agrees with the trec_eval dialect on random cases."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import pytrec_eval

from rankgauge import InputError, Result, evaluate
from rankgauge.compat import pytrec_eval as compat
from rankgauge.measures import resolve
from tests.peers.cases import cases

OVERALL = {"num_q", "gm_map", "gm_bpref", "runid", "relstring"}
"""What trec_eval does not give as a number for each query."""

NAMES = sorted(pytrec_eval.supported_measures - OVERALL)

pytestmark = pytest.mark.xdist_group("pytrec_eval")  # the values are computed once in a process


@cache
def values(level: int) -> tuple[dict[str, dict[str, float]], Result]:
    """The values of every measure in each random case: ties, unjudged and negative grades included."""
    case = cases(ties=True, lowest=-1)
    peer = pytrec_eval.RelevanceEvaluator(case.judgments, set(NAMES), relevance_level=level).evaluate(case.run)
    asked = [p.measure for p in resolve(NAMES)]
    return peer, evaluate(case.judgments, case.run, asked, dialect="trec_eval", rel=level)


@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize("name", NAMES)
def test_every_measure(name: str, level: int) -> None:
    """Each measure of trec_eval has the same value in each random case."""
    peer, result = values(level)
    for p in resolve([name]):
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


@pytest.mark.parametrize("settings", [{}, {"relevance_level": 2}, {"judged_docs_only_flag": True}])
def test_the_same_interface(settings: dict[str, int]) -> None:
    """`rankgauge.compat.pytrec_eval` gives the dictionaries of pytrec_eval on 1,000 random cases."""
    case = cases(ties=True, lowest=-1, missing=True)
    run = {**case.run, "unjudged": {"d1": 1.0}}
    names = {*pytrec_eval.supported_measures, "ndcg_cut.3,7", "P_4"} - {"relstring", "runid"}
    theirs = pytrec_eval.RelevanceEvaluator(case.judgments, names, **settings).evaluate(run)
    ours = compat.RelevanceEvaluator(case.judgments, names, **settings).evaluate(run)
    assert list(ours) == [query for query in run if query in theirs]
    assert all(ours[query].keys() == values.keys() for query, values in theirs.items())
    for query, values in theirs.items():
        expected = np.nan_to_num(list(values.values()))  # iprec_at_recall where nothing of a list is judged
        assert [ours[query][name] for name in values] == pytest.approx(expected, abs=1e-9), query
    for name in ("num_ret", "gm_map", "ndcg"):
        values = [one[name] for one in theirs.values()]
        expected = pytrec_eval.compute_aggregated_measure(name, values)
        assert compat.compute_aggregated_measure(name, values) == pytest.approx(expected, abs=1e-9)


def test_the_rest_of_the_interface() -> None:
    """Names, parsers and errors are pytrec_eval's; a run of nothing but empty lists has values too."""
    assert compat.supported_measures == pytrec_eval.supported_measures - {"relstring", "runid"}
    assert compat.supported_nicknames == set(pytrec_eval.supported_nicknames)
    run, qrel = ["q Q0 d1 1 0.5 tag", "q Q0 d2 2 0.25 tag"], ["q 0 d1 2", "q 0 d2 0"]
    assert compat.parse_run(run) == pytrec_eval.parse_run(run)
    assert compat.parse_qrel(qrel) == pytrec_eval.parse_qrel(qrel)
    for library in (compat, pytrec_eval):
        with pytest.raises(AssertionError):
            library.parse_qrel([*qrel, qrel[0]])
        with pytest.raises(ValueError, match="unsupported measure nonsense"):
            library.RelevanceEvaluator({"q": {"d": 1}}, {"nonsense"})
        with pytest.raises(TypeError, match="Expected relevance to be integer"):
            library.RelevanceEvaluator({"q": {"d": 0.5}}, {"map"}).evaluate({"q": {"d": 1.0}})
        evaluator = library.RelevanceEvaluator({"q": {"d": 1}}, {"map"})
        assert evaluator.evaluate({}) == {}
    everything = compat.RelevanceEvaluator({"q": {"d": 1}}, pytrec_eval.supported_measures)  # texts are left out
    assert everything.evaluate({"q": {"d": 1.0}})["q"]["map"] == 1.0
    # pytrec_eval reads memory that is not its own where a list is empty, and may crash.
    assert compat.RelevanceEvaluator({"q": {"d": 1}}, {"map"}).evaluate({"q": {}}) == {"q": {"map": 0.0}}
