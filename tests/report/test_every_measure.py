"""What is registered can be shown: a report and an explanation of every measure."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from rankgauge import dialects, evaluate
from rankgauge.audit.tools import Scores, explain
from rankgauge.audit.tools.scores import judged_for
from rankgauge.evaluation.report import EvaluationReport
from rankgauge.measures import MEASURES, parse
from rankgauge.policies import JudgmentKind
from rankgauge.render.format import Medium

ROWS = {"query": ["q"] * 3, "document": ["a", "b", "c"], "grade": [1.0, 0.0, 2.0]}
BY_FACET = {**ROWS, "subtopic": ["1", "2", "2"]}
JUDGMENTS: dict[JudgmentKind, dict[str, Any]] = {
    JudgmentKind.GRADES: ROWS,
    JudgmentKind.SUBTOPICS: BY_FACET,
    JudgmentKind.GROUPS: BY_FACET,
    JudgmentKind.PREFERENCES: BY_FACET,
    JudgmentKind.SAMPLES: {**ROWS, "stratum": ["1", "1", "1"]},
}
RUN = pl.DataFrame({"query": ["q"] * 3, "document": ["a", "x", "c"], "score": [3.0, 2.0, 2.0]})
NAMES = [kind.facts.examples[0].measure for kind in MEASURES.values()]


def judged(name: str) -> pl.DataFrame:
    """Judgments of the kind that the measure asks for."""
    return pl.DataFrame(JUDGMENTS[parse(name).facts.judgments])


@pytest.mark.parametrize("name", NAMES)
def test_every_measure_has_a_report(name: str) -> None:
    """A report for each medium, and its data, can be made of any registered measure."""
    report = EvaluationReport(results={"run": evaluate(judged(name), RUN, name)})
    for medium in Medium:
        assert report.document(medium).passages
    assert report.data()["notes"]


@pytest.mark.parametrize("name", NAMES)
def test_every_measure_can_be_explained(name: str) -> None:
    """The walk-through of a query has a row for each document, whatever the measure; grades by subtopic have no gain
    that is the document's own."""
    measure = parse(name)
    kind = measure.facts.judgments
    scores = Scores(judgments=judged_for(judged(name), kind), run=RUN, kind=kind)
    found = explain(scores, dialects.get("standard"), measure, "q")
    assert found.ranks["document"].to_list()[0] == "a"
    assert len(found.ranks) == len(RUN)
    assert kind is JudgmentKind.GRADES or "gain" not in found.ranks.columns
