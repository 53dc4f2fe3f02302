"""The paper on active evaluation: scenarios, trials and verdicts on a small generated set, MQ2008 where it is here."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from rankgauge.demo.learning import generate_learning, write_parts
from rankgauge.files.formats.letor import FeatureTable
from rankgauge.labelling import methods
from rankgauge.labelling.method import Repetitions
from rankgauge.labelling.simulations.study import ErrorCurve, Study, saving
from rankgauge.labelling.target import Target
from rankgauge.papers import PAPERS, Number, Setting, Verdict
from rankgauge.papers.experiment import Measurements
from rankgauge.papers.published.active import SIZED, TRIED, _cases, findings, measure_all
from rankgauge.papers.published.active.benchmark import (
    ONE,
    PAIRS,
    Benchmark,
    generate_set,
    index_update,
    known_grades,
    lacking,
    pool_of,
    read_benchmark,
    scenarios,
    training_sizes,
)
from rankgauge.papers.published.active.rankers import PRIORS, Predictions, recipes, train_and_predict
from rankgauge.papers.published.active.trials import METHODS, Case, Effort, Trials, method
from rankgauge.papers.reproduction import Reproduction
from rankgauge.render import plots
from rankgauge.training.rankers.ordered_logit import OrderedLogit
from tests.docs.blocks import ROOT
from tests.shared import shared

pytestmark = pytest.mark.xdist_group("active")  # they share what is slow to make

QUICK = {"trees": 8, "min_leaf": 20, "share": 0.1}


@pytest.fixture(scope="module")
def small() -> Benchmark:
    """A set of 40 queries to train on and 40 in the pool."""
    return replace(generate_set(0, train=40, pool=40), forest=QUICK, budgets=(4.0, 12.0), at=12.0, efforts={})


@pytest.fixture(scope="module")
def predictions(small: Benchmark) -> Predictions:
    """What the rankers say of the pool."""
    return train_and_predict(small.splits[0], recipes(QUICK, seed=0, jobs=1))


@pytest.fixture(scope="module")
def cases(small: Benchmark, predictions: Predictions) -> dict[str, Case]:
    """The cases of one ranker and of a pair."""
    found = {}
    for scenario in [scenarios(predictions, 0)[title] for title in (*ONE, *PAIRS)]:
        pool = pool_of(scenario, small.splits[0], cost=small.cost, depth=small.depth)
        case = Case(
            title=scenario.title, label="ERR", pool=pool, grades=known_grades(pool, small.splits[0]), measure="ERR"
        )
        found[scenario.title] = case
    return found


def test_the_paper_has_seven_scenarios(predictions: Predictions) -> None:
    """Two rankers by themselves, three pairs, an update and a training size, in three figures."""
    found = [*scenarios(predictions, 0).values()]
    assert [s.figure for s in found] == ["figure-1"] * 2 + ["figure-2"] * 3 + ["figure-3"] * 2
    assert [len(s.scores) for s in found] == [1] * 2 + [2] * 5
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
    pool = pool_of(scenarios(predictions, 0)["Random Forest"], split, cost=small.cost, depth=small.depth)
    _, query = np.unique(split.pool.queries.astype(int), return_inverse=True)
    assert split.lengths is not None
    costs = np.bincount(query, np.log(split.lengths))
    np.testing.assert_allclose(pool.query_costs, costs / costs.mean())


def test_an_outdated_index_lacks_a_tenth_of_each_list(small: Benchmark, predictions: Predictions) -> None:
    """The second list of every query lacks a tenth, up to rounding, and keeps the order of the others."""
    scenario = index_update(predictions, 0)
    pool = pool_of(scenario, small.splits[0], cost=small.cost, depth=small.depth)
    gone = np.isnan(pool.ranks[:, 1])
    counts = np.add.reduceat(gone.astype(int), pool.starts)
    assert (np.abs(counts - 0.1 * pool.sizes) < 1).all()
    assert not np.isnan(pool.ranks[:, 0]).any()
    assert (pool.ranks[~gone, 1] <= pool.ranks[~gone, 0]).all()


def test_a_tenth_of_short_lists() -> None:
    """A list of 20 always loses 2 documents, one of 4 loses one in four of ten cases, a single document stays."""
    queries = np.repeat(np.arange(3000), np.tile([20, 4, 1], 1000))
    gone = np.bincount(queries, lacking(queries, np.random.default_rng(0)))[:3000].reshape(-1, 3)
    assert (gone[:, 0] == 2).all()
    assert gone[:, 1].mean() == pytest.approx(0.4, abs=4 * np.sqrt(0.4 * 0.6 / 1000))
    assert (gone[:, 2] == 0).all()


def test_parameters_are_chosen_on_the_other_half(small: Benchmark, predictions: Predictions) -> None:
    """Rankers learn from one half of the training queries; what is chosen does best on the other, and no query is in
    both halves or in the pool."""
    split = small.splits[0]
    assert split.validation is not None
    learn, held = set(split.train.queries), set(split.validation.queries)
    assert (len(learn), len(held)) == (20, 20)
    assert not learn & held
    assert not held & set(split.pool.queries)
    values = {}
    for prior in PRIORS:
        model = OrderedLogit(prior=prior, metric="ERR(max_grade=4)")
        model.fit(split.train.matrix, split.train.grades, qid=split.train.queries)
        values[prior] = model.score(split.validation.matrix, split.validation.grades, qid=split.validation.queries)
    assert predictions.chosen["ordered logit"] == {"prior": max(values, key=lambda prior: values[prior])}
    assert set(predictions.chosen) == set(recipes(QUICK, seed=0, jobs=1))


def test_half_of_the_training_queries(predictions: Predictions) -> None:
    """The forest of half of the queries is another one, and both know something of the grades."""
    scenario = scenarios(predictions, 0)["training size"]
    grades = predictions.split.pool.grades
    for scores in scenario.scores:
        assert np.corrcoef(scores, grades)[0, 1] > 0.2
    assert (scenario.scores[0] != scenario.scores[1]).any()


def test_training_sizes_stand_for_those_of_the_paper(predictions: Predictions) -> None:
    """120,000 to 200,000 documents, each compared with the forest of 100,000; the last is that of Figure 3, center."""
    found = training_sizes(predictions)
    assert list(found) == [120_000, 140_000, 160_000, 180_000, 200_000]
    half = scenarios(predictions, 0)["training size"]
    for scenario in found.values():
        np.testing.assert_array_equal(scenario.scores[1], half.scores[1])
    np.testing.assert_array_equal(found[200_000].scores[0], half.scores[0])


def test_the_truth_is_the_mean_over_the_pool(cases: dict[str, Case]) -> None:
    """What estimates aim at is the mean of the measure over all queries of the pool, for a pair the difference."""
    case = cases["Random Forest"]
    values = Target.of("ERR", case.pool).values(case.pool, case.grades)
    assert case.truth() == pytest.approx(values.mean())
    pair = cases["ordered logit − Random Forest"]
    assert pair.truth() == pytest.approx(cases["ordered logit"].truth() - case.truth(), abs=1e-12)


def test_grades_are_worth_what_the_paper_says(small: Benchmark, predictions: Predictions) -> None:
    """The paper's DCG has gains of 2^g − 1 by its own dialect, whatever the default of a campaign is."""
    (case,) = _cases(next(iter(scenarios(predictions, 0).values())), small.splits[0], small, ("DCG",))
    assert case.target.worth.tolist() == [2**grade - 1 for grade in case.pool.grades]


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
        efforts={("document", "ERR"): Effort(most=10, budget=0.7)},
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


EXACT = "Random Forest, ERR: bias if half of the documents are judged"
"""The number of a claim in which nothing is drawn at random."""


@pytest.mark.study
def test_every_claim_is_tested(outcome: tuple[Measurements, Path]) -> None:
    """Each condition of each claim has its number, with a standard error unless it is exact."""
    numbers = outcome[0].numbers
    for claim in PAPERS["active"].paper.claims:
        assert claim.verdict(numbers) is not Verdict.UNTESTED, claim.place
        for condition in claim.conditions:
            assert (numbers[condition.number].error > 0) == (condition.number != EXACT)


def test_savings_are_against_the_paper_s_baseline() -> None:
    """What a claim says of labels saved is decided against independent draws; in Figure 2 by wrong choices."""
    for claim in PAPERS["active"].paper.claims:
        for condition in claim.conditions:
            if "paper saves against" in condition.number:
                assert condition.number.partition("against ")[2].startswith("passive-iid")
                assert condition.number.endswith(", by choices") == ("Figure 2" in claim.place)


def test_choices_are_model_selection_errors() -> None:
    """Figure 2: half the budget for the same share of wrong choices saves a half, whatever the errors are."""
    study = pair_study()
    numbers = dict(findings.choice_savings([study], 40.0))
    assert numbers["pair, ERR: paper saves against passive-iid, by choices"].value == pytest.approx(0.5)
    assert dict(findings.savings([study], 40.0))["pair, ERR: paper saves against passive-iid"].value < 0


def test_choices_are_compared_where_there_are_wrong_ones() -> None:
    """With a budget that leaves passive-iid wrong less than once in twenty times, a smaller one is taken."""
    study = pair_study()
    assert findings.choice_budget(study, 40.0) == 40.0
    assert findings.choice_budget(study, 80.0) == 40.0


def test_nothing_is_saved_against_a_coin() -> None:
    """Where nobody chooses better than a coin, a saving is open, whatever its value."""
    shares = {10.0: 0.5, 20.0: 0.5, 40.0: 0.45}
    curves = {name: choosing(name, shares) for name in TRIED}
    study = Study(title="pair", measure="ERR", truth=1.0, curves=curves)
    assert all(number.error >= 1 for _, number in findings.choice_savings([study], 40.0))
    assert all(number.error < 1 for _, number in findings.choice_savings([pair_study()], 40.0))


def test_uni_c_has_a_share_of_the_gain() -> None:
    """Wrong choices of 40 % passively, 20 % actively and 26 % with uniC: not quite three quarters of the gain."""
    wrong = {"passive-iid": 0.4, "paper": 0.2, "uniC": 0.26}
    curves = {name: choosing(name, {10.0: share}) for name, share in wrong.items()}
    study = Study(title="pair", measure="ERR", truth=1.0, curves=curves)
    found = {name: number.value for name, number in findings.choice_gains([study, study])}
    assert found == pytest.approx(
        {
            "pairs, ERR: paper's gain, by choices": 0.4 - 0.2,
            "pairs, ERR: uniC's gain, by choices": 0.4 - 0.26,
            "pairs, ERR: uniC's gain less three quarters of paper's, by choices": (0.4 - 0.26) - 0.75 * (0.4 - 0.2),
        }
    )


def pair_study() -> Study:
    """A pair for which `paper` is wrong as often as `passive-iid` with twice the budget, but further off."""
    shares = {10.0: 0.4, 20.0: 0.3, 40.0: 0.2, 80.0: 0.02}
    half = {budget / 2: share for budget, share in shares.items()}
    curves = {name: choosing(name, shares) for name in ("passive", "passive-iid", "uniD", "uniC", "greg", "document")}
    curves["paper"] = choosing("paper", half, far=3.0)
    return Study(title="pair", measure="ERR", truth=1.0, curves=curves)


def choosing(name: str, shares: dict[float, float], far: float = 1.0) -> ErrorCurve:
    """The curve of a method that chooses wrongly in these shares of 100 repetitions, by budget; the truth is 1."""
    found = {}
    for budget, share in shares.items():
        value = 1.0 + far * np.where(np.arange(100) < 100 * share, -1.5, 2.0)
        same = {name: np.full(100, budget) for name in ("error", "freedom", "cost", "draws", "labels")}
        found[budget] = Repetitions.around(value=value, **same)
    return ErrorCurve.of(name, found, 1.0)


def test_discounts_of_sampled_documents_are_biased(cases: dict[str, Case]) -> None:
    """The bias is that of all samples of half of the documents, enumerated."""
    case = cases["Random Forest"]
    worth, weight = case.target.worths(case.grades), case.target.weights(case.pool)[:, 0]
    depth, expected, truth = 8, 0.0, 0.0
    for query in range(len(case.pool.queries)):
        mine = np.flatnonzero(case.pool.query == query)
        top = mine[np.argsort(case.pool.ranks[mine, 0])][:depth]
        for sample in product((0, 1), repeat=depth):
            taken = np.array(sample)
            passed = np.append(1.0, np.cumprod(1 - taken * worth[top])[:-1])
            expected += (2 * taken * weight[top] * worth[top] * passed).sum() / 2**depth
        truth += (weight[top] * worth[top] * np.append(1.0, np.cumprod(1 - worth[top])[:-1])).sum()
    shallow = replace(case, measure=f"ERR(max_grade=4)@{depth}")
    assert findings.discounts_known(shallow) == pytest.approx(expected / truth - 1)
    assert expected > truth


@pytest.mark.study
def test_the_histogram_holds_every_query(outcome: tuple[Measurements, Path], cases: dict[str, Case]) -> None:
    """Figure 1, left: bars from the least cost to the largest; shares add up to 1, and the mean cost is 1."""
    costs, table = cases["Random Forest"].pool.query_costs, outcome[0].tables["costs"]
    shares, width = table["share of the queries"].to_numpy(), table["to"][0] - table["from"][0]
    assert shares.sum() == pytest.approx(1.0)
    assert (table["from"][0], table["to"][-1]) == pytest.approx((costs.min(), costs.max()))
    for low, high, share in table.rows()[:-1]:
        assert share == pytest.approx(np.mean((costs >= low) & (costs < high)))
    assert shares @ (table["from"] + width / 2).to_numpy() == pytest.approx(1.0, abs=width)


@pytest.mark.study
def test_training_sizes_at_a_third_of_the_budget(outcome: tuple[Measurements, Path]) -> None:
    """Figure 3, right: a row per size and method, at one budget; active's error over passive's is its number."""
    table, numbers = outcome[0].tables["training-sizes"], outcome[0].numbers
    assert set(table["budget"]) == {4.0}
    assert table["documents"].unique(maintain_order=True).to_list() == list(range(120_000, 220_000, 20_000))
    assert table["method"].unique(maintain_order=True).to_list() == list(SIZED)
    errors = {row["method"]: row["error"] for row in table.filter(documents=140_000).iter_rows(named=True)}
    found = numbers["140,000 documents, ERR: error of paper over that of passive-iid"]
    assert found.value == pytest.approx(errors["paper"] / errors["passive-iid"])


@pytest.mark.study
def test_tables_and_page(outcome: tuple[Measurements, Path]) -> None:
    """Curves have a row per scenario, measure, method and budget; savings name all references; a page shows it all."""
    found, folder = outcome
    curves, savings = found.tables["curves"], found.tables["savings"]
    assert curves["study"].n_unique() == 7
    assert curves["method"].unique(maintain_order=True).to_list() == list(TRIED)
    assert set(curves["measure"]) == {"ERR", "DCG"}
    assert set(savings["against"]) == {"passive", "passive-iid", "paper"}
    assert set(savings.filter(study="index update")["loss"]) == {"error", "wrong"}
    page = (folder / "simulation.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 14 * 3 + 10  # error, share and coverage of each, and the choices of ten pairs
    assert "Labels saved" in page
    assert "<script" not in page


@pytest.mark.study
def test_files(outcome: tuple[Measurements, Path], tmp_path: Path) -> None:
    """The folder has verdicts, tables and the panels of the paper's three figures."""
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    done = Reproduction(experiment=PAPERS["active"], setting=Setting(trials=12), measurements=outcome[0])
    written = {path.name for path in done.write(tmp_path)}
    names = ("1-left", "1", "2", "3", "3-right")
    figures = {f"figure-{name}{ending}" for name in names for ending in plots.OPTIONS}
    tables = {f"{name}.csv" for name in ("claims", "curves", "savings", "costs", "training-sizes", "parameters")}
    assert written == {"results.json", *tables, *figures}
    numbers = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))["numbers"]
    assert "index update, ERR: paper saves against passive" in numbers
    assert "index update, ERR: paper saves against passive-iid" in numbers


def test_a_folder_of_mslr(tmp_path: Path) -> None:
    """A folder like MSLR-WEB's has the paper's set-up: costs by length, whole lists, one fold to train on and four in
    the pool; only what each fold is tested on is read."""
    data = generate_learning(rng=np.random.default_rng(0), like="mslr", queries=20)
    for number, path in enumerate(write_parts(data, tmp_path), start=1):
        (tmp_path / f"Fold{number}").mkdir()
        path.rename(tmp_path / f"Fold{number}" / "test.txt")
    benchmark = read_benchmark(tmp_path)
    assert (benchmark.cost, benchmark.depth, benchmark.measures["ERR"]) == ("log-length", None, "ERR(max_grade=4)")
    assert benchmark.at == round(0.3 * 16)
    for split in benchmark.splits:
        assert split.validation is not None
        sizes = [len(set(part.queries)) for part in (split.train, split.validation, split.pool)]
        assert sizes == [2, 2, 16]
        assert split.lengths is not None
        np.testing.assert_array_equal(split.lengths, split.pool.matrix[:, 14])


def test_budgets_of_mslr(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With as many queries as the real set has, savings are measured at 300 and training sizes compared at 100."""
    part = FeatureTable(
        grades=np.full(300, 4.0),
        queries=np.arange(300).astype(str).astype(object),
        documents=np.arange(300).astype(str).astype(object),
        matrix=np.ones((300, 136)),
    )
    parts = [part._replace(queries=np.array([f"{n}-{q}" for q in part.queries], dtype=object)) for n in range(5)]
    monkeypatch.setattr("rankgauge.papers.published.active.benchmark.read_parts", lambda folder: parts)
    benchmark = read_benchmark(tmp_path)
    assert (benchmark.at, benchmark.third) == (300.0, 100.0)


def test_savings_in_theory(cases: dict[str, Case]) -> None:
    """Draws in proportion to the spread and the root of the cost save as the formula says; equal draws save nothing."""
    case = cases["RF regression − RF classification"]
    values, costs = case.target.values(case.pool, case.grades), case.target.query_costs(case.pool)
    spread = np.abs(values - values.mean())
    best = np.maximum(spread, 1e-9) / np.sqrt(costs)
    best /= best.sum()
    m = len(values)
    expected = 1 - (spread @ np.sqrt(costs)) ** 2 / m**2 / ((spread**2).mean() * costs.mean())
    assert findings._variance(case, best)[0] == pytest.approx(expected, abs=1e-6)
    saved, rare = findings._variance(case, np.full(m, 1 / m))
    assert saved == pytest.approx(0.0)
    assert 0 <= rare <= 1


def test_overall_savings() -> None:
    """The least and the largest saving are those of the losses that the figures show: choices for pairs of rankers."""
    named = {
        "one, ERR: paper saves against passive-iid": 0.2,
        "one, DCG: paper saves against passive-iid": 0.01,
        "two, ERR: paper saves against passive-iid": 0.9,
        "two, ERR: paper saves against passive-iid, by choices": 0.4,
        "two, ERR: uniC saves against passive-iid, by choices": 0.95,
    }
    pair = Study(title="two", measure="ERR", truth=0.0, curves={})
    numbers = {name: Number(value=value) for name, value in named.items()}
    ends = [number.value for _, number in findings.overall(numbers, "ERR", [pair])]
    assert ends == [0.2, 0.4]


def test_a_folder_of_letor() -> None:
    """MQ2008: a model learns from one part, and the four others are its pool; lists are judged to rank 40."""
    found = read_benchmark(shared("data/mq2008").resolve())
    assert len(found.splits) == 5
    for split in found.splits:
        assert split.validation is not None
        parts = [set(part.queries) for part in (split.train, split.validation, split.pool)]
        assert sum(map(len, parts)) == len(set.union(*parts)) == 784
    assert found.measures["ERR"] == "ERR(max_grade=2)@40"
    assert (found.at, found.cost, found.depth) == (90.0, "documents", 40)


def told(number: Number) -> str:
    """The number as the page has it: in per cent with its error, or that it is open."""
    value = round(100 * number.value)
    return "open" if number.error >= findings.OPEN else f"{'−' * (value < 0)}{abs(value)} ± {round(100 * number.error)}"


@pytest.mark.study
def test_the_page_quotes_its_run(tmp_path: Path) -> None:
    """The page's tables have what its command saves on MQ2008, in five minutes; the generated set takes fifteen."""
    setting = Setting(trials=2000, data=shared("data/mq2008").resolve(), folder=tmp_path)
    numbers = PAPERS["active"].run(setting).numbers
    saved = {
        (*found.groups()[:4], bool(found[5])): told(number)
        for name, number in numbers.items()
        if (found := re.match(r"(.*), (.*): (.*) saves against ([^,]*)(, by choices)?", name))
    }
    assert len(saved) == 2 * 7 * 6 + 3 * 6
    page = (ROOT / "docs/active-paper.md").read_text(encoding="utf-8")
    rows = page.split("MQ2008, 2,000 repetitions")[1].splitlines()
    for title in dict.fromkeys(title for title, *_ in saved):
        mine = {tuple(key): words for (of, *key), words in saved.items() if of == title}
        cells = [
            f"{mine[measure, 'paper', 'passive-iid', False]} ({mine[measure, 'paper', 'passive', False]})"
            for measure in ("ERR", "DCG")
        ]
        cells += [mine[measure, own, "paper", False] for own in ("document", "greg") for measure in ("ERR", "DCG")]
        assert any(row.startswith(f"| {title} |") and row.endswith(f"| {' | '.join(cells)} |") for row in rows), title
    for (title, measure, tried, other, chosen), words in saved.items():
        if other == "passive-iid":
            loss = f"wrong choices by {measure}" if chosen else f"error of {measure}"
            (row,) = (row for row in rows if row.startswith(f"| {title} | {loss} |"))
            assert row.split(" | ")[5 + ("paper", "uniD", "uniC").index(tried)].strip(" |") == words, row
