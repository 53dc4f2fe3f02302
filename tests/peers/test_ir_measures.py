"""ir-measures: the same names give the same values on random cases, whichever of its providers computes them."""

from __future__ import annotations

import math
import shutil
from functools import cache

import ir_measures
import numpy as np
import pytest

from rankgauge import Result, dialects, evaluate
from rankgauge.integrations.ir_measures import RankGauge, use
from rankgauge.measures import parse
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
    "SetP(relative=True)",
    "SetR",
    "Success@5",
    "Success(rel=3)@1",
    "Judged",  # judged
    "Judged@10",
    "RR@10",  # msmarco
    "RR(rel=2)@5",
]
ALONE = "NumRet"
"""Asked beside NumRet(rel=2), ir-measures gives one of the two for both, now and then."""

TOGETHER = [name for name in NAMES if name != ALONE]

GDEVAL = ["ERR@5", "ERR@10", "ERR@20", "nDCG(dcg='exp-log2')@10"]
ACCURACY = ["Accuracy", "Accuracy@10", "Accuracy(rel=2)"]

pytestmark = pytest.mark.xdist_group("ir-measures")  # the values are computed once in a process

needs_perl = pytest.mark.skipif(shutil.which("perl") is None, reason="ir-measures runs gdeval.pl, and there is no perl")


@cache
def case() -> Cases:
    """Lists with many ties; every tenth query is not answered."""
    return cases(ties=True, missing=True)


def theirs(one: Cases, name: str) -> dict[str, float]:
    """The peer's values, by query."""
    measure = ir_measures.parse_measure(name)
    return {m.query_id: m.value for m in ir_measures.iter_calc([measure], one.judgments, one.run)}


@cache
def values(*names: str) -> tuple[dict[str, dict[str, float]], Result]:
    """The values of both: the peer's by measure and query."""
    peer: dict[str, dict[str, float]] = {name: {} for name in names}
    parsed = {ir_measures.parse_measure(name): name for name in names}
    for metric in ir_measures.iter_calc(list(parsed), case().judgments, case().run):
        peer[parsed[metric.measure]][metric.query_id] = metric.value
    return peer, evaluate(case().judgments, case().run, list(names), dialect="ir-measures", strict=True)


def gaps(name: str, names: list[str]) -> np.ndarray:
    """How far apart the values of a measure are, query by query."""
    peer, result = values(*names)
    ours = result.matrix[:, result.measures.index(parse(name))]
    return np.abs(ours - [peer[name][query] for query in result.queries])


@pytest.mark.filterwarnings("ignore")  # ir-measures warns of its own dependencies
@pytest.mark.parametrize("name", NAMES)
def test_every_measure_by_its_provider(name: str) -> None:
    """A name of ir-measures has its value in each random case, with ties in the order of the provider that it takes the
    measure from, and 0 for queries that the run does not answer."""
    assert gaps(name, TOGETHER if name in TOGETHER else [name]).max() <= 1e-9


@pytest.mark.filterwarnings("ignore")
@needs_perl
@pytest.mark.parametrize("name", GDEVAL)
def test_gdeval(name: str) -> None:
    """What ir-measures reads from gdeval.pl has its five decimals, but for sums that are an exact half in the sixth."""
    apart = gaps(name, GDEVAL)
    assert (apart > 1e-9).mean() < 0.005
    assert apart.max() < 1e-5 + 1e-9


@pytest.mark.filterwarnings("ignore")
@needs_perl
def test_measures_of_several_providers_at_once() -> None:
    """The means of one call are those of ir-measures, whatever providers its measures come from."""
    names = ["ERR@10", "nDCG@10", "RR@10", "AP", "Judged@10", "nDCG(dcg='exp-log2')@10"]
    means = ir_measures.calc_aggregate(map(ir_measures.parse_measure, names), case().judgments, case().run)
    result = evaluate(case().judgments, case().run, names, dialect="ir-measures")
    assert [str(measure) for measure in result.measures] == names
    assert {str(measure): result[str(measure)] for measure in means} == {
        str(measure): pytest.approx(mean, abs=1e-7 if "ERR" in str(measure) or "exp" in str(measure) else 1e-9)
        for measure, mean in means.items()
    }
    assert all("nobody judged" in note or "not in the run" in note for note in result.notes)
    worst, best = result.tie_bounds
    assert (worst <= result.matrix + 1e-5).all()
    assert (best >= result.matrix - 1e-5).all()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ACCURACY)
def test_accuracy_where_defined(name: str) -> None:
    """ir-measures divides by zero where all retrieved documents are relevant; elsewhere values and mean agree, and
    queries without a relevant document in the list are left out."""
    result = evaluate(case().judgments, case().run, [name], dialect="ir-measures")
    known = ~np.isnan(result.matrix[:, 0])
    queries = result.queries.filter(known).to_list()
    left = {q: case().judgments[q] for q in queries}
    wanted = theirs(Cases(judgments=left, run={q: case().run[q] for q in queries}), name)
    assert 100 < len(queries) < len(case().judgments)
    np.testing.assert_allclose(result.matrix[known, 0], [wanted[q] for q in queries], rtol=0, atol=1e-9)
    assert result[name] == pytest.approx(math.fsum(wanted.values()) / len(wanted), abs=1e-9)


def test_the_dialect_has_what_the_package_supports() -> None:
    """The measures of the dialect are those of the providers in ir-measures' pipeline, but for ranx's, which others
    give already, and runtime's, which users define."""
    dialect, spellings = dialects.get("ir-measures"), set()
    for provider in ir_measures.DefaultPipeline.providers:
        if provider.NAME not in ("ranx", "runtime"):
            spellings |= {(provider.NAME, type(one).__name__.strip("_")) for one in provider.SUPPORTED_MEASURES}
    for _, name in sorted(spellings):
        tried = [parse(text) for text in (name, f"{name}@1") if _parses(text)]
        assert any(dialect.has(measure) for measure in tried), name
    assert not dialect.has(parse("PFound"))
    assert not dialect.has(parse("ERR"))  # gdeval needs a cutoff
    assert not dialect.has(parse("nDCG(dcg='exp-log2')"))


def _parses(name: str) -> bool:
    try:
        parse(name)
    except Exception:
        return False
    return True


def test_notes_go_by_provider() -> None:
    """The top grade and the order of ties are those of the provider of each measure."""
    from rankgauge.evaluation.notes import notes as noted
    from rankgauge.evaluation.report import EvaluationReport

    judgments, run = {"q": {"d1": 3, "d2": 0}}, {"q": {"d1": 1.0, "d2": 1.0}}
    result = evaluate(judgments, run, ["ERR@10", "RR@10"], dialect="ir-measures")
    notes = dict(noted(EvaluationReport(results={"run": result})))
    assert notes["top grade"] == "4, as in the dialect ir-measures"
    assert "by ERR@10 tied documents are in descending order" in notes["tied"]
    assert "by RR@10 tied documents are in ascending order" in notes["tied"]


@pytest.mark.filterwarnings("ignore")  # ir-measures warns of its own dependencies
def test_the_provider() -> None:
    """RankGauge as a provider gives what the others give together, on 1,000 random cases, and comes first if asked."""
    one, measures = case(), [ir_measures.parse_measure(name) for name in TOGETHER]
    before = list(ir_measures.DefaultPipeline.providers)
    expected = {(m.query_id, str(m.measure)): m.value for m in ir_measures.iter_calc(measures, one.judgments, one.run)}
    means = ir_measures.calc_aggregate(measures, one.judgments, one.run)
    provider = RankGauge()
    assert all(provider.supports(measure) for measure in measures)
    assert not provider.supports(ir_measures.define(lambda qrels, run: 0.0, name="Mine"))
    found = {(m.query_id, str(m.measure)): m.value for m in provider.iter_calc(measures, one.judgments, one.run)}
    assert found.keys() == expected.keys()
    assert [found[key] for key in expected] == pytest.approx(list(expected.values()), abs=1e-9)
    try:
        use("standard", ties="best")
        use()
        ours = ir_measures.calc_aggregate(measures, one.judgments, one.run)
        assert sum(isinstance(known, RankGauge) for known in ir_measures.DefaultPipeline.providers) == 1
    finally:
        ir_measures.DefaultPipeline.providers[:] = before
    assert [ours[measure] for measure in measures] == pytest.approx([means[measure] for measure in measures], abs=1e-9)
