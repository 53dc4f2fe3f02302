"""TREC qrels and run files."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from rankgauge import evaluate, files
from rankgauge.errors import InputError
from tests.shared import shared

RUN = "q1 Q0 d1 1 2.5 tag\nq1 Q0 d2 2 -1e-3 tag\nq2 Q0 d1 1 7 tag\n"
RUN_ROWS = [("q1", "d1", 2.5), ("q1", "d2", -0.001), ("q2", "d1", 7.0)]


def written(folder: Path, text: str, name: str = "file.txt") -> Path:
    """A file with that text."""
    path = folder / name
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize(
    "text",
    [
        RUN,
        RUN.replace(" ", "\t"),
        RUN.replace(" ", " \t\v\f  "),
        RUN.replace("\n", "\r\n"),
        RUN.replace("\n", "  \n\n"),
        "  " + RUN.replace("\n", "\n  "),
        "# a comment\n" + RUN.replace("\n", "\n  # another one, indented\n"),
        RUN.rstrip("\n"),
        RUN.replace(" tag", ""),
        RUN.replace("tag", "tag and more that is ignored"),
        "\ufeff" + RUN,
        "\ufeff# a comment\n" + RUN,
    ],
    ids=[
        "blanks",
        "tabs",
        "mixed",
        "crlf",
        "blank-lines",
        "indented",
        "comments",
        "no-end",
        "no-tag",
        "more",
        "bom",
        "bom#",
    ],
)
def test_white_space_and_comments_change_nothing(tmp_path: Path, text: str) -> None:
    """The same run is read whatever white space separates its fields and whatever comments are between its lines."""
    assert files.read_run(written(tmp_path, text)).rows() == RUN_ROWS


def test_an_id_may_hold_a_hash(tmp_path: Path) -> None:
    """Only a line that begins with `#` is a comment."""
    path = written(tmp_path, "1 0 doc_50#13_30 2\n#1 0 doc_51 1\n")
    assert files.read_judgments(path).rows() == [("1", "doc_50#13_30", 2.0)]


def test_unicode_blanks_and_quotes_belong_to_ids(tmp_path: Path) -> None:
    """White space is what C's isspace calls so; a no-break space, quotes and commas are part of an id."""
    path = written(tmp_path, 'q\u00a0ö 0 "d,1 1\nq\u00a0ö 0 d2"\u2028😀 0\n')
    assert files.read_judgments(path).rows() == [("q\u00a0ö", '"d,1', 1.0), ("q\u00a0ö", 'd2"\u2028😀', 0.0)]


def test_grades_may_be_negative_or_fractional(tmp_path: Path) -> None:
    """A grade is any finite number; what a negative one means is the dialect's choice."""
    path = written(tmp_path, "1 0 a -2\n1 0 b 0.5\n1 0 c 1e1\n")
    assert files.read_judgments(path)["grade"].to_list() == [-2.0, 0.5, 10.0]


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("1 0 a 1\n1 0 b\n", 2, "four fields"),
        ("# c\n\n1 0 a 1\n1 0 b 2 junk\n", 4, "four fields"),
        ("1 0 a 1\n1 0 b x\n", 2, "the grade 'x' is not a finite number"),
        ("1 0 a 1\n1 0 b nan\n", 2, "the grade 'nan' is not a finite number"),
        ("1 0 a 1\n1 0 b -inf\n", 2, "the grade '-inf' is not a finite number"),
        ("1 0 a 1\n#\n1 0 a 0\n", 3, "document a of query 1 is judged twice: grade 1, then 0; first on line 1"),
        ("1 0 a 1\n2 0 a 1\n1 5 a 2\n", 3, "document a of query 1 is judged twice: grade 1, then 2"),
    ],
)
def test_a_bad_judgment_is_named_by_its_line(tmp_path: Path, text: str, line: int, problem: str) -> None:
    """An error shows the path, the line's number, the line and what was expected."""
    path = written(tmp_path, text)
    with pytest.raises(InputError, match=problem) as caught:
        files.read_judgments(path)
    assert (caught.value.path, caught.value.line) == (str(path), line)
    assert caught.value.text == text.split("\n")[line - 1]


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        (RUN + "q2 Q0 d9 2\n", 4, "six fields"),
        (RUN + "q2 Q0 d9 2 high tag\n", 4, "the score 'high' is not a number"),
        ("# c\n" + RUN + "q2 Q0 d9 2 NaN tag\n", 5, "the score 'NaN' is not a number"),
        (RUN + "q2 Q0 d9 2 1,5 tag\n", 4, "the score '1,5' is not a number"),
    ],
)
def test_a_bad_line_of_a_run_is_named(tmp_path: Path, text: str, line: int, problem: str) -> None:
    """The same for runs."""
    with pytest.raises(InputError, match=problem) as caught:
        files.read_run(written(tmp_path, text))
    assert caught.value.line == line


def test_text_that_is_not_utf8_is_named_by_its_line(tmp_path: Path) -> None:
    """Bytes that are no UTF-8 are refused with their line, not turned into other ids."""
    path = tmp_path / "run.txt"
    path.write_bytes(RUN.encode() + b"q2 Q0 caf\xe9 2 1 tag\n")
    with pytest.raises(InputError, match="is not UTF-8 text") as caught:
        files.read_run(path)
    assert caught.value.line == 4


def test_the_iteration_may_name_the_assessor(tmp_path: Path) -> None:
    """Judgments of several assessors are told apart by the second field in `trec-assessors`, and only there."""
    path = written(tmp_path, "1 anna d 2\n1 ben d 0\n")
    assert files.read_judgments(path, "trec-assessors").rows() == [("1", "d", 2.0, "anna"), ("1", "d", 0.0, "ben")]
    with pytest.raises(InputError, match="judged twice"):
        files.read_judgments(path)


def test_a_run_is_written_as_trec_eval_reads_it(tmp_path: Path) -> None:
    """Ranks follow the falling score, rows keep their order, whole numbers have no point."""
    frame = pl.DataFrame({"query": ["q", "q", "q"], "document": ["a", "b", "c"], "score": [1.0, 2.5, 1.0]})
    files.write_run(frame, tmp_path / "r.run", tag="mine")
    assert (tmp_path / "r.run").read_text() == "q Q0 a 2 1 mine\nq Q0 b 1 2.5 mine\nq Q0 c 3 1 mine\n"


def test_judgments_are_written_as_every_tool_reads_them(tmp_path: Path) -> None:
    """A grade of 1 is written `1`: LETOR's and gdeval's scripts refuse `1.0`."""
    files.write_judgments({"q": {"a": 1, "b": 0.5, "c": -1}}, tmp_path / "j.qrels")
    assert (tmp_path / "j.qrels").read_text() == "q 0 a 1\nq 0 b 0.5\nq 0 c -1\n"


@pytest.mark.parametrize("name", ["a b", "a\tb", "a\nb", "a\u3000b", "a\0"])
def test_ids_with_white_space_are_refused_by_the_writer(tmp_path: Path, name: str) -> None:
    """What would not read back is not written, and the file that was there stays."""
    path = written(tmp_path, "old", "j.qrels")
    with pytest.raises(InputError, match="white space"):
        files.write_judgments({"q": {name: 1}}, path)
    assert path.read_text() == "old"


def test_a_query_like_a_comment_is_refused_by_the_writer(tmp_path: Path) -> None:
    """A line that begins with `#` would be skipped on reading."""
    with pytest.raises(InputError, match="begins with '#'"):
        files.write_judgments({"#q": {"d": 1}}, tmp_path / "j.qrels")


@pytest.mark.parametrize(
    ("name", "rows"), [("qrels.test", 3681), ("qrels.test.with-comments", 3681), ("qrels.comment.test", 5890)]
)
def test_trec_evals_own_judgments_are_read(name: str, rows: int) -> None:
    """trec_eval's test files are read to the last line, with and without comments."""
    path = shared(f"data/trec_eval_test/{name}")
    lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    judgments = files.read_judgments(path)
    assert len(judgments) == len(lines) == rows
    fields = [line.split() for line in lines]
    assert judgments.rows() == [(query, document, float(grade)) for query, _, document, grade in fields]


def test_comments_do_not_change_trec_evals_judgments() -> None:
    """The file with comments holds the same table as the one without, but for one id into which it puts a `#`."""
    plain, commented = (
        files.read_judgments(shared(f"data/trec_eval_test/{name}"))
        for name in ("qrels.test", "qrels.test.with-comments")
    )
    assert commented.with_columns(pl.col("document").str.replace("CR#93E", "CR93E")).equals(plain)


def test_trec_evals_own_run_is_read() -> None:
    """A run of 30,100 lines whose document ids hold a `#`."""
    path = shared("data/trec_eval_test/results.comment.test")
    fields = [line.split() for line in path.read_text().splitlines()]
    assert files.read_run(path).rows() == [(f[0], f[2], float(f[4])) for f in fields]


@pytest.mark.parametrize("grade", ["1", "0"])
def test_subtopics_are_not_misread(tmp_path: Path, grade: str) -> None:
    """Diversity qrels and qrels of several judges have a line per subtopic or judge: they are no plain judgments."""
    path = tmp_path / "qrels.txt"
    path.write_text(f"# subtopics\n1 1 d1 1\n1 1 d2 0\n1 2 d1 {grade}\n2 1 d1 1\n")
    (tmp_path / "run.txt").write_text("1 Q0 d1 1 1 t\n")
    for read in (files.read_judgments, lambda qrels: evaluate(qrels, tmp_path / "run.txt", "AP")):
        with pytest.raises(
            InputError, match=r"for 1 and for 2 in the second(.|\n)*trec-assessors(.|\n)*subtopics"
        ) as caught:
            read(path)
        assert caught.value.line == 4
    assert files.read_judgments(path, "trec-assessors")["assessor"].to_list() == ["1", "1", "2", "1"]
