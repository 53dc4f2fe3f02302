"""What stands under a table, and how its numbers are written."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankgauge import evaluate
from rankgauge.evaluation.notes import FEW, notes
from rankgauge.evaluation.report import EvaluationReport
from rankgauge.measures import parse
from rankgauge.render.format import Medium
from rankgauge.render.numbers import interval, value
from rankgauge.render.passages import Paragraph


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


@pytest.mark.parametrize(
    ("dialect", "measures", "decision"),
    [
        ("llamaindex", ["nDCG", "RR"], "a judged query that the run does not answer is left out of the mean"),
        (
            "ragas",
            ["SetP", "SetR"],
            "by SetP a judged query that the run does not answer is left out of the mean; by SetR a judged query that "
            "the run does not answer counts, with an empty list",
        ),
        (
            "mlflow",
            "nDCG@3",
            "a judged query that the run does not answer counts, with an empty list; one with nothing to find either "
            "counts 1",
        ),
    ],
)
def test_missing_queries_are_told_as_the_dialect_counts_them(dialect: str, measures: list[str], decision: str) -> None:
    """A framework that leaves out queries without a list, by some measures or by all, says so."""
    result = evaluate({"q": {"a": 1}, "r": {"a": 1}}, {"q": ["a"]}, measures, dialect=dialect)
    words = dict(notes(EvaluationReport(results={"run": result})))["missing"]
    assert words == f"1 of 2 queries are judged but not in the run; {decision}"
    assert words in result.notes


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


@pytest.mark.parametrize(
    ("measures", "words"),
    [
        ("xinfAP", "those that were drawn stand for the rest of the pool, and others count as not relevant"),
        (
            ["statAP", "P@1"],
            "an unjudged document counts as not relevant; by statAP those that were drawn stand for the rest of the "
            "pool",
        ),
    ],
)
def test_unjudged_documents_of_a_sample(measures: str | list[str], words: str) -> None:
    """Measures of a sample infer what was not drawn; that it counts as not relevant is told of others alone."""
    rows = [("a", "1", 1.0), ("b", "1", -1.0), ("c", "1", 0.0)]
    judgments = [{"query": "q", "document": d, "stratum": s, "grade": g} for d, s, g in rows]
    result = evaluate(judgments, {"q": ["a", "b", "x", "c"]}, measures)
    first = EvaluationReport(results={"run": result}).document(Medium.TERMINAL).passages[0]
    depth = "" if measures == "xinfAP" else "100 % of the top 1 and "
    assert first == Paragraph(f"Judged: {depth}50 % of all retrieved documents; {words}.")


def test_groups_are_no_subtopics(tmp_path: Path) -> None:
    """What a plain measure makes of judgments by group or of preferences is told in their words."""
    (tmp_path / "prefs.txt").write_text("q ann A a 2\nq ann A b 1\nq bob A b 2\nq bob A a 1\n")
    (tmp_path / "qrels.txt").write_text("q ann a 1\nq bob a 0\nq ann b 0\nq bob b 0\n")
    for file, measure, words in (
        (
            "prefs.txt",
            "Prefs",
            "documents are compared within groups: AP takes the highest level of each for its grade",
        ),
        ("qrels.txt", "APJG", "documents are judged by groups of assessors: AP takes the highest grade of each"),
    ):
        result = evaluate(tmp_path / file, {"q": ["a", "b"]}, [measure, "AP"])
        assert result.notes == (words,)
