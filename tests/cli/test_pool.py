"""rankgauge pool make and pool reuse, as a user types them."""

from __future__ import annotations

import csv
import json
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
    plan = ("active", "plan", "p.csv", "--grades", "0,1,2,3", "-m", "P@5", "--budget", "60", "-o", "c.rg")
    assert "361" in command(*plan)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("make", "bm25.txt"), "neither a depth nor a budget"),
        (("make", "bm25.txt", "--depth", "3", "-o", "p.txt"), "End the name in .csv or .tsv"),
        (("make", "bm25.txt", "--depth", "3", "--method", "hegde"), "Did you mean hedge"),
        (("make", "bm25.txt", "--depth", "3", "-m", "bpref"), "whose ranks have weights"),
        (("make", "bm25.txt", "--depth", "3", "-o", "bm25.txt"), "is read or written already"),
        (("reuse", "qrels.txt", "bm25.txt"), "Say to which depth"),
        (("reuse", "qrels.txt", "bm25.txt", "--teams", "qrels.txt"), "expected a run and its team"),
        (("reuse", "qrels.txt", "bm25.txt", "--pool-depth", "5", "-m", "bpref"), "states its form"),
        (("reuse", "qrels.txt", "bm25.txt", "AP"), "AP is a measure"),
    ],
)
def test_errors(command: Command, folder: Path, arguments: tuple[str, ...], words: str) -> None:
    """One clear error, and no file."""
    code = next((code for option, code in (("--method", 3), ("-m", 4)) if option in arguments), 2)
    assert words in command("pool", *arguments, code=code)
    assert not list(folder.glob("p.*"))


def test_a_team_is_known_by_the_name_of_a_file(command: Command, folder: Path) -> None:
    """The name of a run is that of its file, with or without the ending."""
    (folder / "teams.tsv").write_text("bm25\tours\ndense.txt\ttheirs\n")
    runs = ("bm25.txt", "dense.txt.gz", "--pool-depth", "10", "--teams", "teams.tsv", "-o", "json")
    found = json.loads(command("pool", "reuse", "qrels.txt", *runs))
    assert {row["left_out"] for row in found["without_team"]["by_group"]} == {"ours", "theirs"}


def test_every_format(command: Command, folder: Path) -> None:
    """Text, Markdown, JSON, CSV and a page with pictures say the same."""
    found = json.loads(command(*REUSE, "-o", "json"))
    rows = list(csv.DictReader(command(*REUSE, "-o", "csv").splitlines()))
    assert [float(row["best"]) for row in rows] == pytest.approx([row["best"] for row in found["new"]])
    shown = f"{found['new'][0]['worst']:.4f}"
    assert shown in command(*REUSE)
    assert shown in command(*REUSE, "-o", "md")
    command(*REUSE, "-o", "r.html")
    page = (folder / "r.html").read_text()
    assert shown in page
    assert page.count("<svg") == 4
