"""LETOR files and the scores beside them."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from rankgauge import evaluate, files
from rankgauge.errors import InputError
from rankgauge.policies import Duplicates, FractionalGrade, Grouping
from tests.shared import shared

LINES = "2 qid:10 1:0.5 2:0.1 #docid = A inc = 1 prob = 0.2\n0 qid:10 1:0.4 # docid=B\n1 qid:7 1:0.3 # C\n"
JUDGED = [("10", "A", 2.0), ("10", "B", 0.0), ("7", "C", 1.0)]


def written(folder: Path, text: str, name: str = "file.txt") -> Path:
    """A file with that text."""
    path = folder / name
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    "text", [LINES, "# head\n\n" + LINES, LINES.replace("\n", "\r\n"), LINES.replace(" qid", "\tqid")]
)
def test_every_form_of_comment_names_the_document(tmp_path: Path, text: str) -> None:
    """`#docid = A`, `# docid=B` and `# C` are the same kind of comment."""
    judgments, run = files.read_letor(written(tmp_path, text))
    assert (judgments.rows(), run) == (JUDGED, None)


def test_documents_without_a_name_are_called_after_their_place(tmp_path: Path) -> None:
    """The position is counted within the query, even if its lines are not adjacent."""
    path = written(tmp_path, "1 qid:a 1:1\n0 qid:b 1:1\n2 qid:a 1:1\n")
    assert files.read_judgments(path).rows() == [("a", "a-1", 1.0), ("b", "b-1", 0.0), ("a", "a-2", 2.0)]


def test_scores_make_the_run(tmp_path: Path) -> None:
    """The n-th score belongs to the n-th document, whatever blank lines are between."""
    scores = written(tmp_path, "1.5\n\n-2e-1\n7\n", "scores.txt")
    _, run = files.read_letor(written(tmp_path, LINES), scores)
    assert run is not None
    assert run.rows() == [("10", "A", 1.5), ("10", "B", -0.2), ("7", "C", 7.0)]


@pytest.mark.parametrize(
    ("scores", "line", "problem"),
    [
        ("1\n2\n", None, "too few scores: 2 for the 3 documents"),
        ("1\n2\n3\n\n4\n5\n", 5, "too many scores: 5 for the 3 documents"),
        ("1\n2 3\n4\n", 2, "one score per line"),
        ("1\nhigh\n4\n", 2, "the score 'high' is not a number"),
        ("1\n2\nnan\n", 3, "the score 'nan' is not a number"),
    ],
)
def test_scores_that_do_not_match_are_refused(tmp_path: Path, scores: str, line: int | None, problem: str) -> None:
    """One clear error names the scores file and the line where it goes wrong."""
    path = written(tmp_path, scores, "scores.txt")
    with pytest.raises(InputError, match=problem) as caught:
        files.read_letor(written(tmp_path, LINES), path)
    assert (caught.value.path, caught.value.line) == (str(path), line)


def test_a_word_among_many_scores_is_named(tmp_path: Path) -> None:
    """A file of scores with a mistake is still one, so that the error names the line."""
    judged = written(tmp_path, "".join(f"{n % 2} qid:{n // 5} 1:1\n" for n in range(20)))
    scores = written(tmp_path, "1\n2\n3\nhigh\n" + "4\n" * 16, "scores.txt")
    with pytest.raises(InputError, match="the score 'high' is not a number") as caught:
        evaluate(judged, scores, "AP")
    assert (caught.value.path, caught.value.line) == (str(scores), 4)


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        (LINES + "1 10 1:2\n", 4, "qid:query"),
        (LINES + "x qid:10 1:2 # D\n", 4, "the grade 'x' is not a finite number"),
        (LINES + "1 qid:10 1:2 #docid = B\n", 4, "document B of query 10 is judged twice"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, text: str, line: int, problem: str) -> None:
    """An error shows the line and what was expected."""
    with pytest.raises(InputError, match=problem) as caught:
        files.read_judgments(written(tmp_path, text))
    assert caught.value.line == line


def test_duplicates_are_kept_as_the_scripts_keep_them(tmp_path: Path) -> None:
    """`last` keeps the last line of a document with its score, `rows` every line under a name of its own."""
    letor = written(tmp_path, "2 qid:1 1:1 #docid = A\n1 qid:1 1:1 #docid = B\n0 qid:1 1:1 #docid = A\n")
    scores = written(tmp_path, "3\n2\n1\n", "scores.txt")
    last, last_run = files.read_letor(letor, scores, duplicates="last")
    rows, rows_run = files.read_letor(letor, scores, duplicates="rows")
    assert last_run is not None
    assert rows_run is not None
    assert (last.rows(), last_run.rows()) == ([("1", "B", 1.0), ("1", "A", 0.0)], [("1", "B", 2.0), ("1", "A", 1.0)])
    assert rows.rows() == [("1", "1-1", 2.0), ("1", "1-2", 1.0), ("1", "1-3", 0.0)]
    assert rows_run["score"].to_list() == [3.0, 2.0, 1.0]


@pytest.mark.parametrize(
    ("part", "documents", "queries"), [("S1", 2933, 157), ("S2", 3635, 157), ("S3", 3062, 157), ("S4", 2707, 157)]
)
def test_mq2008_is_read_whole(part: str, documents: int, queries: int) -> None:
    """Every document of a real part has its grade, query and id as a plain split of its line gives them."""
    path = shared(f"data/mq2008/{part}.txt")
    expected = []
    for line in path.read_text().splitlines():
        fields = line.split()
        expected.append((fields[1].removeprefix("qid:"), fields[fields.index("#docid") + 2], float(fields[0])))
    judgments = files.read_judgments(path)
    assert judgments.rows() == expected
    assert (len(judgments), judgments["query"].n_unique()) == (documents, queries)


def test_mq2008_is_read_fast() -> None:
    """A part of 1.8 MB takes well under a tenth of a second of the processor; the best of five."""
    path = shared("data/mq2008/S1.txt")
    taken = []
    for _ in range(5):
        start = time.process_time()
        files.read_judgments(path)
        taken.append(time.process_time() - start)
    assert min(taken) < 0.1


def test_mslr_documents_have_no_names() -> None:
    """MSLR's lines carry no comment, so the documents are called after their places."""
    judgments = files.read_judgments(shared("data/mslr_sample/msn1.fold1.test.5k.txt"))
    assert judgments.row(0) == ("13", "13-1", 2.0)
    assert len(judgments) == 5000


@pytest.mark.parametrize(("case", "few"), [("scores_too_few", True), ("scores_too_many", False)])
def test_golden_cases_with_wrong_numbers_of_scores(case: str, few: bool) -> None:
    """The golden cases with three scores too few and too many are refused."""
    folder = shared(f"golden/{case}")
    with pytest.raises(InputError, match="too few scores: 24 for the 27" if few else "too many scores: 30 for the 27"):
        files.read_pair(folder / "input.txt", folder / "scores.txt")


def test_lists_begin_where_the_query_changes(tmp_path: Path) -> None:
    """With that grouping a query that comes back is another list, and documents are counted in their lists."""
    letor = written(tmp_path, "2 qid:1 1:1\n1 qid:1 1:1\n0 qid:2 1:1\n1 qid:1 1:1\n1 qid:2 1:1\n2 qid:1 1:1\n")
    reading = files.Reading(grouping=Grouping.CHANGE, duplicates=Duplicates.ROWS)
    judgments, _ = files.read_pair(letor, written(tmp_path, "1\n2\n3\n4\n5\n6\n", "scores.txt"), reading=reading)
    assert judgments["query"].to_list() == ["1", "1", "2", "1 (2)", "2 (2)", "1 (3)"]
    assert judgments["document"].to_list() == ["1-1", "1-2", "2-1", "1 (2)-1", "2 (2)-1", "1 (3)-1"]


def test_grades_written_with_a_point(tmp_path: Path) -> None:
    """Where a tool refuses them, the error names the line; otherwise 1.0 is 1."""
    letor, scores = written(tmp_path, "1 qid:1 1:1\n1.0 qid:1 1:1\n"), written(tmp_path, "1\n2\n", "scores.txt")
    assert files.read_pair(letor, scores)[0]["grade"].to_list() == [1.0, 1.0]
    with pytest.raises(InputError, match=r"the grade '1\.0' is not written as a whole number") as caught:
        files.read_pair(letor, scores, reading=files.Reading(fractional=FractionalGrade.REFUSE))
    assert caught.value.line == 2


def test_surplus_scores_can_be_left_unread(tmp_path: Path) -> None:
    """With extra_scores, everything past the last document's score is ignored."""
    letor, scores = written(tmp_path, LINES), written(tmp_path, "1\n2\n3\n\n4\n5\n", "scores.txt")
    _, run = files.read_pair(letor, scores, reading=files.Reading(extra_scores=True))
    assert run["score"].to_list() == [1.0, 2.0, 3.0]
