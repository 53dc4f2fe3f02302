"""A metric for LightGBM to watch while it trains.

from rankgauge.integrations.lightgbm import metric

lightgbm.train(parameters, train, valid_sets=[validation], feval=metric("nDCG@10", dialect="ranklib"))
lightgbm.LGBMRanker().fit(X, y, group=sizes, eval_set=[(V, v)], eval_group=[v_sizes], eval_metric=metric("AP"))
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rankgauge.dialects import Dialect
from rankgauge.errors import InputError
from rankgauge.evaluation.arrays import ArrayMean
from rankgauge.measures import Measure


def metric(
    measure: str | Measure = "nDCG@10", *, dialect: str | Dialect = "standard", **overrides: Any
) -> Callable[..., tuple[str, float, bool]]:
    """Return a `feval` or `eval_metric`: the measure's name, its mean on the data set, and whether higher is better.

    `overrides` replace single choices of the dialect, such as `ties="expected"`. Weights of the data are not used, of
    which a warning tells.
    """
    mean = ArrayMean(measure, dialect, **overrides)

    def measure_round(first: Any, second: Any, weight: Any = None, group: Any = None) -> tuple[str, float, bool]:
        # lightgbm.train gives scores and the data set; LGBMRanker labels, scores, weights and sizes.
        if hasattr(second, "get_group"):
            first, second, weight, group = second.get_label(), first, second.get_weight(), second.get_group()
        if group is None:
            raise InputError("the data set has no queries", hint="Give lightgbm.Dataset(…, group=sizes of the lists).")
        mean.tell_weights(weight, "LightGBM")
        return mean.title, mean(first, second, group=group), mean.more_is_better

    return measure_round
