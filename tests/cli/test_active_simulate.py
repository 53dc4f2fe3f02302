"""rankgauge active simulate: reports, options, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from rankgauge.datasets import generate_learning, learning_parts, write_learning
from rankgauge.errors import ParameterError, UnknownNameError

Command = Callable[..., str]
QUICK = ("--rankers", "ordered-logit", "--repetitions", "40", "--jobs", "1", "--measure", "ERR(max_grade=2)")


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
        *QUICK,
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
