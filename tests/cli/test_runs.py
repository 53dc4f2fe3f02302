"""The runs that a command line lists, and the names that they get."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from rankgauge import compare
from rankgauge.cli.choices import sources
from rankgauge.cli.runs import name_runs
from rankgauge.errors import InputError
from tests.cli.conftest import Command, below_judged

LINE = "1 Q0 d 1 1 a\n"


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some runs, one with a sign in its name."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "other").mkdir()
    for name in ("bm25.txt", "k=2.txt", "other/bm25.txt"):
        (tmp_path / name).write_text(LINE)


@pytest.mark.parametrize(
    ("written", "name", "path"),
    [
        ("bm25.txt", "bm25.txt", "bm25.txt"),
        ("BM25=bm25.txt", "BM25", "bm25.txt"),
        ("my run=other/bm25.txt", "my run", "other/bm25.txt"),
        ("k=2.txt", "k=2.txt", "k=2.txt"),
        ("K=k=2.txt", "K", "k=2.txt"),
        ("BM25(k=2)=bm25.txt", "BM25(k=2)", "bm25.txt"),
        ("nosuch=file.txt", "nosuch", "file.txt"),
        ("other/nosuch=file.txt", "nosuch=file.txt", "other/nosuch=file.txt"),
        ("=bm25.txt", "=bm25.txt", "=bm25.txt"),
        ("-", "-", "-"),
        ("stdin=-", "stdin", "-"),
        ("irds:a/b", "irds:a/b", "irds:a/b"),
        ("Given=irds:a/b", "Given", "irds:a/b"),
    ],
)
def test_a_name_before_the_path(written: str, name: str, path: str) -> None:
    """NAME=PATH names a run; what exists as it stands is a path, and a name holds no stroke unless its path exists."""
    assert name_runs([Path(written)]) == {name: Path(path)}


def test_two_files_of_one_name() -> None:
    """Files of one name are told apart by their paths; a name that was given stays as it was given."""
    bm25, other = Path("bm25.txt"), Path("other/bm25.txt")
    assert name_runs([bm25, other]) == {"bm25.txt": bm25, str(other): other}
    assert name_runs([Path("bm25.txt=other/bm25.txt"), other]) == {"bm25.txt": other, str(other): other}


def test_packing_is_no_part_of_a_name() -> None:
    """A run is called the same whether its file is packed or not; where both are listed, by their paths."""
    plain, packed = Path("bm25.txt"), Path("bm25.txt.gz")
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert name_runs([packed]) == {"bm25.txt": packed}
    assert name_runs([plain, packed]) == {str(plain): plain, str(packed): packed}
    assert compare({"1": {"d": 1}}, [plain, packed], "AP").runs == (str(plain), str(packed))


@pytest.mark.parametrize("runs", [("A=bm25.txt", "A=k=2.txt"), ("bm25.txt", "bm25.txt")])
def test_two_runs_of_one_name(runs: tuple[str, str]) -> None:
    """Two runs under one name are an error, not one run."""
    with pytest.raises(InputError, match=r"two runs are called (A|bm25\.txt): bm25\.txt and "):
        name_runs([Path(run) for run in runs])


def test_names_are_shown(command: Command) -> None:
    """The names stand in the reports of every command that lists runs, and a baseline is called by its name."""
    pair = ("qrels.txt", "BM25=bm25.txt", "Dense=dense.txt.gz")
    bm25, dense = below_judged(command("evaluate", *pair, "-m", "AP")).splitlines()[1:3]
    assert " BM25 " in bm25
    assert " Dense " in f" {dense}"
    told = json.loads(command("compare", *pair, "-m", "AP", "--baseline", "BM25", "-o", "json"))
    assert "bm25.txt" not in json.dumps(told)
    assert "BM25" in json.dumps(told)
    assert "Dense" in command("audit", *pair, "-d", "trec_eval", "-o", "json")


def test_a_measure_in_the_place_of_a_file(command: Command) -> None:
    """Measures after a blank are files that do not exist; the error shows how to write all of them."""
    said = command("evaluate", "qrels.txt", "bm25.txt", "-m", "nDCG@10", "AP", "ERR(max_grade=3)", code=2)
    assert said == ("rankgauge: AP: there is no such file\n  AP is a measure: -m 'nDCG@10,AP,ERR(max_grade=3)'\n")
    assert "AP is a measure: -m AP\n" in command("compare", "qrels.txt", "bm25.txt", "dense.txt.gz", "AP", code=2)
    assert "is a measure" not in command("evaluate", "qrels.txt", "nosuch.txt", code=2)


def test_one_run_alone_is_no_comparison(command: Command) -> None:
    """The error names the command for one run."""
    said = command("compare", "qrels.txt", "bm25.txt", code=2)
    assert "compare needs two runs or more" in said
    assert "rankgauge evaluate qrels.txt bm25.txt" in said


def test_what_a_comparison_does_not_write(command: Command) -> None:
    """The error on a format that only other commands write lists those that this one writes."""
    said = command("compare", "qrels.txt", "bm25.txt", "dense.txt.gz", "-o", "trec", code=2)
    assert "compare does not write trec" in said
    assert "It writes csv, html, json" in said


def test_an_evaluation_is_drawn(command: Command, tmp_path: Path) -> None:
    """Like every report with numbers to draw, an evaluation is written as a picture: a dot for each run and measure."""
    picture = tmp_path / "means.svg"
    command("evaluate", "qrels.txt", "bm25.txt", "dense.txt.gz", "-m", "nDCG@10,AP", "-o", str(picture))
    drawn = picture.read_text(encoding="utf-8")
    assert drawn.count("<circle") >= 2 * 2
    assert "nDCG@10" in drawn
    assert "dense.txt<" in drawn


def test_files_are_offered_after_a_name() -> None:
    """After NAME= nothing is offered, so that shells offer files; after NAME=irds: the data sets are."""
    assert sources("BM25=b") == []
    assert all(value.startswith("BM25=irds:") for value, _ in sources("BM25=irds:"))
