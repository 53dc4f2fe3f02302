"""rankgauge train and rankgauge rank: from LETOR files to a ranker's file, and from that to scores."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rankgauge import score_arrays, training
from rankgauge.training.documents import read
from rankgauge.training.report import sparkline
from tests.ltr.small import small

Command = Callable[..., str]


@pytest.fixture
def files(folder: Path) -> Path:
    """LETOR files to learn from, to choose by and to rank."""
    small(seed=0).write(folder / "train.txt")
    small(seed=1, queries=6).write(folder / "vali.txt")
    small(seed=2, queries=6).write(folder / "test.txt")
    return folder


def shown(text: str) -> dict[str, str]:
    """The lines of the summary by their first words."""
    return dict(re.split(r"\s{2,}", line, maxsplit=1) for line in text.splitlines() if "  " in line)


@pytest.mark.usefixtures("files")
def test_train_and_rank(files: Path, command: Command) -> None:
    """The summary's validation value is the best of the curve, and scores of the written ranker have the value that
    its parameters promise."""
    lines = shown(
        command("train", "adarank", "train.txt", "--validation", "vali.txt", "-m", "nDCG@3", "-d", "ranklib")
        + command(
            "train", "coordinate-ascent", "train.txt", "--validation", "vali.txt", "-m", "nDCG@3", "-d", "ranklib",
            "--set", "restarts=2", "--set", "tolerance=0.01", "--seed", "5", "-o", "model.json",
        )
    )  # fmt: skip
    model = training.load(files / "model.json")
    assert model.get_params() == {
        "metric": "nDCG@3", "dialect": "ranklib", "rng": 5, "restarts": 2, "iterations": 25, "tolerance": 0.01,
        "keep": "round",
    }  # fmt: skip
    assert lines["documents"] == "112 of 16 queries, 5 features"
    values = [row["validation"] for row in model.curve_]
    assert lines["validation"].startswith(f"{max(values):.4f} [")
    assert lines["rounds"] == f"{len(values)}, number {values.index(max(values)) + 1} stays"
    assert command("rank", "model.json", "test.txt", "-o", "scores.txt") == ""
    scores = np.loadtxt(files / "scores.txt")
    np.testing.assert_array_equal(scores, model.predict(files / "test.txt"))
    found = read(files / "test.txt")
    value = score_arrays(found.grades, scores, "nDCG@3", qid=found.queries, dialect="ranklib").mean()
    printed = command("evaluate", "test.txt", "scores.txt", "-m", "nDCG@3", "-d", "ranklib", "-o", "json")
    assert f"{value:.10f}"[:10] in printed


def test_run_formats(files: Path, command: Command) -> None:
    """A run is written where the file's name ends like one; without a file, scores are printed one a line."""
    command("train", "adarank", "train.txt", "--set", "rounds=3", "-o", "model.json")
    scores = training.load(files / "model.json").predict(files / "test.txt")
    assert [float(line) for line in command("rank", "model.json", "test.txt").splitlines()] == scores.tolist()
    command("rank", "model.json", "test.txt", "-o", "ranked.run")
    fields = [line.split() for line in (files / "ranked.run").read_text().splitlines()]
    assert {(row[0], row[2]): float(row[4]) for row in fields}["5", "5-2"] == scores[1]
    assert {row[5] for row in fields} == {"adarank"}
    command("rank", "model.json", "test.txt", "-o", "ranked.csv.gz")
    frame = pl.read_csv(files / "ranked.csv.gz")
    np.testing.assert_array_equal(frame["score"].to_numpy(), scores)
    assert "5-2" in command("rank", "model.json", "test.txt", "--format", "jsonl")


def test_twice_the_same_bytes(files: Path, command: Command) -> None:
    """The same command writes the same file."""
    call = ("train", "coordinate-ascent", "train.txt", "--set", "restarts=2", "--short", "zero", "-d", "ranklib")
    command(*call, "-o", "one.json")
    assert "as ranklib with short=zero computes it" in command(*call, "-o", "two.json")
    assert (files / "one.json").read_bytes() == (files / "two.json").read_bytes()
    assert json.loads((files / "one.json").read_text())["parameters"]["dialect"] == {"name": "ranklib", "short": "zero"}


@pytest.mark.usefixtures("files")
def test_lists(command: Command) -> None:
    """Without a ranker all are listed, without a file the parameters of one, with what they may be."""
    listed = shown(command("train"))
    assert set(listed) == set(training.RANKERS)
    for name in listed:
        assert training.get(name).constraints.keys() <= set(re.findall(r"--set (\w+)=", command("train", name)))
    assert shown(command("train", "adarank"))["--set rounds=500"] == "a whole number, 1 or more"
    assert "not saved" in command("train", "adarank", "train.txt", "--set", "rounds=2")


@pytest.mark.usefixtures("files")
def test_refusals(files: Path, command: Command) -> None:
    """Each mistake is one message with what to do, and nothing is written."""
    for arguments, code, words in (
        (("adarnk",), 3, "Did you mean adarank"),
        (("adarank", "train.txt", "--set", "round=5"), 3, "Did you mean rounds"),
        (("adarank", "train.txt", "--set", "rounds"), 4, "NAME=VALUE"),
        (("adarank", "train.txt", "--set", "rounds=many"), 4, "whole number, 1 or more. Got 'many'"),
        (("adarank", "train.txt", "--set", "rounds=0"), 4, "Got 0"),
        (("adarank", "train.txt", "-m", "nDGC"), 3, "nDCG"),
        (("adarank", "train.txt", "-d", "letor5"), 3, "letor4"),
        (("adarank", "train.txt", "--empty", "naught"), 4, "--empty takes a number or leave-out"),
        (("adarank", "absent.txt"), 2, "absent.txt"),
        (("adarank", "train.txt", "-o", "no/where.json"), 2, "there is no folder"),
        (("adarank", "qrels.txt"), 2, "qrels.txt:1"),
    ):
        assert words in command("train", *arguments, code=code)
    (files / "broken.json").write_text("{}")
    (files / "wide.txt").write_text("1 qid:1 9:0.5\n")
    (files / "twice.txt").write_text("1 qid:1 1:0.5 # a\n0 qid:1 1:0.1 # a\n")
    command("train", "adarank", "train.txt", "--set", "rounds=2", "-o", "model.json")
    assert "wide.txt: documents with 9 features" in command("rank", "model.json", "wide.txt", code=2)
    assert "twice.txt" in command("rank", "model.json", "twice.txt", "-o", "ranked.run", code=2)
    assert len(command("rank", "model.json", "twice.txt").splitlines()) == 2
    assert "not a ranker's file" in command("rank", "broken.json", "test.txt", code=2)
    assert not (files / "no").exists()


def test_features_of_one_file_only(files: Path, command: Command) -> None:
    """A feature that only the validation file has is 0 in training, and the ranker knows of it."""
    (files / "more.txt").write_text("1 qid:1 1:0.5 7:1\n0 qid:1 1:0.1\n")
    command("train", "adarank", "train.txt", "--validation", "more.txt", "-o", "model.json")
    assert training.load(files / "model.json").n_features_in_ == 7


def test_sparkline() -> None:
    """The lowest value is the lowest bar and the highest the highest; many values share the width."""
    assert sparkline([0.0, 0.5, 1.0]) == "▁▅█"
    assert sparkline([0.3, 0.3]) == "▁▁"
    assert len(sparkline(list(range(1000)), width=40)) == 40


def test_one_query_has_no_interval(command: Command, files: Path) -> None:
    """The mean over a single query is shown alone."""
    lines = (files / "train.txt").read_text(encoding="utf-8").splitlines(keepends=True)
    query = lines[0].split()[1]
    (files / "one.txt").write_text("".join(line for line in lines if line.split()[1] == query))
    printed = command("train", "adarank", "one.txt", "-o", "model.json")
    assert re.search(r"^train +\d\.\d{4}$", printed, re.MULTILINE)
