"""xgboost: the package's own metric on random lists."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from rankgauge.errors import InputError
from tests.dialects.lists import SEEDS, Lists, random_lists
from tests.engines import Evaluate

xgboost = pytest.importorskip("xgboost", reason="XGBoost is not installed: pip install xgboost-cpu")
METRICS: dict[str, tuple[str, dict[str, Any]]] = {
    "ndcg": ("nDCG", {}),
    "ndcg@1": ("nDCG@1", {}),
    "ndcg@5": ("nDCG@5", {}),
    "ndcg@50": ("nDCG@50", {}),
    "ndcg@5-": ("nDCG@5", {"empty": 0.0}),
}


def theirs(lists: Lists) -> dict[str, float]:
    """What XGBoost's metrics give: a booster without trees ranks by the base margin."""
    data = xgboost.DMatrix(np.zeros((len(lists.grades), 1)), label=lists.grades, base_margin=lists.scores)
    data.set_group(lists.sizes)
    settings = {"objective": "rank:ndcg", "eval_metric": list(METRICS), "verbosity": 0, "nthread": 1}
    shown = xgboost.Booster(settings, [data]).eval(data, name="lists")
    pairs = (entry.rsplit(":", maxsplit=1) for entry in shown.split("\t")[1:])
    return {name.removeprefix("lists-"): float(value) for name, value in pairs}


def together() -> list[tuple[pl.DataFrame, pl.DataFrame]]:
    """The batches of lists: one job of Spark."""
    return [random_lists(seed).tables() for seed in SEEDS]


@pytest.mark.parametrize("seed", SEEDS)
def test_random_lists(seed: int, evaluate: Evaluate) -> None:
    """nDCG at every cutoff: ties in input order, 1 for lists with nothing relevant, and 0 with a minus."""
    lists = random_lists(seed)
    tables = lists.tables()
    ours = {
        metric: evaluate(*tables, name, dialect="xgboost", **settings)[name]
        for metric, (name, settings) in METRICS.items()
    }
    assert ours == pytest.approx(theirs(lists), rel=1e-12)


def test_scores_are_compared_in_32_bits(evaluate: Evaluate) -> None:
    """Two scores that differ in the 30th bit are tied, so the order of the input stands."""
    lists = Lists(np.array([0.0, 1.0]), np.array([1.0, 1.0 + 2.0**-30]), np.array([2]))
    assert evaluate(*lists.tables(), "nDCG@1", dialect="xgboost")["nDCG@1"] == 0.0 == theirs(lists)["ndcg@1"]


@pytest.mark.parametrize(("grade", "words"), [(-1.0, "negative grade"), (0.5, r"does not accept the grade 0\.5")])
def test_odd_grades_are_refused(grade: float, words: str, evaluate: Evaluate) -> None:
    """XGBoost stops at a grade below 0 or between whole numbers, and so do we."""
    lists = Lists(np.array([1.0, grade]), np.array([0.5, 0.25]), np.array([2]))
    with pytest.raises(xgboost.core.XGBoostError, match="label_is_integer"):
        theirs(lists)
    with pytest.raises(InputError, match=words):
        evaluate(*lists.tables(), "nDCG@5", dialect="xgboost")
