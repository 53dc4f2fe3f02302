"""The paper on active evaluation: scenarios, trials and verdicts on a small generated set, MQ2008 where it is here."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rankgauge.active import methods
from rankgauge.active.study import saving
from rankgauge.active.target import Target
from rankgauge.experiments import PAPERS, Setting, Verdict
from rankgauge.experiments.experiment import Measurements
from rankgauge.experiments.papers.active.benchmark import Benchmark, generated, given
from rankgauge.experiments.papers.active.rankers import Predictions, recipes, train_and_predict
from rankgauge.experiments.papers.active.run import TRIED, measure_all
from rankgauge.experiments.papers.active.scenarios import (
    index_update,
    known_grades,
    one_ranker,
    pool_of,
    scenarios,
    training_size,
    two_rankers,
)
from rankgauge.experiments.papers.active.trials import METHODS, Case, Effort, Trials, method
from rankgauge.experiments.reproduction import Reproduction
from rankgauge.report import plots
from tests.shared import shared

QUICK = {"trees": 8, "min_leaf": 20, "share": 0.1}


@pytest.fixture(scope="module")
def small() -> Benchmark:
    """A set of 40 queries to train on and 40 in the pool."""
    return replace(generated(0, train=40, pool=40), forest=QUICK, budgets=(4.0, 8.0, 12.0), at=12.0, efforts={})


@pytest.fixture(scope="module")
def predictions(small: Benchmark) -> Predictions:
    """What the rankers say of the pool."""
    return train_and_predict(small.splits[0], recipes(QUICK, seed=0, jobs=1))


@pytest.fixture(scope="module")
def cases(small: Benchmark, predictions: Predictions) -> dict[str, Case]:
    """The cases of one ranker and of a pair."""
    found = {}
    for scenario in (*one_ranker(predictions), *two_rankers(predictions)):
        pool = pool_of(scenario, small.splits[0], cost=small.cost, depth=small.depth)
        case = Case(
            title=scenario.title, label="ERR", pool=pool, grades=known_grades(pool, small.splits[0]), measure="ERR"
        )
        found[scenario.title] = case
    return found


def test_the_paper_has_seven_scenarios(predictions: Predictions) -> None:
    """Two rankers by themselves, three pairs, an update and a training size, in three figures."""
    found = scenarios(predictions, 0)
    assert [s.figure for s in found] == ["figure-1"] * 2 + ["figure-2"] * 3 + ["figure-3"] * 2
    assert [s.pair for s in found] == [False] * 2 + [True] * 5
    for scenario in found:
        np.testing.assert_allclose(scenario.beliefs.sum(axis=1), 1.0)


def test_the_pool_is_not_trained_on(small: Benchmark) -> None:
    """No query of the pool is one that models learned from."""
    split = small.splits[0]
    assert not set(split.train.queries) & set(split.pool.queries)
    assert len(set(split.pool.queries)) == 40


def test_costs_are_logarithms_of_lengths(small: Benchmark, predictions: Predictions) -> None:
    """A query costs Σ log length of its documents, in units of the mean query."""
    split = small.splits[0]
    pool = pool_of(next(one_ranker(predictions)), split, cost=small.cost, depth=small.depth)
    _, query = np.unique(split.pool.queries.astype(int), return_inverse=True)
    assert split.lengths is not None
    costs = np.bincount(query, np.log(split.lengths))
    np.testing.assert_allclose(pool.query_costs, costs / costs.mean())


def test_an_update_takes_a_tenth(small: Benchmark, predictions: Predictions) -> None:
    """The second list lacks about a tenth of the documents, and keeps the order of the others."""
    scenario = index_update(predictions, 0)
    pool = pool_of(scenario, small.splits[0], cost=small.cost, depth=small.depth)
    gone = np.isnan(pool.ranks[:, 1])
    assert gone.mean() == pytest.approx(0.1, abs=0.02)
    assert not np.isnan(pool.ranks[:, 0]).any()
    assert (pool.ranks[~gone, 1] <= pool.ranks[~gone, 0]).all()


def test_half_of_the_training_queries(predictions: Predictions) -> None:
    """The forest of half of the queries is another one, and both know something of the grades."""
    scenario = training_size(predictions)
    grades = predictions.split.pool.grades
    for scores in scenario.scores:
        assert np.corrcoef(scores, grades)[0, 1] > 0.2
    assert (scenario.scores[0] != scenario.scores[1]).any()


def test_the_truth_is_the_mean_over_the_pool(cases: dict[str, Case]) -> None:
    """What estimates aim at is the mean of the measure over all queries of the pool, for a pair the difference."""
    case = cases["Random Forest"]
    values = Target.of("ERR", case.pool).values(case.pool, case.grades)
    assert case.truth() == pytest.approx(values.mean())
    pair = cases["ordered logit − Random Forest"]
    assert pair.truth() == pytest.approx(cases["ordered logit"].truth() - case.truth(), abs=1e-12)


def test_every_method_has_its_options() -> None:
    """uniD and uniC are the paper's method with uniform beliefs and with equal costs."""
    assert method("uniD") == methods.get("paper", beliefs="uniform")
    assert method("uniC") == methods.get("paper", costs="one")
    assert {type(method(name)).name for name in METHODS} <= set(methods.METHODS)


def test_trials_repeat_methods(cases: dict[str, Case], tmp_path: Path) -> None:
    """A curve has the budgets and repetitions asked for; a method that is spared has fewer; nothing is done twice."""
    trials = Trials(
        methods=("passive", "document"),
        budgets=(6.0, 12.0, 18.0),
        repetitions=40,
        seed=3,
        efforts={("document", "ERR"): Effort(repetitions=0.25, budget=0.7)},
        workers=1,
    )
    case = cases["Random Forest"]
    curves = trials.run({case.name: (case, case)}, "key", folder=tmp_path / "parts")[case.name]
    assert curves["passive"].values.shape == (3, 40)
    assert curves["document"].values.shape == (2, 10)
    assert curves["document"].budgets.tolist() == [6.0, 12.0]
    assert (curves["passive"].costs <= np.array([[6.0], [12.0], [18.0]]) + 1e-9).all()
    times = {path: path.stat().st_mtime_ns for path in (tmp_path / "parts").iterdir()}
    again = trials.run({case.name: (case, case)}, "key", folder=tmp_path / "parts")[case.name]
    np.testing.assert_array_equal(again["passive"].values, curves["passive"].values)
    assert times == {path: path.stat().st_mtime_ns for path in (tmp_path / "parts").iterdir()}


def test_pools_have_seeds_of_their_own(cases: dict[str, Case]) -> None:
    """Two pools of a case are not repeated with the same draws."""
    case = cases["Random Forest"]
    trials = Trials(methods=("passive",), budgets=(12.0,), repetitions=20, seed=0, workers=1)
    values = trials.run({case.name: (case, case)}, "key")[case.name]["passive"].values[0]
    assert not set(values[:10]) & set(values[10:])


def test_the_document_level_saves(cases: dict[str, Case]) -> None:
    """Against passive at the same mean absolute error, single documents save most of the labels of ERR."""
    case = cases["Random Forest"]
    trials = Trials(methods=("passive", "document"), budgets=(3.0, 6.0, 12.0), repetitions=150, seed=0, workers=1)
    curves = trials.run({case.name: (case,)}, "key")[case.name]
    found = saving(curves["document"], curves["passive"], budget=12.0)
    assert found.value - 2 * found.error > 0.3


@pytest.fixture(scope="module")
def outcome(small: Benchmark, tmp_path_factory: pytest.TempPathFactory) -> tuple[Measurements, Path]:
    """The whole experiment on the small set with few repetitions, and its folder."""
    folder = tmp_path_factory.mktemp("out")
    return measure_all(small, Setting(trials=12, jobs=1, folder=folder)), folder


def test_every_claim_is_tested(outcome: tuple[Measurements, Path]) -> None:
    """Each condition of each claim has its number, with a standard error."""
    numbers = outcome[0].numbers
    for claim in PAPERS["active"].paper.claims:
        assert claim.verdict(numbers) is not Verdict.UNTESTED, claim.place
        for condition in claim.conditions:
            assert numbers[condition.number].error > 0


def test_tables_and_page(outcome: tuple[Measurements, Path]) -> None:
    """Curves have a row per scenario, measure, method and budget; savings name both references; a page shows it all."""
    found, folder = outcome
    curves, savings = found.tables["curves"], found.tables["savings"]
    assert curves["study"].n_unique() == 7
    assert curves["method"].unique(maintain_order=True).to_list() == list(TRIED)
    assert set(curves["measure"]) == {"ERR", "DCG"}
    assert set(savings["against"]) == {"passive", "paper"}
    assert set(savings.filter(study="index update")["loss"]) == {"error", "wrong"}
    page = (folder / "simulation.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 14 * 3 + 10  # error, share and coverage of each, and the choices of ten pairs
    assert "Labels saved" in page
    assert "<script" not in page


def test_files(outcome: tuple[Measurements, Path], tmp_path: Path) -> None:
    """The folder has verdicts, tables and the paper's three figures."""
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    done = Reproduction(experiment=PAPERS["active"], setting=Setting(trials=12), measurements=outcome[0])
    written = {path.name for path in done.write(tmp_path)}
    figures = {f"figure-{number}{ending}" for number in (1, 2, 3) for ending in plots.OPTIONS}
    assert written == {"claims.csv", "curves.csv", "savings.csv", "results.json", *figures}
    numbers = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))["numbers"]
    assert "index update, ERR: paper saves against passive" in numbers


def test_a_folder_of_letor() -> None:
    """MQ2008: a model learns from one part, and the four others are its pool; lists are judged to rank 40."""
    found = given(shared("data/mq2008").resolve())
    assert len(found.splits) == 5
    assert [len(set(s.train.queries)) + len(set(s.pool.queries)) for s in found.splits] == [784] * 5
    assert found.measures["ERR"] == "ERR(max_grade=2)@40"
    assert (found.at, found.cost, found.depth) == (90.0, "documents", 40)
