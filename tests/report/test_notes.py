"""What stands under a table, and how its numbers are written."""

from __future__ import annotations

import pytest

from rankgauge import evaluate
from rankgauge.measures import parse
from rankgauge.report.evaluation import EvaluationReport
from rankgauge.report.notes import FEW, notes
from rankgauge.report.numbers import interval, value


def report(queries: int) -> EvaluationReport:
    """A run that answers that number of queries."""
    judgments = {f"q{n}": {"x": 1.0, "y": 0.0} for n in range(queries)}
    run = {f"q{n}": {"x": float(n % 2), "y": 0.5} for n in range(queries)}
    return EvaluationReport(results={"run": evaluate(judgments, run, "AP")})


@pytest.mark.parametrize(
    ("queries", "words"),
    [(1, "1 query is too few"), (2, "2 queries are too few"), (FEW - 1, "9 queries are too few"), (FEW, None)],
)
def test_few_queries_are_told(queries: int, words: str | None) -> None:
    """Below ten queries a note says that an interval says little; from ten on there is none."""
    told = dict(notes(report(queries))).get("few")
    assert told == (None if words is None else f"{words} for an interval to say much")


def test_one_sign_for_minus() -> None:
    """In tables for people a number below 0 has the sign of a minus."""
    assert interval(-0.406, 1.5165) == "[−0.4060, 1.5165]"
    assert value(parse("AP"), -0.5) == "−0.5000"
    assert value(parse("AP"), 0.5) == "0.5000"


def test_a_tie_range_is_told_if_it_shows() -> None:
    """A range of which four decimals show nothing is no news."""
    judgments = {"q1": {"x": 1.0, "y": 0.0}, "q2": {f"d{n}": float(n == 7) for n in range(2000)}}
    ranked = {f"d{n}": -float(n) for n in range(1500)} | {f"d{n}": -9e9 for n in range(1500, 2000)}
    tied = {"q1": {"x": 2.0, "y": 1.0}, "q2": ranked}
    for grade, told in ((1.0, False), (1000.0, True)):
        judged = judgments | {"q2": judgments["q2"] | {"d1999": grade, "d7": 1000.0}}
        found = notes(EvaluationReport(results={"run": evaluate(judged, tied, "nDCG")}))
        assert ("tie range" in dict(found)) is told
