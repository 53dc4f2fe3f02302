"""rankgauge pool make and pool reuse, as a user types them."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Command

REUSE = ("pool", "reuse", "qrels.txt", "bm25.txt", "--new", "dense.txt.gz", "--pool-depth", "10", "-m", "nDCG@10,AP")


def test_a_pool_goes_to_a_file(command: Command, folder: Path) -> None:
    """The table has a row for each document that the report counts, and texts where they are given."""
    (folder / "docs.tsv").write_text("".join(f"d{n}\ttext {n}\n" for n in range(1000)))
    printed = command(
        "pool", "make", "bm25.txt", "dense.txt.gz", "--depth", "3", "--documents", "docs.tsv", "-o", "p.csv"
    )
    rows = list(csv.DictReader((folder / "p.csv").read_text().splitlines()))
    assert printed.startswith(f"{len(rows)} documents to judge, for 25 queries")
    assert rows[0]["text"] == f"text {rows[0]['document'][1:]}"
    assert {int(row["best_rank"]) for row in rows} == {1, 2, 3}


def test_the_cost_alone(command: Command, folder: Path) -> None:
    """Without a file only the cost is said; hours where a label's time is known."""
    printed = command("pool", "make", "bm25.txt", "--method", "hedge", "--budget", "120", "--seconds-per-label", "30")
    assert "1.0 hours of one assessor" in printed
    assert "changes no weight" in printed


def test_the_pool_is_planned_and_judged(command: Command, folder: Path) -> None:
    """pool make → active plan: the ranks of two runs are two rankers."""
    command("pool", "make", "bm25.txt", "dense.txt.gz", "--depth", "10", "-o", "p.csv")
    common = ("--grades", "0,1,2,3", "-m", "P@5", "--budget", "60")
    assert "361" in command("active", "plan", "p.csv", "--depth", "10", *common, "-o", "c.rg")


def test_the_pool_of_many_runs_is_a_board(command: Command, folder: Path) -> None:
    """pool make → active plan: the ranks of three runs are a leaderboard, by the names of the runs."""
    (folder / "more.txt").write_text((folder / "bm25.txt").read_text(), encoding="utf-8")
    command("pool", "make", "bm25.txt", "dense.txt.gz", "More=more.txt", "--depth", "10", "-o", "many.csv")
    common = ("--grades", "0,1,2,3", "-m", "P@5", "--budget", "361")
    (folder / "texts.csv").write_text("document,title\nd691,A title\n", encoding="utf-8")
    printed = command("active", "plan", "many.csv", *common, "--documents", "texts.csv", "-o", "many.rg")
    assert "3 runs" in printed
    command("active", "next", "many.rg", "-n", "361", "-o", "tasks.csv")
    tasks = (folder / "tasks.csv").read_text(encoding="utf-8")
    assert "A title" in tasks


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("make", "bm25.txt"), "neither a depth nor a budget"),
        (("make", "bm25.txt", "--depth", "3", "-o", "p.txt"), "End the name in .csv or .tsv"),
        (("make", "bm25.txt", "--depth", "3", "--method", "hegde"), "Did you mean hedge"),
        (("make", "bm25.txt", "--depth", "3", "-m", "bpref"), "whose ranks have weights"),
        (("make", "bm25.txt", "--depth", "3", "-o", "bm25.txt"), "is read or written already"),
        (("make", "bm25.txt", "--depth", "3", "--judgments", "foreign.txt"), "no judged document is in the runs"),
        (("make", "bm25.txt", "--depth", "3", "--seed", "-1"), "-1 is less than 0"),
        (("make", "bm25.txt", "--depth", "3", "--judgments", "ratings.csv"), "3 assessors judged these documents"),
        (("reuse", "ratings.csv", "bm25.txt", "--pool-depth", "3"), "3 assessors judged these documents"),
        (("make", "bm25.txt", "--depth", "3", "-o", "nowhere/p.csv"), "there is no folder nowhere"),
        (("make", "twice.txt", "--depth", "3"), "twice.txt:3: the run lists document a more than once for query q01"),
        (("make", "few.txt", "--depth", "1", "--judgments", "few.qrels"), "the longest list has 2 documents"),
        (
            ("make", "few.txt", "--depth", "9", "--judgments", "all.qrels"),
            "every document of the runs is judged already",
        ),
        (("make", "bm25.txt", "--depth", "3", "--rel", "2"), "--rel needs --judgments"),
        (("reuse", "qrels.txt", "bm25.txt", "--pool-depth", "5"), "only one run contributed"),
        (("reuse", "qrels.txt", "bm25.txt"), "Say to which depth"),
        (("reuse", "qrels.txt", "bm25.txt", "--teams", "qrels.txt"), "expected a run and its team"),
        (("reuse", "qrels.txt", "bm25.txt", "--pool-depth", "5", "-m", "bpref"), "add up what documents are worth"),
        (("reuse", "nowhere.txt", "bm25.txt", "-m", "gRBP"), "AP, ARHR, CG, DCG, ERR"),
        (("reuse", "qrels.txt", "bm25.txt", "--pool-depth", "5", "-m", "Q"), "Got 'Q' instead"),
        (("reuse", "qrels.txt", "bm25.txt", "AP"), "AP is a measure"),
        (("reuse", "foreign.txt", "bm25.txt", "--pool-depth", "5"), "no judged document is in the runs"),
        (("reuse", "qrels.txt", "bm25.txt", "--pool-depth", "5", "-m", "GMAP"), "'measure' parameter of pool reuse"),
    ],
)
def test_errors(command: Command, folder: Path, arguments: tuple[str, ...], words: str) -> None:
    """One clear error, and no file."""
    (folder / "foreign.txt").write_text("z01 0 d691 1\n")
    (folder / "twice.txt").write_text("q01 Q0 a 1 3 t\nq01 Q0 b 2 2 t\nq01 Q0 a 3 1 t\n")
    (folder / "few.txt").write_text("q01 Q0 a 1 3 t\nq01 Q0 b 2 2 t\n")
    (folder / "few.qrels").write_text("q01 0 a 1\n")
    (folder / "all.qrels").write_text("q01 0 a 1\nq01 0 b 1\n")
    code = next((code for option, code in (("--method", 3), ("-m", 4), ("--rel", 4)) if option in arguments), 2)
    assert words in command("pool", *arguments, code=code)
    assert not list(folder.glob("p.*"))


@pytest.mark.parametrize(("measure", "code"), [("Foo", 3), ("SetP", 4)])
def test_a_measure_without_weights_leaves_no_pool(command: Command, folder: Path, measure: str, code: int) -> None:
    """An error comes before the file is written."""
    command("pool", "make", "bm25.txt", "--depth", "3", "-m", measure, "-o", "p.csv", code=code)
    assert not (folder / "p.csv").exists()


def test_a_team_is_known_by_the_name_of_a_file(command: Command, folder: Path) -> None:
    """The name of a run is that of its file, with or without the ending."""
    (folder / "teams.tsv").write_text("bm25\tours\ndense.txt\ttheirs\n")
    runs = ("bm25.txt", "dense.txt.gz", "--pool-depth", "10", "--teams", "teams.tsv", "-o", "json")
    found = json.loads(command("pool", "reuse", "qrels.txt", *runs))
    assert {row["left_out"] for row in found["without_team"]["by_group"]} == {"ours", "theirs"}


def test_the_highest_grade_of_subtopics_counts(command: Command, by_subtopic: str) -> None:
    """Judgments by subtopic serve pools as those of whole documents do, once their format is named."""
    named = ("--format-judgments", "trec-subtopics")
    runs = ("bm25.txt", "dense.txt.gz", "--pool-depth", "10", "-m", "nDCG@10", "-o", "json")
    whole = command("pool", "reuse", "qrels.txt", *runs)
    assert command("pool", "reuse", by_subtopic, *runs, *named) == whole
    make = ("pool", "make", "bm25.txt", "dense.txt.gz", "--method", "mtf", "--budget", "40", "--judgments")
    assert command(*make, by_subtopic, *named) == command(*make, "qrels.txt")
    assert "trec-subtopics" in command(*make, by_subtopic, code=2)


def test_no_bounds_of_a_normalised_cascade(command: Command) -> None:
    """What no number of teams would tell is not called "not yet", and a note says why."""
    told = command(*REUSE[:-1], "nERR@10,ERR@10")
    rows = {line.split()[1]: line for line in told.splitlines() if line.startswith("dense.txt")}
    assert "not known" in rows["nERR@10"]
    assert "not known" not in rows["ERR@10"]
    assert "not known     bounds of nERR@10" in told


def test_every_format(command: Command, folder: Path) -> None:
    """Text, Markdown, JSON, CSV and a page with pictures say the same."""
    found = json.loads(command(*REUSE, "-o", "json"))
    rows = list(csv.DictReader(command(*REUSE, "-o", "csv").splitlines()))
    assert [float(row["best"]) for row in rows] == pytest.approx([row["best"] for row in found["new"]])
    shown = f"{found['new'][0]['worst']:.4f}"
    assert shown in command(*REUSE)
    assert shown in command(*REUSE, "-o", "md")
    for more, pictures in (((), 2), (("old=dense.jsonl",), 4)):
        command(*REUSE, *more, "-o", "r.html")
        page = (folder / "r.html").read_text()
        assert shown in page
        assert page.count("<svg") == pictures


def test_one_run_is_not_left_out(command: Command) -> None:
    """Without the only run that contributed nothing is left: new runs have bounds, and nothing is said of a loss."""
    told = " ".join(command(*REUSE).split())
    assert told.startswith("dense.txt has nDCG@10 0.7199, or 0.3438 to 0.8105 by its unjudged documents.")
    assert "only one run contributed" in told
    assert "Without a run" not in told
    assert "without_run" not in json.loads(command(*REUSE, "-o", "json"))


def test_a_reader_who_has_gone_costs_no_pool(folder: Path) -> None:
    """The table is written before anything is printed."""
    command = f"'{sys.executable}' -m rankgauge.cli pool make bm25.txt dense.txt.gz --depth 10 -o gone.csv | true"
    subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, check=True)
    assert len((folder / "gone.csv").read_text().splitlines()) == 362


@pytest.mark.filterwarnings("ignore::rankgauge.errors.InputWarning")  # a note on standard error
def test_a_document_that_was_not_drawn_is_not_judged(command: Command, folder: Path) -> None:
    """Judgments of a sample list it with a grade of −1: it can still be handed out."""
    lines = (folder / "qrels.txt").read_text().splitlines()
    sampled = [
        f"{q} 0 {d} {1 + n % 2} {-1 if n % 4 == 3 else g}" for n, (q, _, d, g) in enumerate(map(str.split, lines))
    ]
    (folder / "sampled.txt").write_text("\n".join(sampled) + "\n")
    told = command("pool", "make", "bm25.txt", "dense.txt.gz", "--depth", "10", "--judgments", "sampled.txt")
    whole = command("pool", "make", "bm25.txt", "dense.txt.gz", "--depth", "10", "--judgments", "qrels.txt")
    counts = [int(text.split()[0]) for text in (told, whole)]
    assert counts[0] > counts[1]


def test_teams_are_named_as_files_are(command: Command, folder: Path) -> None:
    """A run is known in the file of teams as it is on the command line; one in no team is told."""
    (folder / "teams.tsv").write_text("bm25.txt\tA\ndense.txt.gz\tA\nother\tB\n")
    runs = ("bm25.txt", "dense.txt.gz", "other=dense.jsonl")
    words = ("pool", "reuse", "qrels.txt", *runs, "--pool-depth", "10", "--teams", "teams.tsv")
    assert "in no team" not in command(*words)
    teams = json.loads(command(*words, "-o", "json"))["without_team"]["by_group"]
    assert {team["left_out"]: team["runs"] for team in teams} == {"A": 2, "B": 1}
    (folder / "teams.tsv").write_text("bm25\tA\nother\tA\n")
    assert "1 run in no team; each counts as a team of its own" in " ".join(command(*words).split())


def test_texts_that_are_missing_are_told(command: Command, folder: Path) -> None:
    """A table of texts that has none of the documents is no silence."""
    (folder / "docs.tsv").write_text("x1\tnothing\n")
    told = command("pool", "make", "bm25.txt", "--depth", "2", "--documents", "docs.tsv")
    assert "documents of the pool have no text in the table" in " ".join(told.split())


def test_texts_have_many_names(command: Command, folder: Path) -> None:
    """Pyserini's `contents` and others' `body` are texts."""
    rows = "".join(f"d{n},text {n}\n" for n in range(1000))
    for name in ("contents", "body"):
        (folder / "docs.csv").write_text(f"docno,{name}\n{rows}")
        command("pool", "make", "bm25.txt", "--depth", "1", "--documents", "docs.csv", "-o", "p.csv")
        first = next(csv.DictReader((folder / "p.csv").read_text().splitlines()))
        assert first["text"] == f"text {first['document'][1:]}"
