"""A metric for XGBoost to watch while it trains.

from rankgauge.integrations.xgboost import metric

xgboost.train(parameters, train, evals=[(validation, "validation")], custom_metric=metric("ERR@10"), maximize=True)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rankgauge.dialects import Dialect
from rankgauge.errors import InputError
from rankgauge.evaluation.arrays import ArrayMean
from rankgauge.measures import Measure
from rankgauge.numeric import FloatArray


def metric(
    measure: str | Measure = "nDCG@10", *, dialect: str | Dialect = "standard", **overrides: Any
) -> Callable[[FloatArray, Any], tuple[str, float]]:
    """Return a `custom_metric`: the measure's name and its mean on the data; say `maximize=True` to stop early by it.

    `overrides` replace single choices of the dialect, such as `ties="expected"`. The name is without spaces, at which
    XGBoost would cut it. Weights of the data are not used, of which a warning tells.
    """
    mean = ArrayMean(measure, dialect, **overrides)
    name = mean.title.replace(" ", "")

    def measure_round(scores: FloatArray, data: Any) -> tuple[str, float]:
        if not hasattr(data, "get_uint_info"):  # labels and scores alone
            raise InputError(
                "XGBRanker does not tell a metric which documents are of one query",
                hint="Train with xgboost.train(…, custom_metric=metric(…)).",
            )
        edges = data.get_uint_info("group_ptr")
        if len(edges) < 2:
            raise InputError("the data has no queries", hint="Give xgboost.DMatrix(…, qid=the query of each document).")
        mean.tell_weights(data.get_weight(), "XGBoost")
        return name, mean(data.get_label(), scores, group=np.diff(edges.astype(np.int64)))

    return measure_round
