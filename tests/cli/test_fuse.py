"""rankgauge fuse: what it writes, what it says, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from rankgauge import fuse, read_run
from rankgauge.fusion import METHODS, NORMALISATIONS

Command = Callable[..., str]
BOTH = ("bm25.txt", "dense.txt.gz")


def test_a_run_is_written(command: Command, folder: Path) -> None:
    """The file holds the fused run, and the report says how it was made."""
    told = command("fuse", "BM25=bm25.txt", BOTH[1], "--method", "combmnz", "--norm", "sum", "-o", "fused.jsonl")
    assert "combmnz: n · Σ s" in told
    assert told.splitlines()[1].startswith("BM25 ")
    expected = fuse([folder / name for name in BOTH], "combmnz", norm="sum").frame
    assert read_run(folder / "fused.jsonl").select("query", "document", "score").rows() == expected.rows()


def test_standard_output_is_the_run(command: Command) -> None:
    """With -o - the run is all that is printed, so that it can be piped on."""
    lines = command("fuse", *BOTH, "-M", "2", "--ties", "input", "-o", "-").splitlines()
    assert all(line.split()[1:2] == ["Q0"] and line.endswith(" rrf") for line in lines)
    assert {line.split()[3] for line in lines} == {"1", "2"}


def test_all_methods_are_described(command: Command) -> None:
    """Without runs, every method and normalisation is described."""
    told = command("fuse")
    assert all(f"\n{name} " in told for name in (*METHODS, *NORMALISATIONS))


def test_the_report_as_json(command: Command) -> None:
    """Programs get the method, its parameters, the runs and what was missing."""
    told = json.loads(command("fuse", *BOTH, "--weights", "1,3", "--report", "json"))
    assert (told["method"], told["parameters"], told["normalisation"]) == (
        "weighted-sum",
        {"weights": [1, 3]},
        "min-max",
    )
    assert [run["missing"] for run in told["runs"]] == [["q03"], []]
    assert sum(told["listed_by"].values()) == told["documents"]


def test_tuning_is_cross_validated(command: Command, folder: Path) -> None:
    """The report has what each fold chose, the gains with interval and verdict, and the run has the tuned weights."""
    words = ("fuse", *BOTH, "--judgments", "qrels.txt", "--tune", "-m", "AP", "-d", "trec_eval", "--folds", "3")
    told = json.loads(command(*words, "--seed", "4", "-o", "fused.txt", "--report", "json"))
    tuning = told["tuning"]
    assert (tuning["folds"], tuning["seed"], len(tuning["choices"])) == (3, 4, 3)
    assert {"difference", "low", "high", "p", "verdict", "needed"} <= tuning["pairs"][0].keys()
    assert [pair["run"] for pair in tuning["pairs"]] == ["untuned", "tuned", "tuned"]
    again = fuse([folder / name for name in BOTH], "weighted-sum", weights=told["parameters"]["weights"])
    assert read_run(folder / "fused.txt")["score"].to_list() == again.frame["score"].to_list()
    shown = command(*words)
    assert "tuned − best single run" in shown
    assert "not shown" in shown or "better" in shown


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("bm25.txt",), 4, "at least two"),
        ((*BOTH, "--weights", "1,2,3"), 4, "one for each of the 2 runs"),
        ((*BOTH, "--weights", "a,b"), 4, "numbers separated by commas"),
        ((*BOTH, "--method", "rrf", "--set", "k"), 4, "NAME=VALUE"),
        ((*BOTH, "--method", "rrf", "--set", "q=1"), 3, "no parameter of rrf called 'q'"),
        ((*BOTH, "--method", "posfuse"), 4, "learns from judged queries"),
        ((*BOTH, "--tune"), 4, "--judgments qrels.txt"),
        ((*BOTH, "--tune", "--judgments", "qrels.txt", "--weights", "1,2"), 4, "left out with --tune"),
        ((*BOTH, "--tune", "--judgments", "qrels.txt", "--method", "combsum"), 4, "nothing to tune"),
        ((*BOTH, "--tune", "--judgments", "qrels.txt", "-m", "nDGC@10"), 3, "Did you mean"),
        ((*BOTH, "-o", "bm25.txt"), 2, "would be overwritten"),
        ((*BOTH, "-o", "nowhere/fused.txt"), 2, "no such folder"),
        ((*BOTH, "gone.txt"), 2, "gone.txt"),
        (("other.txt", "bm25.txt"), 2, "has no query in common"),
        ((*BOTH, "--report", "svg"), 2, "does not write svg"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_refused(command: Command, folder: Path, words: tuple[str, ...], code: int, said: str) -> None:
    """A mistake is one clear error, and nothing is written."""
    (folder / "other.txt").write_text("zz Q0 d1 1 2.0 x\n", encoding="utf-8")
    before = (folder / "bm25.txt").read_bytes()
    told = command("fuse", *words, code=code)
    assert said in told
    assert "Traceback" not in told
    assert (folder / "bm25.txt").read_bytes() == before
    assert not list(folder.glob("fused*"))
