"""rankgauge active simulate: reports, options, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from rankgauge.demo import generate_learning, learning_parts, write_learning
from rankgauge.errors import InputError, ParameterError, UnknownNameError

Command = Callable[..., str]
OPTIONS = ("--repetitions", "40", "--jobs", "1", "--measure", "ERR(max_grade=2)")
QUICK = ("--rankers", "ordered-logit", *OPTIONS)


@pytest.fixture(scope="module")
def letor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A set like MQ2008 of 80 queries, as one file and as two."""
    data = generate_learning(rng=np.random.default_rng(0), like="mq2008", queries=80)
    folder = tmp_path_factory.mktemp("letor")
    one, two = learning_parts(data, 2)
    write_learning(one, folder / "train.txt")
    write_learning(two, folder / "test.txt")
    return write_learning(data, folder / "letor.txt")


def test_tables(command: Command, letor: Path) -> None:
    """The tables name every method, its savings against every reference, and what the numbers rest on."""
    shown = command("active", "simulate", str(letor), *QUICK)
    assert "Labels saved, against a budget of 10" in shown  # 15 % of 64 queries
    for method in ("passive", "passive-iid", "paper", "greg", "document"):
        assert f"\n{method} " in shown
    assert "against passive" in shown
    assert "against passive-iid" in shown
    assert "against paper" in shown
    assert "16 queries, none of them in the pool" in shown


def test_page(command: Command, letor: Path, tmp_path: Path) -> None:
    """Two rankers are judged by themselves and compared, on one page that needs nothing from outside."""
    path = tmp_path / "sim.html"
    command(
        "active",
        "simulate",
        str(letor),
        *OPTIONS,
        "--rankers",
        "ordered-logit,ranksvm",
        "--methods",
        "passive,paper",
        "-o",
        str(path),
    )
    page = path.read_text(encoding="utf-8")
    assert page.count("<svg") == 3 * 3 + 1  # error, share and coverage of three pools, and the choices of the pair
    assert "ordered-logit − ranksvm" in page
    assert "http" not in page


def test_json(command: Command, letor: Path) -> None:
    """The numbers for programs: a curve's row per method and budget, errors that fall, costs within the budget."""
    found = json.loads(command("active", "simulate", str(letor), *QUICK, "--budget", "16", "-o", "json"))
    rows = [row for row in found["curves"] if row["method"] == "passive"]
    assert [row["budget"] for row in rows] == [16 * share for share in (1 / 8, 1 / 4, 1 / 2, 3 / 4, 1, 4 / 3)]
    assert rows[-1]["error"] < rows[0]["error"]
    assert all(row["cost"] <= row["budget"] for row in rows)
    assert {row["against"] for row in found["savings"]} == {"passive", "passive-iid", "paper"}


def test_the_seed_decides(command: Command, letor: Path) -> None:
    """The same seed gives the same curves, another one others."""
    options = ("--methods", "passive,greg", "-o", "csv")
    one, same = (command("active", "simulate", str(letor), *QUICK, *options) for _ in range(2))
    other = command("active", "simulate", str(letor), *QUICK, *options, "--seed", "1")
    assert one == same != other


def test_a_file_to_train_on(command: Command, letor: Path) -> None:
    """With a file to train on, all queries of the other one are in the pool; opening a query may cost."""
    train, test = letor.with_name("train.txt"), letor.with_name("test.txt")
    options = ("--train", str(train), "--methods", "passive", "--overhead", "5", "--beliefs", "uniform")
    shown = command("active", "simulate", str(test), *QUICK, *options, "-o", "md")
    assert "40 queries, none of them in the pool" in shown
    assert "documents, 5 for opening a query" in shown
    assert "**beliefs**: uniform" in shown


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--rankers", "rf,logit,ranksvm"), "one or two rankers"),
        (("--rankers", "ordered-logitt"), "Did you mean ordered-logit"),
        (("--methods", "pasive"), "Did you mean passive"),
        (("--cost", "log-length"), "length-feature"),
        (("--length-feature", "99", "--cost", "log-length"), "a feature from 1 to 46"),
        (("--beliefs", "none"), "model or uniform"),
        (("--cost", "document"), "Did you mean documents"),
        (("--share", "1.5"), "between 0 and 1"),
        (("--budget", "1"), "2 or more"),
        (("--repetitions", "1"), "2 or more"),
        (("-o", "pdf"), "output format"),
    ],
)
def test_refusals(command: Command, letor: Path, options: tuple[str, ...], words: str) -> None:
    """What makes no sense is refused with what was expected, before anything is trained."""
    code = UnknownNameError.exit_code if "Did you mean" in words or "format" in words else ParameterError.exit_code
    assert words in command("active", "simulate", str(letor), *options, code=code)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--length-feature", "3"), "--length-feature needs --cost log-length"),
        (("--share", "0.3", "--train", "letor.txt"), "--share parts the queries of one file"),
    ],
)
def test_options_without_effect(
    command: Command, letor: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], words: str
) -> None:
    """An option that would change nothing is refused, with what it needs."""
    monkeypatch.chdir(letor.parent)
    assert words in command("active", "simulate", str(letor), *options, code=4)


BOARD = ("qrels.txt", "bm25.txt", "second=dense.jsonl")
FEW = ("--repetitions", "3", "--jobs", "1", "--methods", "leaderboard,depth,uniform", "--budgets", "60,120,240")


def test_a_board(command: Command) -> None:
    """Judgments and runs in any format: tables by measure and method, and where no interval is shown, "not yet"."""
    shown = command("active", "simulate", *BOARD, *FEW, "-m", "nDCG@10,AP", "-m", "ERR@10")
    assert "Labels for τ ≥ 0.9: qrels.txt, 480 documents" in shown
    for words in ("Kendall's τ", "τ_AP", "How often the best run is first", "Root mean squared error", "Bias"):
        assert shown.count(f"\n{words}") == 3  # measures
    assert "95 % intervals of leaderboard: qrels.txt, nDCG@10" in shown
    assert "intervals of depth" not in shown
    after = shown.partition("leaderboard: qrels.txt, AP")[2].splitlines()
    row = next(line for line in after if line.startswith("60 "))
    assert row.count("not yet") == 5  # 60 labels are too few for 24 queries
    assert "2 runs, 24 queries, 480 documents" in shown
    assert "3 of leaderboard, depth, uniform; seed 0" in " ".join(shown.split())


def test_a_board_with_a_judge(command: Command) -> None:
    """With a judge there are the yardsticks that use one, and the labels for a small error."""
    asked = ("--repetitions", "2", "--jobs", "1", "--budgets", "60,120", "-m", "nDCG@10", "--judge", "llm=qrels.txt")
    shown = command("active", "simulate", *BOARD, *asked)
    assert "Labels for a root mean squared error of 0.03: qrels.txt" in shown
    for name in ("judge", "ppi++", "uniform+judge", "stratified", "active-inference"):
        assert f"\n{name} " in shown
    assert "judges: llm" in " ".join(shown.split())
    refused = command("active", "simulate", *BOARD, "--methods", "ppi++", "--repetitions", "2", code=2)
    assert "--judge llm.qrels" in refused


def test_a_board_for_programs(command: Command) -> None:
    """JSON has the true values by run, a row for each measure, method and budget, and the labels for a good order."""
    found = json.loads(command("active", "simulate", *BOARD, *FEW, "--dialect", "standard", "-o", "json"))
    assert set(found["collections"][0]["truth"]["nDCG@10"]) == {"bm25.txt", "second"}
    assert len(found["marks"]) == 2 * 3 * 3
    row = next(row for row in found["marks"] if (row["measure"], row["method"]) == ("nDCG@10", "leaderboard"))
    assert (row["labels"], row["share"], row["repetitions"]) == (60, 60 / 480, 3)
    assert 0 < row["rmse"] < 1
    assert 0 <= row["coverage"] <= 1
    depth = next(row for row in found["marks"] if row["method"] == "depth")
    assert depth["coverage"] is None
    assert {row["method"] for row in found["needed"]} == {"leaderboard", "depth", "uniform"}


def test_a_board_on_a_page(command: Command, tmp_path: Path) -> None:
    """A page with a chart for each mark and measure that needs nothing from outside, and a picture of its own."""
    page, picture = tmp_path / "sim.html", tmp_path / "sim.svg"
    command("active", "simulate", *BOARD, *FEW, "-m", "nDCG@10", "-o", str(page))
    shown = page.read_text(encoding="utf-8")
    assert shown.count("<svg") == 3  # order, error, coverage
    assert "http" not in shown
    command("active", "simulate", *BOARD, *FEW, "-m", "nDCG@10", "-o", str(picture))
    assert "Root mean squared error" in picture.read_text(encoding="utf-8")


def test_a_board_goes_on(command: Command, tmp_path: Path) -> None:
    """What an interrupted simulation has finished is not done again, and the report is the same."""
    options = ("active", "simulate", *BOARD, *FEW, "--parts", str(tmp_path / "parts"), "-o", "csv")
    one = command(*options)
    parts = sorted((tmp_path / "parts").iterdir())
    assert len(parts) == 3
    parts[0].unlink()
    times = [part.stat().st_mtime_ns for part in parts[1:]]
    assert command(*options) == one
    assert [part.stat().st_mtime_ns for part in parts[1:]] == times
    assert parts[0].exists()


@pytest.mark.parametrize(
    ("options", "words", "code"),
    [
        ((*BOARD, "--rankers", "rf"), "--rankers is for a LETOR file without runs", InputError.exit_code),
        ((*BOARD, "--budget", "60"), "--budget is for a LETOR file", InputError.exit_code),
        (("test.txt", "--shares", "0.1"), "--shares is for judgments with runs", InputError.exit_code),
        ((*BOARD, "--methods", "leaderbord"), "Did you mean leaderboard", UnknownNameError.exit_code),
        ((*BOARD, "--methods", "passive"), "passive", UnknownNameError.exit_code),
        ((*BOARD, "--pool", "judge"), "Did you mean judged", UnknownNameError.exit_code),
        ((*BOARD, "--shares", "a"), "numbers separated by commas", ParameterError.exit_code),
        ((*BOARD, "--budgets", "600"), "up to the 480 documents", ParameterError.exit_code),
        ((*BOARD, "-m", "RR@10,nothing"), "nothing", UnknownNameError.exit_code),
        ((*BOARD, "AP", "-m", "nDCG@10"), "AP is a measure", InputError.exit_code),
        (("qrels.txt", "none.txt"), "none.txt", InputError.exit_code),
    ],
)
def test_a_board_refuses(command: Command, options: tuple[str, ...], words: str, code: int) -> None:
    """What makes no sense is refused with what was expected."""
    assert words in command("active", "simulate", *options, code=code)
