"""Metrics for training loops in PyTorch: for torchmetrics, and so for Lightning, and for ignite.

from rankgauge.integrations.torch import ignite_metric, torch_metric

torch_metric("nDCG@10")(scores, grades, indexes=queries)   # torchmetrics: flat, with the query of each document
ignite_metric("nDCG@10").attach(evaluator, "nDCG@10")      # ignite: (scores, grades), a row for each query
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from rankgauge.evaluation.arrays import ArrayMean, score_arrays
from rankgauge.integrations.id_lists import refuse_open_top


def torch_metric(measure: str = "nDCG@10", *, dialect: str = "standard", **overrides: Any) -> Any:
    """Make a metric of torchmetrics, which gathers batches and processes, and computes the mean over queries."""
    import torch
    from torchmetrics import Metric
    from torchmetrics.utilities import dim_zero_cat

    mean = ArrayMean(measure, dialect, **overrides)

    class TorchMetric(Metric):  # type: ignore[misc]
        higher_is_better, is_differentiable, full_state_update = mean.more_is_better, False, False

        def __init__(self) -> None:
            super().__init__()
            for name in ("preds", "target", "indexes"):
                self.add_state(name, default=[], dist_reduce_fx=None)

        def __reduce__(self) -> Any:  # for processes that are spawned: the class itself cannot be pickled
            return partial(torch_metric, measure, dialect=dialect, **overrides), (), self.__getstate__()

        def update(self, preds: Any, target: Any, indexes: Any) -> None:
            for name, tensor in (("preds", preds), ("target", target), ("indexes", indexes)):
                getattr(self, name).append(tensor.detach().flatten())

        def compute(self) -> Any:
            grades, scores, queries = (dim_zero_cat(one).cpu() for one in (self.target, self.preds, self.indexes))
            return torch.tensor(mean(grades.double().numpy(), scores.double().numpy(), qid=queries.numpy()))

    return TorchMetric()


def ignite_metric(measure: str = "nDCG@10", *, dialect: str = "standard", **overrides: Any) -> Any:
    """Make a metric of ignite: the mean over the rows of all batches; NaN grades and scores are padding."""
    refuse_open_top(measure, dialect, **overrides)
    from ignite.exceptions import NotComputableError
    from ignite.metrics import Metric

    class IgniteMetric(Metric):  # type: ignore[misc]
        def reset(self) -> None:
            self._values: list[float] = []

        def update(self, output: Any) -> None:
            scores, grades = (one.detach().cpu().double().numpy() for one in output)
            self._values.extend(score_arrays(grades, scores, measure, dialect=dialect, **overrides).tolist())

        def compute(self) -> float:
            if not np.isfinite(self._values).any():
                raise NotComputableError("no query has a value")
            return float(np.nanmean(self._values))

    return IgniteMetric()
