"""Yardsticks: what each judges, and what it makes of it."""

from __future__ import annotations

import itertools
import pickle

import numpy as np
import polars as pl
import pytest

from rankgauge import evaluate
from rankgauge.errors import InputError
from rankgauge.labelling.board import Board, BoardPool
from rankgauge.labelling.board.lists import PrecisionLists
from rankgauge.labelling.yardstick import YARDSTICKS, JudgedBoard, expand_sample, shares
from rankgauge.labelling.yardsticks import samples
from tests.active.board.collection import noisy_judge, tables

MEASURES = ("nDCG@10", "AP(rel=2)", "P(rel=2)@5", "ERR@5")
SAMPLERS = ("li-kanoulas", "uniform", "xinfAP")
"""Those that have no estimate of ERR."""
ASKING = tuple(name for name in YARDSTICKS if name != "judge")
"""Those that ask people."""


@pytest.fixture(scope="module")
def judged() -> JudgedBoard:
    """Five runs on ten queries of forty documents, with a judge."""
    judgments, runs, _ = tables()
    pool = BoardPool.from_runs(runs, only=judgments, judges={"model": noisy_judge()})
    board = Board.of(pool, MEASURES, grades=(0, 1, 2, 3), dialect="standard")
    return JudgedBoard(board=board, grades=pool.grades(judgments))


def small(runs: dict[str, str], relevant: str, *, measures: tuple[str, ...] = ("AP",), also: str = "") -> JudgedBoard:
    """One query whose documents are letters; a run is a word."""
    listed = {name: {"q": {letter: -float(n) for n, letter in enumerate(word)}} for name, word in runs.items()}
    every = sorted({*"".join(runs.values()), *also})
    judgments = pl.DataFrame(
        {"query": ["q"] * len(every), "document": every, "grade": [float(d in relevant) for d in every]}
    )
    pool = BoardPool.from_runs(listed, only=judgments)
    grades = pool.grades(judgments)
    return JudgedBoard(board=Board.of(pool, measures, grades=(0, 1), dialect="standard"), grades=grades)


def test_the_truth_is_what_evaluate_says(judged: JudgedBoard) -> None:
    """With everything judged, values are those of an evaluation of the runs."""
    judgments, runs, _ = tables()
    for name, run in runs.items():
        at = judged.board.pool.runs.index(name)
        values = evaluate(judgments, run, list(MEASURES), ties="input").summary
        known = dict(values.select("measure", "mean").iter_rows())
        found = [truth[at] for truth in judged.truth]
        assert found == pytest.approx([known[measure] for measure in MEASURES])


@pytest.mark.parametrize("name", ASKING)
def test_all_judged_is_the_truth(judged: JudgedBoard, name: str) -> None:
    """A yardstick that judges the whole pool gives the true values; what it cannot estimate it does not give."""
    (standings,) = YARDSTICKS[name].standings(judged, [judged.size], 3)
    for measure, standing, truth in zip(MEASURES, standings, judged.truth, strict=True):
        if name in SAMPLERS and measure.startswith("ERR"):
            assert np.isnan(standing.values).all()
        else:
            assert standing.values == pytest.approx(truth, abs=1e-4)


@pytest.mark.parametrize("name", ASKING)
def test_the_seed_decides(judged: JudgedBoard, name: str) -> None:
    """The same seed gives the same values, another one others; more labels come nearer to the truth on average."""
    one, same, other = (list(YARDSTICKS[name].standings(judged, [40, 240], seed)) for seed in (1, 1, 2))
    assert all((a[0].values == b[0].values).all() for a, b in zip(one, same, strict=True))
    assert any((a[0].values != b[0].values).any() for a, b in zip(one, other, strict=True))
    few, many = (np.mean([np.abs(run[k][0].values - judged.truth[0]).mean() for run in (one, other)]) for k in (0, 1))
    assert many < few


@pytest.mark.parametrize("name", YARDSTICKS)
def test_who_has_intervals(judged: JudgedBoard, name: str) -> None:
    """A yardstick has intervals, if labels are enough, or it does not say so."""
    (standings,) = YARDSTICKS[name].standings(judged, [200], 1)
    assert (standings[0].own is not None) == YARDSTICKS[name].intervals


def test_the_judge_alone(judged: JudgedBoard) -> None:
    """Its grades are taken for the truth, whatever labels there are; its intervals are those of the queries."""
    judgments, runs = noisy_judge(), tables()[1]
    few, many = YARDSTICKS["judge"].standings(judged, [10, 200], 1)
    assert (few[0].values == many[0].values).all()
    said = evaluate(judgments, runs["run 1"], ["nDCG@10"], ties="input")
    known = dict(said.summary.select("measure", "mean").iter_rows())
    at = judged.board.pool.runs.index("run 1")
    assert few[0].values[at] == pytest.approx(known["nDCG@10"])
    by_query = np.array([values["nDCG@10"] for values in said.by_query.values()])
    assert few[0].own is not None
    assert few[0].own[at] == pytest.approx(2.262 * by_query.std(ddof=1) / len(by_query) ** 0.5, rel=1e-3)


def test_ppi_is_the_difference_estimator() -> None:
    """For a sum of labels PPI++ is the judge's sum, by λ, and what the sample says of the rest: no bias, and near the
    truth where the judge is right."""
    judgments, runs, _ = tables()
    errors = {}
    for name, grades in (("right", judgments), ("useless", judgments.with_columns(pl.col("grade").shuffle(seed=1)))):
        pool = BoardPool.from_runs(runs, only=judgments, judges={name: grades})
        board = Board.of(pool, ["P(rel=2)@5"], grades=(0, 1, 2, 3), dialect="standard")
        judged = JudgedBoard(board=board, grades=pool.grades(judgments))
        found = [next(YARDSTICKS["ppi++"].standings(judged, [80], seed))[0].values for seed in range(60)]
        errors[name] = np.array(found) - judged.truth[0]
        bias, noise = errors[name].mean(axis=0), errors[name].std(axis=0) / 60**0.5
        assert (np.abs(bias) < 3.5 * noise + 1e-4).all()
    assert np.abs(errors["right"]).mean() < 0.1 * np.abs(errors["useless"]).mean()


def test_every_document_has_a_grade(judged: JudgedBoard) -> None:
    """A board that is not judged throughout is refused; one that is may go to another process."""
    grades = judged.grades.copy()
    grades[3] = np.nan
    with pytest.raises(InputError, match="1 of the pool's 400 documents"):
        JudgedBoard(board=judged.board, grades=grades)
    again = pickle.loads(pickle.dumps(judged))
    assert all((a == b).all() for a, b in zip(again.truth, judged.truth, strict=True))


def test_a_uniform_sample_has_no_bias() -> None:
    """Over all samples of three of six documents, the mean of P@4 is P@4, and that of AP's numerator is AP's."""
    board = small({"one": "abcdef"}, "ace", measures=("P@4", "AP"))
    size, n = 6, 3
    apart = n * (size - 1) / (size * (n - 1))
    precision, numerator = [], []
    for sample in itertools.combinations(range(size), n):
        first, second = expand_sample(board, np.array(sample), np.full(n, n / size), apart=apart)
        precision.append(first.values[0])
        numerator.append(second.values[0] * board.relevant[list(sample)].sum() * size / n)
    assert np.mean(precision) == pytest.approx(2 / 4)
    assert np.mean(numerator) == pytest.approx(1 / 1 + 2 / 3 + 3 / 5)


def test_labels_are_dealt_out_in_proportion() -> None:
    """Shares add up, and nobody gets more than there is."""
    assert shares(np.array([10, 30, 60]), 10).tolist() == [1, 3, 6]
    assert shares(np.array([10, 10, 10]), 10).tolist() == [4, 3, 3]
    assert shares(np.array([0, 2]), 2).tolist() == [0, 2]


def test_xinfap_by_hand() -> None:
    """Two documents judged at the top, one of two below: a relevant one there stands for two."""
    board = small({"one": "abcd"}, "ac")
    (lists,) = board.board.lists
    assert isinstance(lists, PrecisionLists)
    found = samples._infer_precision(
        board, lists, np.array([0, 0, 1, 1]), np.array([0, 1, 2]), np.array([1.0, 1.0, 0.5])
    )
    # a at rank 1; c at rank 3, with one relevant document of the two above it.
    assert found.values[0] == pytest.approx((1 * 1 + 2 * (1 + 1) / 3) / (1 + 2), abs=1e-4)


def test_xinfap_has_no_bias_in_linear_measures(judged: JudgedBoard) -> None:
    """The mean over many samples of P@5 is P@5."""
    found = np.array([next(samples.standings_xinfap(judged, [120], seed))[2].values for seed in range(300)])
    off = found.mean(axis=0) - judged.truth[2]
    assert np.all(np.abs(off) < 4 * found.std(axis=0) / np.sqrt(len(found)))


def test_active_sampling_spends_what_it_may(judged: JudgedBoard) -> None:
    """Each query's sample has the number of labels asked for, each document once, with a chance above 0."""
    query = samples._Query(judged, 2, np.random.default_rng(0))
    for n, (sample, chance) in zip((0, 4, 15, 40), query.samples([0, 4, 15, 40]), strict=True):
        assert len(sample) == len(set(sample.tolist())) == len(chance) == n
        assert np.all(judged.board.pool.query[sample] == 2)
        assert np.all((chance > 0) & (chance <= 1))


def test_active_sampling_counts_relevant_documents(judged: JudgedBoard) -> None:
    """Weighed by their chances, the relevant documents of samples add up to all of them, but for a little.

    The draws end with a new document, which makes for a small bias.
    """
    start, size = judged.board.pool.starts[1], judged.board.pool.sizes[1]
    there, counts = judged.relevant[start : start + size].sum(), []
    for seed in range(200):
        ((sample, chance),) = samples._Query(judged, 1, np.random.default_rng(seed)).samples([20])
        counts.append((judged.relevant[sample] / chance).sum())
    assert np.mean(counts) == pytest.approx(there, rel=0.05)
