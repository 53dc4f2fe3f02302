"""rankgauge fuse: what it writes, what it says, and what it refuses."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from rankgauge import evaluate, fuse, fusion_gain, read_run
from rankgauge.fusion import METHODS, NORMALISATIONS
from rankgauge.fusion.report import FusionReport
from tests.program import rankgauge

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


def test_what_is_asked_for_is_said_beside_the_run(folder: Path) -> None:
    """With -o - the report goes to standard error where it was asked for, or says what tuning gains."""
    tuned = ("--tune", "--judgments", "qrels.txt", "--folds", "3")
    for more, words in (((), ""), (("--report", "json"), '"method": "rrf"'), (tuned, "tuned − best single run")):
        done = rankgauge(["fuse", *BOTH, "-o", "-", *more], folder)
        assert words in done.err
        assert bool(done.err) is bool(more)
        assert all(line.split()[1] == "Q0" for line in done.out.splitlines())
        assert done.code == 0


def test_a_pipe_is_written_to(folder: Path) -> None:
    """A shell's >(…) and /dev/stdout in a pipe are no files, and get the run all the same."""
    command = f"'{sys.executable}' -m rankgauge.cli fuse bm25.txt dense.txt.gz -M 1 --format trec"
    for target in (">(cat > piped.txt); sleep 0.5", "/dev/stdout | grep Q0 > piped.txt"):
        subprocess.run(["bash", "-c", f"{command} -o {target}"], cwd=folder, capture_output=True, check=True)
        assert (folder / "piped.txt").read_text().startswith("q01 Q0 ")
        (folder / "piped.txt").unlink()


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
    assert tuning["untuned"] == {"weights": [1 / 2, 1 / 2]}
    again = fuse([folder / name for name in BOTH], "weighted-sum", weights=told["parameters"]["weights"])
    assert read_run(folder / "fused.txt")["score"].to_list() == again.frame["score"].to_list()
    shown = command(*words)
    assert "tuned − best single run" in shown
    assert "not shown" in shown or "better" in shown


def test_a_fusion_is_tested_without_tuning(command: Command, folder: Path) -> None:
    """With judgments, any method that does not learn is held against the best single run, and fused as it is."""
    words = ("fuse", *BOTH, "--judgments", "qrels.txt", "-m", "AP", "--folds", "3", "--weights", "0.3,0.7")
    told = json.loads(command(*words, "-o", "fused.txt", "--report", "json"))
    test = told["test"]
    assert [(pair["run"], pair["other"]) for pair in test["pairs"]] == [("fused", "best single run")]
    assert {one["single"] for one in test["choices"]} == {"dense.txt"}
    assert told["parameters"] == {"weights": [0.3, 0.7]}
    means = {row["run"]: row["mean"] for row in test["means"]}
    assert means["fused"] == pytest.approx(evaluate(folder / "qrels.txt", folder / "fused.txt", "AP")["AP"])
    assert means["best single run"] == pytest.approx(evaluate(folder / "qrels.txt", folder / BOTH[1], "AP")["AP"])
    assert "fused − best single run" in command(*words)


@pytest.mark.parametrize(
    ("relevant", "other", "words"),
    [
        ("b", "c", " beat the best single run by 0.5000 RR, which is more than luck"),
        ("a", "c", " fall behind the best single run by 0.5833 RR, which is more than luck"),
        ("ab", "c", ": not shown to beat the best single run (−0.0417 RR, may be luck)"),
        ("b", "a", " are as good as the best single run by RR"),
    ],
)
def test_the_headline_says_whether_the_gain_is_shown(relevant: str, other: str, words: str) -> None:
    """Who opens the page reads first whether fusing the runs gains more than luck.

    Each run has a document of its own first, and b second: fused, b is first, and the others are tied after it.
    """
    runs = {
        name: {f"q{n}": {first: 2.0, "b": 1.0} for n in range(12)} for name, first in (("one", "a"), ("two", other))
    }
    judged = {f"q{n}": {relevant[n % len(relevant)]: 1} for n in range(12)}
    tested = fusion_gain(judged, runs, "RR", folds=4)
    assert FusionReport(fusion=tested.fusion, tested=tested).headline() == f"2 runs fused by rrf{words}"


@pytest.mark.parametrize("measure", ["StRecall@5", "alpha_nDCG@5", "PJG@5", "Prefs", "nDCG@5"])
def test_judgments_are_read_as_the_measure_asks(command: Command, by_subtopic: str, measure: str) -> None:
    """TREC's diversity qrels tune measures of diversity, groups and preferences; others need the format named."""
    words = ("fuse", *BOTH, "--tune", "--judgments", by_subtopic, "-m", measure, "--method", "rrf", "--report", "json")
    named = ("--format-judgments", "trec-subtopics")
    if measure == "nDCG@5":
        assert "trec-subtopics" in command(*words, code=2)
    else:
        assert command(*words, *named) == command(*words)
    assert json.loads(command(*words, *named))["tuning"]["in_sample"] > 0


def test_few_judged_queries(command: Command, folder: Path) -> None:
    """Folds that nobody asked for are as many as there are judged queries; with one, the run is written untested."""
    lines = (folder / "qrels.txt").read_text().splitlines(keepends=True)
    for queries, folds in ((("q01",), None), (("q01", "q02"), 2), (("q01", "q02", "q04"), 3)):
        (folder / "few.txt").write_text("".join(line for line in lines if line.split()[0] in queries))
        words = ("fuse", *BOTH, "--judgments", "few.txt", "-o", f"fused{len(queries)}.txt", "--report", "json")
        told = json.loads(command(*words))
        assert told.get("test", {}).get("folds") == folds
        assert (folder / f"fused{len(queries)}.txt").exists()
        if folds is None:
            assert "only one query" in told["untested"]
            assert "only one query" in command(*words[:5], "-o", "-", stderr=True)
    assert "from 2 to 3, the number of judged queries" in command(*words, "--folds", "5", code=4)


def test_subtopics_have_probabilities(command: Command, folder: Path) -> None:
    """With --intents the measure is what `evaluate --intents` gives, tested and tuned."""
    lines = [line.split() for line in (folder / "qrels.txt").read_text().splitlines()]
    rows = [f"{q} {1 + n % 2} {d} {g}\n" for n, (q, _, d, g) in enumerate(lines)]
    (folder / "subtopics.txt").write_text("".join(rows))
    queries = sorted({line[0] for line in lines})
    (folder / "likely.txt").write_text("".join(f"{q} 1 0.9\n{q} 2 0.1\n" for q in queries))
    intents = ("--intents", "likely.txt")
    words = ("fuse", *BOTH, "--judgments", "subtopics.txt", "-m", "ERR_IA@5", "--report", "json", "-o", "fused.txt")
    means = {row["run"]: row["mean"] for row in json.loads(command(*words, *intents))["test"]["means"]}
    given = {one: folder / f"{one}.txt" for one in ("subtopics", "likely", "fused")}
    expected, plain = (
        evaluate(given["subtopics"], given["fused"], "ERR_IA@5", intents=one)["ERR_IA@5"]
        for one in (given["likely"], None)
    )
    assert means["fused"] == pytest.approx(expected)
    assert expected != pytest.approx(plain)
    tuned, other = (json.loads(command(*words, "--tune", *more))["tuning"] for more in (intents, ()))
    assert tuned["in_sample"] != pytest.approx(other["in_sample"])


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--method", "rrf", "-o", "fused.txt"), 4, "at least two"),
        ((*BOTH, "-o", "fused.txt", "--report", "nowhere/fused.html"), 2, "there is no folder"),
        ((*BOTH, "-o", "fused.txt", "--report", "folder.html"), 2, "is a directory"),
        ((*BOTH, "--judgments", "one.txt", "--folds", "2"), 2, "only one query of the runs is judged"),
        ((*BOTH, "--judgments", "qrels.txt", "--intents", "one.txt"), 4, "only measures of diversity"),
        ((*BOTH, "--intents", "one.txt"), 4, "--intents needs --judgments"),
        ((*BOTH, "--judgments", "poor.txt", "--method", "posfuse", "-o", "fused.txt"), 2, "nothing to learn"),
        ((*BOTH, "--judgments", "qrels.txt", "--method", "posfuse", "--set", "rel=9", "--tune"), 2, "grade 9 or above"),
        ((*BOTH, "--method", "rrf", "--norm", "sum"), 4, "left out: rrf looks at ranks alone"),
        (("bm25.txt",), 4, "at least two"),
        ((*BOTH, "--weights", "1,2,3"), 4, "one for each of the 2 runs"),
        ((*BOTH, "--weights", "a,b"), 4, "numbers separated by commas"),
        ((*BOTH, "--method", "rrf", "--set", "k"), 4, "NAME=VALUE"),
        ((*BOTH, "--method", "rrf", "--set", "q=1"), 3, "no parameter of rrf called 'q'"),
        ((*BOTH, "--method", "posfuse"), 4, "learns from judged queries"),
        ((*BOTH, "--tune"), 4, "--judgments qrels.txt"),
        (
            (*BOTH, "--tune", "--judgments", "qrels.txt", "--weights", "1,2"),
            4,
            "--tune chooses the weights: leave --weights out.",
        ),
        ((*BOTH, "--tune", "--judgments", "qrels.txt", "--method", "combsum"), 4, "nothing to tune"),
        ((*BOTH, "--tune", "--judgments", "qrels.txt", "--method", "rrf", "--set", "k=10"), 4, "nothing else to tune"),
        ((*BOTH, "--tune", "--judgments", "qrels.txt", "-m", "nDGC@10"), 3, "Did you mean"),
        ((*BOTH, "--tune", "--judgments", "qrels.txt", "-m", "nDCG@10,AP"), 4, "-m takes one measure here"),
        ((*BOTH, "-o", "bm25.txt"), 2, "would be overwritten"),
        ((*BOTH, "-o", "nowhere/fused.txt"), 2, "there is no folder"),
        ((*BOTH, "gone.txt"), 2, "gone.txt"),
        (("other.txt", "bm25.txt"), 2, "has no query in common"),
        ((*BOTH, "--report", "svg"), 2, "does not write svg"),
        ((*BOTH, "-o", "fused.txt", "--report", "fused.txt"), 2, "would be overwritten"),
        ((*BOTH, "--report", "qrels.md", "--judgments", "qrels.md", "--method", "posfuse"), 2, "would be overwritten"),
        ((*BOTH, "--weights", "inf,2"), 4, "numbers, 0 or more, not all 0"),
        ((*BOTH, "--set", "k=1e999"), 4, "a number, 0 or more"),
        ((*BOTH, "--norm", "sum"), 4, "such as --method combsum"),
        ((*BOTH, "-m", "AP"), 4, "--measure needs --judgments"),
        ((*BOTH, "--seed", "1"), 4, "--seed needs --judgments"),
        (
            (*BOTH, "--judgments", "qrels.txt", "--method", "posfuse", "-m", "AP"),
            4,
            "--measure needs --tune: posfuse learns",
        ),
        ((*BOTH, "--format-judgments", "trec"), 4, "--format-judgments needs --judgments."),
        ((*BOTH, "--judgments", "poor.txt"), 2, "the runs and their fusion are worth nothing"),
        ((*BOTH, "--tune", "--judgments", "qrels.txt", "--seed", "-1"), 2, "-1 is less than 0"),
        ((*BOTH, "--tune", "--judgments", "one.txt"), 2, "only one query of the runs is judged"),
        ((*BOTH, "--tune", "--judgments", "poor.txt"), 2, "every fusion of the runs is worth nothing"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_refused(command: Command, folder: Path, words: tuple[str, ...], code: int, said: str) -> None:
    """A mistake is one clear error, and nothing is written."""
    (folder / "other.txt").write_text("zz Q0 d1 1 2.0 x\n", encoding="utf-8")
    (folder / "one.txt").write_text("q01 0 d691 1\n", encoding="utf-8")
    poor = "".join(f"q{n:02d} 0 d691 0\n" for n in range(1, 9))
    (folder / "poor.txt").write_text(poor, encoding="utf-8")
    (folder / "qrels.md").write_bytes((folder / "qrels.txt").read_bytes())
    (folder / "folder.html").mkdir()
    before = (folder / "bm25.txt").read_bytes()
    told = command("fuse", *words, code=code)
    assert said in told
    assert "Traceback" not in told
    assert (folder / "bm25.txt").read_bytes() == before
    assert not list(folder.glob("fused*"))
