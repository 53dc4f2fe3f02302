"""catboost: the package's own metric on random lists."""

from __future__ import annotations

import polars as pl
import pytest

from tests.dialects.lists import SEEDS, random_lists
from tests.engines import Evaluate

utils = pytest.importorskip("catboost.utils", reason="CatBoost is not installed: pip install catboost")
GAINS = {"Base": "linear", "Exp": "exp"}
CUTOFFS = (1, 5, 10, 50)
GRADES = (-1, 0, 0.5, 1, 2, 3)


def together() -> list[tuple[pl.DataFrame, pl.DataFrame]]:
    """The batches of lists: one job of Spark."""
    return [random_lists(seed, grades=GRADES).tables() for seed in SEEDS]


@pytest.mark.parametrize("kind", GAINS)
@pytest.mark.parametrize("seed", SEEDS)
def test_random_lists(seed: int, kind: str, evaluate: Evaluate) -> None:
    """nDCG at every cutoff, with grades below 0 too: of tied documents the worst come first."""
    lists = random_lists(seed, grades=GRADES)
    result = evaluate(*lists.tables(), [f"nDCG@{k}" for k in CUTOFFS], dialect="catboost", gain=GAINS[kind])
    theirs = [
        utils.eval_metric(lists.grades, lists.scores, f"NDCG:top={k};type={kind}", group_id=lists.queries)[0]
        for k in CUTOFFS
    ]
    assert [result[measure] for measure in result.measures] == pytest.approx(theirs, rel=1e-12)


def test_default_metric(evaluate: Evaluate) -> None:
    """NDCG without parameters is the whole list with linear gains."""
    lists = random_lists(0)
    (theirs,) = utils.eval_metric(lists.grades, lists.scores, "NDCG", group_id=lists.queries)
    assert evaluate(*lists.tables(), "all", dialect="catboost")["nDCG"] == pytest.approx(theirs, rel=1e-12)
