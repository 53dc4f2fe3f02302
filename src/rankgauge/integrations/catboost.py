"""A metric for CatBoost to watch while it trains.

CatBoost tells a custom metric nothing about queries, so the metric has to know those of every pool.

    from rankgauge.integrations.catboost import Metric

    CatBoost({"loss_function": "YetiRank", "eval_metric": Metric("nDCG@10", qid=[train_qid, validation_qid])})
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rankgauge.dialects import Dialect
from rankgauge.errors import InputError
from rankgauge.evaluation.arrays import ArrayMean
from rankgauge.input_notes import note
from rankgauge.measures import Measure

UNKNOWN = (
    "the 0 that CatBoost shows for {} on a pool of {:,} documents is no value: the queries of that pool are not known, "
    "only those of pools of {} documents; give qid=[train_qid, validation_qid]"
)
"""The warning on a pool without queries, as CatBoost evaluates the training pool too."""


class Metric:
    """An `eval_metric`: the mean on each pool whose queries are known; pools are told apart by their length."""

    def __init__(
        self,
        measure: str | Measure = "nDCG@10",
        *,
        qid: npt.ArrayLike | Sequence[npt.ArrayLike],
        dialect: str | Dialect = "standard",
        **overrides: Any,
    ) -> None:
        """`qid` has the query of each document of the pool; for several pools, give a list of such arrays.

        `overrides` replace single choices of the dialect, such as `ties="expected"`.
        """
        several = isinstance(qid, list | tuple) and len(qid) > 0 and np.ndim(qid[0]) > 0
        pools = [np.asarray(one) for one in qid] if several else [np.asarray(qid)]  # type: ignore[union-attr]
        self._mean = ArrayMean(measure, dialect, **overrides)
        # By number: CatBoost calls in every round, and texts are slow to compare.
        self._queries = {len(pool): np.unique(pool, return_inverse=True)[1] for pool in pools}
        self._unknown: set[int] = set()
        if len(self._queries) < len(pools):
            raise InputError(
                "two pools have as many documents as each other, and pools are told apart by their length",
                hint="Give the queries of one of them, or leave a document out.",
            )

    def is_max_optimal(self) -> bool:
        """Tell CatBoost whether higher is better."""
        return self._mean.more_is_better

    def evaluate(
        self, approxes: Sequence[Sequence[float]], target: Sequence[float], weight: Sequence[float] | None
    ) -> tuple[float, float]:
        """Return the mean, with a weight of 1; 0 and 0 for a pool of unknown queries, since CatBoost takes no NaN.

        A warning says once that such a 0 is no value, and once that weights are not used.
        """
        queries = self._queries.get(len(target))
        if queries is None:
            if len(target) not in self._unknown:
                self._unknown.add(len(target))
                note(UNKNOWN.format(self._mean.title, len(target), ", ".join(map(str, self._queries))))
            return 0.0, 0.0
        self._mean.tell_weights(weight, "CatBoost")
        return self._mean(np.asarray(target), np.asarray(approxes[0]), qid=queries), 1.0

    def get_final_error(self, error: float, weight: float) -> float:
        """Return the mean itself."""
        return error / weight if weight else 0.0
