"""What a table says of the documents: beliefs and other numbers as features, softened and on a common scale."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rankgauge.errors import InputError
from rankgauge.labelling.board import Board, BoardPool, Columns
from tests.active.board.collection import tables

SCALE = np.arange(4.0)


def told(**columns: object) -> BoardPool:
    """The pool of the collection's runs with a table that says something of each document."""
    judgments, runs, _ = tables()
    return BoardPool.from_runs(runs, texts=judgments.select("query", "document", **columns))


def error(pool: BoardPool, labels: int = 60, seed: int = 1) -> float:
    """How far beliefs are off the grades of the documents that are not judged."""
    board, grades = Board.of(pool, ["P@5"], grades=SCALE), pool.grades(tables()[0])
    stream = board.stream(seed)
    readings = board.read(stream, stream.exactly(labels), grades, budget=labels)
    return float(np.mean((readings.beliefs.chance[:, 0] - (grades >= 1))[~readings.judged] ** 2))


def test_beliefs_and_other_numbers_help() -> None:
    """With beliefs that know the grade, or any number that goes with it, unjudged documents are told better."""
    sure = {f"p_{grade}": (pl.col("grade") == grade).cast(pl.Float64) for grade in range(4)}
    plain, believed, clicked = error(told()), error(told(**sure)), error(told(clicks=pl.col("grade") * 7 + 3))
    assert believed < 0.5 * plain
    assert clicked < 0.8 * plain
    assert error(told(**sure), labels=6) < error(told(), labels=6)  # before labels have shown it


def test_noise_does_little_harm() -> None:
    """Numbers that say nothing cost little."""
    noise = {f"n{n}": pl.lit(np.random.default_rng(n).normal(size=400)) for n in range(3)}
    judgments = tables()[0]
    pool = BoardPool.from_runs(tables()[1], texts=judgments.select("query", "document").with_columns(**noise))
    assert error(pool) < 1.2 * error(told())


def test_certainty_is_softened() -> None:
    """One-hot beliefs are finite features, and a document of which nothing is said counts as the mean."""
    frame = pl.DataFrame({"p_0": [1.0, 0.0, None], "p_1": [0.0, 1.0, None]})
    found = Columns.of(frame, np.array([0.0, 1.0]))
    assert found is not None
    assert found.values[:, 0] == pytest.approx([-np.log(49), np.log(49), 0.0])
    assert found.mean.tolist() == [0.5]


def test_what_is_no_belief() -> None:
    """Beliefs in some grades only are an error; a table without numbers says nothing."""
    with pytest.raises(InputError, match="none in p_1"):
        Columns.of(pl.DataFrame({"p_0": [1.0]}), np.array([0.0, 1.0]))
    assert Columns.of(pl.DataFrame(), SCALE) is None
    assert told(title="document").facts is None


def test_numbers_of_a_csv_file(tmp_path: Path) -> None:
    """A CSV file, whose cells are text, says the same as a frame; columns of words and costs are no numbers."""
    said = tables()[0].select("query", "document", clicks=pl.col("grade") * 2, kind=pl.lit("web"), cost=pl.lit(1.0))
    said.write_csv(tmp_path / "documents.csv")
    read = BoardPool.from_runs(tables()[1], texts=tmp_path / "documents.csv").facts
    assert read is not None
    assert read.columns == ["clicks"]
    known = told(clicks=pl.col("grade") * 2).facts
    assert known is not None
    assert read.equals(known)
