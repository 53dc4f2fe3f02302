"""rankgauge audit judge: judges and runs told apart, every format, documents for people, errors that say what to do."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from rankgauge import evaluate
from rankgauge.files import read_judgments

Command = Callable[..., str]
FILES = ("qrels.txt", "judge.qrels", "bm25.txt", "dense.txt.gz")


def few(folder: Path, every: int = 5) -> str:
    """A file with some of people's labels."""
    lines = (folder / "qrels.txt").read_text().splitlines(keepends=True)
    (folder / "few.txt").write_text("".join(lines[::every]))
    return "few.txt"


def test_judges_and_runs_are_told_apart(command: Command) -> None:
    """What holds judgments is a judge, what holds a run is a run; a name may be given to either."""
    told = json.loads(command("audit", "judge", *FILES[:2], "B=bm25.txt", "dense.jsonl", "-o", "json"))
    assert told["judges"] == ["judge"]
    assert told["runs"] == ["B", "dense.jsonl"]
    assert {row["coefficient"] for row in told["agreement"]} >= {"kappa", "alpha", "auc"}


def test_the_headline_speaks_of_one_measure(command: Command) -> None:
    """By how much a judge rates runs too high is that of the measure named, whichever others are asked for."""
    told = command("audit", "judge", *FILES, "-m", "P@1", "-m", "DCG@10", "-o", "md").splitlines()
    alone = command("audit", "judge", *FILES, "-m", "P@1", "-o", "md").splitlines()
    assert "on average by P@1" in alone[0]
    assert told[0] == alone[0]


def test_without_runs_there_is_agreement_only(command: Command) -> None:
    """A judge beside people needs no run."""
    told = command("audit", "judge", "qrels.txt", "judge.qrels")
    assert "Agreement with people" in told
    assert "order of the runs" not in told


@pytest.mark.parametrize("ending", ["md", "html", "json", "csv", "svg"])
def test_every_format_is_written(command: Command, folder: Path, ending: str) -> None:
    """One command writes text, a page, a picture or data."""
    command("audit", "judge", *FILES, "-o", f"judge.{ending}")
    told = (folder / f"judge.{ending}").read_text()
    assert "judge" in told
    assert "nan" not in told.lower().replace("finance", "") or ending == "csv"


def test_a_sample_of_labels(command: Command, folder: Path) -> None:
    """With few labels the audit says so, foretells, and writes the documents to show people first."""
    told = command("audit", "judge", few(folder), *FILES[1:], "--show-first", "first.csv", "--first", "7")
    assert "People judged only a sample" in told
    assert "taken as a plain sample" in told
    first = pl.read_csv(folder / "first.csv")
    assert len(first) == 7
    assert first.columns[:3] == ["query", "document", "by judge"]
    first.with_columns(grade=1).write_csv(folder / "judged.csv")
    assert read_judgments(folder / "judged.csv").columns == ["query", "document", "grade"]


def test_a_judge_may_give_chances_only(command: Command, folder: Path) -> None:
    """A table with the chance of each grade and no grade is a judge; fractions are put on people's scale."""
    rows = [line.split() for line in (folder / "judge.qrels").read_text().splitlines()]
    lines = [
        f"{query},{document},{0.9 - 0.2 * int(grade)},{0.1 + 0.2 * int(grade)}\n" for query, _, document, grade in rows
    ]
    (folder / "chances.csv").write_text("query,document,p_0,p_1\n" + "".join(lines))
    assert json.loads(command("audit", "judge", "qrels.txt", "chances.csv", "-o", "json"))["judges"] == ["chances"]
    lines = [f"{query},{document},{int(grade) + n % 97 / 100}\n" for n, (query, _, document, grade) in enumerate(rows)]
    (folder / "fine.csv").write_text("query,document,grade\n" + "".join(lines))
    assert "put on people's scale" in command("audit", "judge", "qrels.txt", "fine.csv")


def test_probabilities_are_used(command: Command, folder: Path) -> None:
    """A column with the chance of each label weighs them."""
    rows = [line.split() for line in (folder / "qrels.txt").read_text().splitlines()[::4]]
    lines = [f"{query},{document},{grade},0.25\n" for query, _, document, grade in rows]
    (folder / "few.csv").write_text("query,document,grade,probability\n" + "".join(lines))
    assert "weighed by 1 / probability" in command("audit", "judge", "few.csv", "judge.qrels")


def test_too_few_labels_say_not_yet(command: Command, folder: Path) -> None:
    """Below twenty labels there is no number."""
    told = command("audit", "judge", few(folder, every=50), *FILES[1:])
    assert "not yet" in told
    assert "too few" in told


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("qrels.txt", "bm25.txt"), "no judge among the files"),
        (("bm25.txt", "judge.qrels"), "contains a run"),
        (("qrels.txt", "judge.qrels", "nDCG@10"), "is a measure"),
        (("qrels.txt", "absent.qrels"), "no such file"),
        (("qrels.txt", "judge.qrels", "bm25.txt", "--made-by-judge", "bm26.txt"), "Did you mean"),
        (
            ("qrels.txt", "judge.qrels", "bm25.txt", "--made-by-judge", "bm25.txt"),
            "needs 6 other runs or more; there are 0",
        ),
        (("qrels.txt", "judge.qrels", "--half-width", "nan"), "half_width"),
        (("qrels.txt", "judge.qrels", "--half-width", "0"), "half_width"),
        (("qrels.txt", "judge.qrels", "--half-width", "0.1"), "--half-width needs runs"),
        (("qrels.txt", "judge.qrels", "-m", "P@5"), "--measure needs runs"),
        (("qrels.txt", "judge.qrels", "--half-width", "inf"), "half_width"),
        (("qrels.txt", "judge.qrels", "--rel", "9"), "people's highest grade, 3"),
        (("qrels.txt", "judge.qrels", "--rel", "nan"), "people's highest grade, 3"),
        (("qrels.txt", "judge.qrels", "--documents", "strangers.csv"), "none of the documents"),
        (("qrels.txt", "judge.qrels", "bm25.txt", "-d", "xgboost"), "the usual choice of"),
        (("qrels.txt", "judge.qrels", "--show-first", "first.csv"), "no documents to show"),
        (("qrels.txt", "ratings.csv", "-o", "audit.xyz"), "no output format"),
    ],
)
def test_bad_input_is_one_clear_error(command: Command, folder: Path, arguments: tuple[str, ...], words: str) -> None:
    """The error names what is wrong, and nothing is written."""
    (folder / "strangers.csv").write_text("document,length\nsomebody,1\nelse,2\n")
    before = set(folder.iterdir())
    parameters = ("half_width", "people's highest grade, 3", "the usual choice of")
    code = 4 if words in parameters or "needs runs" in words else 3 if words == "Did you mean" else 2
    assert words in command("audit", "judge", *arguments, code=code, stderr=True)
    assert set(folder.iterdir()) == before


@pytest.mark.parametrize(
    ("files", "words"),
    [
        (("judge.csv",), ("--show-first", "judge.csv")),
        (("J=judge.csv",), ("-o", "../collection/judge.csv")),
        (("judge.qrels",), ("--documents", "documents.csv", "--show-first", "documents.csv")),
        (("judge.qrels",), ("--show-first", "new.csv", "-o", "new.csv")),
    ],
)
def test_no_input_is_overwritten(
    command: Command, folder: Path, files: tuple[str, ...], words: tuple[str, ...]
) -> None:
    """Outputs that are inputs, or each other, are refused before anything is written."""
    read_judgments(folder / "judge.qrels").write_csv(folder / "judge.csv")
    (folder / "documents.csv").write_text("document,length\nd1,1\n")
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    told = command("audit", "judge", few(folder), *files, *FILES[2:], *words, code=2)
    assert "would be overwritten" in told
    (folder / "few.txt").unlink()
    assert {path: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before


def test_the_dialect_says_which_ndcg(command: Command, folder: Path) -> None:
    """Values are computed as asked for, by evaluate's figures, and the note says what a grade is worth."""
    for dialect, gain in (("standard", "linear"), ("papers", "exp")):
        told = json.loads(command("audit", "judge", *FILES, "-d", dialect, "-o", "json"))
        assert next(note["words"] for note in told["notes"] if note["subject"] == "gain").startswith(gain)
        seen = evaluate(folder / "qrels.txt", folder / "bm25.txt", "nDCG@10", dialect=dialect)
        value = next(row["people"] for row in told["values"] if row["run"] == "bm25.txt")
        assert value == pytest.approx(seen["nDCG@10"])


def test_a_judge_of_few_pairs_has_no_board(command: Command, folder: Path) -> None:
    """What the judge did not grade is no part of the figures: it is said, and below half there is no board."""
    lines = (folder / "judge.qrels").read_text().splitlines(keepends=True)
    (folder / "most.qrels").write_text("".join(line for n, line in enumerate(lines) if n % 4))
    told = json.loads(command("audit", "judge", "qrels.txt", "most.qrels", *FILES[2:], "-o", "json"))
    words = {note["subject"]: note["words"] for note in told["notes"]}
    assert words["pairs"] == "everything here is of the 360 of 480 judged pairs that the judge graded too"
    assert told["values"]
    (folder / "sparse.qrels").write_text("".join(lines[::10]))
    told = json.loads(command("audit", "judge", "qrels.txt", "sparse.qrels", *FILES[2:], "-o", "json"))
    words = {note["subject"]: note["words"] for note in told["notes"]}
    assert "less than half" in words["no board"]
    assert not told["values"]
    printed = command("audit", "judge", "qrels.txt", "judge.qrels", "sparse.qrels", *FILES[2:])
    assert "48 of 480 judged pairs that every judge" in printed.replace("\n          ", " ")


def test_a_sample_without_relevant_labels(command: Command, folder: Path) -> None:
    """Few labels that are all below the level of relevance are no wrong setting."""
    lines = (folder / "qrels.txt").read_text().splitlines(keepends=True)
    (folder / "low.txt").write_text("".join([line for line in lines if line.split()[3] == "0"][:40]))
    assert "all relevant or all not" in command("audit", "judge", "low.txt", "judge.qrels", "--rel", "2")
    assert "highest grade, 3" in command("audit", "judge", "low.txt", "judge.qrels", "--rel", "4", code=4)


def test_one_query_has_no_nan(command: Command, folder: Path) -> None:
    """What one query cannot say is a dash or left out."""
    for name in FILES[:2]:
        lines = (folder / name).read_text().splitlines(keepends=True)
        (folder / f"one-{name}").write_text("".join(line for line in lines if line.split()[0] == "q01"))
    assert "nan" not in command("audit", "judge", "one-qrels.txt", "one-judge.qrels", *FILES[2:])
