"""letor4: every string that Eval-Score-4.0.pl printed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.dialects.learning import cases, golden, letor_files, letor_inputs, mq2008, mq2008_files, refuses, texts
from tests.engines import Evaluate
from tests.golden import Case

together = letor_inputs
TOOL = "letor4"


@cases
def test_golden(case: Case, evaluate: Evaluate) -> None:
    """Every value, no more and no less, stands as printed and in the same order; what was refused is refused."""
    expected = golden(case, TOOL)
    if expected is None:
        refuses(evaluate, letor_files(case), TOOL)
    else:
        assert list(texts(evaluate(*letor_files(case), "all", dialect=TOOL)).items()) == list(expected.items())


def test_learned_collection(tmp_path: Path, evaluate: Evaluate) -> None:
    """The same on the 157 queries of MQ2008's first part, ranked by a feature with many ties."""
    assert texts(evaluate(*mq2008_files(tmp_path), "all", dialect=TOOL)) == mq2008(TOOL)


def test_short_lists(evaluate: Evaluate) -> None:
    """Of a list of one document nDCG@2 is 0, P@2 divides by 2, and an override holds for nDCG as well."""
    judged, run = {"1": {"a": 1.0}}, {"1": {"a": 1.0}}
    result = evaluate(judged, run, ["NDCG@2", "P@2"], dialect=TOOL)
    assert [result["NDCG@2"], result["P@2"]] == [0, 1 / 2]
    assert evaluate(judged, run, "NDCG@2", dialect=TOOL, short="cut")["NDCG@2"] == 1 / 1


@pytest.mark.parametrize("name", ["NDCG@10", "nDCG@10"])
def test_both_names_are_known(name: str, evaluate: Evaluate) -> None:
    """A measure is asked for by the tool's name or by ours."""
    judged = {"1": {str(n): float(n % 2) for n in range(12)}}
    run = {"1": {str(n): float(-n) for n in range(12)}}
    assert evaluate(judged, run, name, dialect=TOOL)["nDCG@10"] > 0
