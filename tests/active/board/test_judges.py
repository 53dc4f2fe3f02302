"""Judges other than people: believed as far as labels bear them out, and never harmful by much."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rankgauge.errors import InputError
from rankgauge.labelling.board import Board, BoardPool
from rankgauge.labelling.board.calibration import calibrate
from rankgauge.labelling.campaign import BoardCampaign
from rankgauge.labelling.campaign.parquet import pack_board, unpack_board
from tests.active.board.collection import noisy_judge, tables

SCALE = np.arange(4.0)


def pooled(**judges: pl.DataFrame) -> BoardPool:
    """The pool of the collection's runs with judges."""
    judgments, runs, _ = tables()
    return BoardPool.from_runs(runs, only=judgments, judges=judges)


def brier(pool: BoardPool, labels: int, seed: int = 1) -> float:
    """How far beliefs are off the labels that are not known."""
    board, grades = Board.of(pool, ["nDCG@5"], grades=SCALE), pool.grades(tables()[0])
    if not labels:
        return float(np.mean((board.prior.chance[:, 0] - (grades >= 1)) ** 2))
    stream = board.stream(seed)
    readings = board.read(stream, stream.exactly(labels), grades, budget=labels)
    return float(np.mean((readings.beliefs.chance[:, 0] - (grades >= 1))[~readings.judged] ** 2))


def error(pool: BoardPool, repetitions: int = 30, labels: int = 60) -> float:
    """The root mean squared error of the runs' values."""
    board, grades = Board.of(pool, ["P(rel=2)@5"], grades=SCALE), pool.grades(tables()[0])
    stream = board.stream(0)
    (truth,) = board.estimate(board.read(stream, np.arange(len(grades)), grades, budget=len(grades)))
    found = []
    for seed in range(repetitions):
        stream = board.stream(seed)
        found.append(board.estimate(board.read(stream, stream.exactly(labels), grades, budget=labels))[0].values)
    return float(np.sqrt(np.mean((np.array(found) - truth.values) ** 2)))


def test_a_good_judge_helps_and_a_useless_one_does_little_harm() -> None:
    """Before the first label and after some; the useless judge is unlearnt."""
    useless = noisy_judge().with_columns(pl.col("grade").shuffle(seed=4))
    none, good, bad = pooled(), pooled(model=noisy_judge()), pooled(model=useless)
    assert brier(good, 0) < brier(none, 0)
    assert brier(good, 80) < 0.8 * brier(none, 80)
    assert brier(bad, 80) < 1.15 * brier(none, 80)
    assert error(good) < 0.9 * error(none)
    assert error(bad) < 1.15 * error(none)


def test_certainty_is_never_believed() -> None:
    """However sure judges are, no document is believed to be certain before labels show it."""
    sure = tables()[0].with_columns(**{f"p_{g}": (pl.col("grade") == g).cast(pl.Float64) for g in range(4)})
    chance = Board.of(pooled(one=sure, two=tables()[0]), ["nDCG@5"], grades=SCALE).prior.chance
    assert chance.max() < 0.97
    assert chance.min() > 1e-3


def test_steps_of_several_judges_share_what_is_expected() -> None:
    """All steps together are expected to add 4 to a logit, whatever the number of judges and of their grades."""
    coarse = noisy_judge().with_columns(grade=(pl.col("grade") >= 2).cast(pl.Float64))
    features = Board.of(pooled(fine=noisy_judge(), coarse=coarse), ["nDCG@5"], grades=SCALE).features
    steps = features.mean[0, 9 : 9 + 4]
    assert steps == pytest.approx([2 / 3, 2 / 3, 2 / 3, 2])
    assert features.mean[:, 0] == pytest.approx([-2.1, -3.6, -5.6])


def test_what_a_judge_did_not_grade_counts_as_its_mean() -> None:
    """A document without a grade is moved neither up nor down."""
    some = noisy_judge()[::2]
    pool = pooled(model=some)
    column = pool.columns(SCALE)
    assert column is not None
    missing = np.isnan(pool.judges[0].grades)
    assert missing.sum() == len(missing) // 2
    assert np.ptp(column.values[missing], axis=0) == pytest.approx([0, 0, 0])
    assert column.values[missing][0] == pytest.approx(column.values[~missing].mean(axis=0))


def test_a_table_names_a_judge() -> None:
    """A column such as llm_grade in a table of documents is a judge, not a mere number."""
    judgments, runs, _ = tables()
    table = noisy_judge().select("query", "document", llm_grade="grade", clicks=pl.lit(3.0))
    pool = BoardPool.from_runs(runs, only=judgments, texts=table)
    assert [judge.name for judge in pool.judges] == ["llm_grade"]
    assert pool.facts is not None
    assert pool.facts.columns == ["clicks"]


def test_calibrated_on_another_collection() -> None:
    """What the judge was worth elsewhere is expected here; so first beliefs are better than those of any judge."""
    judgments = tables()[0]
    pool = pooled(model=noisy_judge())
    elsewhere = [frame.with_columns("query", document="x" + pl.col("document")) for frame in (judgments, noisy_judge())]
    found = calibrate(pool, *elsewhere, grades=SCALE)
    assert brier(found, 0) < brier(pool, 0)
    useless = calibrate(pool, elsewhere[0], elsewhere[1].with_columns(pl.col("grade").shuffle(seed=4)), grades=SCALE)
    effects = [one.judges[0].effects for one in (found, useless)]
    assert effects[0] is not None
    assert effects[1] is not None
    assert effects[0][:, 1:].sum() > 6 * np.abs(effects[1][:, 1:].sum())
    again = unpack_board(pack_board(found)).judges[0]
    assert again.name == "model"
    assert again.effects == pytest.approx(effects[0])
    assert again.levels == pytest.approx([1, 2, 3])
    assert again.said.equals(found.judges[0].said)
    with pytest.raises(InputError, match="both graded 3 documents"):
        calibrate(pool, elsewhere[0][:3], elsewhere[1], grades=SCALE)
    with pytest.raises(InputError, match="the pool has 0 judges"):
        calibrate(pooled(), *elsewhere, grades=SCALE)
    with pytest.raises(InputError, match="are those of the pool"):
        calibrate(pool, judgments, noisy_judge(), grades=SCALE)
    with pytest.raises(InputError, match="highest grade there is 1"):
        calibrate(pool, elsewhere[0].with_columns(pl.col("grade").clip(0, 1)), elsewhere[1], grades=SCALE)
    with pytest.raises(InputError, match="grades are 0, 1, 2, 3 here and 0, 33, 66, 99 there"):
        calibrate(pool, elsewhere[0], elsewhere[1].with_columns(grade=pl.col("grade") * 33), grades=SCALE)
    never = calibrate(pool, elsewhere[0], elsewhere[1].filter(pl.col("grade") < 3), grades=SCALE).judges[0]
    assert never.levels is not None
    assert never.levels.tolist() == [1, 2, 3]  # that the judge never said 3 there is no other scale


def test_a_campaign_keeps_its_judge(tmp_path: Path) -> None:
    """A campaign that is opened again believes what it believed before."""
    pool = pooled(model=noisy_judge())
    settings = {"grades": (0, 1, 2, 3), "budget": 40, "method": "leaderboard"}
    with BoardCampaign.create(tmp_path / "a.rg", pool, ["nDCG@5"], **settings) as made:
        first = made.plan.board.prior.chance
    with BoardCampaign.open(tmp_path / "a.rg") as opened:
        assert (opened.plan.board.prior.chance == first).all()  # type: ignore[attr-defined]


def test_mistakes() -> None:
    """A judge of other documents is refused."""
    other = noisy_judge().with_columns(document="x" + pl.col("document"))
    with pytest.raises(InputError, match="the judge model has graded no document of the pool"):
        pooled(model=other)
