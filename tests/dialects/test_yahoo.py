"""yahoo: every value that the script of the Yahoo! Learning to Rank Challenge gave."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankgauge.errors import InputError
from tests.dialects.learning import (
    LEARNING,
    Expected,
    cases,
    golden,
    letor_files,
    mq2008,
    mq2008_files,
    near,
    queries,
    refuses,
    texts,
    values,
    yahoo_files,
)
from tests.engines import Evaluate
from tests.golden import Case

TOOL = "yahoo"


def together() -> list[tuple[Path, Path]]:
    """All cases: one job of Spark."""
    return [yahoo_files(case) for case in LEARNING]


def numbered(expected: Expected, names: list[str]) -> Expected:
    """The expected values with each query under the number of its line."""
    lines = {name: str(line) for line, name in enumerate(names, start=1)}
    return {(lines.get(query, query), measure): value for (query, measure), value in expected.items()}


@cases
def test_golden(case: Case, evaluate: Evaluate) -> None:
    """Every value, no more and no less, to twelve digits; what the script refused is refused."""
    expected = golden(case, TOOL)
    if expected is None:
        refuses(evaluate, yahoo_files(case), TOOL)
    else:
        names = queries(letor_files(case)[0])
        assert values(evaluate(*yahoo_files(case), "all", dialect=TOOL)) == near(numbered(expected, names))


def test_learned_collection(tmp_path: Path, evaluate: Evaluate) -> None:
    """The same on the 157 queries of MQ2008's first part, ranked by a feature with many ties."""
    assert values(evaluate(*mq2008_files(tmp_path), "all", dialect=TOOL)) == near(mq2008(TOOL))


def test_empty_queries(evaluate: Evaluate) -> None:
    """With nothing relevant nDCG is 1, or what one says, and ERR is 0; every digit is printed."""
    judged, run = {"1": {"a": 0.0, "b": 0.0}}, {"1": {"a": 2.0, "b": 1.0}}
    result = evaluate(judged, run, ["ERR", "NDCG@10"], dialect=TOOL)
    assert texts(result) == {
        ("1", "ERR"): "0.0",
        ("1", "NDCG@10"): "1.0",
        ("all", "ERR"): "0.0",
        ("all", "NDCG@10"): "1.0",
    }
    halved = evaluate(judged, run, ["ERR", "NDCG@10"], dialect=TOOL, empty=0.5)
    assert [halved["ERR"], halved["NDCG@10"]] == [0, 0.5]


@pytest.mark.parametrize("ranks", ["1 1 2", "0 1 2", "1 2", "1 2 4"])
def test_ranks_that_are_no_permutation_are_refused(tmp_path: Path, ranks: str, evaluate: Evaluate) -> None:
    """Each rank from 1 to n stands once, as the script asserts."""
    labels, placed = tmp_path / "labels.txt", tmp_path / "ranks.txt"
    labels.write_text("2 0 1\n1 0 0\n")
    placed.write_text(f"1 2 3\n{ranks}\n")
    with pytest.raises(InputError, match=r"ranks\.txt:2"):
        evaluate(labels, placed, "all", dialect=TOOL)
