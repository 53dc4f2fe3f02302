"""A gate in a pipeline: exit codes, the summary of a pull request, the project's file, and runs of another commit."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from rankgauge import compare
from rankgauge.numeric import FloatArray
from rankgauge.statistics.effects import detectable_effect
from tests.cli.conftest import Command, below_judged
from tests.program import rankgauge

CONFIG = """
judgments = "qrels.txt"
runs = {main = "bm25.txt", new = "NEW"}
baseline = "main"
fail-if-worse = ["AP"]
"""


@pytest.fixture
def runs(folder: Path) -> Path:
    """The collection, with a run that is worse than bm25.txt: the last documents of its lists are missing."""
    lines = (folder / "bm25.txt").read_text().splitlines(keepends=True)
    (folder / "short.txt").write_text("".join(line for line in lines if int(line.split()[3]) <= 8))
    return folder


def gate(command: Command, run: str, rule: str, code: int) -> str:
    """What is told of a run against bm25.txt, when the report goes into a file."""
    words = ("compare", "qrels.txt", "bm25.txt", run, "--baseline", "bm25", "--fail-if-worse", rule)
    command(*words, "-o", "pr.md", code=code)
    return below_judged(Path("pr.md").read_text(encoding="utf-8"))


def test_three_verdicts(command: Command, runs: Path) -> None:
    """0, 1 and 3, each with a summary that begins with the verdict."""
    assert gate(command, "dense.txt.gz", "nDCG@10:0.01", 0).startswith(
        "## Gate: pass\n\nPass against bm25.txt: nDCG@10"
    )
    assert gate(command, "short.txt", "AP:0.01", 1).startswith("## Gate: worse\n")
    told = gate(command, "short.txt", "nDCG@10:0.01", 3)
    assert told.startswith("## Gate: undecided\n\nUndecided against bm25.txt: nDCG@10 of short.txt −0.0191; about ")
    assert "queries would settle it, there are 24." in told
    assert "nDCG@10 of short.txt is undecided here and worse among the pairs: those ask whether there is any" in told
    assert "## Means" in told


def test_assessors_are_combined(command: Command, runs: Path) -> None:
    """A comparison takes the ratings of several assessors; without a rule the error names their file."""
    words = ("compare", "ratings.csv", "bm25.txt", "dense.txt.gz", "-m", "AP")
    said = command(*words, code=2)
    assert said.startswith("rankgauge: ratings.csv: 3 assessors judged these documents")
    assert "--assessors mean" in said
    found = json.loads(command(*words, "--assessors", "mean", "-o", "json"))
    other = json.loads(command("evaluate", *words[1:], "--assessors", "mean", "-o", "json"))
    assert [one["mean"] for one in found["means"]] == [one["summary"][0]["mean"] for one in other["runs"]]


def test_an_equal_run_passes(command: Command, runs: Path) -> None:
    """A change that moves nothing passes, with and without a tolerance."""
    Path("same.txt").write_bytes(Path("bm25.txt").read_bytes())
    for rule in ("AP", "AP:0.01"):
        assert gate(command, "same.txt", rule, 0).startswith("## Gate: pass")


def test_the_gate_is_in_the_data(command: Command, runs: Path) -> None:
    """Programs find the verdict, the level and the rows; without a gate nothing is said of it."""
    words = ("compare", "qrels.txt", "bm25.txt", "dense.txt.gz", "--baseline", "bm25", "-o", "json")
    assert "gate" not in json.loads(command(*words))
    found = json.loads(command(*words, "--fail-if-worse", "AP:0.02,nDCG@10"))["gate"]
    assert (found["verdict"], found["exit_code"], found["level"]) == ("pass", 0, 0.975)
    assert [row["tolerance"] for row in found["rows"]] == [0.02, 0.0]


def test_errors_are_no_verdicts(command: Command, runs: Path) -> None:
    """A wrong name would end with 3 and is told apart from an undecided gate; so are all other mistakes."""
    words = ("compare", "qrels.txt", "bm25.txt", "dense.txt.gz")
    command(*words, "-m", "nDG@10", code=3)
    command(*words, "--baseline", "bm25", "--fail-if-worse", "nDG@10", code=2)
    command(*words, "--baseline", "none", "--fail-if-worse", "AP", code=2)
    assert "baseline" in command(*words, "--fail-if-worse", "AP", code=4)
    assert "more is better" in command(*words, "--baseline", "bm25", "--fail-if-worse", "NumRel", code=4)
    assert "nDCG@10:0.01" in command(*words, "--baseline", "bm25", "--fail-if-worse", "AP:much", code=4)


def test_check_reads_the_nearest_file(command: Command, runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From a folder below, with paths relative to the file, and the summary where the command was called."""
    Path("rankgauge.toml").write_text(CONFIG.replace("NEW", "dense.txt.gz"))
    below = runs / "deep" / "down"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    assert command("check", "-o", "pr.md").startswith("pass against main: AP of new +0.2188")
    assert below_judged((below / "pr.md").read_text(encoding="utf-8")).startswith("## Gate: pass")
    assert below_judged(command("check")).startswith("Gate: pass")
    assert Path.cwd() == below
    (runs / "rankgauge.toml").write_text(CONFIG.replace("NEW", "short.txt"))
    command("check", code=1)
    command("check", "--config", "../../rankgauge.toml", code=1)


def test_check_reads_pyproject(command: Command, runs: Path) -> None:
    """A pyproject.toml with the table serves; one without it is passed over."""
    text = CONFIG.replace("NEW", "dense.txt.gz")
    Path("pyproject.toml").write_text('[project]\nname = "search"\n')
    assert "there is no rankgauge.toml here" in command("check", code=2)
    Path("pyproject.toml").write_text(f"[tool.rankgauge]{text}")
    assert below_judged(command("check")).startswith("Gate: pass")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("tolerance = 0.1", "the key 'tolerance' is not known."),
        ('baselin = "x"', "Did you mean baseline?"),
        ('alpha = "x"', "the key 'alpha' must be a number; it is 'x'"),
        ("seed = true", "the key 'seed' must be a whole number; it is True"),
        ("measures = [1]", "the key 'measures' must be a list of texts; it is [1]"),
        ("runs = [", "is not valid TOML"),
    ],
)
def test_mistakes_in_the_file(command: Command, runs: Path, line: str, told: str) -> None:
    """One clear error each, with the file's path and, for a wrong key, those that are known."""
    Path("rankgauge.toml").write_text(CONFIG.replace("NEW", "dense.txt.gz") + line)
    error = command("check", code=2)
    assert told in error
    assert str(runs / "rankgauge.toml") in error
    if "known" in told:
        assert "Known: judgments, runs, measures, dialect" in error


def test_a_first_file_is_written(command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From what is in a folder, so that the gate runs as it stands; nothing is overwritten, nothing half-written."""
    bare = folder / "bare"
    (bare / "runs").mkdir(parents=True)
    monkeypatch.chdir(bare)
    assert "no judgments found here" in command("check", "--init", code=2)
    (bare / "qrels.txt").write_bytes((folder / "qrels.txt").read_bytes())
    assert "no run found here" in command("check", "--init", code=2)
    assert not (bare / "rankgauge.toml").exists()
    for name in ("bm25.txt", "dense.txt.gz"):
        (bare / "runs" / name).write_bytes((folder / name).read_bytes())
    (bare / "groups.csv").write_text("query,kind\nq01,brand\nq02,brand\n")
    (bare / "notes.json").write_text('{"a": 1}')
    (bare / "junit.xml").write_text('<?xml version="1.0"?>\n<testsuites><testsuite name="rankgauge"/></testsuites>\n')
    told = command("check", "--init")
    assert told.startswith("wrote rankgauge.toml; found 1 file of judgments and 2 runs")
    spread = np.std(compared("nDCG@10"), ddof=1)
    loss = 0.01 + detectable_effect(24) * spread
    power = f"With 24 queries the gate detects a loss of nDCG@10 of about {loss:.2g} in 4 of 5 cases (80 % power)"
    assert f"{power}: differences between dense and bm25 have a standard deviation of {spread:.2g}." in told
    text = (bare / "rankgauge.toml").read_text(encoding="utf-8")
    assert 'runs = {bm25 = "runs/bm25.txt", dense = "runs/dense.txt.gz"}\n' in text
    assert 'baseline = "bm25"\n' in text
    assert '\nby = "groups.csv"\n' in text
    assert below_judged(command("check")).startswith("Gate: pass")
    assert "is not overwritten" in command("check", "--init", code=2)


def compared(measure: str) -> FloatArray:
    """The differences between the runs in this folder, query by query."""
    runs = {"bm25": "runs/bm25.txt", "dense": "runs/dense.txt.gz"}
    return compare("qrels.txt", runs, measure).differences[0]


def test_what_a_first_gate_cannot_see(command: Command, runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Equal runs show no spread, so that losses are given for several; a gate that does not work yet says why."""
    bare = runs / "bare"
    bare.mkdir()
    monkeypatch.chdir(bare)
    for name in ("qrels.txt", "bm25.txt"):
        (bare / name).write_bytes((runs / name).read_bytes())
    assert "It does not work yet: git:HEAD:bm25.txt" in command("check", "--init")
    (bare / "rankgauge.toml").unlink()
    git("init", cwd=bare)
    git("add", ".", cwd=bare)
    git("commit", "-m", "first", cwd=bare)
    told = command("check", "--init")
    losses = [f"{0.01 + spread * detectable_effect(24):.2g} if it is {spread}" for spread in (0.1, 0.2, 0.3)]
    assert f"which equal runs do not show yet: about {', '.join(losses)}." in told


def test_a_file_without_a_gate(command: Command, runs: Path) -> None:
    """The error says what is missing, and shows a small file."""
    Path("rankgauge.toml").write_text('judgments = "qrels.txt"')
    error = command("check", code=2)
    assert "does not say runs, fail-if-worse" in error
    assert "fail-if-worse = [" in error


def git(*words: str, cwd: Path) -> None:
    """Runs git with a name that every machine has."""
    named = ["-c", "user.name=tester", "-c", "user.email=tester@example.com", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *named, *words], cwd=cwd, check=True, capture_output=True)


def test_a_run_of_another_commit(command: Command, runs: Path) -> None:
    """git:REF:PATH is compared with the file as it is now; what git does not have is one clear error."""
    Path("search.txt").write_bytes(Path("bm25.txt").read_bytes())
    git("init", cwd=runs)
    git("add", "search.txt", "qrels.txt", cwd=runs)
    git("commit", "-m", "first", cwd=runs)
    Path("search.txt").write_bytes(Path("short.txt").read_bytes())
    words = ("compare", "qrels.txt", "search.txt", "--baseline", "main", "--fail-if-worse", "AP")
    command(*words, "main=git:HEAD:search.txt", code=1)
    told = command(*words, "main=git:nowhere:search.txt", code=2)
    assert told.startswith("rankgauge: git:nowhere:search.txt: git does not have it: ")
    assert "There is no branch, tag or commit nowhere" in told
    assert "Did you mean git:HEAD:search.txt?" in command(*words, "main=git:HEAD:serch.txt", code=2)
    assert "It is here, but not in HEAD" in command(*words, "main=git:HEAD:short.txt", code=2)
    git("commit", "-am", "second", cwd=runs)
    assert below_judged(command(*words, "main=git:HEAD:search.txt")).startswith("Gate: pass")
    tagged = Path("search.txt").read_text() + "z9 Q0 d1 1 1 another\n"
    Path("search.txt").write_text(tagged)
    git("commit", "-am", "tags", cwd=runs)
    shown = command(*words, "main=git:HEAD:search.txt")  # a note names what the user named, not the copy
    assert "git:HEAD:search.txt: its lines have the tags" in " ".join(shown.split())
    assert "/git:HEAD" not in shown
    Path("search.txt").write_text("broken\n")
    git("commit", "-am", "third", cwd=runs)
    Path("search.txt").write_bytes(Path("bm25.txt").read_bytes())
    assert command(*words, "main=git:HEAD:search.txt", code=2).startswith("rankgauge: git:HEAD:search.txt: ")


def test_hints_without_history(command: Command, runs: Path, tmp_path: Path) -> None:
    """A shallow clone is told to fetch more; where there is no repository, no clone is spoken of."""
    words = ("compare", "qrels.txt", "bm25.txt", "--baseline", "main", "--fail-if-worse", "AP", "main=git:old:bm25.txt")
    assert "needs a repository of git" in command(*words, code=2)
    git("init", cwd=runs)
    git("add", "bm25.txt", cwd=runs)
    for message in ("first", "second"):
        git("commit", "--allow-empty", "-m", message, cwd=runs)
    git("clone", "--depth=1", f"file://{runs}", str(tmp_path / "clone"), cwd=runs)
    (runs / ".git").rename(runs / "git")
    (tmp_path / "clone" / ".git").rename(runs / ".git")
    assert "fetch-depth: 0" in command(*words, code=2)


def test_responses_name_their_queries(command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """--init writes the list of queries that responses need, and check takes another one with --queries."""
    bare = folder / "responses"
    bare.mkdir()
    monkeypatch.chdir(bare)
    (bare / "qrels.txt").write_text("".join(f"q{n} 0 d{n} 1\n" for n in range(8)))
    for name, letters in (("old", "xd"), ("new", "dx")):
        hits = [
            {"hits": {"hits": [{"_id": f"{a}{n}", "_score": 1 / score} for score, a in enumerate(letters, start=1)]}}
            for n in range(8)
        ]
        (bare / f"{name}.json").write_text(json.dumps({"took": 1, "responses": hits}))
    command("check", "--init")
    assert '# queries = "queries.txt"\n' in (bare / "rankgauge.toml").read_text(encoding="utf-8")
    (bare / "rankgauge.toml").unlink()
    (bare / "topics.txt").write_text("".join(f"q{n}\n" for n in range(8)))
    command("check", "--init")
    text = (bare / "rankgauge.toml").read_text(encoding="utf-8")
    assert '\nqueries = "topics.txt"\n' in text
    assert "nDCG@10 of new +0.3691" in command("check", "-o", "pr.md")
    (bare / "topics.txt").rename(bare / "body.txt")
    searches = [line for n in range(8) for line in ({"index": "i"}, {"query": {"match": {"title": f"q{n}"}}})]
    (bare / "sent.ndjson").write_text("".join(json.dumps(line) + "\n" for line in searches))
    (bare / "rankgauge.toml").unlink()
    command("check", "--init")
    assert '\nqueries = "sent.ndjson"\n' in (bare / "rankgauge.toml").read_text(encoding="utf-8")
    (bare / "body.txt").rename(bare / "topics.txt")
    (bare / "rankgauge.toml").write_text(text.replace("topics.txt", "nosuch.txt"))
    assert "nDCG@10 of new +0.3691" in command("check", "--queries", "topics.txt", "-o", "pr.md")


@pytest.mark.parametrize("floor", ['min = {"nDCG@10" = 0.62}', 'min = ["nDCG@10:0.62"]', "min = 0.62"])
def test_a_floor(command: Command, runs: Path, floor: str) -> None:
    """A run that is as good as the baseline fails where its mean is below the floor, and passes where it is not."""
    lines = ['judgments = "qrels.txt"', 'runs = {main = "bm25.txt", new = "short.txt"}', 'baseline = "main"']
    rules = [*lines, 'fail-if-worse = ["nDCG@10:0.5"]']
    Path("rankgauge.toml").write_text("\n".join([*rules, floor]))
    command("check", "-o", "pr.md", code=1)
    assert "Below the floor: nDCG@10 of new 0.5373, floor 0.62." in Path("pr.md").read_text(encoding="utf-8")
    Path("rankgauge.toml").write_text("\n".join([*rules, floor.replace("0.62", "0.53")]))
    assert command("check", "-o", "pr.md").startswith("pass against main")
    Path("near.toml").write_text("\n".join([*rules, floor.replace("0.62", "0.5373")]))  # a rounded mean is not the mean
    command("check", "--config", "near.toml", "-o", "near.md", code=1)
    assert "new 0.537264, floor 0.5373" in Path("near.md").read_text(encoding="utf-8")
    found = json.loads(command("check", "-o", "json"))["gate"]["floors"]
    assert [(row["measure"], row["run"], row["floor"], row["verdict"]) for row in found] == [
        ("nDCG@10", "new", 0.53, "pass")
    ]


def test_a_floor_alone(command: Command, runs: Path) -> None:
    """It needs no other rule; one without a measure does, and a text that is no number is an error."""
    words = ("compare", "qrels.txt", "bm25.txt", "dense.txt.gz", "--baseline", "bm25", "--min")
    assert command(*words, "nDCG@10:0.7", "-o", "pr.md").startswith(
        "pass: not below the floor: nDCG@10 of dense.txt 0.7"
    )
    command(*words, "AP:0.1,nDCG@10:0.8", code=1)
    assert "written with its measure, such as nDCG@10:0.62. Got 0.8" in command(*words, "0.8", code=4)
    assert "nDCG@10:0.62" in command(*words, "nDCG@10", code=4)


def test_a_summary_for_the_pull_request(command: Command, runs: Path) -> None:
    """The verdict, its numbers and the queries that lost most; the whole comparison unfolds below."""
    told = gate(command, "short.txt", "AP", 1)
    summary, fold, rest = told.partition("<details>\n<summary>The whole comparison</summary>\n")
    assert fold
    assert "## Queries that lost most\n" in summary
    assert "| AP | q14 | short.txt | 0.5066 | 0.2485 | −0.2581 |" in summary
    assert "## Means" in rest
    assert rest.endswith("\n</details>\n")


def test_verdicts_as_tests(command: Command, runs: Path) -> None:
    """JUnit's XML: worse is a failure, and undecided is skipped, for segments too."""
    Path("segments.csv").write_text("query,kind\n" + "".join(f"q{n:02},a\n" for n in range(1, 7)))
    words = ("compare", "qrels.txt", "bm25.txt", "short.txt", "--baseline", "bm25", "--by", "segments.csv")
    command(*words, "--fail-if-worse", "AP,nDCG@10:0.01", "--min", "AP:0.1", "-o", "junit.xml", code=1)
    suite = ElementTree.parse("junit.xml").getroot()[0]
    outcomes = {(case.get("classname"), case.get("name")): [part.tag for part in case] for case in suite}
    assert outcomes["rankgauge.gate", "AP of short.txt"] == ["failure"]
    assert outcomes["rankgauge.gate", "nDCG@10 of short.txt"] == ["skipped"]
    assert outcomes["rankgauge.segments", "nDCG@10 of short.txt for kind a"] == ["skipped"]
    assert outcomes["rankgauge.floors", "AP of short.txt"] == ["system-out"]
    assert outcomes["rankgauge.segments", "AP of short.txt for kind (none)"] == ["failure"]
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("7", "2", "4")
    assert "there is none" in command("compare", "qrels.txt", "bm25.txt", "short.txt", "-o", "junit", code=2)


def test_a_floor_of_what_nobody_judged(command: Command, runs: Path) -> None:
    """A run whose ids are not those of the judgments has no mean that could be below a floor: the gate cannot tell."""
    lines = (line.split() for line in Path("bm25.txt").read_text().splitlines())
    Path("skus.txt").write_text("".join(f"{q} Q0 sku-{d} {rank} {score} s\n" for q, _, d, rank, score, _ in lines))
    words = ("compare", "qrels.txt", "bm25.txt", "skus.txt", "--baseline", "bm25", "--min", "AP:0.3", "-o", "pr.md")
    command(*words, code=3)
    assert "Cannot tell: hardly anything of skus.txt is judged" in Path("pr.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("run", "share", "code"), [(None, 0.0, 0), (None, 0.9, 1), ("bm25.txt", 0.9, 1), ("short.txt", 0.0, 1)]
)
def test_a_judge_is_gated_too(runs: Path, run: str | None, share: float, code: int) -> None:
    """A judge who guesses now fails the check, alone or beside runs that pass; one who is the same passes."""
    rng = np.random.default_rng(0)
    rows = [line.split() for line in (runs / "qrels.txt").read_text().splitlines()]
    for name, part in (("audited", 0.0), ("now", share)):
        said = [str(rng.integers(0, 4)) if rng.random() < part else row[3] for row in rows]
        lines = [" ".join((*row[:3], grade)) for row, grade in zip(rows, said, strict=True)]
        (runs / f"{name}.qrels").write_text("\n".join(lines))
    judge = '[judge]\npeople = "qrels.txt"\naudited = "audited.qrels"\ngrades = "now.qrels"\n'
    (runs / "rankgauge.toml").write_text(("" if run is None else CONFIG.replace("NEW", run)) + judge)
    ended = rankgauge(["check"], runs)
    assert ended.code == code
    told = ended.out
    assert ("it is as good as before" if not share else "it is worse than before") in told
    assert ("Gate: " in told) == (run is not None)


@pytest.mark.parametrize("judge", ['judge = "a.csv"', "[judge]", '[judge]\npeople = "a"\naudited = "b"\ngrades = 1'])
def test_a_judge_needs_its_three_files(command: Command, folder: Path, judge: str) -> None:
    """What is missing is said."""
    Path("rankgauge.toml").write_text(judge)
    assert "people, audited, grades" in command("check", code=2)
