"""Coverage: 95 % intervals hold the truth about 95 times in a hundred, whatever the beliefs are."""

from __future__ import annotations

import numpy as np
import pytest

from rankgauge.labelling import methods
from rankgauge.labelling.intervals import half_width
from rankgauge.labelling.methods import Method
from rankgauge.labelling.simulations.study import repetitions
from rankgauge.labelling.target import Target
from tests.active.graded import BELIEFS, DCG, ERR, graded_pool

QUICK = [methods.get(name) for name in ("passive", "passive-iid", "paper", "paper+defensive", "greg")]
QUICK.append(methods.get("document", stages=1))
CASES = [
    *[(method, 100) for method in QUICK],
    *[pytest.param(method, 1000, marks=pytest.mark.study) for method in QUICK],
    *[pytest.param(methods.get(name), 40, marks=pytest.mark.study) for name in ("document", "auto")],
]


@pytest.mark.parametrize("beliefs", BELIEFS)
@pytest.mark.parametrize(("method", "count"), CASES, ids=lambda case: str(case))
def test_intervals_cover(method: Method, count: int, beliefs: str) -> None:
    """Over two measures, between 91 and 98.5 % of the intervals hold the truth, give or take what chance allows."""
    held = []
    for measure in (ERR, DCG):
        pool, truth = graded_pool(beliefs=beliefs, queries=100)
        target = Target.of(measure, pool)
        found = repetitions(method, pool, target, truth, budget=200.0, count=count, rng=9)
        half = half_width(found.error, draws=found.draws, freedom=found.freedom, level=0.95)
        held.append(np.abs(found.value - target.values(pool, truth).mean()) <= half)
    share, noise = np.mean(held), 3 * np.sqrt(0.05 * 0.95 / np.size(held))
    assert 0.91 - noise < share < 0.985 + noise


def test_wider_levels_cover_more() -> None:
    """A 50 % interval holds the truth about every second time."""
    pool, truth = graded_pool(queries=100)
    target = Target.of(ERR, pool)
    found = repetitions(methods.get("document", stages=1), pool, target, truth, budget=200.0, count=1000)
    half = half_width(found.error, draws=found.draws, freedom=found.freedom, level=0.5)
    assert np.mean(np.abs(found.value - target.values(pool, truth).mean()) <= half) == pytest.approx(0.5, abs=0.06)
