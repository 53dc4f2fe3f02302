"""Which file is what, and which of two is the run."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from rankgauge import files
from rankgauge.errors import InputError, UnknownNameError
from tests.shared import shared

FILES = {
    "qrels": ("1 0 a 2\n1 0 b 0\n", "trec", files.Kind.JUDGMENTS),
    "numbers": ("1 0 17 2\n1 0 18 0\n", "trec", files.Kind.JUDGMENTS),
    "run": ("1 Q0 a 1 2.5 t\n1 Q0 b 2 1.5 t\n", "trec", files.Kind.RUN),
    "commented run": ("# made by us\n\n1 Q0 a 1 2.5 t\n", "trec", files.Kind.RUN),
    "letor": ("2 qid:1 1:0.5 2:1 #docid = a\n0 qid:1 1:0.5 2:2 #docid = b\n", "letor", files.Kind.JUDGMENTS),
    "scores": ("0.5\n1\n", "letor", files.Kind.COMPANION),
    "labels": ("2 0\n1 0 0\n", "yahoo", files.Kind.JUDGMENTS),
    "jsonl": ('{"query": "1", "document": "a", "grade": 1}\n', "jsonl", files.Kind.JUDGMENTS),
    "jsonl run": ('{"query": "1", "document": "a", "score": 1}\n', "jsonl", files.Kind.RUN),
    "csv": ("query,docid,rating\n1,a,1\n", "csv", files.Kind.JUDGMENTS),
    "csv run": ("qid,docno,score,rank\n1,a,1,1\n", "csv", files.Kind.RUN),
    "xml": ('<task id="1"><document id="a" relevance="vital"/></task>', "romip", files.Kind.JUDGMENTS),
    "xml run": ('<taskresult><doclist taskID="1"><docID>a</docID></doclist></taskresult>', "romip", files.Kind.RUN),
}
JUDGMENTS = ["qrels", "letor", "jsonl", "csv", "xml"]
RUNS = ["run", "commented run", "jsonl run", "csv run", "xml run"]


def file(folder: Path, name: str) -> Path:
    """The file of that name, which does not tell its format."""
    path = folder / f"{name}.txt"
    path.write_text(FILES[name][0])
    return path


@pytest.mark.parametrize("name", FILES)
def test_the_first_lines_tell_the_format(tmp_path: Path, name: str) -> None:
    """Every format is recognised under the name `.txt`."""
    found = files.detect(file(tmp_path, name))
    assert (found.format.name, found.kind) == FILES[name][1:]


@pytest.mark.parametrize(("judged", "ran"), [*itertools.product(JUDGMENTS, RUNS)])
def test_any_judgments_go_with_any_run(tmp_path: Path, judged: str, ran: str) -> None:
    """Each of two files is read in its own format."""
    judgments, run = files.read_pair(file(tmp_path, judged), file(tmp_path, ran))
    assert judgments.row(0)[:2] == run.row(0)[:2] == ("1", "a")


@pytest.mark.parametrize(("judged", "ran"), [*itertools.product(JUDGMENTS, RUNS), ("letor", "scores")])
def test_two_swapped_files_are_found_out(tmp_path: Path, judged: str, ran: str) -> None:
    """The run first and the judgments second is an error that shows the right order."""
    with pytest.raises(InputError, match="the two files seem to be in the wrong order"):
        files.read_pair(file(tmp_path, ran), file(tmp_path, judged))


def test_two_files_of_one_kind_are_refused(tmp_path: Path) -> None:
    """Two runs are no judgments and run, in either order."""
    with pytest.raises(InputError, match="are not judgments and a run"):
        files.read_pair(file(tmp_path, "run"), file(tmp_path, "csv run"))


def test_scores_need_their_letor_file(tmp_path: Path) -> None:
    """A column of numbers alone is no run, nor beside judgments in another format."""
    with pytest.raises(InputError, match="read beside its LETOR file"):
        files.read_run(file(tmp_path, "scores"))
    with pytest.raises(InputError, match="are not judgments and a run"):
        files.read_pair(file(tmp_path, "qrels"), file(tmp_path, "scores"))


def test_the_wrong_kind_of_file_is_named(tmp_path: Path) -> None:
    """Asking judgments of a run says what the file holds."""
    with pytest.raises(InputError, match="contains a run"):
        files.read_judgments(file(tmp_path, "run"))
    with pytest.raises(InputError, match="contains judgments"):
        files.read_run(file(tmp_path, "letor"))


def test_a_named_format_is_believed(tmp_path: Path) -> None:
    """Lines of four numbers are TREC's unless the user says otherwise."""
    path = tmp_path / "labels.txt"
    path.write_text("2 1 0 1\n0 0 0 2\n")
    assert len(files.read_judgments(path)) == 2
    assert len(files.read_judgments(path, "yahoo")) == 8
    with pytest.raises(UnknownNameError, match="Did you mean yahoo"):
        files.read_judgments(path, "yaho")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "is empty"),
        (b"\n# only\n  # comments\n\n", "only blank lines and comments"),
        (bytes(range(256)), "is not a text file"),
        (b"\x7fELF\x02\x01\x01" + bytes(100), "is not a text file"),
        (b"hello world\n", "the format is not recognised"),
    ],
)
def test_what_is_no_table_is_refused(tmp_path: Path, content: bytes, problem: str) -> None:
    """Empty files, comments only and junk get one clear error, whoever reads them."""
    path = tmp_path / "file"
    path.write_bytes(content)
    for read in (files.detect, files.read_judgments, files.read_run):
        with pytest.raises(InputError, match=problem) as caught:
            read(path)
        assert caught.value.path == str(path)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """A slip in a name is answered with the name that is there; a directory is no file."""
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n")
    with pytest.raises(InputError, match=r"no such file\n.*Did you mean .*qrels\.txt"):
        files.read_judgments(tmp_path / "qerls.txt")
    with pytest.raises(InputError, match="is a directory"):
        files.read_judgments(tmp_path)


@pytest.mark.parametrize("given", ["path", "text", "dict"])
def test_judgments_and_runs_come_from_files_or_tables(tmp_path: Path, given: str) -> None:
    """Where a table is wanted a path will do."""
    path = file(tmp_path, "qrels")
    forms = {"path": path, "text": str(path), "dict": {"1": {"a": 2, "b": 0}}}
    assert files.judgments_from(forms[given]).rows() == [("1", "a", 2.0), ("1", "b", 0.0)]
    assert files.run_from({"1": {"a": 2}}).rows() == [("1", "a", 2.0)]
    assert len(files.run_from(file(tmp_path, "run"))) == 2


@pytest.mark.parametrize("case", ["random200_l4", "one_query_l2", "single_doc_l2", "all_empty", "interleaved_qids"])
def test_golden_pairs_hold_the_same_grades(case: str) -> None:
    """One case in three formats: the grades of each query are the same."""
    folder = shared(f"golden/{case}")
    letor, _ = files.read_pair(folder / "input.txt", folder / "scores.txt")
    trec, run = files.read_pair(folder / "qrels.txt", folder / "run.txt")
    yahoo, ranks = files.read_pair(folder / "yahoo_labels.txt", folder / "yahoo_ranks.txt")
    assert letor.sort("query", "document").equals(trec.sort("query", "document"))
    assert yahoo["grade"].sort().equals(trec["grade"].sort())
    assert len(run) == len(ranks) == len(trec)
    with pytest.raises(InputError, match="wrong order"):
        files.read_pair(folder / "scores.txt", folder / "input.txt")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"1 d1 3.0\n1 d2 2.0\n", "A line of a TREC run is: query Q0 document rank score tag"),
        (b"1 d1 3.0\n1 d2 2.0\n", "one of TREC judgments: query 0 document grade"),
        (b"1,d1,3.0\n1,d2,2.0\n", "A table begins with the names of its columns: query,document,score"),
    ],
)
def test_what_is_nearly_a_file_is_told_what_lacks(tmp_path: Path, content: bytes, words: str) -> None:
    """Fields between blanks are shown the lines of TREC files, cells without a header the names of columns."""
    (tmp_path / "run.txt").write_bytes(content)
    with pytest.raises(InputError, match=words):
        files.read_run(tmp_path / "run.txt")
    (tmp_path / "words.txt").write_text("hello\n")
    with pytest.raises(InputError) as caught:
        files.read_run(tmp_path / "words.txt")
    assert words not in str(caught.value)


def test_two_judgments_are_shown_a_run(tmp_path: Path) -> None:
    """Where both files hold judgments, the second is named, and what a run looks like."""
    with pytest.raises(
        InputError, match=r"both hold judgments\n  This one should be a run; .*: query Q0 document rank"
    ):
        files.read_pair(file(tmp_path, "qrels"), file(tmp_path, "qrels"))
