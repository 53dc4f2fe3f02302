"""sklearn: the package's own ndcg_score on random lists."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from rankgauge.errors import InputError
from rankgauge.evaluation.arrays import score_arrays
from tests.dialects.lists import SEEDS, Lists, random_lists
from tests.engines import Evaluate

metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed: pip install scikit-learn")
CUTOFFS = (1, 5, 50)
KIND: dict[str, Any] = {"shortest": 2, "grades": (0, 0.5, 1, 2, 3)}


def together() -> list[tuple[pl.DataFrame, pl.DataFrame]]:
    """The batches of lists: one job of Spark."""
    return [random_lists(seed, **KIND).tables() for seed in SEEDS]


@pytest.mark.parametrize("seed", SEEDS)
def test_random_lists(seed: int, evaluate: Evaluate) -> None:
    """nDCG of each list at every cutoff: ties averaged, 0 for lists with nothing relevant."""
    lists = random_lists(seed, **KIND)
    result = evaluate(*lists.tables(), [f"nDCG@{k}" for k in CUTOFFS], dialect="sklearn")
    ends = np.cumsum(lists.sizes)[:-1]
    pairs = list(zip(np.split(lists.grades, ends), np.split(lists.scores, ends), strict=True))
    theirs = [[metrics.ndcg_score([grades], [scores], k=k) for k in CUTOFFS] for grades, scores in pairs]
    assert result.matrix == pytest.approx(np.array(theirs), rel=1e-9, abs=1e-12)


def test_one_document_is_refused(evaluate: Evaluate) -> None:
    """A list of one document is an error in scikit-learn and here, from tables and from arrays."""
    lists = Lists(np.array([2.0, 1.0, 1.0]), np.array([0.5, 0.25, 0.5]), np.array([2, 1]))
    with pytest.raises(ValueError, match="more than 1 document"):
        metrics.ndcg_score([[1.0]], [[0.5]])
    with pytest.raises(InputError, match="query 1 has 1 of the 2 documents that sklearn needs"):
        evaluate(*lists.tables(), "nDCG@5", dialect="sklearn")
    with pytest.raises(InputError, match="query 1 has 1 of the 2 documents that sklearn needs"):
        score_arrays(lists.grades, lists.scores, "nDCG@5", group=lists.sizes, dialect="sklearn")


def test_negative_grades_are_refused(evaluate: Evaluate) -> None:
    """A grade below 0 is an error in scikit-learn and here."""
    lists = Lists(np.array([1.0, -1.0]), np.array([0.5, 0.25]), np.array([2]))
    with pytest.raises(ValueError, match="negative"):
        metrics.ndcg_score([lists.grades], [lists.scores])
    with pytest.raises(InputError, match="negative grade"):
        evaluate(*lists.tables(), "nDCG@5", dialect="sklearn")
