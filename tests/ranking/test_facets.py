"""Judgments by subtopic: from tables and files to ranked lists, and the errors where judgments are of another kind."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rankgauge import evaluate
from rankgauge import files as io
from rankgauge.errors import InputError
from rankgauge.measures import parse
from rankgauge.ranking import RankedLists

QRELS = "q1 1 a 1\nq1 2 a 0\nq1 1 b 0\nq1 2 b 2\nq1 1 c 1\nq2 10 d 1\nq2 2 e 1\n"
RUN = "q1 Q0 c 1 3 t\nq1 Q0 x 2 2 t\nq1 Q0 b 3 1 t\nq2 Q0 e 1 2 t\nq2 Q0 d 2 1 t\n"
MEASURES = ["alpha_nDCG@3", "alpha_DCG(alpha=0.2)@2", "StRecall@1"]
LISTS = {
    "q1": RankedLists.of([(1, 0), None, (0, 2)], missed=[(1, 0)]),
    "q2": RankedLists.of([(1, 0), (0, 1)]),
}


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Diversity qrels and a run."""
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "run.txt").write_text(RUN)
    return tmp_path / "qrels.txt", tmp_path / "run.txt"


def _expected(name: str, query: str) -> float:
    return float(parse(name).score(LISTS[query]))


def _table() -> pl.DataFrame:
    rows = [line.split() for line in QRELS.splitlines()]
    return pl.DataFrame(rows, schema=["query", "subtopic", "document", "grade"], orient="row")


def test_second_field_is_the_subtopic(files: tuple[Path, Path]) -> None:
    """A file, a table and several runs give the values of the lists; a subtopic that is not judged counts 0."""
    found = evaluate(*files, MEASURES).by_query
    assert found == {q: {m: pytest.approx(_expected(m, q), abs=1e-12) for m in MEASURES} for q in LISTS}
    assert evaluate(_table(), files[1], MEASURES).by_query == found
    both = evaluate(files[0], {"one": str(files[1]), "two": str(files[1])}, MEASURES)
    assert both["one"].by_query == both["two"].by_query == found


def test_large_runs_are_streamed(files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that is read in pieces has the same values."""
    whole = evaluate(*files, MEASURES).by_query
    monkeypatch.setattr("rankgauge.files.reading.LARGE", 0)
    assert evaluate(*files, MEASURES).by_query == whole


def test_other_measures_take_the_highest_grade(files: tuple[Path, Path]) -> None:
    """Beside a measure of diversity, a note says that nDCG takes the highest grade of a document."""
    found = evaluate(*files, ["nDCG@3", "StRecall@1"])
    best = {"q1": {"a": 1, "b": 2, "c": 1}, "q2": {"d": 1, "e": 1}}
    assert found["nDCG@3"] == evaluate(best, files[1], "nDCG@3")["nDCG@3"]
    assert any("nDCG@3 takes the highest grade" in words for words in found.notes)
    assert evaluate(_table(), files[1], "nDCG@3")["nDCG@3"] == found["nDCG@3"]


def test_policies_act_on_whole_documents(files: tuple[Path, Path]) -> None:
    """Depth, unjudged documents that are left out, and the best order of ties move the grades of all subtopics."""
    cut = evaluate(*files, "StRecall", depth=1)
    assert cut.matrix[:, 0].tolist() == [1 / 2, 1 / 2]
    skipped = evaluate(*files, "alpha_nDCG@2", unjudged="skip")
    assert skipped.matrix[0, 0] == parse("alpha_nDCG@2").score(RankedLists.of([(1, 0), (0, 2)], missed=[(1, 0)]))
    tied = {"q1": {"a": 1.0, "b": 1.0, "x": 1.0}}
    best, worst = (evaluate(_table(), tied, "StRecall@1", ties=ties).matrix[0, 0] for ties in ("best", "worst"))
    assert (best, worst) == (1 / 2, 0)


def test_judgments_of_another_kind_are_refused(files: tuple[Path, Path], tmp_path: Path) -> None:
    """Plain judgments for a measure of diversity, and diversity qrels for a plain measure, are errors with advice."""
    plain = tmp_path / "plain.txt"
    plain.write_text("q1 0 a 1\nq2 0 d 1\n")
    with pytest.raises(InputError, match=r"0 in every line(.|\n)*query subtopic document grade"):
        evaluate(plain, files[1], "alpha_nDCG@10")
    with pytest.raises(InputError, match=r"StRecall asks for judgments by subtopic(.|\n)*column subtopic"):
        evaluate({"q1": {"a": 1}}, files[1], "StRecall@10")
    with pytest.raises(InputError, match="asks for judgments by subtopic"):
        parse("alpha_nDCG@10").score(RankedLists.of([1, 0]))
    with pytest.raises(InputError, match=r"judged twice(.|\n)*alpha_nDCG@10(.|\n)*trec-subtopics"):
        evaluate(files[0], files[1], "nDCG@10")


def test_subtopics_are_written_and_read(tmp_path: Path) -> None:
    """Judgments by subtopic survive in the formats that can hold them; the others refuse them."""
    for name, format_ in (("q.txt", "trec-subtopics"), ("q.csv", None), ("q.jsonl", None), ("q.parquet", None)):
        io.write_judgments(_table(), tmp_path / name, format_)
        again = io.read_judgments(tmp_path / name, format_)
        assert sorted(again.select("query", "document", "subtopic", "grade").rows()) == sorted(
            (q, d, s, float(g)) for q, s, d, g in _table().rows()
        )
    with pytest.raises(InputError, match=r"cannot name the subtopics(.|\n)*trec-subtopics"):
        io.write_judgments(_table(), tmp_path / "q.qrels")


def test_weights_of_subtopics(files: tuple[Path, Path]) -> None:
    """A column of probabilities weighs the subtopics."""
    weighed = _table().with_columns(probability=pl.when(pl.col("subtopic") == "1").then(0.75).otherwise(0.25))
    found = evaluate(weighed, files[1], "StRecall@1").matrix[:, 0]
    np.testing.assert_allclose(found, [0.75, 0.5])


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_rows_without_a_subtopic_are_refused(ending: str, tmp_path: Path, files: tuple[Path, Path]) -> None:
    """An empty cell is an error that names the file and the document; measures of whole documents do without it."""
    frame = _table().with_columns(subtopic=pl.when(pl.col("grade") != "2").then("subtopic"))
    path = tmp_path / f"judged.{ending}"
    frame.write_csv(path) if ending == "csv" else frame.write_ndjson(path)
    for judgments, place in ((path, rf"judged\.{ending}: "), (frame, "")):
        with pytest.raises(InputError, match=f"{place}the judgment of document b of query q1 names no subtopic"):
            evaluate(judgments, files[1], "alpha_nDCG@3")
        with pytest.raises(InputError, match=f"{place}the judgment of document b of query q1 names no group"):
            evaluate(judgments, files[1], "Prefs")
    best = {"q1": {"a": 1, "b": 2, "c": 1}, "q2": {"d": 1, "e": 1}}
    assert evaluate(path, files[1], "nDCG@3")["nDCG@3"] == evaluate(best, files[1], "nDCG@3")["nDCG@3"]


def test_errors_of_judgments_name_the_judgments(files: tuple[Path, Path], tmp_path: Path) -> None:
    """What is wrong with judgments is said of their file, of however many runs."""
    run = files[1]
    plain, below, halves = tmp_path / "plain.csv", tmp_path / "below.txt", tmp_path / "halves.txt"
    plain.write_text("query,document,grade\nq1,a,1\n")
    below.write_text(QRELS.replace("q1 1 a 1", "q1 1 a -2"))
    halves.write_text(QRELS.replace("q1 1 a 1", "q1 1 a 1.5"))
    for runs in (run, {"one": str(run), "two": str(run)}):
        with pytest.raises(InputError, match=r"plain\.csv: alpha_nDCG asks for judgments by subtopic"):
            evaluate(plain, runs, "alpha_nDCG@3")
        with pytest.raises(InputError, match=r"below\.txt: negative grade -2"):
            evaluate(below, runs, "alpha_nDCG@3", negative="refuse")
        with pytest.raises(InputError, match=r"halves\.txt: ndeval does not accept the grade 1\.5"):
            evaluate(halves, runs, "alpha_nDCG@5", dialect="ndeval")
