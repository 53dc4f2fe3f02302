"""Planning: what the beliefs promise before a label is bought."""

from __future__ import annotations

import numpy as np
import pytest

from rankgauge.errors import ParameterError, UnknownNameError
from rankgauge.labelling import methods
from rankgauge.labelling.method import Forecast, forecast
from rankgauge.labelling.target import Target
from tests.active.graded import DCG, ERR, NDCG, graded_pool


def test_interpolation_between_budgets() -> None:
    """Widths lie on straight lines on logarithmic scales: a saving is 1 − b/B at equal widths."""
    found = Forecast(
        budgets=np.array([1.0, 100.0]),
        widths={"passive": np.array([1.0, 0.1]), "greg": np.array([0.5, 0.05])},
        level=0.95,
    )
    assert found.width("passive", 10.0) == pytest.approx(np.sqrt(1.0 * 0.1))
    assert found.budget("passive", np.sqrt(0.1)) == pytest.approx(10.0)
    assert found.budget("passive", 0.01) == np.inf
    assert found.saving("greg", "passive", 100.0) == pytest.approx(1 - 25.0 / 100.0)
    assert found.best(30.0) == "greg"
    assert found.break_even("greg", "passive") == 1.0
    assert found.break_even("passive", "greg") == np.inf
    with pytest.raises(UnknownNameError, match="Did you mean greg"):
        found.width("gerg", 1.0)


def test_break_even_is_where_a_method_begins_to_pay() -> None:
    """The least budget from which on it is never worse."""
    widths = {"a": np.array([3.0, 1.0, 0.5]), "b": np.array([2.0, 1.5, 1.0])}
    assert Forecast(budgets=np.array([1.0, 2.0, 4.0]), widths=widths, level=0.95).break_even("a", "b") == 2.0


@pytest.mark.parametrize("measure", [ERR, DCG])
@pytest.mark.parametrize("name", ["passive", "passive-iid", "paper", "greg", "document"])
def test_forecasts_come_true_where_beliefs_are_right(name: str, measure: str) -> None:
    """Grades drawn from the beliefs give estimates as far off as was promised."""
    pool, _ = graded_pool(queries=150)
    rng, target, off = np.random.default_rng(1), Target.of(measure, pool), []
    method = methods.get(name, **({"stages": 1} if name == "document" else {}))
    for seed in range(25):
        drawn = (rng.random(len(pool.documents))[:, None] > np.cumsum(pool.beliefs, axis=1)[:, :2]).sum(axis=1)
        grades = drawn.astype(float)
        found = method.repeat(pool, target, grades, budget=200.0, seeds=100 * seed + np.arange(20))
        off.append(found.value - target.values(pool, grades).mean())
    promised = method.expected_error(pool, target, budgets=np.array([200.0]))[0]
    assert np.sqrt(np.mean(np.square(off))) == pytest.approx(promised, rel=0.25)


def test_forecast_of_a_pool() -> None:
    """Widths fall with the budget, the document level pays with sound beliefs, and nDCG has no document level."""
    pool, _ = graded_pool()
    found = forecast(pool, Target.of(ERR, pool))
    frame = found.to_frame()
    assert set(frame["method"]) == set(methods.METHODS)
    for widths in found.widths.values():
        assert (np.diff(widths) < 1e-12).all()
    total = float(pool.query_costs.sum())
    assert found.best(0.2 * total) in ("document", "auto")
    assert found.saving("document", "paper", 0.2 * total) > 0.3
    assert "document" not in forecast(pool, Target.of(NDCG, pool), budgets=[50.0]).widths
    with pytest.raises(ParameterError, match="costs above 0"):
        forecast(pool, Target.of(ERR, pool), budgets=[])


def test_overhead_makes_queries_pay() -> None:
    """The more the opening of a query costs, the less single documents save."""
    savings = []
    for overhead in (0.0, 5.0, 50.0):
        pool, _ = graded_pool(overhead=overhead)
        target, total = Target.of(ERR, pool), float(pool.query_costs.sum())
        budgets = [share * total for share in (0.02, 0.05, 0.1, 0.2)]
        found = forecast(pool, target, budgets=budgets, chosen=["greg", "document"])
        savings.append(found.saving("document", "greg", budgets[-1]))
    assert savings[0] > savings[1] > savings[2]
