"""The training jobs: each of the paper's six rankers on each fold, under each reading of NDCG."""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from rankgauge.demo.folds import Fold
from rankgauge.labelling.simulations.jobs import ExperimentJob
from rankgauge.numeric import FloatArray
from rankgauge.papers.published.ndcg_tools.evaluators import READINGS

METRIC = "nDCG@10"


@dataclass(frozen=True, kw_only=True)
class RankerSetup:
    """A ranker of the paper: its title there, its name in `rankgauge.training`, and its parameters."""

    title: str
    name: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    choices: tuple[Mapping[str, Any], ...] = ({},)
    """Further settings to try; the one that is best on the validation set is taken."""

    @property
    def sets(self) -> list[dict[str, Any]]:
        """All parameters, for each choice."""
        return [{**self.settings, **choice} for choice in self.choices]


LAYERS = ((10,), (100,), (10, 10), (10, 10, 10))
WIDTHS, DEPTHS = (10, 100, 500), (1, 2, 3)

ADARANK = RankerSetup(title="AdaRank", name="adarank", settings={"rest": 0, "skip_dead": False})
"""AdaRank as in RankLib: it also learns from queries whose value no order can change, and these gather weight."""

LIVE = RankerSetup(title="AdaRank on live queries", name="adarank", settings={"rest": 0})
"""The same without those queries. It stands beside the paper's six and counts in none of its claims."""

PLAIN = (
    ADARANK,
    RankerSetup(title="RankNet", name="ranknet"),
    RankerSetup(title="RankBoost", name="rankboost"),
    RankerSetup(title="RankSVM", name="ranksvm"),
    RankerSetup(title="Coordinate Ascent", name="coordinate-ascent"),
    RankerSetup(title="LambdaMART", name="lambdamart"),
)
"""The six in the order of section 4, with default settings. The paper's are among them: C from 1e-6 to 1e4, of which we
try 11 values, and a tolerance of 0.001 for RankSVM, 10 leaves and a rate of 0.1 for LambdaMART, rounds chosen on the
validation set. Where the paper gives no setting, they are RankLib's: see each ranker."""


def _tuned(networks: Iterable[tuple[int, ...]], **ascent: int) -> tuple[RankerSetup, ...]:
    """The six, with the choice of RankNet's layers and Coordinate Ascent's effort replaced."""
    choices = tuple({"hidden": list(layers)} for layers in networks)
    ways: dict[str, dict[str, Any]] = {"ranknet": {"choices": choices}, "coordinate-ascent": {"settings": ascent}}
    return tuple(replace(ranker, **ways.get(ranker.name, {})) for ranker in PLAIN)


@dataclass(frozen=True, kw_only=True)
class TrainingEffort:
    """How much work the rankers' settings are."""

    words: str
    rankers: tuple[RankerSetup, ...]


QUICK = TrainingEffort(words="default settings", rankers=PLAIN)
USUAL = TrainingEffort(words="usual settings, quicker than the paper's", rankers=_tuned(LAYERS, restarts=10))
FULL = TrainingEffort(
    words="the paper's full settings",
    rankers=_tuned(((width,) * depth for depth in DEPTHS for width in WIDTHS), restarts=30, iterations=100),
)
"""Coordinate Ascent with R = 30 and T = 100; RankNet with 1 to 3 layers of 10 to 500 units. The paper does not say
which widths it tried within that range, nor whether all layers of a network had the same."""

TITLES = tuple(ranker.title for ranker in PLAIN)


def jobs(
    folds: Iterable[Fold],
    rankers: Iterable[RankerSetup],
    readings: Iterable[str] = tuple(READINGS),
    *,
    seed: int = 0,
) -> list[ExperimentJob]:
    """A job for each ranker, reading and fold; it depends on the settings, the fold's data and the package's code."""
    shared = {"version": version("rankgauge"), "code": _code(), "seed": seed, "metric": METRIC}
    seen = [(fold, {"fold": fold.name, "data": _digest(fold)}) for fold in folds]
    readings = tuple(readings)
    return [
        ExperimentJob(
            name=name(ranker.title, reading, fold),
            settings={**shared, "ranker": ranker.name, "sets": ranker.sets, "reading": reading, **data},
        )
        for ranker in rankers
        for reading in readings
        for fold, data in seen
    ]


def train(folds: tuple[Fold, ...], job: ExperimentJob) -> dict[str, Any]:
    """The job's result: the scores of the fold's test documents, and what the training cost on one processor."""
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # it comes with scikit-learn

    from rankgauge import training

    asked = job.settings
    (fold,) = (fold for fold in folds if fold.name == asked["fold"])
    kind, shared = training.get(asked["ranker"]), {"metric": asked["metric"], "rng": asked["seed"]}
    rankers = [kind(dialect=READINGS[asked["reading"]], **shared, **chosen) for chosen in asked["sets"]]
    with threadpool_limits(1):
        clock, processor = time.perf_counter(), time.process_time()
        ranker = rankers[best := _best(rankers, fold)]
        seconds = {"wall": time.perf_counter() - clock, "cpu": time.process_time() - processor}
        found = ranker.predict(fold.test.matrix).tolist()
    return {"scores": found, **seconds, "best_round": ranker.best_round_, "set": asked["sets"][best]}


def _best(rankers: list[Any], fold: Fold) -> int:
    """Trains the rankers; the index of the one that is best on the validation set."""
    train, held = fold.train, fold.validation
    for ranker in rankers:
        ranker.fit(train.matrix, train.grades, qid=train.queries, validation=(held.matrix, held.grades, held.queries))
    if len(rankers) == 1:
        return 0
    return int(np.argmax([ranker.score(held.matrix, held.grades, qid=held.queries) for ranker in rankers]))


def scores(results: Mapping[str, Any], title: str, reading: str, folds: Iterable[Fold]) -> FloatArray:
    """A ranker's scores for all test documents, fold by fold."""
    return np.concatenate([results[name(title, reading, fold)]["scores"] for fold in folds])


def costs(results: Mapping[str, Any]) -> pl.DataFrame:
    """A row per job: seconds of training (wall clock and processor), best round and settings."""
    names = [name.split(".") for name in results]
    columns = {column: [row[place] for row in names] for place, column in enumerate(("ranker", "reading", "fold"))}
    found = {key: [result[key] for result in results.values()] for key in ("wall", "cpu", "best_round")}
    return pl.DataFrame({**columns, **found, "set": [json.dumps(result["set"]) for result in results.values()]})


def name(title: str, reading: str, fold: Fold) -> str:
    """The name of a ranker's job."""
    called = re.sub(r"\W+", "-", title.lower())
    return f"{called}.{reading}.{fold.name}"


def _digest(fold: Fold) -> str:
    """A digest of all the data that a job uses of its fold."""
    found = hashlib.sha256()
    for data in (fold.train, fold.validation, fold.test):
        found.update(np.ascontiguousarray(data.matrix).tobytes())
        found.update(np.ascontiguousarray(data.grades).tobytes())
        found.update("\n".join(map(str, data.queries)).encode())
    return found.hexdigest()


@cache
def _code() -> str:
    """A digest of the rankers' sources, so that results of older code are not reused."""
    from rankgauge import training

    found = hashlib.sha256()
    for path in sorted(Path(training.__file__).parent.rglob("*.py")):
        found.update(path.read_bytes())
    return found.hexdigest()
