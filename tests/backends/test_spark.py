"""Spark: shapes of data that partitions, batches and skew could break, and what users meet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import rankgauge as rg
from rankgauge import dialects
from rankgauge import files as io
from rankgauge.errors import InputError
from rankgauge.labelling import Pool, Target
from rankgauge.labelling.methods.paper import drawing
from rankgauge.labelling.moments import moments
from rankgauge.spark import rows as spark_rows
from rankgauge.spark import runs
from rankgauge.spark.rows import JUDGMENT, LINE, EvaluationJob
from tests.backends.collections import collection
from tests.backends.test_engines import same
from tests.engines import Evaluate

MEASURES = ["nDCG@10", "AP", "RR", "ERR@20", "infAP"]


def table(query: np.ndarray, document: np.ndarray, number: np.ndarray, name: str) -> pl.DataFrame:
    """A table of numbered queries and documents."""
    columns = {"query": pl.Series(query).cast(pl.String), "document": pl.Series(document).cast(pl.String)}
    return pl.DataFrame({**columns, name: number.astype(np.float64)})


@pytest.mark.parametrize("queries", [1, 2, 100_000])
def test_few_and_many_queries(queries: int, on_spark: Evaluate) -> None:
    """One query leaves partitions empty, and 10⁵ queries are many batches: both are as on one machine."""
    rng = np.random.default_rng(queries)
    query = np.repeat(np.arange(queries), 5)
    document = np.tile(np.arange(5), queries)
    judgments = table(query, document, rng.integers(0, 3, len(query)), "grade")
    run = table(query, document + 2, rng.integers(0, 4, len(query)), "score")
    same(on_spark(judgments, run, MEASURES[:3]), rg.evaluate(judgments, run, MEASURES[:3]))


@pytest.mark.study
def test_a_query_of_a_million_documents(on_spark: Evaluate) -> None:
    """A list that is longer than any batch stays one list; short ones beside it stay theirs."""
    rng = np.random.default_rng(0)
    query = np.concatenate([np.zeros(1_000_000, dtype=int), np.repeat(np.arange(1, 50), 20)])
    document = rng.permutation(len(query))
    run = table(query, document, rng.integers(0, 10**6, len(query)), "score")
    assert 2 * spark_rows.ROWS < 1_000_000
    chosen = rng.choice(len(query), 3000, replace=False)
    judgments = table(query[chosen], document[chosen], rng.integers(0, 4, 3000), "grade")
    same(
        on_spark(judgments, run, MEASURES, dialect="trec_eval"),
        rg.evaluate(judgments, run, MEASURES, dialect="trec_eval"),
    )


def test_batches_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    """However small the batches that a task works on, its values are those of all queries together."""
    made, work = collection(dialects.get("standard")), EvaluationJob.of(MEASURES)
    rows = pl.concat(
        [
            made.judgments.select("query", pl.lit(JUDGMENT).alias("kind"), "document", pl.col("grade").alias("number")),
            made.run.select("query", pl.lit(LINE).alias("kind"), "document", pl.col("score").alias("number")),
        ]
    ).sort("query", "kind", maintain_order=True)
    whole = rg.evaluate(made.judgments, made.run, MEASURES).values.sort("query", "measure")
    for rows_at_a_time, arrow in ((1, 7), (100, 64), (10**6, 10**6)):
        monkeypatch.setattr(spark_rows, "ROWS", rows_at_a_time)
        found = pl.concat([result.values for _, result in work.results(rows.iter_slices(arrow))])
        assert found.sort("query", "measure").equals(whole)


def test_values_are_a_frame_of_spark(session: Any) -> None:
    """Frames of Spark go in and one comes out, with columns under the names of other tools, ids as numbers, a query
    that the run lacks, and partitions that hold nothing."""
    from rankgauge.spark import spark

    judged = session.createDataFrame(
        [(7.0, 1, "2"), (7.0, 2, "0"), (8.0, 1, "1")], "qid double, docno int, label string"
    )
    run = session.createDataFrame([(7, 2, 1), (7, 1, 2)], "qid int, docno int, rank int").repartition(5)
    values = spark.evaluate(judged, run, ["RR", "P@1"], missing="zero")
    assert values.dtypes == [("query", "string"), ("measure", "string"), ("value", "double")]
    rows = sorted(map(tuple, values.collect()))
    assert rows == [("7", "P@1", 0.0), ("7", "RR", 1 / 2), ("8", "P@1", 0.0), ("8", "RR", 0.0)]


def test_adaptive_execution_splits_no_query(session: Any, on_spark: Evaluate) -> None:
    """Where Spark joins partitions as it goes, which it does unless told not to, the values stay."""
    made = collection(dialects.get("trec_eval"), queries=300)
    session.conf.set("spark.sql.adaptive.enabled", "true")
    try:
        found = on_spark(made.judgments, made.run, MEASURES, dialect="trec_eval")
    finally:
        session.conf.set("spark.sql.adaptive.enabled", "false")
    same(found, rg.evaluate(made.judgments, made.run, MEASURES, dialect="trec_eval"))


def test_files_that_need_each_other(tmp_path: Path, session: Any) -> None:
    """A LETOR file and its scores are read as on one machine, as the dialect reads them."""
    judged, scores = tmp_path / "test.txt", tmp_path / "scores.txt"
    judged.write_text("1 qid:7 1:1\n0 qid:8 1:1\n2 qid:8 1:1\n1 qid:8 1:2\n")
    scores.write_text("1\n3\n1\n2\n")
    files = judged, scores
    same(runs.evaluate(*files, "all", dialect="letor4"), rg.evaluate(*files, "all", dialect="letor4"))


def test_a_column_may_say_the_order(session: Any) -> None:
    """Where ties are left as they came, the column `order` says how they came, whatever Spark did to the rows."""
    from rankgauge.spark import spark

    judged = session.createDataFrame([("a", "d3", 1.0)], "query string, document string, grade double")
    run = session.createDataFrame(
        [("a", f"d{n}", 1.0, 9 - n) for n in range(9)], "query string, document string, score double, at int"
    )
    (row,) = spark.evaluate(judged, run, "RR", order="at", ties="input").collect()
    assert row["value"] == 1 / 6  # d8, d7, d6, d5, d4, d3


def test_assessors_are_combined_or_refused(session: Any, on_spark: Evaluate) -> None:
    """Grades of several assessors become one by the rule; without a rule they are refused, as on one machine."""
    rng = np.random.default_rng(4)
    rows = [(f"q{q}", f"d{d}", float(rng.integers(0, 3)), a) for q in range(9) for d in range(6) for a in "xyz"]
    judgments = pl.DataFrame(rows, schema=["query", "document", "grade", "assessor"], orient="row")
    run = pl.DataFrame(
        [(f"q{q}", f"d{d}", float(d % 4)) for q in range(9) for d in range(8)],
        schema=["query", "document", "score"],
        orient="row",
    )
    same(on_spark(judgments, run, MEASURES, assessors="mean"), rg.evaluate(judgments, run, MEASURES, assessors="mean"))
    with pytest.raises(InputError, match="assessors judged these documents"):
        on_spark(judgments, run, MEASURES)


def test_samples_and_preferences(on_spark: Evaluate) -> None:
    """Measures that ask for strata or groups have the values of one machine; others leave out what was not drawn."""
    rng = np.random.default_rng(6)
    rows = [(f"q{q}", f"d{d}", str(d % 2), float(rng.choice([-1, 0, 1, 2]))) for q in range(12) for d in range(20)]
    sample = pl.DataFrame(rows, schema=["query", "document", "stratum", "grade"], orient="row")
    lists = [(f"q{q}", f"d{d}", float(n)) for q in range(12) for n, d in enumerate(rng.permutation(25)[:15])]
    run = pl.DataFrame(lists, schema=["query", "document", "score"], orient="row")
    for measures in (["xinfAP", "statAP", "xinfNDCG", "AP"], ["AP", "Judged@5"]):
        same(on_spark(sample, run, measures), rg.evaluate(sample, run, measures))
    groups = sample.filter(pl.col("grade") >= 0).rename({"stratum": "subtopic"})
    same(on_spark(groups, run, ["Prefs", "PrefsRnonrel"]), rg.evaluate(groups, run, ["Prefs", "PrefsRnonrel"]))


FAULTS = {
    "the run lists document d more than once": ([("a", "d", 1.0)], [("a", "d", 1.0), ("a", "d", 2.0)]),
    "document d of query a is judged twice": ([("a", "d", 1.0), ("a", "d", 2.0)], [("a", "d", 1.0)]),
    "there is no grade": ([("a", "d", None)], [("a", "d", 1.0)]),
    "there is no query": ([("a", "d", 1.0)], [("a", "d", 1.0), (None, "d", 1.0)]),
    "the score nan is not a number": ([("a", "d", 1.0)], [("a", "d", 1.0), ("unjudged", "d", float("nan"))]),
    "no judgments found": ([], [("a", "d", 1.0)]),
    "no run found": ([("a", "d", 1.0)], []),
}


@pytest.mark.parametrize("words", FAULTS)
def test_faults_have_the_words_of_one_machine(words: str, session: Any) -> None:
    """What a task refuses reaches the user as the error that one machine raises, without a trace of Spark."""
    from rankgauge.spark import spark

    judged, lines = FAULTS[words]
    frames = (
        session.createDataFrame(judged, "query string, document string, grade double"),
        session.createDataFrame(lines, "query string, document string, score double"),
    )
    with pytest.raises(InputError, match=words) as caught:
        spark.result(*frames, "AP")
    assert "Traceback" not in str(caught.value)
    assert "at org.apache" not in str(caught.value)


def test_the_command_prints_what_it_prints_on_one_machine(
    tmp_path: Path, session: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--engine spark` changes not a digit of the report, from Parquet as from text."""
    from rankgauge.cli.command import execute

    made = collection(dialects.get("standard"))
    printed = []
    for suffix, chosen in ((".parquet", ("--engine", "spark")), (".csv", ("--engine", "spark")), (".parquet", ())):
        paths = [str(tmp_path / f"{name}{suffix}") for name in ("judgments", "run")]
        io.write_judgments(made.judgments, paths[0])
        io.write_run(made.run, paths[1])
        execute(["evaluate", *paths, "-m", "nDCG@10,AP", "-q", *chosen])
        printed.append(capsys.readouterr().out.replace(suffix, ""))
    assert printed[0] == printed[1] == printed[2]


def test_sampling_distribution(session: Any) -> None:
    """Chances, costs and moments of a pool are those of one machine; the budget is what the draws cost on average."""
    from rankgauge.spark import spark

    rng = np.random.default_rng(2)
    rows = [
        (f"q{q}", f"d{d}", float(rng.random()), float(1 + d % 3))
        for q in range(60)
        for d in range(int(rng.integers(2, 9)))
    ]
    frame = pl.DataFrame(rows, schema=["query", "document", "score", "cost"], orient="row")
    beliefs = rng.dirichlet(np.ones(3), len(frame))
    frame = frame.with_columns(pl.Series(f"p_{y}", beliefs[:, y]) for y in range(3))
    pool = Pool.of(frame)
    target = Target.of("ERR", pool)
    q, found = spark.sampling_distribution(session.createDataFrame(frame.to_arrow()), measure="ERR", budget=100.0)
    chances, known = (pl.DataFrame(pl.from_arrow(f.toArrow())) for f in (q, found))
    order = pl.DataFrame({"query": pool.queries})
    chances, known = (order.join(f, on="query", how="left", maintain_order="left") for f in (chances, known))
    here, costs = moments(pool, target), target.query_costs(pool)
    np.testing.assert_allclose(known["mean"], here.mean, rtol=1e-12)
    np.testing.assert_allclose(known["variance"], here.variance, rtol=1e-12)
    wanted = drawing(pool, target, beliefs="pool", costs="pool", mixed=0.0)
    np.testing.assert_allclose(chances["chance"], wanted, rtol=1e-10)
    assert chances["judged"].to_numpy() @ costs == pytest.approx(100.0, rel=1e-9)
