"""lightgbm: the package's own metric on random lists."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from rankgauge.errors import InputError
from tests.dialects.lists import SEEDS, Lists, random_lists
from tests.engines import Evaluate

lightgbm = pytest.importorskip("lightgbm", reason="LightGBM is not installed: pip install lightgbm")
CUTOFFS = [1, 3, 5, 10, 50]


def theirs(lists: Lists) -> list[float]:
    """What LightGBM's metric gives: a booster without trees ranks by the initial scores."""
    settings = {"objective": "lambdarank", "metric": "ndcg", "eval_at": CUTOFFS, "verbose": -1, "num_threads": 1}
    data = lightgbm.Dataset(
        np.zeros((len(lists.grades), 1)),
        label=lists.grades,
        group=lists.sizes,
        init_score=lists.scores,
        params={"verbose": -1},
    )
    return [value for _, _, value, *_ in lightgbm.Booster(settings, data).eval_train()]


def together() -> list[tuple[pl.DataFrame, pl.DataFrame]]:
    """The batches of lists: one job of Spark."""
    return [random_lists(seed).tables() for seed in SEEDS]


@pytest.mark.parametrize("seed", SEEDS)
def test_random_lists(seed: int, evaluate: Evaluate) -> None:
    """nDCG at every cutoff: ties in input order, 1 for lists with nothing relevant, short lists cut."""
    lists = random_lists(seed)
    result = evaluate(*lists.tables(), [f"nDCG@{k}" for k in CUTOFFS], dialect="lightgbm")
    assert [result[measure] for measure in result.measures] == pytest.approx(theirs(lists), rel=1e-12)


def test_negative_grades_are_refused(evaluate: Evaluate) -> None:
    """LightGBM stops at a grade below 0, and so do we."""
    lists = Lists(np.array([1.0, -1.0]), np.array([0.5, 0.25]), np.array([2]))
    with pytest.raises(lightgbm.basic.LightGBMError, match="non-negative"):
        theirs(lists)
    with pytest.raises(InputError, match="negative grade"):
        evaluate(*lists.tables(), "nDCG@5", dialect="lightgbm")


def test_fractional_grades_are_refused(evaluate: Evaluate) -> None:
    """LightGBM stops at a grade that is not whole, and so do we."""
    lists = Lists(np.array([1.0, 0.5]), np.array([0.5, 0.25]), np.array([2]))
    with pytest.raises(lightgbm.basic.LightGBMError, match="int type"):
        theirs(lists)
    with pytest.raises(InputError, match=r"does not accept the grade 0\.5"):
        evaluate(*lists.tables(), "nDCG@5", dialect="lightgbm")
