"""Words for grades, ids that nearly match, and notes: what a user says of files, and what is said to the user."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import rankgauge
from rankgauge import files
from rankgauge.errors import InputError, UnknownNameError
from rankgauge.evaluation.judged_hits import ALL_TIED
from rankgauge.files.mismatch import near_ids
from rankgauge.policies import SameId
from tests.io.test_columns import written

WORDS = ["query,document,grade", "q,a,Good", "q,b,bad", "q,c, perfect ", "q,d,1"]


def test_words_are_grades_by_a_scale(tmp_path: Path) -> None:
    """In every format, by a known scale or one's own; a number stays one."""
    table = written(tmp_path / "j.csv", *WORDS)
    qrels = written(tmp_path / "j.qrels", "q 0 a Good", "q 0 b bad", "q 0 c perfect", "q 0 d 1")
    for path in (table, qrels):
        assert files.read_judgments(path, scale="0-4")["grade"].to_list() == [2, 0, 4, 1]
        assert files.read_judgments(path, scale="good=1,bad=0,perfect=3")["grade"].to_list() == [1, 0, 3, 1]
        assert rankgauge.evaluate(path, {"q": {"b": 2, "a": 1}}, "DCG@2", scale="0-4")["DCG@2"] == pytest.approx(
            2 / 1.5849625
        )
    frame = pl.DataFrame({"query": ["q", "q"], "document": ["a", "b"], "grade": ["E", "Substitute"]})
    assert rankgauge.evaluate(frame, {"q": {"a": 1}}, "CG@1", scale="esci")["CG@1"] == 1
    stars = written(tmp_path / "n.csv", "query,document,stars", "q,a,5", "q,b,1")
    assert files.read_judgments(stars, columns="grade=stars", scale="5=1,1=0")["grade"].to_list() == [1, 0]


def test_an_unknown_word_is_named_with_the_scales_that_know_it(tmp_path: Path) -> None:
    """With its line; a scale that lacks it shows its levels."""
    path = written(tmp_path / "j.csv", *WORDS)
    with pytest.raises(
        InputError, match=r"the grade 'Good' is not a finite number\n.*\n  Words need a scale: --scale 0-4 or"
    ):
        files.read_judgments(path)
    with pytest.raises(
        InputError, match=r"the grade 'Good' is not a level of the scale binary: relevant, not relevant"
    ):
        files.read_judgments(path, scale="binary")
    with pytest.raises(UnknownNameError, match="There is no scale called 'ecsi'"):
        files.read_judgments(path, scale="ecsi")


@pytest.mark.parametrize(
    ("judged", "listed", "rules"),
    [
        (["D1", "D2"], ["d1", "d2"], "casefold"),
        (["7", "8"], ["007", "8.0"], "number"),
        (["d1", "d2"], ["d1 ", " d2"], "trim"),
        (["caf\u00e9", "\u00e9"], ["cafe\u0301", "e\u0301"], "unicode"),
        (["https://a.de/x", "http://a.de/y/"], ["http://a.de/x/", "a.de/y"], "url"),
        (["HTTP://A.de/X", "17"], ["http://a.de/x ", "0017"], "trim,casefold,number"),
    ],
)
def test_ids_that_differ_in_their_spelling_alone(judged: list[str], listed: list[str], rules: str) -> None:
    """Of documents and of queries: the error counts them and names the fewest rules, with which it evaluates."""
    judgments: Any = {"q": dict.fromkeys(judged, 1)}
    run: Any = {"q": dict.fromkeys(listed, 1)}
    with pytest.raises(
        InputError, match=rf"no document .* 2 of its 2 documents .*\n  Make them .* --ids {rules}, or ids="
    ):
        rankgauge.evaluate(judgments, run, "AP")
    assert rankgauge.evaluate(judgments, run, "AP", ids=rules)["AP"] == 1
    judgments, run = {one: {"d": 1} for one in judged}, {one: {"d": 1} for one in listed}
    with pytest.raises(InputError, match=rf"no query .* 2 of its 2 queries .*\n  Make them .* --ids {rules}, or ids="):
        rankgauge.evaluate(judgments, run, "AP")
    assert rankgauge.evaluate(judgments, run, "AP", ids=rules.split(","))["AP"] == 1


def test_near_ids_of_regular_files(tmp_path: Path) -> None:
    """A scan looks at the files again only where nothing is judged; other documents are just not judged."""
    qrels = written(tmp_path / "qrels.txt", "q1 0 D1 1", "q1 0 D2 0")
    run = written(tmp_path / "run.txt", "q1 Q0 d1 1 9 x", "q1 Q0 d3 2 8 x")
    with pytest.raises(
        InputError, match=r"1 of its 2 documents are judged under another spelling, such as 'd1' for 'D1'"
    ):
        rankgauge.evaluate(qrels, run, "AP")
    assert rankgauge.evaluate(qrels, run, "AP", ids="casefold")["AP"] == 1
    other = written(tmp_path / "other.txt", "q1 Q0 x1 1 9 x", "q1 Q0 x3 2 8 x")
    assert rankgauge.evaluate(qrels, other, "AP")["AP"] == 0


def test_next_to_no_judged_document_is_noted(tmp_path: Path) -> None:
    """One in a thousand matches, the others in another case: a note, since the value means something."""
    judgments = {"q": {f"D{n}": 1 for n in range(300)} | {"same": 1}}
    run = {"q": {f"d{n}": 1000 - n for n in range(300)} | {"same": 0}}
    thin, said = rankgauge.evaluate(judgments, run, "AP").notes
    assert thin.startswith("hardly anything of the run is judged: 1 of the 301")
    assert said.startswith("hardly a document of the run is judged, but 301 of its 301 documents")
    assert said.endswith("--ids casefold, or ids='casefold' in Python makes them the same")
    assert rankgauge.evaluate(judgments, run, "AP", ids="casefold").notes == ()


@pytest.mark.parametrize("kind", ["csv", "trec"])
def test_queries_that_are_spelled_otherwise_are_noted(tmp_path: Path, kind: str) -> None:
    """Some queries match, others but for their case, which count 0: a note counts these and names the rule."""
    named = {"csv": ("query,document,grade", "Q1,a,1", "q2,a,1", "Q3,a,1", "q4,a,1"), "trec": ()}[kind]
    plain = ("Q1 0 a 1", "q2 0 a 1", "Q3 0 a 1", "q4 0 a 1")
    qrels = written(tmp_path / f"qrels.{kind}", *(named or plain))
    run = written(tmp_path / "run.txt", *(f"{query} Q0 a 1 9 x" for query in ("q1", "q2", "q3", "x5")))
    found = rankgauge.evaluate(qrels, run, "AP")
    said = "2 of its 3 unjudged queries are judged under another spelling, such as 'q1' for 'Q1': --ids casefold"
    assert found["AP"] == 0.25
    assert any(one.startswith(said) for one in found.notes)
    mended = rankgauge.evaluate(qrels, run, "AP", ids="casefold")
    assert mended["AP"] == 0.75
    assert not any("spelling" in one for one in mended.notes)


def test_a_part_that_is_spelled_otherwise_is_noted(tmp_path: Path) -> None:
    """Some documents of a table match, others but for their case: a note counts these and names the rule."""
    qrels = written(tmp_path / "ratings.csv", "query,document,grade", "q1,D1,1", "q1,d2,0", "q1,d4,0", "q1,D4,1")
    run = written(tmp_path / "run.csv", "query,document,score", "q1,d1,9", "q1,d2,8", "q1,d3,7", "q1,d4,6")
    (said,) = rankgauge.evaluate(qrels, run, "AP").notes
    assert said.startswith("1 of its 2 unjudged documents is judged under another spelling, such as 'd1' for 'D1'")
    assert said.endswith("--ids casefold, or ids='casefold' in Python makes them the same")


def test_a_query_that_is_spelled_otherwise_beside_one_without_judged_documents(tmp_path: Path) -> None:
    """The documents are the same, and their query is not: it is the example."""
    qrels = written(tmp_path / "qrels.txt", "1 0 a 1", "1 0 b 1", "2 0 a 1")
    run = written(tmp_path / "run.txt", "001 Q0 a 1 2 x", "2 Q0 b 1 1 x")
    with pytest.raises(InputError, match=r"1 of its 2 documents .* such as '001' for '1'\n  .*--ids number"):
        rankgauge.evaluate(qrels, run, "AP")
    assert rankgauge.evaluate(qrels, run, "AP", ids="number").by_query["1"]["AP"] == 1 / 2


def test_near_ids_need_a_reason() -> None:
    """Ids that have nothing in common are not near, nor are those that are the same already."""
    frame = pl.DataFrame({"query": ["q"], "document": ["a"]})
    assert near_ids(frame, frame, of="document") is None
    assert near_ids(frame, frame.with_columns(document=pl.lit("b")), of="document") is None
    near = near_ids(frame, frame.with_columns(document=pl.lit("A")), of="document")
    assert near is not None
    assert (near.rules, near.run, near.judged) == ((SameId.CASEFOLD,), "A", "a")


def test_scores_that_say_nothing_are_noted(tmp_path: Path) -> None:
    """All the same in each list: the note names the option that keeps the file's order; it is not about single ties."""
    qrels = written(tmp_path / "qrels.txt", "q1 0 a 1", "q1 0 b 0")
    tied = written(tmp_path / "tied.txt", "q1 Q0 b 1 1 x", "q1 Q0 a 2 1 x")
    assert rankgauge.evaluate(qrels, tied, "RR").notes == (f"{tied}: {ALL_TIED}",)
    kept = rankgauge.evaluate(qrels, tied, "RR", ties="input")
    assert (kept["RR"], kept.notes) == (1 / 2, ())
    partly = written(tmp_path / "partly.txt", "q1 Q0 b 1 1 x", "q1 Q0 a 2 1 x", "q1 Q0 c 3 0 x")
    assert rankgauge.evaluate(qrels, partly, "RR").notes == ()
