"""romip: the worked examples of the appendix, and the rules that only ROMIP has."""

from __future__ import annotations

from math import log2
from typing import Any

import polars as pl
import pytest

from rankgauge import dialects
from rankgauge.evaluation.result import Result
from rankgauge.evaluation.topic_lines import lines
from tests.engines import Evaluate

SCHEMA = ["query", "document", "grade"]


def judged(grades: list[float], *, query: str = "q") -> list[tuple[str, str, float]]:
    """A grade for each of the documents d0, d1, …"""
    return [(query, f"d{place}", grade) for place, grade in enumerate(grades)]


@pytest.fixture
def romip(evaluate: Evaluate) -> Evaluate:
    """Evaluates the documents d0, d1, … in that order, judged by rows."""

    def evaluated(rows: list[Any], names: Any, *, retrieved: int, dialect: str = "romip", **settings: Any) -> Result:
        schema = SCHEMA if len(rows[0]) == 3 else [*SCHEMA, "assessor"]
        queries = dict.fromkeys(row[0] for row in rows)
        run = [(query, f"d{place}", -float(place)) for query in queries for place in range(retrieved)]
        judgments = pl.DataFrame(rows, schema=schema, orient="row")
        listed = pl.DataFrame(run, schema=["query", "document", "score"], orient="row")
        return evaluate(judgments, listed, names, dialect=dialect, **settings)

    return evaluated


def test_discounts(romip: Evaluate) -> None:
    """log2(2 + p) as it is printed, log2(1 + p) as it was probably meant."""
    rows = judged([0, 3, 1, 2, 0])
    printed = (7 / log2(4) + 1 / log2(5) + 3 / log2(6)) / (7 / log2(3) + 3 / log2(4) + 1 / log2(5))
    meant = (7 / log2(3) + 1 / log2(4) + 3 / log2(5)) / (7 / log2(2) + 3 / log2(3) + 1 / log2(4))
    assert romip(rows, "nDCG@5", retrieved=5)["nDCG@5"] == pytest.approx(printed)
    assert romip(rows, "nDCG@5", retrieved=5, dialect="romip-1+p")["nDCG@5"] == pytest.approx(meant)
    assert (round(printed, 3), round(meant, 3)) == (0.802, 0.661)


def test_bpref_divides_by_relevant(romip: Evaluate) -> None:
    """With R = 4 and N = 2 ROMIP divides by R and by 10 + R where trec_eval divides by N."""
    rows = judged([1, 0, 1, 0, 1, 1])
    ours = romip(rows, ["Bpref", "bpref_10"], retrieved=6)
    assert ours["Bpref"] == ((1 - 0 / 4) + (1 - 1 / 4) + 2 * (1 - 2 / 4)) / 4 == 0.6875
    assert ours["bpref_10"] == pytest.approx(((1 - 0 / 14) + (1 - 1 / 14) + 2 * (1 - 2 / 14)) / 4)
    assert romip(rows, "Bpref", retrieved=6, dialect="trec_eval")["Bpref"] == 0.375


def test_eleven_point_curve(romip: Evaluate) -> None:
    """The appendix's example: relevant documents at the ranks 1, 2, 4 and 15."""
    rows = judged([1, 1, 0, 1, *[0] * 10, 1])
    result = romip(rows, "all", retrieved=15)
    curve = [float(line.value) for line in lines(result, per_query=False) if line.measure.startswith("11-point")]
    assert curve == [1.0] * 6 + [0.75] * 2 + [round(4 / 15, 4)] * 3


def test_levels_need_whole_numbers_of_documents(romip: Evaluate) -> None:
    """Of ten relevant documents recall 0.7 needs seven, though 0.7 · 10 is a bit more in binary."""
    assert romip(judged([1] * 10), "IPrec@0.7", retrieved=7)["IPrec@0.7"] == 1.0


def test_graded_measures(romip: Evaluate) -> None:
    """ERR stops with (2^g − 1)/8, PFound finds with 0.5 · 2^(g − 3) and goes on with 0.85."""
    result = romip(judged([0, 3, 1]), ["ERR", "PFound"], retrieved=3)
    assert result["ERR"] == pytest.approx(7 / 8 / 2 + (1 / 8) * (1 / 8) / 3)
    assert result["PFound"] == pytest.approx(0.85 * 0.5 + 0.85**2 * 0.5 * 0.125)


def test_assessors_are_averaged(romip: Evaluate) -> None:
    """A document that one assessor found vital and the other not relevant has the grade 1.5."""
    rows = [("q", "d0", 3.0, "a"), ("q", "d0", 0.0, "b"), ("q", "d1", 2.0, "a"), ("q", "d1", 2.0, "b")]
    result = romip(rows, "nDCG@2", retrieved=2)
    low, high = 2**1.5 - 1, 2**2 - 1
    assert result["nDCG@2"] == pytest.approx((low / log2(3) + high / log2(4)) / (high / log2(3) + low / log2(4)))


def test_each_table_has_its_own_queries(romip: Evaluate) -> None:
    """A query counts under the tables that hold something relevant for it, and is left out of the others."""
    rows = [("q", "d0", 2.0, "a"), ("q", "d0", 2.0, "b"), ("r", "d0", 1.0, "a"), ("r", "d0", 0.0, "b")]
    counted = {
        table: list(romip(rows, "AP", retrieved=1, assessors=table).values["query"])
        for table in ("or@1", "and@1", "or@2", "and@2", "or@3")
    }
    assert counted == {"or@1": ["q", "r"], "and@1": ["q"], "or@2": ["q"], "and@2": ["q"], "or@3": []}


def test_a_grade_below_one_makes_a_query_count_in_graded_metrics(romip: Evaluate) -> None:
    """One of two assessors says relevant-minus: the mean 0.5 is no relevant document, but it gains."""
    rows = [("q", "d0", 1.0, "a"), ("q", "d0", 0.0, "b")]
    result = romip(rows, ["AP", "nDCG", "ERR", "PFound"], retrieved=1)
    assert list(result.values["measure"]) == ["nDCG", "ERR", "PFound"]
    assert result["PFound"] == pytest.approx(0.5 * 2 ** (0.5 - 3))


def test_unanswered_queries_count(evaluate: Evaluate) -> None:
    """The means are over the queries of the table: one that a run does not answer is 0."""
    table = pl.DataFrame(judged([1]) + judged([1], query="r"), schema=SCHEMA, orient="row")
    run = pl.DataFrame([("q", "d0", 1.0)], schema=["query", "document", "score"], orient="row")
    assert evaluate(table, run, "AP", dialect="romip")["AP"] == (1 + 0) / 2


def test_official_set(romip: Evaluate) -> None:
    """`all` is the set of the search tracks, under the appendix's names, the same in both readings of the discount."""
    names = [printed.name for printed in dialects.get("romip").printed]
    assert names[:5] == ["recall", "precision", "accuracy", "error", "F-measure"]
    assert {"bpref-10", "R-precision", "11-point 1.0", "NDCG(10)", "graded MRR", "PFound"} < set(names)
    assert names == [printed.name for printed in dialects.get("romip-1+p").printed]
    result = romip(judged([1, 0, 2]), "all", retrieved=3)
    assert [line.measure for line in lines(result, per_query=False)] == names
