"""A baseline that is stored in a file: the same verdict as with its run, and no verdict where it does not belong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command

CONFIG = """judgments = "qrels.txt"
runs = {new = "run.txt"}
baseline = "baseline.json"
measures = ["nDCG@10", "AP"]
fail-if-worse = ["AP"]
"""


@pytest.fixture
def stored(command: Command, folder: Path) -> Path:
    """A project whose baseline is bm25.txt in a file, and whose run has lost the end of its lists since."""
    (folder / "rankgauge.toml").write_text(CONFIG)
    (folder / "run.txt").write_bytes((folder / "bm25.txt").read_bytes())
    told = command("check", "--store-baseline")
    assert told == "stored new in baseline.json: 24 queries, nDCG@10, AP\n"
    lines = (folder / "bm25.txt").read_text().splitlines(keepends=True)
    (folder / "run.txt").write_text("".join(line for line in lines if int(line.split()[3]) <= 8))
    return folder


def test_the_same_as_with_the_run(command: Command, stored: Path) -> None:
    """Every number of the comparison, also by measures that were not asked for when it was stored."""
    command("check", "-o", "stored.json", code=1)
    words = ("compare", "qrels.txt", "new=run.txt", "-m", "nDCG@10,AP", "--fail-if-worse", "AP", "-o")
    command(*words, "run.json", "baseline=bm25.txt", "--baseline", "baseline", code=1)
    pages = [json.loads(Path(name).read_text(encoding="utf-8")) for name in ("stored.json", "run.json")]
    for page in pages:
        page["means"].sort(key=lambda row: (row["measure"], row["run"]))
        page["runs"].sort()
    assert pages[0]["means"] == pages[1]["means"]
    assert pages[0]["pairs"] == pages[1]["pairs"]
    assert pages[0]["gate"] == pages[1]["gate"]
    command("compare", "qrels.txt", "run.txt", "--baseline", "baseline.json", "-m", "ERR@20", "-o", "page.html")
    values = json.loads(Path("baseline.json").read_text(encoding="utf-8"))["values"]
    assert values["q01"].keys() == {"nDCG@10", "AP"}


def test_where_it_does_not_belong(command: Command, stored: Path) -> None:
    """Other judgments, even with the same grades, and other rules of ranking: an error with the way out."""
    words = ("compare", "qrels.txt", "run.txt", "--baseline", "baseline.json")
    assert "was stored with other rules: depth None, now 5" in command(*words, "--depth", "5", code=2)
    assert "has no lists" in command(*words, "--similarity", "rbo", code=4)
    lines = Path("qrels.txt").read_text().splitlines()
    Path("qrels.txt").write_text("\n".join([*lines[:-1], lines[-1].replace(lines[-1].split()[2], "other")]) + "\n")
    told = command("check", code=2)
    assert "baseline.json: the judgments have changed since it was stored" in told
    assert "rankgauge check --store-baseline" in told


def test_what_is_no_baseline(command: Command, stored: Path) -> None:
    """A file that is missing or something else, and a run that is not one alone."""
    Path("baseline.json").write_text('{"rankgauge-baseline": 1, "run": []}')
    assert "is not a stored baseline" in command("check", code=2)
    Path("baseline.json").unlink()
    assert "'rankgauge check --store-baseline' writes it" in command("check", code=2)
    Path("rankgauge.toml").write_text(CONFIG.replace('{new = "run.txt"}', '{old = "bm25.txt", new = "run.txt"}'))
    assert "there are 2 runs" in command("check", "--store-baseline", code=2)
    assert not Path("baseline.json").exists()
