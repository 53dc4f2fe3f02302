"""ranklib: every double that RankLib 2.1 computed, 2.8 computed, and the paper author's version of 2011."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rankgauge.errors import InputError
from rankgauge.evaluation.result import Result
from tests.dialects.learning import (
    cases,
    feature_scores,
    golden,
    letor_files,
    letor_inputs,
    mq2008,
    mq2008_files,
    near,
    texts,
    values,
)
from tests.engines import Evaluate
from tests.golden import Case

TOOLS: dict[str, tuple[str, dict[str, Any]]] = {
    "ranklib-2.1": ("ranklib", {}),
    "ranklib-2.8": ("ranklib-2.8", {}),
    "ranklib-2011-fork": ("ranklib-2011-fork", {}),
    "ranklib-2011": ("ranklib-2011-fork", {"empty": 0.0}),
}
together = letor_inputs
tools = pytest.mark.parametrize("tool", TOOLS)


def ranked(evaluate: Evaluate, judged: Path, scores: Path, tool: str) -> Result:
    """All that the tool computes for the files."""
    dialect, overrides = TOOLS[tool]
    return evaluate(judged, scores, "all", dialect=dialect, **overrides)


@tools
@cases
def test_golden(case: Case, tool: str, tmp_path: Path, evaluate: Evaluate) -> None:
    """Every value to twelve digits, and no more values unless a query has more than one list."""
    expected = golden(case, tool)
    judged, _ = letor_files(case)
    scores = feature_scores(judged, tmp_path)
    if expected is None:
        with pytest.raises(InputError, match="negative"):
            ranked(evaluate, judged, scores, tool)
        return
    found = values(ranked(evaluate, judged, scores, tool))
    firsts = {key: value for key, value in found.items() if "(" not in key[0]}
    assert firsts == near(expected)
    assert (firsts != found) == (str(case) == "interleaved_qids" and TOOLS[tool][0] != "ranklib-2011-fork")


@tools
@cases
def test_scores_of_a_file(case: Case, tool: str, evaluate: Evaluate) -> None:
    """A file of the same scores gives the same, with surplus ones too; where some are lacking it is refused."""
    expected = golden(case, tool)
    if str(case) == "scores_too_few":
        with pytest.raises(InputError, match="too few scores"):
            ranked(evaluate, *letor_files(case), tool)
    elif expected is not None:
        assert near(expected).items() <= values(ranked(evaluate, *letor_files(case), tool)).items()


@tools
def test_learned_collection(tmp_path: Path, tool: str, evaluate: Evaluate) -> None:
    """The same on the 157 queries of MQ2008's first part, ranked by a feature with many ties."""
    assert values(ranked(evaluate, *mq2008_files(tmp_path), tool)) == near(mq2008(tool))


def test_printed_digits(evaluate: Evaluate) -> None:
    """RankLib prints four decimals, halves rounded up, as Java writes a double."""
    judged = {"1": {str(n): float(n == 2) for n in range(1, 4)}}
    result = evaluate(judged, {"1": {"1": 3.0, "2": 2.0, "3": 1.0}}, ["NDCG@10", "RR@10", "P@10"], dialect="ranklib")
    assert texts(result) == {
        (query, name): text
        for query in ("1", "all")
        for name, text in (("NDCG@10", "0.6309"), ("RR@10", "0.5"), ("P@10", "0.3333"))  # 1/log2(3), 1/2, 1/3
    }


def test_reciprocal_rank_past_the_cutoff(evaluate: Evaluate) -> None:
    """What 2.1 calls RR@10 looks at the whole list; 2.8 stops at 10."""
    judged = {"1": {str(n): float(n == 11) for n in range(1, 12)}}
    run = {"1": {str(n): float(-n) for n in range(1, 12)}}
    assert evaluate(judged, run, "RR@10", dialect="ranklib")["RR@10"] == pytest.approx(1 / 11, rel=1e-7)
    assert evaluate(judged, run, "RR@10", dialect="ranklib-2.8")["RR@10"] == 0


def test_lists_of_one_query(tmp_path: Path, evaluate: Evaluate) -> None:
    """In 2.1 a query that comes back is a list of its own; 2.8 measures it against the ideal of its first list."""
    judged, scores = tmp_path / "judged.txt", tmp_path / "scores.txt"
    judged.write_text("1 qid:7 1:1\n0 qid:8 1:1\n2 qid:7 1:1\n1 qid:7 1:2\n")
    scores.write_text("1\n1\n1\n2\n")
    first, second = (
        evaluate(judged, scores, "NDCG@1", dialect="ranklib"),
        evaluate(judged, scores, "NDCG@1", dialect="ranklib-2.8"),
    )
    assert first.queries.to_list() == second.queries.to_list() == ["7", "8", "7 (2)"]
    assert first.matrix[:, 0].tolist() == [1 / 1, 0, 1 / 3]
    assert second.matrix[:, 0].tolist() == [1 / 1, 0, 1 / 1]


def test_empty_queries_of_the_fork(evaluate: Evaluate) -> None:
    """The fork's half, or what one says, is for nDCG alone."""
    judged, run = {"1": {"a": 0.0}}, {"1": {"a": 1.0}}
    for empty in (0.5, 0.25):
        result = evaluate(judged, run, ["NDCG@10", "MAP"], dialect="ranklib-2011-fork", empty=empty)
        assert [result["NDCG@10"], result["MAP"]] == [empty, 0]
