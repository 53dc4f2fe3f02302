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
    assert "--similarity needs the runs' lists" in command(*words, "--similarity", "rbo", code=4)
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


def test_the_same_judgments_in_another_order(command: Command, stored: Path) -> None:
    """Rows may change places; a grade may not change."""
    lines = Path("qrels.txt").read_text().splitlines()
    Path("qrels.txt").write_text("\n".join(reversed(lines)) + "\n")
    command("check", "-o", "pr.md", code=1)
    Path("qrels.txt").write_text("\n".join([*lines[:-1], f"{lines[-1]}1"]) + "\n")
    assert "the judgments have changed" in command("check", code=2)


def responses(folder: Path, name: str, *, failed: int, ids: str = "", lack: dict[str, bool] | None = None) -> None:
    """Write ten answers of a search engine, of which some are errors, or lack something."""
    hits = [{"_id": f"{ids}{d}", "_score": 9 - n} for n, d in enumerate("abc")]
    error = {"error": {"type": "x"}, "status": 503} if lack is None else {"hits": {"hits": hits[:1]}, **lack}
    told = [error if n < failed else {"hits": {"hits": hits}} for n in range(10)]
    (folder / name).write_text(json.dumps({"took": 1, "responses": told}))


def test_failed_searches(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One failed search is no change of the judgments; a baseline with one, or of which nothing is judged, is none."""
    monkeypatch.chdir(tmp_path)
    Path("queries.txt").write_text("".join(f"q{n}\n" for n in range(10)))
    Path("qrels.txt").write_text("".join(f"q{n} 0 {d} {g}\n" for n in range(10) for d, g in (("a", 2), ("b", 0))))
    Path("rankgauge.toml").write_text(CONFIG.replace("run.txt", "run.json") + 'queries = "queries.txt"\n')
    for failed, ids, words in (
        (1, "", "1 search of new failed (q0): nothing is stored"),
        (0, "x", "Nothing is stored"),
    ):
        responses(tmp_path, "run.json", failed=failed, ids=ids)
        assert words in command("check", "--store-baseline", code=2)
        assert not Path("baseline.json").exists()
    responses(tmp_path, "run.json", failed=0)
    command("check", "--store-baseline")
    responses(tmp_path, "run.json", failed=1)
    command("check", "-o", "pr.md", stderr=True)
    for lack in (None, {"timed_out": True}):
        responses(tmp_path, "run.json", failed=9, lack=lack)
        said = command("check", "-o", "pr.md", code=3) + Path("pr.md").read_text("utf-8")
        assert "9 of 10 searches of new failed" in said


def test_searches_that_failed_in_every_run(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Searches that failed in both runs are failed searches too: the rest does not speak for all queries."""
    monkeypatch.chdir(tmp_path)
    Path("queries.txt").write_text("".join(f"q{n}\n" for n in range(10)))
    Path("qrels.txt").write_text("".join(f"q{n} 0 {d} {g}\n" for n in range(10) for d, g in (("a", 2), ("b", 0))))
    for name in ("old.json", "new.json"):
        responses(tmp_path, name, failed=4)
    words = ("compare", "qrels.txt", "old.json", "new.json", "--baseline", "old", "--fail-if-worse", "nDCG@10")
    said = command(*words, "-o", "pr.md", code=3) + Path("pr.md").read_text("utf-8")
    assert "4 of 10 searches of new.json failed (q0, q1, q2, …)" in said
