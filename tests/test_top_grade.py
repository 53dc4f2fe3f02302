"""The top of the grading scale, which ERR, nERR and PFound depend on: declared, a tool's, or that of the judgments."""

from __future__ import annotations

import polars as pl
import pytest

from rankgauge import dialects, evaluate, score_arrays
from rankgauge.audit.tools.explain import explain
from rankgauge.audit.tools.scores import Scores
from rankgauge.evaluation.notes import notes
from rankgauge.evaluation.report import EvaluationReport
from rankgauge.measures import parse

JUDGMENTS = {"1": {"a": 3, "b": 1}, "2": {"a": 1, "c": 0}}
RUN = {"1": {"b": 2.0, "a": 1.0}, "2": {"c": 2.0, "a": 1.0}}
TOP_3 = ((1 / 8 + (7 / 8) * (7 / 8) / 2) + (1 / 8) / 2) / 2
"""ERR of the run on the scale 0 to 3: a grade g satisfies with (2^g − 1) / 2^3."""

TOP_4 = ((1 / 16 + (15 / 16) * (7 / 16) / 2) + (1 / 16) / 2) / 2
"""The same on the scale 0 to 4."""


def rows(*grades: tuple[str, str, str, float]) -> pl.DataFrame:
    """Judgments of several assessors."""
    return pl.DataFrame(grades, schema=["query", "document", "assessor", "grade"], orient="row")


@pytest.mark.parametrize("dialect", ["standard", "papers", "trec_eval"])
def test_the_top_is_that_of_all_judgments(dialect: str) -> None:
    """Whoever names no top gets the highest grade judged, the same for every query, also those that lack it."""
    assert evaluate(JUDGMENTS, RUN, "ERR", dialect=dialect)["ERR"] == pytest.approx(TOP_3)


def test_a_declared_top_counts() -> None:
    """The measure's own top comes first, then the one that the dialect is given."""
    assert evaluate(JUDGMENTS, RUN, "ERR(max_grade=4)")["ERR(max_grade=4)"] == pytest.approx(TOP_4)
    assert evaluate(JUDGMENTS, RUN, "ERR", max_grade=4.0)["ERR"] == pytest.approx(TOP_4)


@pytest.mark.parametrize("tool", ["gdeval", "yahoo", "ranklib", "mslr"])
def test_tools_keep_their_top(tool: str) -> None:
    """A tool that divides by 16 does so whatever the judgments are."""
    assert evaluate(JUDGMENTS, RUN, "ERR", dialect=tool)["ERR"] == pytest.approx(TOP_4)


def test_every_measure_with_a_top_follows() -> None:
    """PFound's best document is found with ½; nERR divides by the ideal order on the same scale."""
    found = evaluate(JUDGMENTS, RUN, ["PFound", "nERR"])
    assert found.by_query["1"]["PFound"] == pytest.approx(1 / 8 + 0.85 * (7 / 8) * (1 / 2))
    assert found.by_query["1"]["nERR"] == pytest.approx((1 / 8 + (7 / 8) ** 2 / 2) / (7 / 8 + (1 / 8) * (1 / 8) / 2))
    assert found.by_query["2"]["nERR"] == pytest.approx(1 / 2)


def test_arrays_have_the_top_of_all_lists() -> None:
    """Lists that come as arrays share one scale."""
    values = score_arrays([[1.0, 3.0], [0.0, 1.0]], [[2.0, 1.0], [2.0, 1.0]], "ERR")
    assert values.mean() == pytest.approx(TOP_3)


@pytest.mark.parametrize(("rule", "top"), [("mean", 3.0), ("max", 3.0), ("and@1", 1.0)])
def test_combined_grades_stay_on_the_assessors_scale(rule: str, top: float) -> None:
    """A mean of 3 and 2 is 2.5 on a scale that goes up to 3; relevant or not is a scale that ends at 1."""
    judged = rows(("1", "a", "x", 3.0), ("1", "a", "y", 2.0), ("1", "b", "x", 1.0), ("1", "b", "y", 0.0))
    run = {"1": {"a": 2.0, "b": 1.0}}
    found = evaluate(judged, run, ["ERR", f"ERR(max_grade={top:g})"], assessors=rule)
    assert found.matrix[0, 0] == found.matrix[0, 1]


@pytest.mark.parametrize(
    ("measures", "dialect", "told"),
    [
        (
            "ERR",
            "standard",
            {"top grade": "3, the highest of the judgments; for a scale that goes further, say ERR(max_grade=4)"},
        ),
        ("ERR", "gdeval", {"top grade": "4, as in the dialect gdeval"}),
        ("ERR(max_grade=5)", "standard", {}),
        ("nDCG", "standard", {"gain": "linear: a grade is worth what it says"}),
        ("nDCG", "papers", {"gain": "exp: a grade is worth 2^grade − 1"}),
        ("nDCG(gains={1: 5, 3: 9})", "standard", {"gain": "a table of the measure's own"}),
        ("AP", "standard", {}),
    ],
)
def test_notes_say_what_grades_are_worth(measures: str, dialect: str, told: dict[str, str]) -> None:
    """The note under a table names the gain and the top of the scale, and says where the top comes from."""
    report = EvaluationReport(results={"run": evaluate(JUDGMENTS, RUN, measures, dialect=dialect)})
    said = dict(notes(report))
    assert {subject: words for subject, words in said.items() if subject in ("gain", "top grade")} == told


def test_a_top_of_ones_own_is_told_as_such() -> None:
    """A top that replaces the dialect's is said to be the user's."""
    report = EvaluationReport(results={"run": evaluate(JUDGMENTS, RUN, "ERR", max_grade=5.0)})
    assert dict(notes(report))["top grade"] == "5, as you said"


def test_notes_tell_gains_apart() -> None:
    """Where measures have different gains, each is named with its own."""
    report = EvaluationReport(results={"run": evaluate(JUDGMENTS, RUN, ["nDCG", "DCG(dcg='exp-log2')"])})
    words = dict(notes(report))["gain"]
    assert words.startswith("linear: a grade is worth what it says (nDCG); exp: a grade is worth 2^grade − 1 (DCG(")


def test_one_query_is_explained_on_the_scale_of_all() -> None:
    """A query without the highest grade has the value that it has among the others."""
    scores, standard = Scores(judgments=JUDGMENTS, run=RUN), dialects.get("standard")
    assert explain(scores, standard, parse("ERR"), "2").value == pytest.approx((1 / 8) / 2)
