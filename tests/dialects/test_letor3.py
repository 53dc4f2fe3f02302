"""letor3: every string that Eval-Score-3.0.pl printed, with its 15 digits and its rows that end with the list."""

from __future__ import annotations

from pathlib import Path

from tests.dialects.learning import cases, golden, letor_files, letor_inputs, mq2008, mq2008_files, refuses, texts
from tests.engines import Evaluate
from tests.golden import Case

together = letor_inputs
TOOL = "letor3"


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
    """A list of one document is 0 at rank 2, in the mean alone; of a rank that no list reaches nothing is said."""
    judged = {"1": {"a": 1.0}, "2": {"b": 1.0, "c": 1.0}}
    result = evaluate(judged, {"1": {"a": 1.0}, "2": {"b": 2.0, "c": 1.0}}, ["NDCG@2", "P@2", "NDCG@3"], dialect=TOOL)
    assert texts(result) == {
        ("2", "NDCG@2"): "1",
        ("2", "P@2"): "1",
        ("all", "NDCG@2"): f"{(0 + 1) / 2}",
        ("all", "P@2"): f"{(0 + 1) / 2}",
    }


def test_grades_above_the_table(evaluate: Evaluate) -> None:
    """A grade of 3 gains nothing and is not relevant, in the list and in the ideal order."""
    judged = {"1": {"a": 3.0, "b": 1.0}}
    result = evaluate(judged, {"1": {"a": 2.0, "b": 1.0}}, ["NDCG@2", "MAP"], dialect=TOOL)
    assert [result["NDCG@2"], result["MAP"]] == [(0 / 1 + 1 / 1) / (1 / 1 + 0 / 1), 1 / 2]
