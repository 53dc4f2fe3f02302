"""rankgauge active plan, next, record, estimate, refit."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from tests.active.campaigns import frame

Command = Callable[..., str]


@pytest.fixture
def table(folder: Path, tmp_path: Path) -> Path:
    """A pool of 60 queries of 5 documents, with beliefs and titles."""
    path = tmp_path / "pool.parquet"
    frame(queries=60, documents=5).drop("grade").write_parquet(path)
    return path


def judge(tasks: Path) -> None:
    """Fills the grades in."""
    truth = frame(queries=60, documents=5).select("query", "document", "grade")
    read = pl.read_csv(tasks, infer_schema=False).drop("grade")
    read.join(truth, on=["query", "document"], how="left", maintain_order="left").write_csv(tasks)


def test_certainty_is_softened(command: Command, folder: Path, tmp_path: Path) -> None:
    """The plan says that one-hot beliefs are not believed, and promises an interval with a width."""
    sure = frame(queries=60, documents=5).with_columns(**{f"p_{g}": (pl.col("grade") == g) * 1.0 for g in range(3)})
    sure.drop("grade").write_parquet(tmp_path / "pool.parquet")
    asked = ("-m", "ERR", "--budget", "60", "--method", "document", "-o", str(tmp_path / "a.rg"))
    shown = command("active", "plan", str(tmp_path / "pool.parquet"), *asked)
    assert "certain of one grade, which no label supports yet: softened" in " ".join(shown.split())
    assert "0.0000" not in shown


def test_whole_way(command: Command, table: Path, tmp_path: Path) -> None:
    """A pool is planned, judged and estimated: the interval is told, and the budget is never exceeded."""
    made, tasks = str(tmp_path / "campaign.rg"), tmp_path / "tasks.csv"
    shown = command("active", "plan", str(table), "-m", "ERR", "--budget", "60", "--method", "greg", "-o", made)
    assert "the mean ERR over 60 queries" in shown
    assert "→  greg" in shown
    for method in ("auto", "document", "paper", "passive", "passive-iid"):
        assert f"   {method} " in shown
    assert "20 documents for anna" in command("active", "next", made, "--assessor", "anna", "-o", str(tasks))
    again = tmp_path / "again.csv"
    assert "20 documents" in command("active", "next", made, "--assessor", "anna", "--again", "-o", str(again))
    assert again.read_text() == tasks.read_text()
    judge(tasks)
    assert "20 recorded" in command("active", "record", made, str(tasks))
    assert "20 known already" in command("active", "record", made, str(tasks))
    assert "4 draws complete" in command("active", "record", made, str(tasks))
    command("active", "next", made, "-n", "100", "-o", str(tasks))
    judge(tasks)
    command("active", "record", made, str(tasks))
    told = command("active", "next", made, "-o", str(tasks), code=6)
    assert "nothing is handed out: the budget is spent" in told
    assert not tasks.exists(), "somebody would take the earlier tasks for new ones"
    assert (tmp_path / "tasks.csv.old").exists()
    text = command("active", "estimate", made)
    assert "60 of 60: 60 documents of 12 queries; 60 labels of 2 assessors" in text
    found = json.loads(command("active", "estimate", made, "-o", "json"))
    assert found["estimate"]["low"] < found["estimate"]["value"] < found["estimate"]["high"]
    assert f"ERR {found['estimate']['value']:.4f} ±" in text
    assert found["curve"][-1]["cost"] == 60
    page = tmp_path / "estimate.html"
    command("active", "estimate", made, "-o", str(page))
    assert "<svg" in page.read_text(encoding="utf-8")
    assert "http" not in page.read_text(encoding="utf-8")


def test_mistakes(command: Command, table: Path, tmp_path: Path) -> None:
    """A campaign that exists, one that does not, a wrong ending and a wrong label are told, and change nothing."""
    made = str(tmp_path / "c.rg")
    command("active", "plan", str(table), "--budget", "20", "-o", made)
    assert "already" in command("active", "plan", str(table), "--budget", "20", "-o", made, code=2)
    assert "no such campaign" in command("active", "estimate", str(tmp_path / "d.rg"), code=2)
    assert "no format of tasks" in command("active", "next", made, "-o", "tasks.xls", code=2)
    assert "0 of 20" in command("active", "estimate", made)
    labels = tmp_path / "labels.txt"
    labels.write_text("q00 0 d0 1\nq00 0 d1 9\n")
    assert "labels.txt:2: the grade '9' is not on the scale" in command("active", "record", made, str(labels), code=2)
    labels.write_text("q00 0 d0 good\n")
    told = command("active", "record", made, str(labels), code=2)
    assert "the grade 'good' is not a number" in told
    assert "The campaign's scale: 0, 1, 2." in told
    assert "--scale" not in told
    assert "--ids needs --run" in command("active", "estimate", made, "--ids", "case", code=4)
    labels.write_text("q00 0 d0 1\n")
    assert "1 for documents not drawn yet" in command("active", "record", made, str(labels))
    (tmp_path / "more.csv").write_text("query,document,title,grade,certainty\nq00,d0,A title,1,high\n")
    assert "columns that were not read: certainty\n" in command("active", "record", made, str(tmp_path / "more.csv"))
    labels.write_text("q00 0 d0 2\n")
    assert "--replace" in command("active", "record", made, str(labels), code=2)
    assert "1 replaced" in command("active", "record", made, str(labels), "--replace")
    assert "only 0 draws are complete" in command("active", "refit", made, code=2)


def test_runs_and_urls(command: Command, tmp_path: Path) -> None:
    """One or two runs are a pool too; a campaign may be a database URL."""
    url = f"sqlite:///{tmp_path / 'room.db'}#autumn"
    shown = command(
        *("active", "plan", "bm25.txt", "dense.txt.gz", "-m", "DCG@5", "--grades", "0,1,2"),
        *("--budget", "40", "--method", "paper", "--option", "costs=one", "--depth", "10", "-o", url),
    )
    assert "DCG@5 of the first ranker − that of the second" in shown
    assert "all grades are equally likely" in shown
    tasks = tmp_path / "tasks.jsonl"
    command("active", "next", url, "-n", "3", "-o", str(tasks))
    assert len(tasks.read_text().splitlines()) == 3
    assert "unit" in command(
        "active", "plan", "bm25.txt", "--grades", "0,1", "--budget", "9", "--unit", "x", "-o", url, code=3
    )


def test_two_runs_by_dcg(command: Command, tmp_path: Path) -> None:
    """A measure whose gain or discount the dialect decides needs no board for two runs."""
    told = command(
        "active",
        "plan",
        "bm25.txt",
        "dense.jsonl",
        "-m",
        "DCG@10",
        "--grades",
        "0,1,2,3",
        "--budget",
        "50",
        "-o",
        str(tmp_path / "dcg.rg"),
        "--method",
        "document",
    )
    assert "the mean DCG" in told


def test_a_scale_names_the_grades(command: Command, tmp_path: Path) -> None:
    """A scale's levels are the grades of one value too, and measures may be separated by commas."""
    common = ("active", "plan", "bm25.txt", "--scale", "trec-dl", "--budget", "50", "-o")
    assert "grades 0, 1, 2, 3" in command(*common, str(tmp_path / "one.rg"), "-m", "P@5", "--method", "document")
    assert "P@5, RR of 1 run" in command(*common, str(tmp_path / "two.rg"), "-m", "P@5,RR")


def test_stages(command: Command, table: Path, tmp_path: Path) -> None:
    """A new stage begins with what is left of the budget."""
    made, tasks = str(tmp_path / "c.rg"), tmp_path / "tasks.csv"
    command("active", "plan", str(table), "--budget", "60", "--method", "paper", "-o", made)
    command("active", "next", made, "-n", "15", "-o", str(tasks))
    judge(tasks)
    command("active", "record", made, str(tasks))
    assert command("active", "refit", made) == "stage 2 begins with 45 of the budget\n"
    assert "2 stages" in command("active", "estimate", made)


def test_several_need_names(command: Command, table: Path, tmp_path: Path) -> None:
    """Where several people judge each document, it matters who gets it."""
    made, tasks = str(tmp_path / "c.rg"), str(tmp_path / "tasks.csv")
    command("active", "plan", str(table), "--budget", "60", "--method", "paper", "--assessors", "2", "-o", made)
    assert "--assessor NAME" in command("active", "next", made, "-o", tasks, code=4)
    assert "20 documents for ben" in command("active", "next", made, "--assessor", "ben", "-o", tasks)
