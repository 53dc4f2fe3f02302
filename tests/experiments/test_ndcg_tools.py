"""The comparison of rankers and tools: readings as arithmetic, trainings on a tiny set, verdicts on planted values."""

from __future__ import annotations

import json
import math
import re
import sys
from math import log2
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rankgauge.cli.main import run as run_command
from rankgauge.demo import learning_rows
from rankgauge.demo.folds import Fold, folds_of
from rankgauge.demo.learning import generate_learning, learning_parts
from rankgauge.dialects import DIALECTS
from rankgauge.files.formats.letor import FeatureTable
from rankgauge.labelling.simulations.jobs import ExperimentJob, run_jobs
from rankgauge.papers import PAPERS, Measurements, Setting, Verdict
from rankgauge.papers.experiment import fold_means
from rankgauge.papers.published import ndcg_tools
from rankgauge.papers.published.ndcg_tools import training
from rankgauge.papers.published.ndcg_tools.findings import (
    CUTOFFS,
    LATE,
    Findings,
    HeldOut,
    coefficient_ratio,
    measure_weights,
    seed_effects,
    tie_effects,
    tool_differences,
)
from rankgauge.papers.published.ndcg_tools.training import READINGS
from rankgauge.papers.reproduction import Reproduction
from tests.experiments.quoting import not_of_run
from tests.shared import shared

pytestmark = pytest.mark.xdist_group("ndcg_tools")  # they share what is slow to make

TITLES = training.TITLES


def letor(**lists: list[float]) -> FeatureTable:
    """Documents with the grades of each query, and one feature that falls from the first to the last."""
    queries = [query for query, grades in lists.items() for _ in grades]
    places = [place for grades in lists.values() for place in range(len(grades))]
    return FeatureTable(
        grades=np.array([grade for grades in lists.values() for grade in grades], dtype=np.float64),
        queries=np.array(queries, dtype=object),
        documents=np.array([f"{query}-{place}" for query, place in zip(queries, places, strict=True)], dtype=object),
        matrix=-np.array(places, dtype=np.float64)[:, np.newaxis],
    )


def held_out(*sets: FeatureTable) -> HeldOut:
    """The sets as the test sets of as many folds."""
    return HeldOut.of(tuple(Fold(name=f"Fold{n}", train=s, validation=s, test=s) for n, s in enumerate(sets, start=1)))


TWO = held_out(letor(a=[0, 2, 1], empty=[0, 0]), letor(b=[1], a=[1, 0, 0, 2]))


def test_documents_of_all_folds() -> None:
    """Queries stand fold after fold; those of the same name in two folds are two."""
    assert TWO.fold.tolist() == [0, 0, 1, 1]
    assert TWO.sizes.tolist() == [3, 2, 1, 4]
    assert TWO.is_empty.tolist() == [False, True, False, False]


@pytest.mark.parametrize(("reading", "empty", "short"), [("std", 0.0, 1.0), ("yahoo", 1.0, 1.0), ("letor", 0.0, 0.0)])
def test_readings(reading: str, empty: float, short: float) -> None:
    """All gain 2^g − 1 over log2(r + 1); they part on queries with nothing relevant and on lists shorter than k."""
    falling = np.array([0.0, -1, -2, 0, -1, 0, 0, -1, -2, -3])
    values = TWO.values(np.array([falling, -falling]), READINGS[reading])
    assert values.shape == (2, 10, 4)
    value = (3 / log2(3) + 1 / log2(4)) / (3 + 1 / log2(3))
    assert values[0, 2].tolist() == pytest.approx([value, empty, short, 1 / (3 + 1 / log2(3))])
    assert values[1, 3, 3] == pytest.approx((3 + 1 / log2(5)) / (3 + 1 / log2(3)))
    assert values[0, 9].tolist() == pytest.approx([value * short, empty, short, values[0, 9, 3] * 1.0])


def test_readings_and_tools_agree() -> None:
    """Without ties the readings are what RankLib's and Yahoo's tools give, and every tool gives values."""
    rng = np.random.default_rng(0)
    scores = rng.permutation(10)[np.newaxis].astype(np.float64)
    for reading, tool in (("std", "ranklib"), ("yahoo", "yahoo")):
        assert TWO.values(scores, READINGS[reading]) == pytest.approx(TWO.values(scores, DIALECTS[tool]))
    longer = held_out(letor(a=[0, 2, 1], b=[1, 1]))
    for name, dialect in DIALECTS.items():
        assert np.isfinite(longer.values(rng.permutation(5)[np.newaxis].astype(float), dialect)).all(), name


def test_errors_over_folds() -> None:
    """The mean is that of the folds' means; their standard errors are added in quadrature; NaN counts for nothing."""
    values, fold = np.array([1.0, 3.0, 2.0, 6.0, 10.0, np.nan]), np.array([0, 0, 1, 1, 1, 1])
    mean, error = fold_means(values, fold)
    assert mean == pytest.approx((2 + 6) / 2)
    first, second = math.sqrt(2) / math.sqrt(2), 4 / math.sqrt(3)
    assert error == pytest.approx(math.sqrt(first**2 + second**2) / 2)


EIGHT = held_out(*[letor(a=[1], b=[1, 0], c=[1] * 10, d=[0, 1] * 5)] * 2)
"""Two folds of four queries, the first two of each with fewer than ten documents."""


def findings(values: np.ndarray) -> Findings:
    """What follows from values of the six rankers on eight queries in two folds."""
    return Findings(values=values, rankers=TITLES, tested=EIGHT)


def planted() -> np.ndarray:
    """Values that differ between rankers by 0.01 each, the same for all readings, trainings and cutoffs."""
    rng = np.random.default_rng(0)
    queries = 0.4 + 0.1 * rng.random((10, 8))
    steps = 0.01 * np.arange(6)[:, np.newaxis, np.newaxis]
    return np.broadcast_to(queries + steps, (3, 3, 6, 10, 8)).copy()


def test_numbers_of_evaluators() -> None:
    """What a reading adds to the same rankings is found as it was planted; of LETOR's losses the least is told."""
    values = planted()
    values[1] += 0.25
    values[2, ..., 8:, :] -= 0.3
    values[2, :, TITLES.index("RankNet"), 9] += 0.1
    values[2, :, TITLES.index("RankBoost"), 9] += 0.2  # it is not in Figure 1
    numbers = findings(values).numbers()
    assert numbers["Yahoo less standard"].value == pytest.approx(0.25)
    assert numbers["Yahoo less standard, highest less lowest"].value == pytest.approx(0.0, abs=1e-12)
    lost = [numbers[f"LETOR less standard at {k}, least loss"].value for k in (8, 9, 10)]
    assert lost == pytest.approx([0.0, -0.3, -0.2], abs=1e-12)


def test_numbers_of_trainings() -> None:
    """Differences between trainings are paired: the same on every query, they have no error."""
    values = planted()
    values[0, 2, 0] -= 0.03
    numbers = findings(values).numbers()
    of_one = numbers["trained under LETOR less standard, AdaRank"]
    assert (of_one.value, of_one.error) == (pytest.approx(-0.03), pytest.approx(0.0, abs=1e-12))
    assert numbers["trained under Yahoo less LETOR, AdaRank"].value == pytest.approx(0.03)
    assert numbers["trained under Yahoo less LETOR, mean of three"].value == pytest.approx(0.03 / 3)
    assert numbers["trained under Yahoo less standard, AdaRank"].value == pytest.approx(0.0, abs=1e-12)
    assert numbers["trained under LETOR less standard, RankNet"].value == pytest.approx(0.0, abs=1e-12)


def test_numbers_of_the_order() -> None:
    """The best other is the best of the rest; the middle three are compared with each other and with the lower two."""
    values = planted()
    values[2, :, TITLES.index("Coordinate Ascent")] += 0.02
    numbers = findings(values).numbers()  # AdaRank, RankNet, RankBoost, RankSVM, Coordinate Ascent, LambdaMART
    leads = [numbers[f"Coordinate Ascent less the best other, {by}"].value for by in ("standard", "Yahoo", "LETOR")]
    assert leads == pytest.approx([0.04 - 0.05, 0.04 - 0.05, 0.04 + 0.02 - 0.05])
    assert numbers["RankBoost, RankSVM, LambdaMART: best less worst"].value == pytest.approx(0.05 - 0.02)
    assert numbers["AdaRank less the middle three"].value == pytest.approx(0 - (0.02 + 0.03 + 0.05) / 3)


def test_numbers_of_short_queries() -> None:
    """RankBoost's advantage on short queries is measured on these alone, and by LETOR's reading on all."""
    values = planted()
    values[0, 0, TITLES.index("RankBoost"), 9, EIGHT.is_short] += 0.05
    numbers = findings(values).numbers()
    assert EIGHT.is_short.tolist() == [True, True, False, False] * 2
    assert numbers["RankBoost less RankSVM, short queries"].value == pytest.approx(0.02 + 0.05 - 0.03)
    assert numbers["RankBoost less RankSVM, all queries by standard"].value == pytest.approx(0.02 + 0.05 / 2 - 0.03)
    assert numbers["RankBoost less LambdaMART, all queries by LETOR"].value == pytest.approx(0.02 - 0.05)


def test_large_and_small_sets() -> None:
    """Where one ranker is better on large sets and another on small ones, LETOR's metric prefers the first."""
    values = planted()
    values[:, :, 0, 9] += np.where(EIGHT.is_short, -0.1, 0.07)  # AdaRank beats all on large sets, none on small ones
    values[2, :, :, 9, EIGHT.is_short] = 0.0
    numbers = {name: number.value for name, number in findings(values).numbers().items()}
    assert numbers["pairs with one ranker better on large sets, the other on small sets"] == 5
    assert numbers["of these, the share whose better on large sets is preferred by LETOR"] == 1.0
    assert numbers["of these, the better on large sets is preferred by standard"] == 0
    assert math.isnan(
        findings(planted()).numbers()["of these, the share whose better on large sets is preferred by LETOR"].value
    )


def test_empty_queries_shrink_differences() -> None:
    """A difference over all queries is that over queries with relevant documents, times their share."""
    two = held_out(*[letor(a=[1, 0], b=[1, 0], c=[0, 0], d=[1] * 10)] * 2)
    values = np.zeros((3, 3, 6, 10, 8))
    values[:, :, TITLES.index("LambdaMART"), 9, ~two.is_empty] = 0.3
    numbers = Findings(values=values, rankers=TITLES, tested=two).numbers()
    assert numbers["a difference over all queries, as a share of that without empty ones"].value == pytest.approx(3 / 4)


def test_seeds() -> None:
    """Several seeds give the mean of their gains, paired by query, and their range."""
    standard, gains = np.zeros((3, 4)), np.array([[0.1], [0.2], [0.6]])
    numbers = dict(seed_effects(standard, standard + gains, np.array([0, 0, 1, 1])))
    assert numbers[f"{LATE}, mean over seeds"].value == pytest.approx(0.3)
    assert [numbers[f"{LATE}, {end} of 3 seeds"].value for end in ("least", "largest")] == pytest.approx([0.1, 0.6])


def test_swaps() -> None:
    """Another order at some cutoffs is counted, also within the middle three; a pair counts where both are clear."""
    values = planted()
    swapped = [1, 0, 2, 3, 4, 5]
    values[2, :, :, 3:5] = values[2][:, swapped][:, :, 3:5]
    values[2, :, 2:4, 7] = values[2, :, [3, 2], 7].swapaxes(0, 1)
    numbers = findings(values).numbers()
    assert numbers["cutoffs with another order of the six, LETOR"].value == 3
    assert numbers["cutoffs with another order of the middle three, LETOR"].value == 1
    assert numbers["pairs of the six in clearly opposite orders, LETOR"].value == 2
    assert numbers["cutoffs with another order of the six, Yahoo"].value == 0


def test_tools_of_the_paper() -> None:
    """LETOR 3.0 counts short lists as 0, as LETOR 4.0 does; Yahoo adds 1 for a query without relevant documents."""
    ten = [1, 0, 2, 0, 0, 0, 0, 0, 0, 0]
    test = held_out(letor(short=[1, 0], long=ten, empty=[0] * 10))
    falling = -np.concatenate([np.arange(2), np.arange(10), np.arange(10)]).astype(np.float64)
    numbers = {name: number.value for name, number in tool_differences(test, falling[np.newaxis])}
    usual = (1 + 3 / log2(4)) / (3 + 1 / log2(3))
    flat = (1 + 3 / log2(3)) / (3 + 1)  # ranks 1 and 2 weigh the same in LETOR's scripts
    assert numbers["trec_eval less RankLib, NDCG@10"] == pytest.approx(0.0, abs=1e-6)
    assert numbers["LETOR 3.0 less RankLib, NDCG@10"] == pytest.approx((0 - 1 + flat - usual) / 3)
    assert numbers["LETOR 3.0 less LETOR 4.0, NDCG@10"] == pytest.approx(0.0)
    assert numbers["LETOR 4.0 on short queries, NDCG@10"] == 0.0
    assert numbers["Yahoo less RankLib, NDCG@10"] == pytest.approx(1 / 3)
    assert numbers["Yahoo less RankLib, queries with a relevant document"] == pytest.approx(0.0, abs=1e-12)


def test_ties_are_counted() -> None:
    """Documents of the same score in one query are tied, in two queries they are not; the order of a tie counts."""
    test = held_out(letor(a=[1, 0, 0], b=[1, 0]))
    scores = np.array([[3.0, 3.0, 1.0, 3.0, 1.0], [3.0, 2.0, 1.0, 3.0, 1.0]])
    numbers = {name: number.value for name, number in tie_effects(test, ("one", "other"), scores)}
    assert numbers["tied documents, one"] == pytest.approx(2 / 5)
    assert numbers["tied documents, mean"] == pytest.approx((2 / 5 + 0) / 2)
    assert numbers["best less worst order of ties, largest"] == pytest.approx((1 - 1 / log2(3)) / 2)
    assert numbers["best less worst order of ties, other"] == 0.0


def test_coefficient_with_short_queries() -> None:
    """A query that counts 0 adds its weight above and below the line, and so shrinks AdaRank's coefficient."""
    late = [0.0, 1.0] + [0.0] * 8  # the one feature puts the relevant document second
    part = letor(short=[1, 0], long=late, other=late)
    fold = Fold(name="Fold1", train=part, validation=part, test=part)
    value = 1 / log2(3)
    expected = math.atanh(2 * value / 3) / math.atanh(value)
    assert coefficient_ratio(fold) == pytest.approx(expected)
    alone = letor(short=[1, 0])
    assert math.isnan(coefficient_ratio(Fold(name="Fold1", train=alone, validation=alone, test=alone)))


@pytest.fixture(scope="module")
def folds() -> tuple[Fold, ...]:
    """Five folds of a tiny generated set."""
    return folds_of(learning_parts(generate_learning(rng=np.random.default_rng(0), like="mq2008", queries=40)))


QUICK = {
    "adarank": {"rounds": 10},
    "ranknet": {"epochs": 2},
    "rankboost": {"rounds": 10},
    "ranksvm": {"grid": [0.01, 1.0]},
    "coordinate-ascent": {"restarts": 1, "iterations": 2},
    "lambdamart": {"trees": 5},
}
DRAWN = tuple(
    training.RankerSetup(title=ranker.title, name=ranker.name, settings={**ranker.settings, **QUICK[ranker.name]})
    for ranker in training.make_sampled(2)
)
TRAINED = tuple(
    training.RankerSetup(title=ranker.title, name=ranker.name, settings={**ranker.settings, **QUICK[ranker.name]})
    for ranker in (*training.PLAIN, *training.BESIDE)
)


@pytest.mark.parametrize(
    ("setting", "effort"),
    [
        (Setting(), training.QUICK),
        (Setting(data=Path("MQ2008")), training.USUAL),
        (Setting(full=True), training.FULL),
        (Setting(data=Path("MQ2008"), full=True), training.FULL),
    ],
)
def test_efforts(setting: Setting, effort: training.TrainingEffort, folds: tuple[Fold, ...], monkeypatch: Any) -> None:
    """The paper's settings are used where they are asked for, quicker ones elsewhere; the printed line names them."""
    asked: list[ExperimentJob] = []
    monkeypatch.setattr(ndcg_tools, "_generate_folds", lambda seed: folds)
    monkeypatch.setattr(ndcg_tools, "read_folds", lambda folder: folds)
    monkeypatch.setattr(ndcg_tools, "run_jobs", lambda jobs, *rest, **settings: asked.extend(jobs))
    monkeypatch.setattr(ndcg_tools, "judge", lambda *_: Measurements(numbers={}))
    monkeypatch.setattr(ndcg_tools, "measure_weights", lambda _: Measurements(numbers={}))
    words = ndcg_tools.run(setting).words
    expected = training.all_jobs(folds, (*effort.rankers, *training.BESIDE), training.make_sampled(effort.drawn))
    assert {job.key for job in asked} == {job.key for job in expected}
    assert words.endswith(f"seed 0, {effort.words}")


def test_full_settings(folds: tuple[Fold, ...]) -> None:
    """In full, Coordinate Ascent has 30 starts of 100 rounds, RankNet 1 to 3 layers of 10 to 500 units; the rest stays.

    Their finished parts are others than those of the usual settings; those of the other rankers serve both.
    """
    usual, full = (
        {job.name: job for job in training.jobs(folds[:1], e.rankers)} for e in (training.USUAL, training.FULL)
    )
    assert full["coordinate-ascent.std.Fold1"].settings["sets"] == [
        {"keep": "start", "restarts": 30, "iterations": 100}
    ]
    layers = [chosen["hidden"] for chosen in full["ranknet.std.Fold1"].settings["sets"]]
    assert {len(hidden) for hidden in layers} == {1, 2, 3}
    assert {width for hidden in layers for width in hidden} >= {10, 500}
    changed = {name.partition(".")[0] for name, job in full.items() if job.key != usual[name].key}
    assert changed == {"coordinate-ascent", "ranknet"}


def test_full_elsewhere() -> None:
    """A paper that has no slower settings says that asking for them changes nothing."""
    setting, found = Setting(full=True), Measurements(numbers={})
    told = {name: Reproduction(experiment=PAPERS[name], setting=setting, measurements=found).how for name in PAPERS}
    idle = {name for name, how in told.items() if "--full has no effect" in how}
    assert idle == {name for name, paper in PAPERS.items() if not paper.has_full} >= {"active", "multigraded"}


@pytest.fixture(scope="module")
def parts(folds: tuple[Fold, ...], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the trainings of all rankers on the tiny set."""
    folder = tmp_path_factory.mktemp("parts")
    known = (*folds, *training.without_empty(folds))
    run_jobs(training.all_jobs(folds, TRAINED, DRAWN), training.train, known, folder=folder, workers=1)
    return folder


@pytest.fixture(scope="module")
def reproduction(folds: tuple[Fold, ...], parts: Path) -> Reproduction:
    """The experiment on the tiny set."""
    results = {job.name: job.result(parts) for job in training.all_jobs(folds, TRAINED, DRAWN)}
    outcome = ndcg_tools.judge(folds, results, [ranker.title for ranker in DRAWN]) | measure_weights(folds)
    return Reproduction(experiment=PAPERS["ndcg-tools"], setting=Setting(), measurements=outcome)


def test_trainings(folds: tuple[Fold, ...], parts: Path) -> None:
    """Each ranker, reading and fold has a file with a score for every test document; the seed decides them."""
    jobs = training.all_jobs(folds, TRAINED, DRAWN)
    assert len(list(parts.iterdir())) == len(jobs) == (10 * 3 + 2 * 2 + 3) * 5
    for job in jobs:
        (fold,) = (fold for fold in folds if fold.name == job.settings["fold"].removesuffix("-met"))
        assert len(job.result(parts)["scores"]) == len(fold.test.grades)
    first = jobs[0]
    assert training.train(folds, first)["scores"] == first.result(parts)["scores"]
    assert training.jobs(folds, TRAINED, seed=1)[0].key != first.key


def test_keys_follow_the_data(folds: tuple[Fold, ...]) -> None:
    """A job is another one where a single value of its data, a setting or the reading is another."""
    keys = {job.key for job in training.jobs(folds, TRAINED[:1])}
    train = folds[0].train
    changed = train._replace(matrix=np.where(np.arange(train.matrix.size).reshape(train.matrix.shape), train.matrix, 9))
    other = Fold(name="Fold1", train=changed, validation=folds[0].validation, test=folds[0].test)
    assert not keys & {job.key for job in training.jobs((other,), TRAINED[:1])}
    assert len(keys) == 3 * 5


def test_choices(folds: tuple[Fold, ...]) -> None:
    """Of several settings the best on the validation set is taken."""
    from rankgauge import training as rankers

    sets = ({"C": 1e-6}, {"C": 1e-2}, {"C": 1e2})
    asked = training.RankerSetup(title="chosen", name="ranksvm", choices=sets)
    found = training.train(folds, training.jobs(folds[:1], (asked,), ("std",))[0])["scores"]
    held, train, values = folds[0].validation, folds[0].train, []
    for chosen in sets:
        model = rankers.get("ranksvm")(dialect=READINGS["std"], **chosen).fit(
            train.matrix, train.grades, qid=train.queries
        )
        values.append((model.score(held.matrix, held.grades, qid=held.queries), model.predict(folds[0].test.matrix)))
    assert found == pytest.approx(max(values, key=lambda pair: pair[0])[1], rel=1e-6)


def test_folds_without_empty_queries(folds: tuple[Fold, ...]) -> None:
    """To train and to validate, only queries with a relevant document are left; what is tested stays."""
    for whole, left in zip(folds, training.without_empty(folds), strict=True):
        assert left.name != whole.name
        assert left.test is whole.test
        for data, met in ((whole.train, left.train), (whole.validation, left.validation)):
            relevant = set(data.queries[data.grades > 0])
            assert set(met.queries) == relevant
            assert len(met.grades) == sum(query in relevant for query in data.queries)
    assert len(left.train.grades) < len(whole.train.grades)


def test_letor_trains_without_short_queries(folds: tuple[Fold, ...]) -> None:
    """LambdaMART under LETOR's reading is LambdaMART under the standard one without the queries of fewer than ten."""
    from rankgauge import training as rankers

    def fitted(reading: str, train: FeatureTable, held: FeatureTable) -> list[float]:
        model = rankers.get("lambdamart")(dialect=READINGS[reading], metric=training.METRIC, rng=0, trees=5)
        model.fit(train.matrix, train.grades, qid=train.queries, validation=(held.matrix, held.grades, held.queries))
        return list(model.predict(folds[0].test.matrix))

    def longer(data: FeatureTable) -> FeatureTable:
        _, place, sizes = np.unique(data.queries.astype(str), return_inverse=True, return_counts=True)
        assert (sizes < 10).any()
        return learning_rows(data, sizes[place] >= 10)

    whole = folds[0].train, folds[0].validation
    assert fitted("letor", *whole) == fitted("std", *map(longer, whole)) != fitted("std", *whole)


def test_exact_claims(folds: tuple[Fold, ...], reproduction: Reproduction) -> None:
    """What follows from the rules alone: Yahoo adds the share of empty queries, LETOR loses short ones."""
    numbers, test = reproduction.measurements.numbers, HeldOut.of(folds)
    shares = [test.is_empty[test.fold == n].mean() for n in range(5)]
    assert numbers["Yahoo less standard"].value == pytest.approx(np.mean(shares))
    assert numbers["Yahoo less standard, highest less lowest"].value < 1e-12
    assert numbers["cutoffs with another order of the six, Yahoo"].value == 0
    frame = reproduction.measurements.tables["values"]
    assert len(frame) == (3 + len(DIALECTS)) * 3 * 10 * 10
    assert set(frame["cutoff"]) == set(CUTOFFS)


def test_every_claim_is_tested(reproduction: Reproduction) -> None:
    """Each claim has its numbers, on any data."""
    for claim in reproduction.experiment.paper.claims:
        assert reproduction.verdict(claim) is not Verdict.UNTESTED, claim.place
    assert set(reproduction.measurements.figures) == set(reproduction.experiment.paper.figures)


def test_figure_1_shows_the_rankers_of_the_paper(reproduction: Reproduction) -> None:
    """Figure 1 has AdaRank, LambdaMART, RankNet and Coordinate Ascent, in this order; Figure 2 has all six."""
    tables = reproduction.measurements.tables
    first, second = (list(dict.fromkeys(tables[name]["ranker"])) for name in ("figure-1", "figure-2"))
    assert first == ["AdaRank", "LambdaMART", "RankNet", "Coordinate Ascent"]
    assert second == list(TITLES)


def test_places() -> None:
    """Each claim says where the paper makes it, and no two stand at the same place."""
    places = [claim.place for claim in PAPERS["ndcg-tools"].paper.claims]
    assert all(re.match(r"Section [1-6], ", place) for place in places)
    assert len(set(places)) == len(places)


def test_weights(reproduction: Reproduction) -> None:
    """The weights begin as the queries' shares; queries that no order can help gather weight."""
    numbers = reproduction.measurements.numbers
    assert numbers["standard: empty queries' weight, end over beginning"].value > 1
    assert numbers["LETOR: short queries' weight, end over beginning"].value > 1
    assert numbers["Yahoo: empty queries' weight, end over beginning"].value < 1
    assert numbers["LETOR: first coefficient, with over without short queries"].value < 1
    frame = reproduction.measurements.tables["figure-weights"]
    assert len(frame) == 3 * 2 * 31
    assert frame["share"].is_between(0, 1).all()


def test_files(reproduction: Reproduction, tmp_path: Path) -> None:
    """The folder holds verdicts, tables and the data of the figures."""
    written = {path.name for path in reproduction.write(tmp_path, figures=False)}
    figures = {f"{name}.csv" for name in reproduction.measurements.figures}
    assert written == {"claims.csv", "values.csv", "training.csv", "results.json", *figures}
    document = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert document["setting"]["full"] is False
    assert {claim["verdict"] for claim in document["claims"]} <= {str(verdict) for verdict in Verdict}


@pytest.mark.parametrize(
    ("name", "panels", "rows"), [("figure-1", 4 * 3, 3 * 10), ("figure-2", 3, 6 * 10), ("figure-weights", 3, 2 * 31)]
)
def test_figures(reproduction: Reproduction, name: str, panels: int, rows: int) -> None:
    """Figure 1 has a panel for each of four rankers and three evaluators, with a curve for each of three trainings;
    Figure 2 one for each evaluator, with a curve for each ranker."""
    pytest.importorskip("altair")
    chart = reproduction.measurements.figures[name]().to_dict()
    assert len(chart["concat"]) == panels
    for panel in chart["concat"]:
        (data,) = {layer.get("data", panel.get("data"))["name"] for layer in panel["layer"]}
        assert len(chart["datasets"][data]) == rows


def test_command_goes_on(
    folds: tuple[Fold, ...],
    parts: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    """A folder with finished trainings is gone on from: nothing is trained again, and every claim has its verdict."""
    monkeypatch.setattr(training, "QUICK", training.TrainingEffort(words="the quickest settings", rankers=TRAINED[:6]))
    monkeypatch.setattr(training, "BESIDE", TRAINED[6:])
    monkeypatch.setattr(training, "make_sampled", lambda count: DRAWN)
    monkeypatch.setattr(ndcg_tools, "_generate_folds", lambda seed: folds)
    monkeypatch.setattr(training, "train", lambda folds, job: pytest.fail(f"{job.name} is trained again"))
    monkeypatch.setattr(ndcg_tools, "DIALECTS", {})
    parts.rename(tmp_path / "parts")
    try:
        monkeypatch.setattr(
            sys, "argv", ["rankgauge", "reproduce", "ndcg-tools", "--no-figures", "--jobs", "1", "-o", str(tmp_path)]
        )
        with pytest.raises(SystemExit) as ended:
            run_command()
    finally:
        (tmp_path / "parts").rename(parts)
    assert not ended.value.code
    shown = capsys.readouterr().out
    assert "5 folds, 40 queries" in shown
    assert "seed 0, the quickest settings" in " ".join(shown.split())
    for claim in PAPERS["ndcg-tools"].paper.claims:
        assert f"\n{claim.place}: " in shown


def test_mq2008_evaluators() -> None:
    """On MQ2008, ranked by feature 39: Yahoo adds 0.28 at every cutoff, LETOR takes 0.05 at 8 and 0.27 at 9."""
    from rankgauge.demo.folds import read_folds

    folds = read_folds(shared("data/mq2008"))
    test = HeldOut.of(folds)
    scores = np.concatenate([fold.test.matrix[:, 38] for fold in folds])[np.newaxis]
    std, yahoo, letor = (fold_means(test.values(scores, READINGS[name])[0], test.fold)[0] for name in READINGS)
    assert std[9] == pytest.approx(0.4955, abs=0.0005)
    assert yahoo - std == pytest.approx(np.full(10, 0.2807), abs=0.0001)
    assert (letor - std)[[7, 8, 9]] == pytest.approx([-0.046, -0.274, -0.274], abs=0.003)


ELSEWHERE = {
    *("0.0231 ± 0.0050", "0.0002 ± 0.0035", "0.0009 ± 0.0032"),  # RankLib's own
    *("0.5045 ± 0.0136", "0.5043 ± 0.0137", "0.0016 ± 0.0041", "0.0031 ± 0.0028", "0.0016 ± 0.0034"),  # with `--full`
}
"""The numbers of the page that are not of its run."""


@pytest.mark.study
def test_the_page_quotes_its_run(tmp_path: Path) -> None:
    """Every other number with an error on the page is one of its command's, which takes three minutes."""
    setting = Setting(data=shared("data/mq2008").resolve(), folder=tmp_path, jobs=2)
    assert not_of_run("ndcg-tools.md", PAPERS["ndcg-tools"].run(setting).numbers) == ELSEWHERE
