"""The benchmarks run, and their files look like real ones."""

from __future__ import annotations

import ast
import importlib.util
import itertools
from pathlib import Path

import pytest

from benchmarks import run
from benchmarks.generate import Size, generate
from benchmarks.goals import Reached, reached_in_files

ROOT = Path(__file__).parents[1]

TINY = Size(name="tiny", queries=20, depth=30, judged=5)


def test_generated_files_are_seeded_and_regular(tmp_path: Path) -> None:
    """The same seed gives the same files; lists fall, most but not all judged documents are found."""
    one, other = (generate(TINY, folder=tmp_path / name) for name in "ab")
    assert [path.read_text() for path in one] == [path.read_text() for path in other]
    lines = [line.split() for line in one[1].read_text().splitlines()]
    judged = {tuple(line.split()[i] for i in (0, 2)) for line in one[0].read_text().splitlines()}
    found = judged & {(line[0], line[2]) for line in lines}
    assert len(judged) == 20 * 5
    assert 0.5 * len(judged) < len(found) < len(judged)
    assert all(float(below[4]) <= float(above[4]) for above, below in itertools.pairwise(lines) if above[0] == below[0])


def test_benchmarks_and_tools_import_what_there_is() -> None:
    """Each name of ours that a benchmark or a tool imports, at its top or inside a function, is in its module."""
    imported = {
        (node.module, name.name)
        for path in (*ROOT.glob("benchmarks/**/*.py"), *ROOT.glob("tools/*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "rankgauge"
        for name in node.names
    }
    assert len(imported) > 50
    lacking = [
        f"{module}.{name}"
        for module, name in sorted(imported)
        if not hasattr(importlib.import_module(module), name) and importlib.util.find_spec(f"{module}.{name}") is None
    ]
    assert lacking == []


@pytest.mark.study
def test_every_part_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """On tiny files every part prints its table, and the goals that it measured."""
    monkeypatch.setattr(run, "SIZES", {"S": Size(name="S", queries=5, depth=20, judged=5)})
    monkeypatch.setattr(run, "PAGE", tmp_path / "benchmarks.md")
    monkeypatch.setattr(run, "README", tmp_path / "README.md")
    (tmp_path / "README.md").write_text("before\n<!-- benchmarks -->\nold\n<!-- /benchmarks -->\nafter\n")
    monkeypatch.setattr(run.peers, "known", lambda: ["pytrec_eval"])
    arguments = ["--quick", "--repeat=1", "--growth=0.1,0.2", f"--folder={tmp_path}", "--write"]
    assert run.main(arguments) == 0
    page = capsys.readouterr().out
    for heading in (
        "## From files",
        "## 3 runs of TREC-8's shape",
        "## In memory",
        "## As a metric of boosted trees",
        "## Growth",
        "## Start-up",
        "## Goals",
    ):
        assert heading in page
    for goal in (
        "S against pytrec_eval",
        "the command on S",
        "many runs against pytrec_eval",
        "arrays, one list, against scikit-learn",
        "metric of LightGBM",
    ):
        assert goal in page
    assert (tmp_path / "benchmarks.md").read_text() == page
    readme = (tmp_path / "README.md").read_text()
    assert "old" not in readme
    assert readme.startswith("before\n<!-- benchmarks -->\n\n| queries × documents (judged) | 50 × 1,000 (50) |")
    assert "| pytrec_eval | " in readme
    assert "| rankgauge evaluate | " in readme
    assert readme.endswith("<!-- /benchmarks -->\nafter\n")


def test_goals_know_what_is_met() -> None:
    """More is better for ratios, less for memory; a goal without its peer is not listed."""
    reached = reached_in_files({"M50": {"rankgauge": 1.0, "pytrec_eval": 8.0}}, {"M50": 400.0})
    assert {one.what: one.verdict for one in reached} == {
        "M50 against pytrec_eval × 0.85": "missed",  # 6.8 times, goal 10
        "M50 against pytrec_eval": "met",  # 8 times, goal 5, stretch 10
        "peak memory on M50": "missed",  # 400 MB, goal 150
    }
    with_command = {"M50": {"rankgauge": 1.0, "rankgauge evaluate": 2.0, "trec_eval": 8.0}}
    assert [one.measured for one in reached_in_files(with_command, {})] == [4.0]  # a command beside a command
    assert Reached(what="", measured=10, goal=4, stretch=10).verdict == "stretch"
