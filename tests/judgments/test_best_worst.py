"""Best-worst scaling: counts by hand, the command, and choices that make no sense."""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl
import pytest

from rankgauge import files
from rankgauge.cli.main import run
from rankgauge.errors import InputError
from rankgauge.judgments.pairwise import best_worst


def choices(*rows: tuple[str | None, ...]) -> pl.DataFrame:
    """Choices as a table."""
    schema = dict.fromkeys(("query", "documents", "best", "worst"), pl.String)
    return pl.DataFrame(rows, schema=schema, orient="row")


def test_best_less_worst_of_times_shown() -> None:
    """A document's grade is how often it was the best less how often the worst, out of the times it was shown."""
    found = best_worst(choices(("1", "a b c", "a", "c"), ("1", "a b", "b", "a"), ("2", " a  b ", "b", "a")))
    assert {(q, d): g for q, d, g in found.iter_rows()} == {
        ("1", "a"): (1 - 1) / 2,
        ("1", "b"): (0 + 1) / 2,
        ("1", "c"): -1.0,
        ("2", "a"): -1.0,
        ("2", "b"): 1.0,
    }


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (("1", "a b", "c", "a"), "choice 1 of query 1: the best, c, is not among a, b"),
        (("1", "a b", "a", "a"), "a is both the best and the worst"),
        (("1", "a b", "a", None), "choice 1 of query 1 names no worst document"),
        (("1", "a b", " ", "b"), "choice 1 of query 1 names no best document"),
        (("1", None, "a", "b"), "choice 1 of query 1 shows no documents"),
        (("1", " ", "a", "b"), "choice 1 of query 1 shows no documents"),
        (("1", "a b a", "a", "b"), "choice 1 of query 1 shows a more than once"),
    ],
)
def test_senseless_choices(row: tuple[str | None, ...], problem: str) -> None:
    """The best and the worst are two of the documents that were shown."""
    with pytest.raises(InputError, match=problem):
        best_worst(choices(row))


@pytest.mark.parametrize("shown", ['["d1","d2"]', "[1,2]"])
def test_lists_of_documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shown: str) -> None:
    """In JSON lines the documents may be a list, of words or of numbers."""
    monkeypatch.chdir(tmp_path)
    first, second = shown.strip("[]").split(",")
    line = f'{{"query":"q1","documents":{shown},"best":{first},"worst":{second}}}\n'
    (tmp_path / "choices.jsonl").write_text(line, encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["rankgauge", "judgments", "best-worst", "choices.jsonl", "-o", "qrels.txt"])
    with pytest.raises(SystemExit) as ended:
        run()
    assert not ended.value.code
    assert files.read_judgments("qrels.txt")["grade"].to_list() == [1.0, -1.0]


def test_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The command reads a table and writes judgments; a table of another kind is one clear error."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "choices.csv").write_text("query,documents,best,worst\n1,a b c,a,c\n", encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["rankgauge", "judgments", "best-worst", "choices.csv", "-o", "qrels.txt"])
    with pytest.raises(SystemExit) as ended:
        run()
    assert not ended.value.code
    assert files.read_judgments("qrels.txt")["grade"].to_list() == [1.0, 0.0, -1.0]
    (tmp_path / "choices.csv").write_text("query,document\n1,a\n", encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        run()
    assert ended.value.code == 2
    assert "choices.csv: the table has no column documents, best, worst" in capsys.readouterr().err
