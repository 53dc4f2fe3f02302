"""A metric for LightGBM to watch while it trains.

from rankgauge.integrations.lightgbm import metric

lightgbm.train(parameters, train, valid_sets=[validation], feval=metric("nDCG@10", dialect="ranklib"))
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rankgauge.arrays import ArrayMean
from rankgauge.dialects import Dialect
from rankgauge.errors import InputError
from rankgauge.measures import Measure
from rankgauge.numeric import FloatArray


def metric(
    measure: str | Measure = "nDCG@10", *, dialect: str | Dialect = "standard"
) -> Callable[[FloatArray, Any], tuple[str, float, bool]]:
    """A `feval`: the measure's name, its mean on the data set, and that higher is better."""
    mean = ArrayMean(measure, dialect)

    def watched(scores: FloatArray, data: Any) -> tuple[str, float, bool]:
        sizes = data.get_group()
        if sizes is None:
            raise InputError("the data set has no queries", hint="Give lightgbm.Dataset(…, group=sizes of the lists).")
        return mean.title, mean(data.get_label(), scores, group=sizes), True

    return watched
