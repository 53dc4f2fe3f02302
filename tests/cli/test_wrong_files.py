"""Files that are not what was expected, on the command line: one message that says what to do, in plain characters."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

from rankgauge import evaluate
from tests.cli.conftest import Command

CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")

WRONG = {
    "empty.txt": (b"", "is empty", "the program that wrote it finished"),
    "blank.txt": (b"\n \n\n", "is empty", "the program that wrote it finished"),
    "empty.json": (b"{}\n", "is empty", "the program that wrote it finished"),
    "none.json": (b"[]", "is empty", "the program that wrote it finished"),
    "empty.txt.gz": (gzip.compress(b""), "is empty", "the program that wrote it finished"),
    "header.csv": (b"query,document,score\n", "there are no rows", "the program that wrote it finished"),
    "twice.csv": (b"query,document,score\nq1,d1,2\nquery,document,score\nq2,d2,1\n", "repeats the header", "Keep"),
    "broken.xlsx": (b"PK\x03\x04" + bytes(200), "cannot be read as a spreadsheet", "save it again"),
    "ids.txt": (b"d1\nd2\n", "the format is not recognised", "query Q0 document rank score tag"),
    "ids.csv": (b"query,document\nq1,d1\nq1,d2\n", "no column for score", "a column rank"),
    "noise.bin": (b"\x00\x01\x02\xff" * 99, "is not a text file", "rankgauge formats"),
    "noise.csv": (b"\x00\x01\x02\xff" * 99, "is not a text file", "rankgauge formats"),
    "noise.json": (b"\x00\x01\x02\xff" * 99, "is not a text file", "rankgauge formats"),
    "steer.txt": (b"q01 Q0 d1 1 \x1b]0;title\x07\x1b[31m3 a\n", "is not a number", "\\x1b[31m3"),
    "again.txt": (b"q01 Q0 \x1b[2Jd 1 3 a\nq01 Q0 \x1b[2Jd 2 2 a\n", "more than once", "remove the duplicates"),
}
"""By name: what is in the file, what the error says, and what it says to do, or shows."""


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize(
    "call", [("evaluate", "qrels.txt"), ("compare", "qrels.txt", "bm25.txt"), ("fuse", "bm25.txt")]
)
def test_a_wrong_run(command: Command, folder: Path, name: str, call: tuple[str, ...]) -> None:
    """The error is short, names the file, says what to do, and holds no control character."""
    content, problem, remedy = WRONG[name]
    (folder / name).write_bytes(content)
    said = command(*call, name, code=2)
    assert said.startswith(f"rankgauge: {name}:")
    assert problem in said
    assert remedy in said
    assert len(said.splitlines()) <= 4
    assert not CONTROL.search(said)


@pytest.mark.parametrize("name", ["empty.txt", "twice.csv", "broken.xlsx", "ids.txt", "noise.csv", "noise.json"])
def test_wrong_judgments(command: Command, folder: Path, name: str) -> None:
    """So are those of judgments."""
    content, problem, _ = WRONG[name]
    (folder / name).write_bytes(content.replace(b"score", b"grade"))
    said = command("evaluate", name, "bm25.txt", code=2)
    assert said.startswith(f"rankgauge: {name}:")
    assert problem in said


def test_other_wrong_files(command: Command, folder: Path) -> None:
    """Pools, segments and rankers are told what is wrong in our words, not in those of a library."""
    (folder / "twice.csv").write_bytes(WRONG["twice.csv"][0])
    (folder / "noise.csv").write_bytes(WRONG["noise.csv"][0])
    said = command("active", "plan", "twice.csv", "--budget", "5", "-o", "x.json", code=2)
    assert "row 2: 'score' in the column 'score' for scores is not a number\n  A header line" in said
    said = command("evaluate", "qrels.txt", "bm25.txt", "--by", "noise.csv", code=2)
    assert said == "rankgauge: noise.csv: is not a text file\n  The file seems cut off or damaged.\n"
    assert "rankgauge train" in command("rank", "twice.csv", "test.txt", code=2)
    assert "a rankgauge.toml was expected" in command("check", "--config", "noise.csv", code=2)


def test_ids_do_not_steer_a_terminal(command: Command, folder: Path) -> None:
    """The table shows the characters of an id that a terminal would obey."""
    (folder / "q.txt").write_text("a\x1b[2Jb 0 d1 1\n")
    (folder / "r.txt").write_text("a\x1b[2Jb Q0 d1 1 1 x\n")
    for format in ("table", "md"):
        said = command("evaluate", "q.txt", "r.txt", "-q", "-o", format)
        assert "a\\x1b[2Jb" in said
        assert not CONTROL.search(said)


def test_texts_are_shown_as_they_are() -> None:
    """Letters of any script, tabs and ends of lines are no control characters."""
    from rankgauge.errors import printable

    text = "naïve\tcafé 東京 пример\nשלום 👩‍💻"
    assert printable(text) == text
    assert printable("\u202egpj.exe") == "\\u202egpj.exe"


@pytest.mark.parametrize("arguments", [("-l", "99"), ("-m", "AP(rel=99)"), ("-l", "inf")])
def test_a_threshold_above_every_grade(command: Command, arguments: tuple[str, ...]) -> None:
    """Nothing would be relevant: an error, not a table of zeros."""
    for call in (("evaluate", "qrels.txt"), ("compare", "qrels.txt", "dense.txt.gz")):
        said = command(*call, "bm25.txt", *arguments, code=2)
        assert "so that nothing would be relevant: the highest is 3" in said
        assert "-l 3 or less" in said


def test_a_threshold_that_is_no_number(command: Command) -> None:
    """NaN is above and below nothing."""
    assert "must be a number" in command("evaluate", "qrels.txt", "bm25.txt", "-l", "nan", code=4)


def test_a_folder_that_is_not_there_is_said_before_the_work(command: Command, folder: Path) -> None:
    """The judgments are wrong as well, and nobody has looked at them yet."""
    (folder / "wrong.txt").write_text("nothing\n")
    for call in (("evaluate", "wrong.txt", "bm25.txt"), ("compare", "wrong.txt", "bm25.txt", "dense.txt.gz")):
        said = command(*call, "-o", "no/such/x.html", code=2)
        assert said == "rankgauge: no/such/x.html: there is no folder no/such\n  Make it first: mkdir -p no/such\n"


INFINITE = "q1 Q0 d1 1 inf a\nq1 Q0 d2 2 inf a\nq1 Q0 d3 3 -inf a\n"


def test_infinite_scores_are_told(command: Command, folder: Path) -> None:
    """They are scores: a note says what they mean, and NumPy says nothing."""
    (folder / "q.txt").write_text("q1 0 d2 1\n")
    (folder / "inf.txt").write_text(INFINITE)
    said = command("evaluate", "q.txt", "inf.txt", "-m", "RR")
    assert "some scores are infinite" in said
    assert re.search(r"^RR +0\.7500", said, flags=re.MULTILINE)  # the mean of 1 and 1/2


def test_infinite_ties_are_broken_by_document() -> None:
    """trec_eval puts the later id first among equal scores, infinite ones as well."""
    run = [("q1", "d1", float("inf")), ("q1", "d2", float("inf")), ("q1", "d3", float("-inf"))]
    assert evaluate({"q1": {"d2": 1}}, run, "RR", dialect="trec_eval")["RR"] == 1


@pytest.mark.parametrize("option", ["--queries", "--by"])
def test_a_text_in_the_place_of_a_file(command: Command, folder: Path, option: str) -> None:
    """Queries that are pasted where their file is asked for are longer than the name of any file."""
    said = command("compare", "qrels.txt", "bm25.txt", "dense.txt.gz", option, "red dress, " * 40, code=2)
    assert "no file can have so long a name" in said or "there is no such file" in said


def test_ids_of_any_length_fit_on_a_screen(command: Command, folder: Path) -> None:
    """An error that names ids cuts them short."""
    (folder / "long.csv").write_text(f"query,document,grade\nq01,{'x' * 100_000},1\n")
    said = command("evaluate", "long.csv", "bm25.txt", "-m", "nDCG@3", code=2)
    assert "no document of the run is judged" in said
    assert len(said) < 3_000
