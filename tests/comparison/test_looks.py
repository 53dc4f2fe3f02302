"""A gate that is looked at again and again, and the gate over collections."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rankgauge import InputError, ParameterError, UnknownNameError
from rankgauge.comparison.collections import CollectionsComparison
from rankgauge.comparison.gate import GateVerdict
from rankgauge.comparison.gate_files import GateLook, spending
from rankgauge.comparison.gate_report import headline
from rankgauge.statistics.intervals import t_interval
from tests.comparison.test_collections import world
from tests.program import rankgauge

WORSE, PASS, UNDECIDED = GateVerdict.WORSE, GateVerdict.PASS, GateVerdict.UNDECIDED


def test_all_looks_together_spend_the_level() -> None:
    """The shares fall, and add up to 1 − log 2 / log(n + 2) after n looks: never more than 1."""
    shares = [spending(look) for look in range(1, 1001)]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) == pytest.approx(1 - np.log(2) / np.log(1002))


def test_a_hundred_looks_raise_few_false_alarms() -> None:
    """At 5 % each most series of looks at a run that is as good end with an alarm; with spending less than 5 % do."""
    rng, series, looks = np.random.default_rng(0), 1000, 100
    alarms = np.zeros((2, series), dtype=bool)
    gaps = rng.normal(0, 0.1, (40, series))
    for number in range(1, looks + 1):
        gaps = (gaps + rng.normal(0, 0.1, gaps.shape)) / np.sqrt(2)  # commits build on each other
        for row, level in enumerate((0.05, 0.05 * spending(number))):
            alarms[row] |= t_interval(gaps, 1 - level).high < 0
    plain, spent = alarms.mean(axis=1)
    assert plain > 0.5
    assert spent < 0.05


def test_the_same_values_are_the_same_look(tmp_path: Path) -> None:
    """A look that is repeated costs nothing; another has the next number; the file keeps them."""
    path, values = tmp_path / "looks.json", [np.array([0.1, -0.2])]
    first = GateLook.take(path, 0.05, ["AP"], values)
    first.write()
    again = GateLook.take(path, 0.05, ["AP"], values)
    other = GateLook.take(path, 0.05, ["AP"], [values[0] + 0.01])
    assert (first.number, again.number, other.number) == (1, 1, 2)
    assert other.spent == 0.05 * spending(2)
    assert len(json.loads(path.read_text())["looks"]) == 1
    with pytest.raises(InputError, match=r"level 0\.05, and now it is 0\.01"):
        GateLook.take(path, 0.01, ["AP"], values)
    path.write_text("[]")
    with pytest.raises(InputError, match="no file of looks"):
        GateLook.take(path, 0.05, ["AP"], values)


def test_the_gate_over_collections() -> None:
    """The last run is better on all; one that loses everywhere is worse, and a tolerance changes that."""
    better = world(6, bases=("r0",)).gate("AP")
    rows = {row["run"]: row["verdict"] for row in better.rows.named()}
    assert rows["r2"] == "pass"
    assert world(6, bases=("r2",)).gate("AP").verdict is WORSE
    assert world(6, bases=("r2",)).gate("AP:0.5").verdict is PASS
    assert better.alpha == pytest.approx(0.05 / 2 / 2)
    assert better.part_alpha == pytest.approx(0.05 / 2 / 2 / 6)
    with pytest.raises(UnknownNameError):
        better.comparison.gate("AP", collections={"nowhere": 0.1})
    with pytest.raises(ParameterError, match="baseline"):
        world(6).gate("AP")
    bounded = replace(better.comparison, bounds={"AP": (0.0, 1.0)})
    with pytest.raises(ParameterError, match="a loss below 1, the range of AP"):
        bounded.gate("AP:2")
    with pytest.raises(ParameterError, match="'collection-tolerance' parameter"):
        bounded.gate("AP", collections={"c0": 1.0})


def test_a_collection_alone_fails_the_gate() -> None:
    """A run that gains on most collections and loses on one fails, unless that one may lose so much."""
    board = world(8, runs=2)
    given = list(board.given)
    last = given[0]
    assert last.values is not None
    swapped = last.values[:, :, ::-1]
    given[0] = type(last)(
        name=last.name, runs=last.runs, scores=swapped.mean(axis=1), values=swapped, queries=last.queries
    )
    mixed = CollectionsComparison(given=tuple(given), measures=("AP",), bases=("r0",))
    gate = mixed.gate("AP")
    assert list(gate.rows["verdict"]) == ["pass"]
    assert list(gate.lost["collection"]) == ["c0"]
    assert gate.verdict is WORSE
    assert "on c0" in headline(gate)
    assert mixed.gate("AP", collections={"c0": 0.5}).verdict is PASS


def board_folder(folder: Path, loss: int) -> None:
    """Six collections, in each of which `new` has the relevant document second in a number of 20 queries."""
    for name in "abcdef":
        (folder / "board" / name / "runs").mkdir(parents=True, exist_ok=True)
        (folder / "board" / name / "qrels.txt").write_text("".join(f"q{n} 0 good 1\n" for n in range(20)))
        for run, late in (("main", 1), ("new", loss)):
            lists = [("bad good" if n < late else "good bad").split() for n in range(20)]
            lines = [f"q{n} Q0 {d} {r} {9 - r} x\n" for n, found in enumerate(lists) for r, d in enumerate(found, 1)]
            (folder / "board" / name / "runs" / f"{run}.txt").write_text("".join(lines))


def test_check_counts_its_looks(tmp_path: Path) -> None:
    """A project over collections: exit codes, the file of looks beside the configuration, a note in the report."""
    (tmp_path / "rankgauge.toml").write_text(
        'collections = "board"\nbaseline = "main"\nfail-if-worse = "RR"\nlooks = "looks.json"\n'
        "[collection-tolerance]\na = 0.9\n"
    )
    codes = []
    for loss in (1, 14, 14, 15):
        board_folder(tmp_path, loss)
        done = rankgauge(["check", "-o", "md"], tmp_path)
        codes.append(done.code)
        assert f"{len(set(codes)) if loss < 15 else 3} of those in looks.json" in done.out
    assert codes == [0, 1, 1, 1]
    assert len(json.loads((tmp_path / "looks.json").read_text())["looks"]) == 3
    words = ["compare", "--collections", "board", "--baseline", "main", "--fail-if-worse", "rr"]
    assert rankgauge(words, tmp_path).code == WORSE.exit_code
    told = json.loads(rankgauge(["check", "-o", "json"], tmp_path).out)["gate"]
    assert told["verdict"] == "worse"
    assert told["level"] == pytest.approx(1 - 0.05 * spending(3) / 2)
    for words in (["--looks", "x.json"], ["--collection-tolerance", "a:1"]):
        bare = rankgauge(["compare", "--collections", "board", "--baseline", "main", *words], tmp_path)
        assert (bare.code > 1, "needs --fail-if-worse" in bare.err) == (True, True)


def test_a_gate_of_one_collection_counts_its_looks(tmp_path: Path) -> None:
    """The same file serves compare and check over a single collection."""
    board_folder(tmp_path, 12)
    words = ["compare", "board/a/qrels.txt", "board/a/runs/main.txt", "board/a/runs/new.txt", "--baseline", "main"]
    gated = [*words, "--fail-if-worse", "RR", "--looks", "looks.json"]
    done = rankgauge(gated, tmp_path)
    assert (done.code, "1 of those in looks.json" in done.out) == (1, True)
    assert "--looks needs --fail-if-worse" in rankgauge([*words, "--looks", "looks.json"], tmp_path).err


def test_a_board_is_checked_as_it_is_staged(tmp_path: Path) -> None:
    """The files that a board names are those of git's index: a loss in the working tree alone changes nothing."""
    board_folder(tmp_path, 1)
    (tmp_path / "board.toml").write_text('folder = "board"\n[collections.a]\nweight = 2\n')
    (tmp_path / "rankgauge.toml").write_text('collections = "board.toml"\nbaseline = "main"\nfail-if-worse = "RR"\n')
    for words in (["init", "-q"], ["add", "-A"]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    board_folder(tmp_path, 14)
    assert rankgauge(["check"], tmp_path).code == WORSE.exit_code
    assert rankgauge(["check", "--staged"], tmp_path).code == PASS.exit_code
