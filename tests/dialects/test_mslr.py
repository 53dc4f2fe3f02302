"""mslr: every string that eval_score_mslr.pl printed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.dialects.learning import cases, golden, letor_files, letor_inputs, mq2008, mq2008_files, refuses, texts
from tests.engines import Evaluate
from tests.golden import Case

together = letor_inputs
TOOL = "mslr"


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


def test_relevant_from_two_on(evaluate: Evaluate) -> None:
    """Precision counts grades from 2 on, nDCG gains from 1 on, and 5 is no grade."""
    judged = {"1": {"a": 1.0, "b": 2.0, "c": 5.0}}
    result = evaluate(judged, {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}, ["P@2", "NDCG@2"], dialect=TOOL)
    assert result["P@2"] == 1 / 2
    assert result["NDCG@2"] == pytest.approx((1 / 1 + 3 / 1) / (3 / 1 + 1 / 1))
