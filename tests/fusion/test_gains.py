"""What a choice gains on queries that it has not seen."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rankgauge.fusion.tuning import SINGLE, TUNED, TunedFusion, held_out_gains, tune_fusion, widening
from rankgauge.statistics.intervals import student_quantile, student_tail


@pytest.fixture(scope="module")
def tuned() -> TunedFusion:
    rng = np.random.default_rng(3)
    judgments, first, second = {}, {}, {}
    for query in (f"q{number}" for number in range(12)):
        grades = rng.integers(0, 3, 8)
        judgments[query] = {f"d{at}": int(grade) for at, grade in enumerate(grades)}
        for run in (first, second):
            run[query] = {
                f"d{at}": float(grade + noise)
                for at, (grade, noise) in enumerate(zip(grades, rng.normal(size=8), strict=True))
            }
    return tune_fusion(judgments, {"first": first, "second": second}, "nDCG@5", folds=4)


def test_the_factor() -> None:
    """The variance of a mean is larger by k · (tested / learned from), which is 1 / (k − 1) for k folds."""
    assert widening(5) == math.sqrt(1 + 5 * (1 / 4))
    assert widening(2) == math.sqrt(1 + 2 * (1 / 1))


def test_the_interval_and_the_test_know_the_factor(tuned: TunedFusion) -> None:
    """Interval and p-value are those of a standard error that is larger by the factor."""
    (row,) = (row for row in tuned.gains.named() if row["other"] == SINGLE)
    runs = tuned.comparison.runs
    values = tuned.comparison.values[0]
    differences = values[:, runs.index(TUNED)] - values[:, runs.index(SINGLE)]
    error = widening(4) * differences.std(ddof=1) / math.sqrt(12)
    reach = float(student_quantile(11, 0.975)) * error
    assert row["difference"] == pytest.approx(differences.mean())
    assert (row["low"], row["high"]) == pytest.approx((differences.mean() - reach, differences.mean() + reach))
    assert row["p"] == pytest.approx(2 * float(student_tail(11, abs(differences.mean()) / error)))


def test_what_was_counted_stays(tuned: TunedFusion) -> None:
    """Wins, ties and losses are those of the queries; only what has an error changes."""
    plain, wide = tuned.comparison.pair_table, held_out_gains(tuned.comparison, 4)
    for name in ("run", "other", "difference", "wins", "ties", "losses", "queries"):
        assert list(plain[name]) == list(wide[name])
    assert all(one >= other for one, other in zip(wide["needed"], plain["needed"], strict=True))
