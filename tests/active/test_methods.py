"""Methods: their contract, the paper's formulas, and what the document level is made of."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from rankgauge.errors import ParameterError, UnknownNameError
from rankgauge.labelling import methods
from rankgauge.labelling.methods.document import DocumentMethod
from rankgauge.labelling.methods.samples import inclusions
from rankgauge.labelling.moments import moments, slopes
from rankgauge.labelling.pool import Pool
from rankgauge.labelling.sampling.recalibration import RIDGE, Regression, recalibrate
from rankgauge.labelling.sampling.stages import Luck, QueryBlock, WorthTable
from rankgauge.labelling.target import Target
from tests.active.graded import DCG, ERR, NDCG, graded_pool, play
from tests.active.pools import pools
from tests.examples import examples

NAMES = sorted(methods.METHODS)


def test_every_method_is_registered() -> None:
    """Dropping a file in registers the method that it holds."""
    assert NAMES == ["auto", "document", "greg", "paper", "paper+defensive", "passive", "passive-iid"]


def test_unknown_names_and_options_are_refused() -> None:
    """A name that is no method's, or an option that it lacks, says what there is."""
    with pytest.raises(UnknownNameError, match="Did you mean passive"):
        methods.get("pasive")
    with pytest.raises(UnknownNameError, match=r"no option of the method paper called 'belief'\. Did you mean beliefs"):
        methods.get("paper", belief="uniform")
    with pytest.raises(UnknownNameError, match=r"no option of the method auto called 'stages'\. Known: pilot\.$"):
        methods.get("auto", stages=1)
    with pytest.raises(UnknownNameError, match="It has none"):
        methods.get("passive", stages=1)
    with pytest.raises(ParameterError, match="must be pool or uniform"):
        methods.get("paper", beliefs="flat")
    pool, _ = graded_pool(queries=5)
    target = Target.of(ERR, pool)
    with pytest.raises(ParameterError, match="a cost above 0"):
        methods.get("passive").plan(pool, target, budget=0)


@pytest.mark.parametrize("measure", [ERR, DCG])
@pytest.mark.parametrize("name", NAMES)
def test_a_simulation_is_a_campaign(name: str, measure: str) -> None:
    """A repetition gives what assessors who follow the plan of its seed would find, to the last digit."""
    for rankers, overhead in ((1, 0.0), (2, 1.5)):
        pool, truth = graded_pool(rankers=rankers, overhead=overhead, queries=30)
        target = Target.of(measure, pool)
        found = methods.get(name).repeat(pool, target, truth, budget=80.0, seeds=np.array([7]))
        draws, grades, spent = play(methods.get(name).plan(pool, target, budget=80.0, rng=7), truth)
        again = methods.get(name).plan(pool, target, budget=80.0, rng=7).estimate(draws, grades)
        assert draws == found.draws[0]
        assert spent == pytest.approx(found.cost[0]) == pytest.approx(again.cost)
        assert again.value == pytest.approx(found.value[0], rel=1e-9)
        assert again.error == pytest.approx(found.error[0], rel=1e-9)
        assert again.labels == found.labels[0] == np.isfinite(grades).sum()
        assert again.low < again.value < again.high


@pytest.mark.parametrize("name", NAMES)
def test_everything_judged_is_the_truth(name: str) -> None:
    """With a budget for all documents an estimate without replacement is the mean of the pool, and certain."""
    pool, truth = graded_pool(queries=20)
    target = Target.of(ERR, pool)
    found = methods.get(name).repeat(pool, target, truth, budget=float(pool.query_costs.sum()), seeds=np.arange(3))
    exact = name not in ("paper", "paper+defensive", "passive-iid")
    np.testing.assert_allclose(found.value, target.values(pool, truth).mean(), rtol=1e-9 if exact else 0.2)
    assert (found.error < 1e-9).all() == exact


def test_other_measures_stay_at_the_query_level() -> None:
    """nDCG is no sum over documents: the document level refuses it, and auto judges whole queries."""
    pool, truth = graded_pool(queries=20)
    target = Target.of(NDCG, pool, "papers")
    with pytest.raises(ParameterError, match="a linear or cascade measure"):
        DocumentMethod().plan(pool, target, budget=30)
    plan = methods.get("auto").plan(pool, target, budget=60.0)
    draws, grades, _ = play(plan, truth)
    judged = np.add.reduceat(np.isfinite(grades), pool.starts)
    assert set(np.unique(judged / pool.sizes)) == {0.0, 1.0}
    assert plan.estimate(draws, grades).value == pytest.approx(target.values(pool, truth).mean(), abs=0.2)


class TestPaper:
    """The method of Sawade et al."""

    def test_drawing(self) -> None:
        """q* ∝ √E(L − R)² / √λ; uniD takes uniform beliefs for it, uniC equal costs."""
        pool, _ = graded_pool()
        target = Target.of(ERR, pool)
        about, cost = moments(pool, target).about(), pool.query_costs
        raw = np.sqrt(about / cost)
        plan = methods.get("paper").plan(pool, target, budget=50)
        np.testing.assert_allclose(plan.chance, raw / raw.sum())
        plan = methods.get("paper", costs="one").plan(pool, target, budget=50)
        np.testing.assert_allclose(plan.chance, np.sqrt(about) / np.sqrt(about).sum())
        flat, _ = graded_pool(beliefs="uniform")
        raw = np.sqrt(moments(flat, target).about() / cost)
        plan = methods.get("paper", beliefs="uniform").plan(pool, target, budget=50)
        np.testing.assert_allclose(plan.chance, raw / raw.sum())
        mixed = methods.get("paper+defensive", uniform=0.2).plan(pool, target, budget=50)
        pure = methods.get("paper").plan(pool, target, budget=50).chance
        np.testing.assert_allclose(mixed.chance, 0.8 * pure + 0.2 / len(cost))

    def test_estimate(self) -> None:
        """The estimate is Σ w L / Σ w with w = 1/q, over draws with repetition; a query drawn again is free."""
        pool, truth = graded_pool(queries=6)
        target = Target.of(ERR, pool)
        plan = methods.get("paper").plan(pool, target, budget=1000, rng=3)
        drawn = [plan.query(j) for j in range(20)]
        values, weights = target.values(pool, truth)[drawn], 1 / plan.chance[drawn]
        found = plan.estimate(20, truth)
        assert found.value == pytest.approx((weights * values).sum() / weights.sum())
        spread = (weights**2 * (values - found.value) ** 2).sum() * 20 / 19
        assert found.error == pytest.approx(np.sqrt(spread) / weights.sum())
        assert found.cost == pool.query_costs[np.unique(drawn)].sum() == sum(plan.price(j, truth) for j in range(20))
        assert plan.price(drawn.index(drawn[-1], 0), truth) == pool.query_costs[drawn[-1]]
        assert [plan.price(j, truth) for j in range(20) if drawn[j] in drawn[:j]] == [0.0] * (20 - len(set(drawn)))

    def test_lists_that_are_alike(self) -> None:
        """Two lists that are alike have no variance: without a share of uniform draws only others would be drawn."""
        pool, _ = graded_pool(queries=5, rankers=2)
        same = np.column_stack([pool.ranks[:, 0], np.where(pool.query < 2, pool.ranks[:, 0], pool.ranks[:, 1])])
        alike = Pool(**{**vars_of(pool), "ranks": same, "beliefs": np.full_like(pool.beliefs, 1 / 3)})
        target = Target.of(ERR, alike)
        plan = methods.get("paper+defensive").plan(alike, target, budget=50)
        assert plan.chance.min() >= 0.1 / 5


class TestPassiveIid:
    """The baseline of Sawade et al.: independent draws, each query as likely."""

    def test_estimate(self) -> None:
        """Equation 5: the mean over draws, with s/√n and n − 1 degrees of freedom; a query drawn again is free."""
        pool, truth = graded_pool(queries=6)
        target = Target.of(ERR, pool)
        plan = methods.get("passive-iid").plan(pool, target, budget=1000, rng=3)
        drawn = [plan.query(j) for j in range(20)]
        values, found = target.values(pool, truth)[drawn], plan.estimate(20, truth)
        assert len(set(drawn)) < 20
        assert found.value == pytest.approx(values.mean())
        assert found.error == pytest.approx(values.std(ddof=1) / np.sqrt(20))
        assert found.freedom == 20 - 1
        assert found.cost == pool.query_costs[np.unique(drawn)].sum() == sum(plan.price(j, truth) for j in range(20))

    def test_repetition_costs_precision(self) -> None:
        """Most of a small pool judged, `passive` is nearly certain; independent draws keep the variance σ²/n."""
        pool, truth = graded_pool(queries=30)
        target, budget = Target.of(ERR, pool), 0.8 * float(pool.query_costs.sum())
        spread = {}
        for name in ("passive", "passive-iid"):
            found = methods.get(name).repeat(pool, target, truth, budget=budget, seeds=np.arange(400))
            spread[name] = found.value.std()
        values = target.values(pool, truth)
        assert spread["passive-iid"] == pytest.approx(values.std() * np.sqrt(np.mean(1 / found.draws)), rel=0.15)
        assert spread["passive"] < 0.7 * spread["passive-iid"]


def vars_of(pool: Pool) -> dict[str, object]:
    """The fields of a pool."""
    return {name: getattr(pool, name) for name in Pool.__dataclass_fields__}


def test_inclusions_add_up() -> None:
    """min(1, κ · score) adds up to n, and scores that are large enough are certain."""
    np.testing.assert_allclose(inclusions(np.array([1.0, 1.0, 2.0]), 2), [0.5, 0.5, 1.0])
    np.testing.assert_allclose(inclusions(np.array([1.0, 1.0, 6.0]), 2), [0.5, 0.5, 1.0])
    np.testing.assert_allclose(inclusions(np.array([1.0, 2.0]), 2), [1.0, 1.0])


def test_regression_is_ridge() -> None:
    """The slope is Σ x y / (Σ x² + RIDGE · Var): none where values do not follow what was expected."""
    x, y = np.array([1.0, 2.0, 3.0, 4.0]), np.array([2.0, 4.0, 6.0, 8.0])
    line = Regression.of(y, x, np.ones(4), np.ones(4, dtype=bool), 1.25)
    assert line.slope == pytest.approx(2 * 1.25 / (1.25 + RIDGE / 4 * 1.25))
    assert line.at(2.5) == pytest.approx(5.0)
    flat = Regression.of(np.ones(4), x, np.ones(4), np.ones(4, dtype=bool), 1.25)
    assert flat.slope == 0.0


@settings(max_examples=examples(60), deadline=None)
@given(pool=pools())
def test_slopes_without_a_loop(pool: Pool) -> None:
    """The slopes of a walk are those of the recursion over ranks."""
    for measure in (f"ERR(max_grade={pool.grades[-1]:g})", "DCG", "RR"):
        target = Target.of(measure, pool)
        block = QueryBlock(WorthTable(pool=pool, target=target), np.arange(len(pool.sizes)))
        found = block.slopes(block.mean, np.arange(len(pool.sizes)))
        expected = slopes(pool, target).slope
        np.testing.assert_allclose(found[block.there], expected[block.documents[block.there]], atol=1e-9)


@settings(max_examples=examples(40), deadline=None)
@given(pool=pools())
def test_walks_end_at_the_value(pool: Pool) -> None:
    """What all grades of a query change together leads from its expected value to its value."""
    grades = pool.grades[np.argmax(pool.beliefs, axis=1)]
    for measure in (f"ERR(max_grade={pool.grades[-1]:g})", "DCG"):
        target = Target.of(measure, pool)
        table = WorthTable(pool=pool, target=target)
        block = QueryBlock(table, np.arange(len(pool.sizes)))
        path = block.walk(target.worths(grades[block.documents]), np.zeros(len(pool.sizes)))
        np.testing.assert_allclose(table.expected + path.changes.sum(axis=1), target.values(pool, grades), atol=1e-9)
        falling = np.nan_to_num(path.scores)
        assert (np.diff(falling, axis=1) <= 1e-15).all()
        assert (path.asks == -1).all()


@pytest.mark.parametrize("overhead", [0.0, 2.0])
@pytest.mark.parametrize("measure", [ERR, DCG])
def test_a_query_is_estimated_without_bias(measure: str, overhead: float) -> None:
    """D(x) has the mean L(x) and the variance that the grades give it, and both are estimated without bias."""
    pool, truth = graded_pool(queries=8, beliefs="reversed", overhead=overhead)
    target, queries = Target.of(measure, pool), np.arange(8)
    stage = DocumentMethod(stages=1).stage(pool, target, 0.4 * float(pool.query_costs.sum()))
    rng, count = np.random.default_rng(5), 6000
    stage.prepare(truth)
    runs = [stage.run(queries, Luck(query=rng.random(8), document=rng.random(len(truth))), truth) for _ in range(count)]
    found = np.stack([run.expected + run.change for run in runs])
    variance, cost = stage.true_variance(queries, truth)
    near = 5 * found.std(axis=0) / np.sqrt(count) + 1e-9
    assert (np.abs(found.mean(axis=0) - target.values(pool, truth)) < near).all()
    np.testing.assert_allclose(found.var(axis=0), variance, rtol=0.2, atol=1e-9)
    guessed = np.stack([run.variance for run in runs])
    assert (np.abs(guessed.mean(axis=0) - variance) < 5 * guessed.std(axis=0) / np.sqrt(count) + 1e-9).all()
    np.testing.assert_allclose(np.mean([run.cost for run in runs], axis=0), cost, rtol=0.1)


def test_predicted_cost_meets_the_budget() -> None:
    """κ is set by the predicted cost: where the beliefs are right, that is what is spent."""
    pool, _ = graded_pool(queries=200)
    rng = np.random.default_rng(2)
    for measure in (ERR, DCG):
        target = Target.of(measure, pool)
        stage = DocumentMethod(stages=1).stage(pool, target, 100.0)
        spent = []
        for _ in range(30):
            drawn = (rng.random(len(pool.documents))[:, None] > np.cumsum(pool.beliefs, axis=1)[:, :2]).sum(axis=1)
            luck = Luck(query=rng.random(200), document=rng.random(len(pool.documents)))
            spent.append(stage.run(np.arange(200), luck, drawn.astype(float)).cost.sum())
        assert np.mean(spent) == pytest.approx(100.0, rel=0.1)


def test_recalibration() -> None:
    """Beliefs that grades contradict are turned around; where no grade is known they stay as they are."""
    pool, truth = graded_pool(queries=100, beliefs="reversed")
    rows = np.arange(len(truth))

    def likelihood(beliefs: np.ndarray) -> float:
        return float(np.log(beliefs[rows, truth.astype(int)]).mean())

    assert recalibrate(pool, np.full(len(truth), np.nan)) is pool
    some = np.where(pool.query < 30, truth, np.nan)
    good, _ = graded_pool(queries=100)
    assert likelihood(recalibrate(pool, some).beliefs) > likelihood(pool.beliefs) + 0.5
    assert likelihood(recalibrate(pool, some).beliefs) > likelihood(good.beliefs) - 0.1


def test_a_stage_waits_for_the_one_before() -> None:
    """Draws of a later stage are not open before those of the earlier ones are complete."""
    pool, truth = graded_pool(queries=40)
    plan = methods.get("document").plan(pool, Target.of(ERR, pool), budget=100.0)
    nothing = np.full(len(truth), np.nan)
    assert plan.count_open(nothing) == plan.edges[1] == 8
    draws, grades, _ = play(plan, truth)
    assert draws > plan.edges[-2]
    assert plan.count_open(grades) == 40
