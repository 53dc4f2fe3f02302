"""Tuning: values are those of an ordinary evaluation, choices come from other folds, and luck is not called a gain."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from rankgauge import dialects, evaluate, tune_fusion
from rankgauge.errors import InputError, ParameterError
from rankgauge.fusion import METHODS, FusionPlan
from rankgauge.fusion.judged_queries import JudgedQueries
from rankgauge.fusion.method import WeightedMethod, made
from rankgauge.fusion.run_pool import RunPool
from rankgauge.fusion.search import best_of, dealt
from rankgauge.fusion.slot_scorer import SlotScorer
from rankgauge.fusion.tuning import SINGLE, TUNED, UNTUNED

Run = dict[str, dict[str, float]]

RNG = np.random.default_rng(31)
QUERIES = [f"q{n}" for n in range(40)]
TRUTH = {query: RNG.standard_normal(30) for query in QUERIES}
"""How relevant each of thirty documents is."""

JUDGMENTS = {
    query: {f"d{d}": int(worth > 1) + int(worth > 0) for d, worth in enumerate(TRUTH[query])} for query in QUERIES
}


def noisy(noise: float, *, ties: bool = False, missing: int = 0) -> Run:
    """A run that sees relevance through noise; it lists twenty documents, and lacks some queries."""
    run: Run = {}
    for query in QUERIES[missing:]:
        scores = TRUTH[query] + noise * RNG.standard_normal(30)
        scores = np.round(scores) if ties else scores
        run[query] = {f"d{d}": float(scores[d]) for d in np.argsort(-scores, kind="stable")[:20]}
    return run


RUNS = {"good": noisy(1.0), "fair": noisy(1.5), "noise": noisy(50.0)}
TIED = {"a": noisy(1.0, ties=True), "b": noisy(1.0, ties=True, missing=3)}


@pytest.mark.parametrize("ordered", [False, True], ids=["as the runs", "reversed"])
@pytest.mark.parametrize("dialect", ["standard", "trec_eval", "gdeval", "ranx"])
@pytest.mark.parametrize("runs", [RUNS, TIED], ids=["untied", "tied"])
def test_values_are_those_of_an_evaluation(runs: dict[str, Run], dialect: str, ordered: bool) -> None:
    """A fusion and each single run have the values that `evaluate` gives, under any dialect, to the last bit."""
    judgments = dict(reversed(JUDGMENTS.items())) if ordered else JUDGMENTS
    plan, pool = FusionPlan.of(made("rrf"), norm=None, depth=None), RunPool.of(runs)
    judged, spoken = JudgedQueries.of(pool, judgments), dialects.get(dialect)
    stack = plan.stack(pool, judged.positions)
    for measure in ("nDCG@5", "AP", "RR"):
        scorer = SlotScorer(stack=stack, judged=judged, measure=spoken.select(measure)[0], dialect=spoken)
        fused = evaluate(judgments, plan.run(pool).frame, measure, dialect=dialect)
        assert scorer.result(plan.method.scores(stack)).by_query == fused.by_query
        first = next(iter(runs))
        alone = evaluate(judgments, runs[first], measure, dialect=dialect)
        assert scorer.result(stack.spread(stack.score, np.nan)[:, 0], exact=True).by_query == alone.by_query


def test_the_noise_is_found() -> None:
    """A run of noise gets no weight worth mentioning, and the gain over equal weights is shown."""
    tuned = tune_fusion(JUDGMENTS, RUNS, "nDCG@10")
    weights = tuned.parameters["weights"]
    assert sum(weights) == pytest.approx(1)
    assert weights[2] < 0.2
    gains = {row["other"]: row for row in tuned.gains.named()}
    assert gains[UNTUNED]["verdict"] == "better"
    assert gains[UNTUNED]["low"] > 0
    assert gains[UNTUNED]["queries"] == len(QUERIES)


def test_luck_is_no_gain() -> None:
    """Where all runs are noise, the tuned fusion is good in sample, and not shown to be better on unseen queries."""
    rng, shown, optimism = np.random.default_rng(7), 0, []
    for trial in range(5):
        runs = {
            name: {query: {f"d{d}": float(s) for d, s in enumerate(rng.standard_normal(30))} for query in QUERIES}
            for name in "ab"
        }
        tuned = tune_fusion(JUDGMENTS, runs, "nDCG@10", seed=trial)
        (gain,) = (row for row in tuned.gains.named() if row["other"] == SINGLE)
        shown += gain["verdict"] != "open"
        held = tuned.comparison.mean_table.where("run", TUNED)["mean"][0]
        optimism.append(tuned.in_sample - held)
    assert shown <= 1
    assert np.mean(optimism) > 0


def test_a_fold_is_judged_by_the_others() -> None:
    """What is chosen for a fold does not change if the judgments of that very fold do."""
    before = tune_fusion(JUDGMENTS, RUNS, "nDCG@10", folds=4, seed=3)
    fold = before.task.dealt(len(QUERIES)) == 0
    turned = {
        query: {d: 2 - grade for d, grade in grades.items()} if fold[at] else grades
        for at, (query, grades) in enumerate(JUDGMENTS.items())
    }
    after = tune_fusion(turned, RUNS, "nDCG@10", folds=4, seed=3)
    assert after.choices[0].method == before.choices[0].method
    assert after.choices[0].single == before.choices[0].single
    assert [one.method for one in after.choices[1:]] != [one.method for one in before.choices[1:]]


@pytest.mark.parametrize("name", sorted(set(METHODS) - {"weighted-sum"}))
def test_every_method_is_tuned_or_says_why_not(name: str) -> None:
    """Parameters come from what the method lists; methods without any that do not learn say so."""
    kind = METHODS[name]
    if not kind.tries() and not issubclass(kind, WeightedMethod) and not hasattr(kind, "estimate"):
        with pytest.raises(ParameterError, match="nothing to tune"):
            tune_fusion(JUDGMENTS, TIED, "nDCG@5", method=name)
        return
    tuned = tune_fusion(JUDGMENTS, TIED, "nDCG@5", method=name, folds=3)
    for parameter, values in kind.tries().items():
        assert tuned.parameters[parameter] in values
    assert len(tuned.choices) == 3
    assert set(tuned.fusion.to_dict()) == set(QUERIES)
    learns_only = not kind.tries() and not issubclass(kind, WeightedMethod)
    assert (UNTUNED in tuned.comparison.results) is not learns_only


def test_the_depth_counts() -> None:
    """Lists that will be cut are tuned as they are cut."""
    tuned = tune_fusion(JUDGMENTS, TIED, "AP", method="rrf", depth=5, folds=4)
    found = tuned.fusion.frame
    assert found.group_by("query").len()["len"].max() == 5
    assert tuned.in_sample == pytest.approx(evaluate(JUDGMENTS, found, "AP")["AP"], abs=1e-12)


def test_the_seed_decides() -> None:
    """The same seed deals the same folds, another one others."""
    one, again, other = (tune_fusion(JUDGMENTS, RUNS, "AP", method="rbc", seed=seed) for seed in (1, 1, 2))
    assert list(one.comparison.pair_table.rows()) == list(again.comparison.pair_table.rows())
    assert one.task.dealt(40).tolist() != other.task.dealt(40).tolist()


def test_weights_of_many_runs() -> None:
    """With more runs than combinations allow, weights are climbed one at a time, from the best start."""
    target = np.array([0.4, 0.0, 0.1, 0.3, 0.2])

    def worth(method: Any) -> float:
        return -float(np.abs(np.array(method.weights) - target).sum())

    best = best_of(made("weighted-sum"), 5, worth)
    assert isinstance(best, WeightedMethod)
    assert worth(best) > worth(replace(best, weights=(0.2,) * 5)) / 3
    assert best.weights[1] == 0


def test_all_weights_of_few_runs() -> None:
    """Weights in steps are all that add up to 1."""
    found = list(dealt(3, 4))
    assert len(found) == len(set(found)) == 15
    assert all(sum(one) == pytest.approx(1) for one in found)


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"folds": 1}, ParameterError, "from 2 to the 40 judged queries"),
        ({"folds": 41}, ParameterError, "from 2 to the 40 judged queries"),
        ({"measure": "GMAP"}, ParameterError, "a mean over queries"),
        ({"measure": "NumRet"}, ParameterError, "more is better"),
        ({"judgments": {"x": {"d": 1}}}, InputError, "no query of the runs is judged"),
    ],
    ids=["one fold", "too many", "geometric", "count", "unmatched"],
)
def test_what_is_refused(settings: dict[str, Any], error: type[Exception], words: str) -> None:
    """A wrong value is one clear error."""
    with pytest.raises(error, match=words):
        tune_fusion(**{"judgments": JUDGMENTS, "runs": RUNS, "measure": "nDCG@10", **settings})
