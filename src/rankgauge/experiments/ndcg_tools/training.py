"""The six rankers of the paper, trained on each fold under each reading of NDCG: a job each."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from rankgauge.datasets.folds import Fold
from rankgauge.experiments.jobs import Job
from rankgauge.experiments.ndcg_tools.tools import READINGS
from rankgauge.ranking.lists import FloatArray

__all__ = ["METRIC", "RANKERS", "Ranker", "costs", "jobs", "scores", "train"]

METRIC = "nDCG@10"


@dataclass(frozen=True, kw_only=True)
class Ranker:
    """A ranker of the paper: what it is called there and in `rankgauge.ltr`, and how it is set."""

    title: str
    name: str
    settings: Mapping[str, Any]


RANKERS = (
    Ranker(title="AdaRank", name="adarank", settings={}),
    Ranker(title="RankNet", name="ranknet", settings={}),
    Ranker(title="RankBoost", name="rankboost", settings={}),
    Ranker(title="RankSVM", name="ranksvm", settings={}),
    Ranker(title="Coordinate Ascent", name="coordinate-ascent", settings={}),
    Ranker(title="LambdaMART", name="lambdamart", settings={}),
)
"""In the paper's order."""


def jobs(
    folds: Iterable[Fold],
    rankers: Iterable[Ranker] = RANKERS,
    readings: Iterable[str] = tuple(READINGS),
    *,
    seed: int = 0,
) -> list[Job]:
    """A job for each ranker, reading and fold; it depends on the settings, the fold's data and the package's code."""
    shared = {"version": version("rankgauge"), "code": _code(), "seed": seed, "metric": METRIC}
    known = [(fold.name, _digest(fold)) for fold in folds]
    readings = tuple(readings)
    return [
        Job(
            name=_name(ranker.name, reading, fold),
            settings={**shared, "ranker": ranker.name, "set": dict(ranker.settings), "reading": reading, **data},
        )
        for ranker in rankers
        for reading in readings
        for fold, data in ((name, {"fold": name, "data": digest}) for name, digest in known)
    ]


def train(folds: tuple[Fold, ...], job: Job) -> dict[str, Any]:
    """The job's result: the scores of the fold's test documents, and what the training cost on one processor."""
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # it comes with scikit-learn

    from rankgauge import ltr

    asked = job.settings
    (fold,) = (fold for fold in folds if fold.name == asked["fold"])
    reading = READINGS[asked["reading"]]
    ranker = ltr.get(asked["ranker"])(metric=asked["metric"], dialect=reading, rng=asked["seed"], **asked["set"])
    validation = fold.validation.matrix, fold.validation.grades, fold.validation.queries
    with threadpool_limits(1):
        clock, processor = time.perf_counter(), time.process_time()
        ranker.fit(fold.train.matrix, fold.train.grades, qid=fold.train.queries, validation=validation)
        seconds = {"wall": time.perf_counter() - clock, "cpu": time.process_time() - processor}
    return {"scores": ranker.predict(fold.test.matrix).tolist(), **seconds, "best_round": ranker.best_round_}


def scores(results: Mapping[str, Any], ranker: Ranker, reading: str, folds: Iterable[Fold]) -> FloatArray:
    """The scores of all test documents, fold by fold."""
    return np.concatenate([results[_name(ranker.name, reading, fold.name)]["scores"] for fold in folds])


def costs(results: Mapping[str, Any]) -> pl.DataFrame:
    """A row per job: the seconds that its training took, on the clock and of the processor, and its best round."""
    names = [name.split(".") for name in results]
    columns = {column: [row[place] for row in names] for place, column in enumerate(("ranker", "reading", "fold"))}
    found = {key: [result[key] for result in results.values()] for key in ("wall", "cpu", "best_round")}
    return pl.DataFrame({**columns, **found})


def _name(ranker: str, reading: str, fold: str) -> str:
    return f"{ranker}.{reading}.{fold}"


def _digest(fold: Fold) -> str:
    """A digest of all that a job sees of its fold."""
    found = hashlib.sha256()
    for data in (fold.train, fold.validation, fold.test):
        found.update(np.ascontiguousarray(data.matrix).tobytes())
        found.update(np.ascontiguousarray(data.grades).tobytes())
        found.update("\n".join(map(str, data.queries)).encode())
    return found.hexdigest()


@cache
def _code() -> str:
    """A digest of the rankers' sources: a model that older code made is not taken for one of today's."""
    from rankgauge import ltr

    found = hashlib.sha256()
    for path in sorted(Path(ltr.__file__).parent.glob("*.py")):
        found.update(path.read_bytes())
    return found.hexdigest()
