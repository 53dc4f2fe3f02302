"""Every official metric of a generated collection equals what plain loops make of the same files."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from rankgauge import romip
from rankgauge.files.formats.romip import read_classification
from rankgauge.romip import TrackResult
from rankgauge.romip.metrics import QA, binary, graded_metrics
from rankgauge.romip.tracks import read_truth
from tests.romip import plain

CUTOFFS = (1, 5, 10, 25)
TABLES = [f"{rule}_{level}" for level in plain.LEVELS for rule in ("and", "or")]
SYSTEMS = ("alpha", "beta", "gamma")
close = {"rel": 1e-12, "abs": 1e-12}


def runs(folder: Path) -> dict[str, Path]:
    """The systems' files."""
    return {name: folder / f"{name}.xml" for name in SYSTEMS}


@pytest.fixture(scope="module")
def searched(folder: Path) -> TrackResult:
    """The search track."""
    tables = romip.read_tables(folder / "search/tables")
    return romip.search(tables, runs(folder / "search/runs"), cutoffs=CUTOFFS)


@pytest.mark.parametrize("table", [*TABLES, "graded"])
@pytest.mark.parametrize("system", SYSTEMS)
def test_search(searched: TrackResult, folder: Path, table: str, system: str) -> None:
    """Each metric is the mean over the queries with something relevant, a query without an answer counting 0."""
    judged = plain.tables(plain.assessed(folder / "search/tables"))[table]
    ranked = plain.run(folder / f"search/runs/{system}.xml")
    score = plain.graded if table == "graded" else plain.binary
    values = {query: score(grades, ranked.get(query, []), CUTOFFS) for query, grades in judged.items()}
    for metric in graded_metrics(CUTOFFS) if table == "graded" else binary(CUTOFFS):
        expected = plain.mean([found[metric.key] for found in values.values()])
        assert searched.value(table, metric.key, system) == pytest.approx(expected, **close), metric.key
    each = searched.values.filter(pl.col("table") == table, pl.col("run") == system)
    for _, _, query, key, value in each.iter_rows():
        assert value == pytest.approx(values[query][key], **close), (query, key)
    assert set(each["query"]) == set(judged)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("system", SYSTEMS)
def test_curves(searched: TrackResult, folder: Path, table: str, system: str) -> None:
    """TREC's curve counts a level that was not reached as 0; the reconstruction leaves the query out and counts."""
    judged = plain.tables(plain.assessed(folder / "search/tables"))[table]
    ranked = plain.run(folder / f"search/runs/{system}.xml")
    curves = [plain.curve(grades, ranked.get(query, [])) for query, grades in judged.items()]
    mine = searched.curves.filter(pl.col("table") == table, pl.col("run") == system)
    trec = mine.filter(pl.col("curve") == "11-point matrix (TREC)")
    reached = mine.filter(pl.col("curve") == "11-point matrix (ROMIP)")
    for tenth in range(11):
        at = [curve[tenth] for curve in curves]
        known = [value for value in at if value is not None]
        assert trec["precision"][tenth] == pytest.approx(plain.mean([v or 0.0 for v in at]), **close)
        assert trec["n"][tenth] == len(curves)
        assert reached["n"][tenth] == len(known)
        if known:
            assert reached["precision"][tenth] == pytest.approx(plain.mean(known), **close)


def test_left_out_queries(searched: TrackResult, folder: Path) -> None:
    """Each table says how many queries it has and how many it leaves out; together they are all queries."""
    made = plain.tables(plain.assessed(folder / "search/tables"))
    assert {table: used for table, used, _ in searched.used.iter_rows()} == {t: len(q) for t, q in made.items()}
    assert {used + left for _, used, left in searched.used.iter_rows()} == {12}
    assert len(set(searched.used["used"])) > 1


@pytest.mark.parametrize("system", SYSTEMS)
def test_question_answering(folder: Path, system: str) -> None:
    """Precision, and both rulers, under every binary table."""
    outcome = romip.qa(romip.read_tables(folder / "qa/tables"), runs(folder / "qa/runs"))
    made, ranked = plain.tables(plain.assessed(folder / "qa/tables")), plain.run(folder / f"qa/runs/{system}.xml")
    compared = 0
    for table in outcome.tables:
        values = [plain.binary(grades, ranked.get(query, []), ()) for query, grades in made[table].items()]
        for metric in QA if values else ():
            expected = plain.mean([found[metric.key] for found in values])
            assert outcome.value(table, metric.key, system) == pytest.approx(expected, **close)
            compared += 1
    assert compared >= 12


@pytest.mark.parametrize("system", SYSTEMS)
def test_classification(folder: Path, system: str) -> None:
    """Micro and macro over categories; the denominator is every judged document, strangers do not count."""
    place = folder / "classification"
    outcome = romip.classification(
        read_truth(place / "truth.xml"), {system: read_classification(place / f"results/{system}.xml")}
    )
    truth, documents = plain.classes_2007(place / "truth.xml")
    answer = plain.classes_2008(place / f"results/{system}.xml")
    squares = []
    for category, members in truth.items():
        chosen = answer[category] & documents
        a, b, c = len(chosen & members), len(chosen - members), len(members - chosen)
        squares.append((a, b, c, len(documents) - a - b - c))
    for metric in outcome.metrics:
        for average, expected in plain.averages(squares, metric.key).items():
            assert outcome.value("truth", metric.key, system, average) == pytest.approx(expected, **close)
    micro, macro = (outcome.value("truth", "accuracy", system, average) for average in ("micro", "macro"))
    assert micro == pytest.approx(macro, **close)


@pytest.mark.parametrize("system", SYSTEMS)
def test_annotation(folder: Path, system: str) -> None:
    """Annotations judged relevant against documents judged relevant, by the same rule and level on both sides."""
    place = folder / "annotation"
    shown = romip.read_tables(place / "annotations" / system)
    outcome = romip.annotation(romip.read_tables(place / "documents"), {system: shown})
    documents = plain.tables(plain.assessed(place / "documents"))
    whole = plain.assessed(place / "annotations" / system)
    for table in outcome.tables:
        rule, least = table.partition("_")[0], plain.LEVELS[table.partition("_")[2]]
        every = all if rule == "and" else any
        squares = []
        for query, grades in documents[table].items():
            pairs = [(every(g >= least for g in whole[query][d]), grade > 0) for d, grade in grades.items()]
            squares.append(
                tuple(pairs.count(kind) for kind in ((True, True), (True, False), (False, True), (False, False)))
            )
        for metric in outcome.metrics:
            for average, expected in plain.averages(squares, metric.key).items():
                assert outcome.value(table, metric.key, system, average) == pytest.approx(expected, **close)
    assert {metric.key for metric in outcome.metrics} == {"precision", "accuracy", "error"}
