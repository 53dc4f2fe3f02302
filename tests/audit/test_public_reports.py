"""Numbers of frameworks that people reported as bugs: the audit gives each, and names the choice behind it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from math import log2
from pathlib import Path

import pytest

from rankgauge.audit.tools import Origins, audit, origins
from rankgauge.audit.tools.overview import headline
from rankgauge.input_notes import collecting_notes
from tests.program import rankgauge

Lists = dict[str, tuple[list[str], list[str]]]
"""By query, what was retrieved and what is relevant."""


@dataclass(frozen=True, kw_only=True)
class Reported:
    """What somebody reported of a framework."""

    where: str
    tool: str
    measure: str
    lists: Lists
    value: float
    usual: float
    cause: str
    printed: str


def single(retrieved: list[str], relevant: list[str]) -> Lists:
    """The lists of a single query."""
    return {"q": (retrieved, relevant)}


REPORTS = [
    Reported(
        where="mlflow/mlflow#24541: one of five retrieved",
        tool="mlflow",
        measure="nDCG@5",
        lists=single(["1"], ["1", "2", "3", "4", "5"]),
        value=1.0,
        usual=1 / sum(1 / log2(rank + 1) for rank in range(1, 6)),  # the report: 0.339
        cause="parameters",
        printed="1.0",
    ),
    Reported(
        where="run-llama/llama_index#17070: the ideal is as long as the retrieved list",  # it gives no number
        tool="llamaindex-0.12.1",
        measure="nDCG",
        lists=single(["a", "x", "y"], ["a"]),
        value=1 / (1 + 1 / log2(3) + 1 / 2),
        usual=1.0,
        cause="parameters",
        printed="0.4693",
    ),
    Reported(
        where="deepset-ai/haystack#12255: one of two relevant documents retrieved",
        tool="haystack-2",
        measure="AP",
        lists=single(["a"], ["a", "b"]),
        value=1.0,
        usual=0.5,
        cause="parameters",
        printed="1.0",
    ),
    Reported(
        where="truera/trulens#2746: recall of a chunk retrieved twice",
        tool="trulens-before-2747",
        measure="R@3",
        lists=single(["A", "A", "X"], ["A"]),
        value=2.0,
        usual=1.0,
        cause="duplicates",
        printed="2.0",
    ),
    Reported(
        where="truera/trulens#2746: nDCG of a chunk retrieved twice",
        tool="trulens-before-2747",
        measure="nDCG@2",
        lists=single(["A", "A"], ["A"]),
        value=1 + 1 / log2(3),
        usual=1.0,
        cause="duplicates",
        printed="1.63",
    ),
    Reported(
        where="opensearch-project/search-relevance#191: NDCG of 1.31",  # of a list that the report does not have
        tool="opensearch-srw",
        measure="nDCG@10",
        lists=single(["a", "a", "a", "x"], ["a", "b"]),
        value=1.31,
        usual=1 / (1 + 1 / log2(3)),
        cause="duplicates",
        printed="1.31",
    ),
    Reported(
        where="garrytan/gbrain#4176: mean Recall@10 of seven queries with one relevant page each",
        tool="standard",
        measure="R@10",
        lists={
            f"q{number}": (["page"] * chunks + ["x"], ["page"]) for number, chunks in enumerate([3, 2, 1, 1, 1, 1, 1])
        },
        value=10 / 7,
        usual=1.0,
        cause="duplicates",
        printed="1.43",
    ),
]
EACH = pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.where)


def tables(lists: Lists) -> tuple[dict[str, dict[str, int]], dict[str, list[str]]]:
    """The judgments and the run of lists."""
    judgments = {query: dict.fromkeys(relevant, 1) for query, (_, relevant) in lists.items()}
    return judgments, {query: retrieved for query, (retrieved, _) in lists.items()}


def sought(report: Reported) -> Origins:
    """What may have given the number, as it was printed; of a list with copies a note says how they count."""
    with collecting_notes() as notes:
        found = origins(*tables(report.lists), report.printed, report.measure)
    assert any("in standard each counts once here" in said for said in notes) is (report.cause == "duplicates")
    return found


@EACH
def test_the_number_leads_to_the_tool(report: Reported) -> None:
    """The number alone, as it was printed, is given by the tool that it was reported of."""
    asked = [way for way in sought(report).origins if str(way.measure) == report.measure]
    assert report.tool in {name for way in asked for name in (way.tool, *way.also)}


@pytest.mark.parametrize(
    "report", [report for report in REPORTS if report.tool != "standard"], ids=lambda report: report.where
)
def test_the_audit_names_the_choice(report: Reported) -> None:
    """The tool gives what was reported, the usual definition what was expected, and one choice makes the difference."""
    with collecting_notes():
        seen = audit(*tables(report.lists), report.measure, dialects=["standard", report.tool])
    (attribution,) = seen.attributions["run"].values()
    assert seen.mean("run", seen.base) == pytest.approx(report.usual, abs=1e-12)
    assert seen.mean("run", attribution.other) == pytest.approx(report.value, abs=1e-12)
    assert attribution.parts[0].cause.name == report.cause
    assert abs(attribution.parts[0].amount) > 0.99 * abs(attribution.difference)


def test_a_program_without_a_dialect_is_explained_too() -> None:
    """The likeliest way to a mean recall of 1.43 is the usual definition with every copy credited."""
    found = sought(report := REPORTS[-1])
    assert found.origins[0].changes == (("duplicates", "count-each"),)
    assert found.origins[0].mean == pytest.approx(report.value, abs=1e-12)
    assert set(found.why) == {report.cause}
    assert "(standard --duplicates count-each)" in found.why[report.cause]


def test_a_table_of_mlflow_leads_to_mlflow(tmp_path: Path) -> None:
    """`audit --value 1.0` on MLflow's own rows names MLflow, and that its ideal ends where the list ends."""
    row = ["q", ["1", "2", "3", "4", "5"], ["1"], 1.0]
    table = {"columns": ["question", "targets", "outputs", "ndcg_at_5/score"], "data": [row]}
    (tmp_path / "table.json").write_text(json.dumps(table))
    words = ["audit", "table.json", "table.json", "-m", "nDCG@5"]
    said = " ".join(rankgauge([*words, "--value", "1.0"], tmp_path).out.split())
    assert "-d mlflow -m" in said
    assert "the ideal ranking ends where the list ends) (mlflow), the measure as defined (standard)" in said
    every = [line.split() for line in rankgauge(words, tmp_path).out.splitlines()]
    assert ["mlflow", "1.0000", "+0.6608"] in [cells[:3] for cells in every]
    assert ["standard", "0.3392"] in [cells[:2] for cells in every]


def test_lists_without_a_hit_are_not_called_queries_without_relevant_documents() -> None:
    """Evidently's 0/0 of a list with nothing relevant is no query without a relevant document: none is counted."""
    seen = audit({"q": {"a": 1}, "r": {"b": 1}}, {"q": ["a"], "r": ["x"]}, "nDCG@5", dialects=["standard", "evidently"])
    said = str(headline(seen, "run"))
    assert "0 queries" not in said
    assert "lists that a tool counts like" in said
