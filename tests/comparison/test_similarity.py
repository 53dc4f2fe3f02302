"""How alike runs are: values by hand, what they rest on, and the command."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from rankgauge import compare
from rankgauge.cli.main import run
from rankgauge.comparison.similarity import SimilaritySettings
from rankgauge.statistics.similarity import SIMILARITIES, rbo

JUDGED = {"1": {"a": 1, "b": 0, "c": 2}, "2": {"d": 1}, "3": {"e": 1}}
ONE = {"1": {"a": 3.0, "b": 2.0, "c": 2.0}, "2": {"d": 2.0, "x": 1.0}}
TWO = {"1": {"c": 9.0, "a": 8.0, "b": 1.0}, "2": {"x": 5.0, "d": 4.0}, "3": {"e": 1.0}}
THREE = {"1": {"b": 9.0, "c": 8.0, "a": 1.0}, "2": {"y": 5.0, "z": 4.0}, "3": {"e": 1.0}}
RUNS = {"one": ONE, "two": TWO, "three": THREE}


def row(frame: pl.DataFrame, first: str, second: str) -> dict[str, float]:
    """The row of a pair of runs."""
    return frame.filter((pl.col("run") == first) & (pl.col("other") == second)).row(0, named=True)


def test_mean_over_common_queries() -> None:
    """The similarity of two runs is the mean over the judged queries that both answer; ties take every order."""
    found = row(compare(JUDGED, RUNS, "AP", similarity="rbo").similarity, "one", "two")
    first = rbo(["a", {"b", "c"}], ["c", "a", "b"]).extrapolated
    second = rbo(["d", "x"], ["x", "d"]).extrapolated
    assert found["similarity"] == pytest.approx((first + second) / 2)
    assert found["queries"] == 2
    assert found["shared"] == 1
    assert found["low"] <= found["similarity"] <= found["high"]


def test_policies_order_ties() -> None:
    """A dialect that breaks ties by id breaks them before lists are compared; a depth cuts them."""
    found = compare(JUDGED, RUNS, "AP", similarity="rbo", ties="docid").similarity
    first, second = rbo("acb", "cab").extrapolated, rbo("dx", "xd").extrapolated
    assert row(found, "one", "two")["similarity"] == pytest.approx((first + second) / 2)
    found = compare(JUDGED, RUNS, "AP", similarity="rbo", depth=1).similarity
    assert row(found, "one", "two")["similarity"] == 0


def test_documents_of_one_list_alone() -> None:
    """τ ties what a list lacks below its last document, or leaves it out if only shared documents are asked for."""
    whole = compare(JUDGED, RUNS, "AP", similarity="tau").similarity
    # query 2, [x, d] and [y, z]: four pairs disagree, of five that are not tied in either
    second = -4 / math.sqrt(5 * 5)
    first = -1.0 + 2 / 3  # c a b and b c a: of three pairs, c above a alone agrees
    third = 1.0  # the same document alone: too short to have an order, and the same list
    assert row(whole, "two", "three")["similarity"] == pytest.approx((first + second + third) / 3)
    shared = compare(JUDGED, RUNS, "AP", similarity=SimilaritySettings(similarity="tau", shared_only=True)).similarity
    assert row(shared, "two", "three")["similarity"] == pytest.approx(first)
    assert row(shared, "two", "three")["queries"] == 1


@pytest.mark.parametrize("similarity", [name for name in SIMILARITIES if SIMILARITIES[name].lowest < 0])
def test_lists_that_agree_are_not_left_out(similarity: str) -> None:
    """Lists of one document, or with nothing but ties, count if they are the same, as those do that differ."""
    same, tied = {"a": 2.0}, {"a": 1.0, "b": 1.0}
    runs = {"one": {"1": same, "2": tied, "3": {"e": 1.0}}, "two": {"1": same, "2": tied, "3": {"f": 1.0}}}
    found = row(compare(JUDGED, runs, "AP", similarity=similarity).similarity, "one", "two")
    ties = 0 if similarity.endswith("-a") else 1  # the mean over all orders of two tied documents, or corrected
    assert (found["similarity"], found["queries"]) == (pytest.approx((1 + ties - 1) / 3), 3)


def test_leaderboards() -> None:
    """Measures are compared by how they order the runs."""
    found = compare(JUDGED, RUNS, ["AP", "P@1"], similarity="tau")
    assert found.boards["runs"].to_list() == [3]
    assert found.boards["similarity"].to_list() == pytest.approx(found.agreement["tau_b"].to_list())


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """`rankgauge compare` of three small runs: arguments in, what it prints out."""
    monkeypatch.chdir(tmp_path)
    judged = [f"{q} 0 {d} {g}" for q, documents in JUDGED.items() for d, g in documents.items()]
    (tmp_path / "qrels.txt").write_text("\n".join(judged) + "\n", encoding="utf-8")
    for name, lists in RUNS.items():
        rows = [f"{q} Q0 {d} 1 {s} {name}" for q, documents in lists.items() for d, s in documents.items()]
        (tmp_path / f"{name}.txt").write_text("\n".join(rows) + "\n", encoding="utf-8")

    def call(*arguments: str, code: int = 0) -> str:
        files = ["qrels.txt", "one.txt", "two.txt", "three.txt"]
        monkeypatch.setattr(sys, "argv", ["rankgauge", "compare", *files, *arguments])
        with pytest.raises(SystemExit) as ended:
            run()
        printed = capsys.readouterr()
        assert (ended.value.code or 0) == code, printed.err
        return printed.err if code else printed.out

    return call


def test_every_format_shows_it(command: Callable[..., str], tmp_path: Path) -> None:
    """The terminal, Markdown, JSON and a page have the square, the pairs and the measures."""
    asked = ("-m", "AP,P@1", "--similarity", "rbo-b", "--p", "0.8")
    for output in ("table", "md"):
        printed = command(*asked, "-o", output)
        assert "How alike the runs' lists are: RBO-b (p = 0.8)" in printed
        assert "How alike measures order the runs: RBO-b (p = 0.8)" in printed
    found = json.loads(command(*asked, "-o", "json"))["similarity"]
    assert (found["similarity"], found["p"], len(found["runs"]), len(found["measures"])) == ("rbo-b", 0.8, 3, 1)
    command(*asked, "-o", "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Lists of runs: RBO-b (p = 0.8)" in page
    assert "red squares" not in page  # RBO is never below 0
    assert "one.txt, two.txt: 0." in page


def test_wrong_names_are_said_at_once(command: Callable[..., str]) -> None:
    """A similarity that is unknown, or a p that is none, is an error."""
    assert "Did you mean rbo" in command("--similarity", "rba", code=3)
    assert "between 0 and 1" in command("--similarity", "rbo", "--p", "2", code=4)


def test_tables_alone(command: Callable[..., str], tmp_path: Path) -> None:
    """--tables similarity writes these tables and their notes alone, in every format."""
    asked = ("-m", "AP", "--similarity", "rbo", "--tables", "similarity")
    assert command(*asked, "-o", "csv").startswith("run,other,similarity,low,high,queries,shared,minimum,residual\n")
    printed = command(*asked)
    assert "corrected" not in printed
    assert "95 %, of the mean over queries (Student's t)" in " ".join(printed.split())
    command(*asked, "-o", "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Lists of runs: RBO" in page
    assert "Cohen" not in page


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--tables", "similarity"), "--tables similarity needs --similarity."),
        (("--tables", "risk"), "--tables risk needs --risk."),
        (("--tables", "segments"), "--tables segments needs --by."),
        (("--tables", "matrix", "--baseline", "one.txt"), "--tables matrix shows all pairs"),
        (("--tables", "means,pairs", "-o", "csv"), "csv holds a single table"),
        (("--tables", "measures", "-o", "jsonl"), "jsonl holds a single table"),
        (("--p", "0.8"), "--p needs --similarity, e.g. --similarity rbo."),
        (("--shared-only",), "--shared-only needs --similarity"),
        (("--similarity", "tau", "--p", "0.8"), "--p needs --similarity rbo, rbo-b or rbo-w"),
    ],
)
def test_what_would_do_nothing_is_refused(command: Callable[..., str], arguments: tuple[str, ...], words: str) -> None:
    """A table that there is not, or an option that nothing uses, is an error."""
    assert words in command(*arguments, code=4)
