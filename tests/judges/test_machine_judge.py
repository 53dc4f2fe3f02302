"""Machine judges: grades, chances and confidence from any file of judgments."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rankgauge.errors import InputError
from rankgauge.judgments.llm.machine_judge import MachineJudge, place_on_scale, steps

IDS = pl.DataFrame({"query": ["1", "1", "2"], "document": ["a", "b", "c"]})


def test_files(tmp_path: Path) -> None:
    """A qrels file, a table with other names, and Python's own dicts hold the same judge."""
    (tmp_path / "llm.qrels").write_text("1 0 a 2\n1 0 b 0\n2 0 c 1\n", encoding="utf-8")
    (tmp_path / "llm.csv").write_text("qid,docno,rating\n1,a,2\n1,b,0\n2,c,1\n", encoding="utf-8")
    sources = (tmp_path / "llm.qrels", tmp_path / "llm.csv", {"1": {"a": 2, "b": 0}, "2": {"c": 1}})
    frames = [MachineJudge.read(source).of(IDS)["grade"].to_list() for source in sources]
    assert frames == [[2.0, 0.0, 1.0]] * 3
    assert MachineJudge.read(sources[0]).name == "llm"
    assert MachineJudge.read(sources[0], "gpt").grades == (0.0, 1.0, 2.0)


def test_a_grade_that_is_missing_is_none() -> None:
    """Blank cells are documents that the judge did not grade."""
    judge = MachineJudge.read(IDS.with_columns(grade=pl.Series(["2", "", "0"])))
    said = judge.of(IDS)
    assert said["grade"].to_list() == [2.0, None, 0.0]
    assert np.isnan(steps(said)[1]).all()


def test_chances_are_soft_steps() -> None:
    """With chances a step is the chance of reaching the level, and the likeliest grade is the grade."""
    told = IDS.with_columns(
        p_0=pl.Series([0.7, 0.1, None]), p_1=pl.Series([0.2, 0.3, None]), p_2=pl.Series([0.1, 0.6, None])
    )
    judge = MachineJudge.read(told)
    assert judge.frame["grade"].to_list() == [0.0, 2.0]
    assert steps(judge.of(IDS))[:2] == pytest.approx(np.array([[0.3, 0.1], [0.9, 0.6]]))
    assert np.isnan(steps(judge.of(IDS))[2]).all()


def test_confidence_draws_towards_the_mean() -> None:
    """A judge that is not sure of a grade says as much as its mean."""
    judge = MachineJudge.read(IDS.with_columns(grade=pl.Series([1, 0, 1]), confidence=pl.Series([1.0, 1.0, 0.0])))
    assert steps(judge.of(IDS))[:, 0] == pytest.approx([1, 0, 2 / 3])


def test_several_samples_are_averaged() -> None:
    """Grades of one document by several assessors of a file are one grade, their mean."""
    rows = pl.concat([IDS, IDS]).with_columns(grade=pl.Series([0, 1, 2, 1, 1, 2]), assessor=pl.Series(list("xxxyyy")))
    assert MachineJudge.read(rows).of(IDS)["grade"].to_list() == [0.5, 1.0, 2.0]


def test_many_levels_are_few_steps() -> None:
    """A score that differs from document to document becomes ten steps."""
    many = pl.DataFrame(
        {"query": ["1"] * 300, "document": [str(n) for n in range(300)], "grade": np.linspace(0, 1, 300)}
    )
    judge = MachineJudge.read(many)
    assert steps(judge.of(many.select("query", "document"))).shape == (300, 10)


def test_another_scale_is_stretched() -> None:
    """Grades of a scale that is not ours go to the place as far up."""
    ours = np.array([0.0, 1.0, 2.0, 3.0])
    assert place_on_scale(np.array([0.0, 50.0, 100.0]), np.array([0.0, 50.0, 100.0]), ours).tolist() == [0, 1, 3]
    assert place_on_scale(np.array([0.0, 1.0]), np.array([0.0, 1.0]), ours).tolist() == [0, 1]
    junk = np.array([-2.0, 0.0, 1.0, 3.0])
    assert place_on_scale(junk, junk, ours).tolist() == [0, 0, 1, 3]  # below the lowest is the lowest


def test_words_are_grades() -> None:
    """Booleans everywhere, other words if they are named."""
    told = IDS.with_columns(grade=pl.Series(["Good", "bad", "2"]))
    assert MachineJudge.read(told, words={"good": 1, "bad": 0}).of(IDS)["grade"].to_list() == [1, 0, 2]
    assert MachineJudge.read(IDS.with_columns(grade=pl.Series([True, False, True]))).grades == (0.0, 1.0)


def test_a_document_is_graded_once() -> None:
    """The same row again changes nothing; another grade is refused."""
    rows = pl.concat([IDS, IDS[:1]])
    assert len(MachineJudge.read(rows.with_columns(grade=pl.Series([1, 0, 2, 1]))).frame) == 3
    with pytest.raises(InputError, match="document a of query 1 is graded 1 and 3"):
        MachineJudge.read(rows.with_columns(grade=pl.Series([1, 0, 2, 3])))


def test_a_table_without_a_query(tmp_path: Path) -> None:
    """What is missing is said."""
    (tmp_path / "llm.csv").write_text("document,grade\na,1\n", encoding="utf-8")
    with pytest.raises(InputError, match="no column for query"):
        MachineJudge.read(tmp_path / "llm.csv")


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"grade": ["2", "good", "1"]}, "the judge's grade 'good' is not a number"),
        ({"grade": [1, 2, 3], "confidence": [90, 50, 10]}, "a confidence is not between 0 and 1"),
        ({"p_0": [0.5, 0.5, 0.5], "p_1": [0.5, 0.9, 0.5]}, "do not add up to 1"),
        ({"p_0": [None, 0.5, 0.5], "p_1": [5.0, 0.5, 0.5]}, "some of the chances p_0, p_1 of a document are missing"),
        ({"grade": ["", "", ""]}, "the judge gave no grade"),
    ],
)
def test_mistakes(columns: dict[str, list[object]], words: str) -> None:
    """What is no grade is said."""
    with pytest.raises(InputError, match=words):
        MachineJudge.read(IDS.with_columns(**{name: pl.Series(cells) for name, cells in columns.items()}))
