"""The guard: after the pilot `auto` goes on at the level that the pilot's grades speak for."""

from __future__ import annotations

import numpy as np
import pytest

from rankgauge.errors import ParameterError
from rankgauge.labelling import methods
from rankgauge.labelling.methods.auto import AutoPlan
from rankgauge.labelling.pool import Pool
from rankgauge.labelling.target import Target
from rankgauge.numeric import FloatArray
from tests.active.graded import DCG, ERR, graded_pool, play

PRECISION = "P(rel=1)@10"


def choices(pool: Pool, truth: FloatArray, measure: str, budget: float) -> list[str]:
    """What the plans of ten seeds choose."""
    target = Target.of(measure, pool)
    plans = [methods.get("auto").plan(pool, target, budget=budget, rng=seed) for seed in range(10)]
    assert all(isinstance(plan, AutoPlan) for plan in plans)
    return [plan.choose_level(truth) for plan in plans if isinstance(plan, AutoPlan)]


@pytest.mark.parametrize("measure", [ERR, DCG])
def test_sound_beliefs_lead_to_documents(measure: str) -> None:
    """With sound beliefs, and nothing to pay for opening a query, documents are judged one by one."""
    pool, truth = graded_pool(queries=100)
    assert choices(pool, truth, measure, 200.0).count("document") >= 9


def balanced() -> tuple[Pool, FloatArray]:
    """A pool in which nearly every query has two relevant documents, nobody knows which, and some have three.

    What one grade adds another takes away: whole queries have nearly the same precision, single documents do not.
    """
    pool, _ = graded_pool(queries=100, beliefs="uniform")
    rng = np.random.default_rng(3)
    wanted = np.where(rng.random(100) < 0.3, 3, 2)
    place = np.concatenate([rng.permutation(size) for size in pool.sizes])
    return pool, np.where(place < wanted[pool.query], 2.0, 0.0)


def test_balanced_grades_lead_to_queries() -> None:
    """Where grades of a query balance each other, the pilot shows it, and whole queries are judged."""
    pool, truth = balanced()
    found = choices(pool, truth, PRECISION, 200.0)
    assert found.count("greg") >= 9
    target = Target.of(PRECISION, pool)
    plan = methods.get("auto").plan(pool, target, budget=200.0, rng=found.index("greg"))
    draws, grades, spent = play(plan, truth)
    judged = np.add.reduceat(np.isfinite(grades), pool.starts)
    assert set(np.unique(judged / pool.sizes)) == {0.0, 1.0}
    assert spent <= 200.0
    assert plan.estimate(draws, grades).value == pytest.approx(target.values(pool, truth).mean(), rel=0.15)


@pytest.mark.parametrize("beliefs", ["uniform", "reversed"])
@pytest.mark.parametrize("measure", [ERR, DCG])
def test_auto_is_not_behind_the_query_level(measure: str, beliefs: str) -> None:
    """With beliefs that know nothing, or are wrong, auto errs no more than greg, up to noise and a pilot's price."""
    pool, truth = graded_pool(queries=150, beliefs=beliefs)
    target = Target.of(measure, pool)
    value = target.values(pool, truth).mean()
    errors = {
        name: np.abs(methods.get(name).repeat(pool, target, truth, budget=250.0, seeds=np.arange(count)).value - value)
        for name, count in (("auto", 30), ("greg", 1000))
    }
    noise = 3 * errors["auto"].std() / np.sqrt(30)
    assert errors["auto"].mean() < 1.08 * errors["greg"].mean() + noise


def test_auto_is_not_behind_where_documents_fail() -> None:
    """Where single documents err far more than whole queries, the guard keeps auto near the query level."""
    pool, truth = balanced()
    target = Target.of(PRECISION, pool)
    value = target.values(pool, truth).mean()
    found = {
        name: np.abs(methods.get(name).repeat(pool, target, truth, budget=200.0, seeds=np.arange(count)).value - value)
        for name, count in (("auto", 60), ("document", 60), ("greg", 500))
    }
    assert found["document"].mean() > 1.5 * found["greg"].mean()
    assert found["auto"].mean() < 1.25 * found["greg"].mean() + 2 * found["auto"].std() / np.sqrt(60)


def test_the_pilot_is_a_share() -> None:
    """The pilot gets 15 % of the budget, and at least five queries; other shares are refused where they are none."""
    pool, _ = graded_pool(queries=100)
    target, cost = Target.of(ERR, pool), float(pool.query_costs.mean())
    assert (
        methods.get("auto").plan(pool, target, budget=100 * cost).count_open(np.full(len(pool.documents), np.nan)) == 15
    )
    assert (
        methods.get("auto").plan(pool, target, budget=10 * cost).count_open(np.full(len(pool.documents), np.nan)) == 5
    )
    with pytest.raises(ParameterError, match="pilot"):
        methods.get("auto", pilot=1.0)
