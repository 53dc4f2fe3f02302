"""Cases for other implementations: what is usual on them, and whose definition values follow."""

from __future__ import annotations

import csv
import math
from math import log2
from pathlib import Path

import pytest

from rankgauge import dialects
from rankgauge.audit.tools.conformance import CASES, MEASURES, USUAL, ConformanceReport, read_results, write_cases
from rankgauge.errors import InputError
from rankgauge.measures import parse
from tests.program import rankgauge


def written(path: Path, values: dict[tuple[str, str], object]) -> Path:
    """A table of results."""
    path.write_text("case,measure,value\n" + "".join(f"{c},{m},{v}\n" for (c, m), v in values.items()))
    return path


def test_the_usual_values(tmp_path: Path) -> None:
    """They are what arithmetic gives, on every case."""
    _, expected = write_cases(tmp_path)
    with expected.open() as stream:
        usual = {(row["case"], row["measure"]): float(row["value"]) for row in csv.DictReader(stream)}
    assert len(usual) == len(CASES) * len(MEASURES)
    assert not any(math.isnan(value) for value in usual.values())
    ideal = 1 + 1 / log2(3)
    assert usual["second", "nDCG@3"] == pytest.approx(1 / log2(3))
    assert usual["short", "nDCG@3"] == pytest.approx(1 / (ideal + 1 / 2))
    assert usual["graded", "nDCG"] == pytest.approx((1 + 3 / 2) / (3 + 2 / log2(3) + 1 / 2))
    assert usual["copies", "nDCG@3"] == pytest.approx(1 / ideal)
    assert usual["copies", "R@3"] == 1 / 2
    assert usual["many", "AP@3"] == pytest.approx((1 + 2 / 3) / 6)
    assert usual["tied", "RR"] == pytest.approx((1 + 1 / 2 + 1 / 3) / 3)
    assert {usual[case, "nDCG"] for case in ("nothing found", "nothing retrieved", "nothing relevant")} == {0}


OTHERS = [pytest.param(name, marks=pytest.mark.study) for name in ("haystack-2", "lenskit", "letor4", "trec_eval")]
"""Each takes as long as the whole command, twice."""


@pytest.mark.parametrize("name", ["mlflow", "llamaindex-0.12.1", *OTHERS])
def test_a_tool_follows_itself(name: str, tmp_path: Path) -> None:
    """The values of a dialect, full or cut at four digits, are found to be its own."""
    tool = dialects.get(name)
    measures = [one for one in ("nDCG@3", "nDCG", "AP") if tool.has(parse(one))]
    for digits in (".4f", ".17g"):
        values = {
            (case.name, measure): "" if math.isnan(value) else format(value, digits)
            for case in CASES
            for measure, value in case.values(tool, measures).items()
        }
        report = ConformanceReport(results=read_results(written(tmp_path / "results.csv", values)))
        for measure in measures:
            counts = report.agreeing[measure]
            assert counts[name] == max(counts.values()) == len(CASES)
            assert counts["standard"] < len(CASES)


def test_the_command(tmp_path: Path) -> None:
    """What is written for implementers is what check calls usual; a folder is not written over."""
    assert rankgauge(["conformance", "write", "cases"], tmp_path).code == 0
    assert "Every value is the usual one" in rankgauge(["conformance", "check", "cases/expected.csv"], tmp_path).out
    for words, said in (
        (["write", "cases"], "has cases.jsonl and expected.csv already"),
        (["write", "cases/expected.csv"], "cases/expected.csv: cannot be made"),
        (["check", "cases/nothing.csv"], "cases/nothing.csv: there is no such file"),
    ):
        refused = rankgauge(["conformance", *words], tmp_path)
        assert refused.code == 2
        assert said in refused.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("query,value\n", "results.csv:1: no table of results"),
        ("case,measure,value\n\nperfect,nDCG\n", "results.csv:3: no result of a case"),
        ("case,measure,value\nnosuch,nDCG,1\n", "results.csv:2: no result of a case"),
        ("case,measure,value\nperfect,nosuch,1\n", "results.csv:2: "),
        ("case,measure,value\nperfect,nDCG,one\n", "results.csv:2: "),
        ("case,measure,value\nperfect,nDCG,1\nperfect,nDCG,1\n", "results.csv:3: a second value of nDCG for perfect"),
        ("case,measure,value\n", "results.csv: a table of results without a line"),
        ("", "results.csv: is empty"),
        ('case,measure,value\nperfect,"nDCG,1\n', "results.csv:2: a quoted cell of this row does not end"),
    ],
)
def test_bad_rows_are_named(text: str, said: str, tmp_path: Path) -> None:
    """A line that is no result is an error with its place and what to do."""
    (tmp_path / "results.csv").write_text(text)
    with pytest.raises(InputError) as caught:
        read_results(tmp_path / "results.csv")
    first, *rest = str(caught.value).splitlines()
    assert said in first
    assert rest


def test_the_usual_definition_counts_copies_once() -> None:
    """Else it would refuse the cases with copies."""
    assert USUAL.duplicates.value == "count-once"
