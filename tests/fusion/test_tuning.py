"""Tuning: values are those of an ordinary evaluation, choices come from other folds, and luck is not called a gain."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

from rankgauge import dialects, evaluate, files, fuse, fusion_gain, tune_fusion
from rankgauge.errors import InputError, ParameterError
from rankgauge.evaluation.judged_hits import HitFinder
from rankgauge.evaluation.result import Result
from rankgauge.fusion import METHODS, FusionPlan
from rankgauge.fusion.judged_queries import JudgedQueries, SlotScorer
from rankgauge.fusion.method import WeightedMethod, make_method
from rankgauge.fusion.run_pool import RunPool
from rankgauge.fusion.tuning import SINGLE, TUNED, UNTUNED, best_of, deal_weights

pytestmark = pytest.mark.process  # computes for long


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
LONG = {query: {"none": 99.0, **{f"d{d}": float(s) for d, s in enumerate(TRUTH[query])}} for query in QUERIES}
SHORT = {query: {f"d{int(np.argmax(TRUTH[query]))}": 1.0} for query in QUERIES}
"""Two runs of which the first is better as a whole, the second at the top."""
TIED = {"a": noisy(1.0, ties=True), "b": noisy(1.0, ties=True, missing=3)}


def single(scorer: SlotScorer, run: int) -> Result:
    """The result of one of the runs, by the scorer of their fusion."""
    scores, ranks = (scorer.stack.spread(one, np.nan)[:, run] for one in (scorer.stack.score, scorer.stack.rank))
    return scorer.result(scores, ranks=ranks)


@pytest.mark.parametrize("ordered", [False, True], ids=["as the runs", "reversed"])
@pytest.mark.parametrize("dialect", ["standard", "trec_eval", "gdeval", "ranx"])
@pytest.mark.parametrize("runs", [RUNS, TIED], ids=["untied", "tied"])
def test_values_are_those_of_an_evaluation(runs: dict[str, Run], dialect: str, ordered: bool) -> None:
    """A fusion and each single run have the values that `evaluate` gives, under any dialect, to the last bit."""
    judgments = dict(reversed(JUDGMENTS.items())) if ordered else JUDGMENTS
    plan, pool = FusionPlan.of(make_method("rrf"), norm=None, depth=None), RunPool.of(runs)
    judged, spoken = JudgedQueries.of(pool, files.judgments_from(judgments)), dialects.get(dialect)
    stack = plan.stack(pool, judged.positions)
    for measure in ("nDCG@5", "AP", "RR"):
        scorer = SlotScorer(stack=stack, judged=judged, measure=spoken.select(measure)[0], dialect=spoken)
        fused = evaluate(judgments, plan.run(pool).frame, measure, dialect=dialect)
        assert scorer.result(plan.method.scores(stack)).by_query == fused.by_query
        for ties in (spoken.ties, "input"):
            how = spoken.changed(ties=ties, missing="zero")  # ranx refuses a run that lacks queries
            for at, run in enumerate(runs.values()):
                alone = evaluate(judgments, run, measure, dialect=how)
                assert single(replace(scorer, dialect=how), at).by_query == alone.by_query


def faceted(column: str, names: tuple[str, ...], levels: tuple[float, ...]) -> pl.DataFrame:
    """Judgments of most documents on each facet, drawn with a seed."""
    rng = np.random.default_rng(5)
    rows = [
        (query, name, f"d{d}", float(rng.choice(levels)))
        for query in QUERIES
        for d in range(30)
        for name in (rng.choice(names, size=1) if column == "stratum" else names)
        if rng.random() < 0.8
    ]
    return pl.DataFrame(rows, schema=["query", column, "document", "grade"], orient="row")


FACETED = {
    "alpha_nDCG@5": faceted("subtopic", ("1", "2", "3"), (0, 0, 1)),
    "nDCG@5": faceted("subtopic", ("1", "2"), (-1, 0, 1, 2)),
    "PJG@5": faceted("subtopic", ("ann", "bob"), (-1, 0, 1, 2)),
    "Prefs": faceted("subtopic", ("ann", "bob"), (-2, -1, 0, 1)),
    "xinfAP": faceted("stratum", ("1", "2"), (-1, 0, 1)),
}
"""Measures of every kind of judgments, and such judgments."""


@pytest.mark.parametrize("measure", FACETED)
@pytest.mark.parametrize("dialect", ["standard", "trec_eval", "ndeval"])
def test_values_by_facet_are_those_of_an_evaluation(measure: str, dialect: str) -> None:
    """Measures of diversity, groups, preferences and samples too have the values that `evaluate` gives."""
    spoken = dialects.get(dialect, **({"negative": "zero"} if dialect == "ndeval" else {}))  # which refuses them
    plan, pool = FusionPlan.of(make_method("rrf"), norm=None, depth=None), RunPool.of(TIED)
    judgments, (wanted,) = FACETED[measure], spoken.select(measure)
    judged = JudgedQueries.of(pool, HitFinder(given=judgments, dialect=spoken, measures=(wanted,)).judgments)
    for unjudged in ("not-relevant", "skip"):
        how = spoken.changed(unjudged=unjudged)
        scorer = SlotScorer(stack=plan.stack(pool, judged.positions), judged=judged, measure=wanted, dialect=how)
        fused = evaluate(judgments, plan.run(pool).frame, measure, dialect=how)
        assert scorer.result(plan.method.scores(scorer.stack)).by_query == fused.by_query
        alone = evaluate(judgments, TIED["a"], measure, dialect=how)
        assert single(scorer, 0).by_query == alone.by_query


@pytest.mark.parametrize("measure", ["alpha_nDCG@5", "Prefs", "xinfAP"])
def test_tuning_knows_every_kind_of_judgments(measure: str) -> None:
    """A fusion is tuned under measures that ask for subtopics, preferences or samples."""
    tuned = tune_fusion(FACETED[measure], TIED, measure, method="rrf", folds=2)
    assert tuned.in_sample == pytest.approx(evaluate(FACETED[measure], tuned.fusion.frame, measure).matrix.mean())


def test_a_measure_that_asks_for_more_than_there_is_says_so() -> None:
    """Judgments without subtopics tune no measure of diversity."""
    with pytest.raises(InputError, match="asks for judgments by subtopic"):
        tune_fusion(JUDGMENTS, TIED, "alpha_nDCG@5", method="rrf")


def test_methods_learn_from_the_highest_grade_of_subtopics() -> None:
    """What a method learns does not depend on the order of the rows, and a document counts once."""
    whole = {"q": {"a": 1, "b": 0, "c": 1}}
    rows = [("q", "1", "a", 0), ("q", "2", "a", 1), ("q", "1", "b", 0), ("q", "1", "c", 1), ("q", "2", "c", 1)]
    runs = {"one": {"q": {"a": 3.0, "b": 2.0}}, "two": {"q": {"b": 2.0, "c": 1.0}}}
    for method in ("posfuse", "mapfuse"):
        expected = fuse(runs, method, judgments=whole).to_dict()
        for order in (rows, rows[::-1]):
            judged = pl.DataFrame(order, schema=["query", "subtopic", "document", "grade"], orient="row")
            assert fuse(runs, method, judgments=judged).to_dict() == expected


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
    fold = dict(zip(sorted(QUERIES), before.task.deal_folds(len(QUERIES)), strict=True))
    turned = {
        query: grades if fold[query] else {d: 2 - grade for d, grade in grades.items()}
        for query, grades in JUDGMENTS.items()
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


def test_fixed_parameters_are_not_tuned() -> None:
    """A parameter that is fixed keeps its value; where nothing else is left to tune, that is an error."""
    tuned = tune_fusion(
        JUDGMENTS, TIED, "nDCG@5", method=make_method("probfuse", segments=7), fixed=["segments"], folds=3
    )
    assert {one.method.parameters["segments"] for one in tuned.choices} == {7} == {tuned.parameters["segments"]}
    assert UNTUNED not in tuned.comparison.results  # learning is all there is to it
    with pytest.raises(ParameterError, match=r"rrf has nothing else to tune. Got 'k=10'"):
        tune_fusion(JUDGMENTS, TIED, "nDCG@5", method=make_method("rrf", k=10), fixed=["k"])


def test_values_may_be_below_zero() -> None:
    """A measure that can be negative is tuned for like any other: of bad values the least bad is the best."""
    tuned = tune_fusion(JUDGMENTS, RUNS, "Utility(nonrelevant=-20, rel=2)", depth=5, folds=2)
    assert tuned.in_sample < 0
    assert tuned.parameters["weights"][2] < 0.5


def test_the_depth_counts() -> None:
    """Lists that will be cut are tuned as they are cut."""
    tuned = tune_fusion(JUDGMENTS, TIED, "AP", method="rrf", depth=5, folds=4)
    found = tuned.fusion.frame
    assert found.group_by("query").len()["len"].max() == 5
    assert tuned.in_sample == pytest.approx(evaluate(JUDGMENTS, found, "AP")["AP"], abs=1e-12)


@pytest.mark.parametrize("dialect", ["standard", "trec_eval"])
def test_the_best_single_run_is_cut_too(dialect: str) -> None:
    """Both sides of a comparison are cut, and the best single run is the one that is best after the cut."""
    tied = {"b": TIED["b"], "a": TIED["a"]}
    for runs, depth in ((tied, 3), ({"long": LONG, "short": SHORT}, 1)):
        tested = fusion_gain(JUDGMENTS, runs, "AP", depth=depth, folds=4, dialect=dialect)
        cut = {name: evaluate(JUDGMENTS, run, "AP", dialect=dialect, depth=depth) for name, run in runs.items()}
        found = tested.comparison.results[SINGLE].by_query
        dealt = dict(zip(sorted(QUERIES), tested.task.deal_folds(len(QUERIES)), strict=True))
        for query, value in found.items():
            assert value == cut[tested.choices[dealt[query]].single].by_query[query]
    assert {one.single for one in tested.choices} == {"short"}


def test_the_seed_decides() -> None:
    """The same seed deals the same folds, another one others."""
    one, again, other = (tune_fusion(JUDGMENTS, RUNS, "AP", method="rbc", seed=seed) for seed in (1, 1, 2))
    assert list(one.comparison.pair_table.rows()) == list(again.comparison.pair_table.rows())
    assert one.task.deal_folds(40).tolist() != other.task.deal_folds(40).tolist()


def test_the_order_of_the_runs_does_not_matter() -> None:
    """Folds are dealt by the names of queries, wherever the runs have them: the same seed tunes the same."""
    turned = {name: dict(reversed(TIED[name].items())) for name in reversed(TIED)}
    one, other = (tune_fusion(JUDGMENTS, runs, "AP", method="rbc") for runs in (TIED, turned))
    assert [each.method for each in one.choices] == [each.method for each in other.choices]
    assert one.comparison.results[TUNED].by_query == other.comparison.results[TUNED].by_query


def test_weights_of_many_runs() -> None:
    """With more runs than combinations allow, weights are climbed one at a time, from the best start."""
    target = np.array([0.4, 0.0, 0.1, 0.3, 0.2])

    def worth(method: Any) -> float:
        return -float(np.abs(np.array(method.weights) - target).sum())

    best = best_of(make_method("weighted-sum"), 5, worth)
    assert isinstance(best, WeightedMethod)
    assert worth(best) > worth(replace(best, weights=(0.2,) * 5)) / 3
    assert best.weights[1] == 0


def test_all_weights_of_few_runs() -> None:
    """Weights in steps are all that add up to 1."""
    found = list(deal_weights(3, 4))
    assert len(found) == len(set(found)) == 15
    assert all(sum(one) == pytest.approx(1) for one in found)


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"folds": 1}, ParameterError, "from 2 to 40, the number of judged queries"),
        ({"folds": 41}, ParameterError, "from 2 to 40, the number of judged queries"),
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
