"""Logistic regression with an effect for each query."""

from __future__ import annotations

import numpy as np
import pytest

from rankgauge.evaluation.sample_intervals import SPREADS, QueryEffects, odds_to_chance
from rankgauge.numeric import BoolArray, FloatArray, IndexArray


def collection(
    rng: np.random.Generator, *, queries: int, documents: int
) -> tuple[FloatArray, BoolArray, IndexArray, FloatArray]:
    """Documents with log odds of −1 + 2x and an effect of their query, of spread 1."""
    query = np.repeat(np.arange(queries), documents)
    columns = np.column_stack([np.ones(len(query)), rng.normal(size=len(query))])
    effects = rng.normal(size=queries)
    chance = odds_to_chance(columns @ np.array([-1.0, 2.0]) + effects[query])
    return columns, rng.random(len(query)) < chance, query, effects


def test_what_was_put_in_is_found() -> None:
    """With many documents the coefficients and the effects are those that made them."""
    columns, relevant, query, effects = collection(np.random.default_rng(0), queries=60, documents=200)
    found = QueryEffects.fit(columns, relevant.astype(float), query, 60)
    assert found.coefficients == pytest.approx([-1.0, 2.0], abs=0.3)
    assert np.corrcoef(found.effects, effects)[0, 1] > 0.95
    assert found.effects.std() == pytest.approx(1.0, abs=0.25)


def test_the_maximum_is_one() -> None:
    """At the fit the penalised likelihood has no slope: documents that are missed balance each effect."""
    columns, relevant, query, _ = collection(np.random.default_rng(1), queries=12, documents=15)
    found = QueryEffects.fit(columns, relevant.astype(float), query, 12)
    miss = relevant - odds_to_chance(columns @ found.coefficients + found.effects[query])
    pulls = np.bincount(query, miss, 12)
    assert np.ptp(pulls / found.effects) == pytest.approx(0.0, abs=1e-4), "each is the effect over the same variance"
    assert columns.T @ miss == pytest.approx(found.coefficients / 9.0, abs=1e-4)


def test_few_documents_leave_much_open() -> None:
    """What is drawn spreads around the fit: the less was judged, the more; and its mean is the fit."""
    spreads = []
    for documents in (3, 100):
        columns, relevant, query, _ = collection(np.random.default_rng(2), queries=40, documents=documents)
        found = QueryEffects.fit(columns, relevant.astype(float), query, 40)
        coefficients, effects = found.draw(np.random.default_rng(3), 4_000)
        assert coefficients.mean(axis=0) == pytest.approx(found.coefficients, abs=0.05)
        assert effects.mean(axis=0) == pytest.approx(found.effects, abs=0.08)
        spreads.append(effects.std(axis=0).mean())
    assert spreads[0] > 2 * spreads[1]


@pytest.mark.parametrize("all_relevant", [False, True])
def test_no_sample_is_too_small(all_relevant: bool) -> None:
    """Where all documents are alike, or a query has none, the fit is finite."""
    columns, query = np.ones((5, 2)), np.array([0, 0, 1, 1, 3])
    found = QueryEffects.fit(columns, np.full(5, float(all_relevant)), query, 4)
    assert np.isfinite(found.coefficients).all()
    assert found.effects[2] == pytest.approx(0.0)
    assert 1 / SPREADS[1] <= found.own[2] <= 1 / SPREADS[0]
    assert np.isfinite(found.draw(np.random.default_rng(0), 3)[1]).all()
