"""Simulation: estimates are right on average, whatever the beliefs are."""

from __future__ import annotations

import numpy as np
import pytest

from rankgauge.errors import InputError, ParameterError
from rankgauge.labelling import methods
from rankgauge.labelling.methods import Method
from rankgauge.labelling.simulations.study import repetitions, simulate
from rankgauge.labelling.target import Target
from tests.active.graded import BELIEFS, DCG, ERR, graded_pool

UNBIASED = [methods.get("passive"), methods.get("passive-iid"), methods.get("document", stages=1)]
STAGED = [methods.get("document"), methods.get("auto")]
"""Stages are fitted anew in each repetition, so there are fewer."""
NEARLY = [methods.get("paper"), methods.get("paper+defensive"), methods.get("greg")]
"""Ratios and regressions: their bias is a fraction of their standard error."""

QUICK = [*[(m, 0.0) for m in UNBIASED], *[(m, 0.15) for m in NEARLY]]
CASES = [
    *[(method, 150, allowed) for method, allowed in QUICK],
    *[pytest.param(method, 1500, allowed, marks=pytest.mark.study) for method, allowed in QUICK],
    *[pytest.param(method, 40, 0.0, marks=pytest.mark.study) for method in STAGED],
]


@pytest.mark.parametrize("beliefs", BELIEFS)
@pytest.mark.parametrize(("method", "count", "allowed"), CASES, ids=lambda case: str(case))
def test_estimates_are_right_on_average(method: Method, count: int, allowed: float, beliefs: str) -> None:
    """The mean over repetitions is the truth, within four standard errors and the bias that the estimator admits."""
    for measure, rankers in ((ERR, 2), (DCG, 1)):
        pool, truth = graded_pool(rankers=rankers, beliefs=beliefs)
        target = Target.of(measure, pool)
        # Costs are small beside the budget, so that stopping before it is exceeded tells next to nothing.
        found = repetitions(method, pool, target, truth, budget=120.0, count=count, rng=1)
        off, spread = found.value.mean() - target.values(pool, truth).mean(), found.value.std()
        assert abs(off) < (4 / np.sqrt(count) + allowed) * spread
        assert (found.cost <= 120.0 + 1e-9).all()
        assert found.cost.mean() > 105.0


def test_a_study_of_methods() -> None:
    """A simulation gives a curve for each method, and the document level saves against whole queries."""
    pool, truth = graded_pool(queries=100)
    seen: list[tuple[str, float]] = []
    found = simulate(
        pool,
        Target.of(ERR, pool),
        truth,
        methods_=["passive", methods.get("document", stages=1)],
        budgets=[50.0, 100.0, 200.0],
        count=200,
        watch=lambda method, budget: seen.append((method, budget)),
    )
    assert seen == [(method, budget) for method in ("passive", "document") for budget in (50.0, 100.0, 200.0)]
    assert found.savings(["passive"], budget=200.0)[0].value > 0.3
    assert found.to_frame().height == 6


def test_what_is_not_known_is_refused() -> None:
    """A simulation needs the grade of every document that counts, and at least one repetition."""
    pool, truth = graded_pool(queries=5)
    target = Target.of(ERR, pool)
    with pytest.raises(InputError, match="grades of all"):
        repetitions("passive", pool, target, truth[:-1], budget=10, count=5)
    lacking = np.where(np.arange(len(truth)) == 3, np.nan, truth)
    with pytest.raises(InputError, match="has no grade"):
        repetitions("passive", pool, target, lacking, budget=10, count=5)
    with pytest.raises(ParameterError, match="count"):
        repetitions("passive", pool, target, truth, budget=10, count=0)
