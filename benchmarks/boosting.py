"""What nDCG@10 costs as the metric of LightGBM, XGBoost and CatBoost: python -m benchmarks.boosting [QUERIES].

Each library trains on a generated set like MSLR, and watches the training set and one of a third of its size, as the
folds of MSLR have it. Prints the median time of a boosting round, that of the metric in it, and the share as JSON.
"""

from __future__ import annotations

import json
import os
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from rankgauge.demo.learning import generate_learning

__all__ = ["QUERIES", "ROUNDS"]

QUERIES, ROUNDS = 3_000, 20
"""Queries of the training set, of 120 documents each on average; rounds of boosting."""

THREADS = os.cpu_count() or 1
WATCHED = 2
"""Sets that are watched: the training set and another one."""


@dataclass(frozen=True, kw_only=True)
class Part:
    """Documents of whole queries."""

    matrix: Any
    grades: Any
    qid: Any

    @property
    def sizes(self) -> Any:
        """How many documents each query has."""
        return np.unique(self.qid, return_counts=True)[1]


@dataclass
class Watch:
    """A metric that tells when it was called."""

    calls: list[tuple[float, float, float, float]] = field(default_factory=list)

    def timed(self, job: Callable[..., Any]) -> Callable[..., Any]:
        """The same job, timed."""

        def watched(*arguments: Any) -> Any:
            start, used = time.perf_counter(), time.process_time()
            made = job(*arguments)
            self.calls.append((start, used, time.perf_counter(), time.process_time()))
            return made

        return watched

    def shares(self) -> dict[str, float]:
        """Milliseconds of a round without the metric, of the metric, and its share in percent; `_cpu` of processors."""
        rounds = [self.calls[at : at + WATCHED] for at in range(0, len(self.calls), WATCHED)]
        found = {}
        for name, begin, end in (("", 0, 2), ("_cpu", 1, 3)):
            metric = np.median([sum(call[end] - call[begin] for call in calls) for calls in rounds[1:]])
            other = np.median([after[0][begin] - before[-1][end] for before, after in pairwise(rounds)])
            found |= {f"round{name}": 1000 * float(other), f"metric{name}": 1000 * float(metric)}
            found[f"share{name}"] = 100 * float(metric / (metric + other))
        return found


def main(queries: int = QUERIES, rounds: int = ROUNDS) -> dict[str, dict[str, float]]:
    """The shares of each library that is here."""
    data = generate_learning(rng=np.random.default_rng(0), like="mslr", queries=queries + queries // 3)
    qid = data.queries.astype(np.int64)
    cut = int(np.searchsorted(qid, queries + 1))
    matrix = data.matrix.astype(np.float32)
    parts = [Part(matrix=matrix[at], grades=data.grades[at], qid=qid[at]) for at in (slice(cut), slice(cut, None))]
    del data, matrix
    found = {}
    for name, job in LIBRARIES.items():
        try:
            watch = job(*parts, rounds)
        except ImportError:
            continue
        found[name] = watch.shares()
    return found


def _lightgbm(train: Part, other: Part, rounds: int) -> Watch:
    import lightgbm

    from rankgauge.integrations.lightgbm import metric

    sets = [lightgbm.Dataset(train.matrix, train.grades, group=train.sizes)]
    sets.append(lightgbm.Dataset(other.matrix, other.grades, group=other.sizes, reference=sets[0]))
    parameters = {"objective": "lambdarank", "metric": "None", "verbose": -1, "num_threads": THREADS}
    watch = Watch()
    lightgbm.train(parameters, sets[0], rounds, valid_sets=sets, feval=watch.timed(metric("nDCG@10")))
    return watch


def _xgboost(train: Part, other: Part, rounds: int) -> Watch:
    import xgboost

    from rankgauge.integrations.xgboost import metric

    sets = [xgboost.DMatrix(part.matrix, part.grades, qid=part.qid) for part in (train, other)]
    parameters = {"objective": "rank:ndcg", "nthread": THREADS, "disable_default_eval_metric": 1}
    watch = Watch()
    xgboost.train(
        parameters,
        sets[0],
        rounds,
        evals=[(one, str(place)) for place, one in enumerate(sets)],
        custom_metric=watch.timed(metric("nDCG@10")),
        maximize=True,
        verbose_eval=False,
    )
    return watch


def _catboost(train: Part, other: Part, rounds: int) -> Watch:
    import catboost

    from rankgauge.integrations.catboost import Metric

    sets = [catboost.Pool(part.matrix, part.grades, group_id=part.qid) for part in (train, other)]
    watch, watched = Watch(), Metric("nDCG@10", qid=[train.qid, other.qid])
    watched.evaluate = watch.timed(watched.evaluate)  # type: ignore[method-assign]
    parameters = {"loss_function": "YetiRank", "eval_metric": watched, "iterations": rounds, "thread_count": THREADS}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # CatBoost says that a metric of one's own is slow
        model = catboost.CatBoost({**parameters, "allow_writing_files": False, "logging_level": "Silent"})
        model.fit(sets[0], eval_set=sets[1])
    return watch


LIBRARIES: dict[str, Callable[[Part, Part, int], Watch]] = {
    "LightGBM": _lightgbm,
    "XGBoost": _xgboost,
    "CatBoost": _catboost,
}


if __name__ == "__main__":
    print(json.dumps(main(*map(int, sys.argv[1:]))))
