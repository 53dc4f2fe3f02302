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
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from rankgauge import dialects
from rankgauge.demo import learning_rows
from rankgauge.demo.folds import Fold
from rankgauge.dialects import Dialect
from rankgauge.files.formats.letor import FeatureTable
from rankgauge.labelling.simulations.jobs import ExperimentJob
from rankgauge.numeric import FloatArray

SPOKEN = {"std": "standard", "yahoo": "Yahoo", "letor": "LETOR"}
"""What the readings are called."""

_PAPERS = dialects.get("papers")

READINGS: Mapping[str, Dialect] = {
    "std": _PAPERS,
    "yahoo": _PAPERS.changed(empty=1.0),
    "letor": _PAPERS.changed(short="zero"),
}
"""The three evaluators of the paper's experiments, one for each of its groups of tools. All have gains of 2^g − 1 and
discount by log2(r + 1). A query without relevant documents counts 0 for RankLib and trec_eval, 1 for Yahoo; a list
shorter than k counts 0 for LETOR (equation 4 of the paper). All average over tied documents, so they differ in one rule
only."""

METRIC = "nDCG@10"
FOUND = ("wall", "cpu", "best_round", "validation")
"""What is known of each training: seconds, the round that was kept, and its value on the validation set."""


@dataclass(frozen=True, kw_only=True)
class RankerSetup:
    """A ranker of the paper: its title there, its name in `rankgauge.training`, and its parameters."""

    title: str
    name: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    choices: tuple[Mapping[str, Any], ...] = ({},)
    """Further settings to try; the one that is best on the validation set is taken."""


LAYERS = ((10,), (100,), (10, 10), (10, 10, 10))
WIDTHS, DEPTHS = (10, 100, 500), (1, 2, 3)

RANKLIB, STABLE, KEEPING = {"rules": "ranklib"}, {"stable": True}, {"forget": False}
BESIDE = (
    RankerSetup(title="AdaRank, remembering", name="adarank", settings={**RANKLIB, **KEEPING}),
    RankerSetup(title="AdaRank, stable", name="adarank", settings={**RANKLIB, **STABLE}),
    RankerSetup(title="AdaRank, stable and remembering", name="adarank", settings={**RANKLIB, **STABLE, **KEEPING}),
    RankerSetup(title="RankGauge's AdaRank", name="adarank"),
)
"""More AdaRanks: RankLib's without the rule that forgets its best validation value, without its accidents of sorting
and underflow, and without both; and ours. They stand beside the paper's six and count in none of its claims."""

PLAIN = (
    RankerSetup(title="AdaRank", name="adarank", settings=RANKLIB),
    RankerSetup(title="RankNet", name="ranknet"),
    RankerSetup(title="RankBoost", name="rankboost"),
    RankerSetup(title="RankSVM", name="ranksvm"),
    RankerSetup(title="Coordinate Ascent", name="coordinate-ascent", settings={"keep": "start"}),
    RankerSetup(title="LambdaMART", name="lambdamart"),
)
"""The six in the order of section 4, with default settings but for AdaRank, which is RankLib's as in the paper, and
Coordinate Ascent, which keeps the best start. The paper's settings are among the defaults: C from 1e-6 to 1e4, of which
we try 11 values, and a tolerance of 0.001 for RankSVM, 10 leaves and a rate of 0.1 for LambdaMART, rounds chosen on the
validation set. Where the paper gives no setting, they are RankLib's: see each ranker."""

DRAWN = {"feature_share": 0.8, "document_share": 0.8}
"""What a tree of the drawn LambdaMARTs learns from: with all features and documents the seed changes nothing."""


def make_sampled(count: int) -> tuple[RankerSetup, ...]:
    """Return LambdaMARTs whose trees learn from drawn features and documents, one for each seed from 1 on."""
    return tuple(
        RankerSetup(title=f"LambdaMART, seed {seed}", name="lambdamart", settings={**DRAWN, "rng": seed})
        for seed in range(1, count + 1)
    )


def _tune(networks: Iterable[tuple[int, ...]], **ascent: int) -> tuple[RankerSetup, ...]:
    """Return the six with other layers for RankNet to choose from, and more effort for Coordinate Ascent."""
    changes: dict[str, dict[str, Any]] = {
        "ranknet": {"choices": tuple({"hidden": list(layers)} for layers in networks)},
        "coordinate-ascent": {"settings": {"keep": "start", **ascent}},
    }
    return tuple(replace(ranker, **changes.get(ranker.name, {})) for ranker in PLAIN)


@dataclass(frozen=True, kw_only=True)
class TrainingEffort:
    """How much work the rankers' settings are."""

    words: str
    rankers: tuple[RankerSetup, ...]
    drawn: int = 10
    """How many drawn LambdaMARTs there are."""


QUICK = TrainingEffort(words="default settings", rankers=PLAIN, drawn=2)
USUAL = TrainingEffort(words="usual settings, quicker than the paper's", rankers=_tune(LAYERS, restarts=10))
FULL = TrainingEffort(
    words="the paper's full settings",
    rankers=_tune(((width,) * depth for depth in DEPTHS for width in WIDTHS), restarts=30, iterations=100),
)
"""Coordinate Ascent with R = 30 and T = 100; RankNet with 1 to 3 layers of 10 to 500 units. The paper does not say
which widths it tried within that range, nor whether all layers of a network had the same."""

TITLES = tuple(ranker.title for ranker in PLAIN)
OPTIMISERS = ("AdaRank", "LambdaMART", "Coordinate Ascent")
"""Those that use NDCG in training."""


def without_empty(folds: Iterable[Fold]) -> tuple[Fold, ...]:
    """Return the folds, under other names, without the queries that teach nothing: those with no relevant document."""

    def met(data: FeatureTable) -> FeatureTable:
        return learning_rows(data, np.isin(data.queries, data.queries[data.grades > 0]))

    return tuple(
        Fold(name=f"{fold.name}-met", train=met(fold.train), validation=met(fold.validation), test=fold.test)
        for fold in folds
    )


def all_jobs(
    folds: tuple[Fold, ...], rankers: Iterable[RankerSetup], drawn: Iterable[RankerSetup], seed: int = 0
) -> list[ExperimentJob]:
    """Return every job: each ranker under every reading, the drawn ones under two, and some without empty queries."""
    rankers = tuple(rankers)
    optimisers = [ranker for ranker in rankers if ranker.title in OPTIMISERS]
    return [
        *jobs(folds, rankers, seed=seed),
        *jobs(folds, drawn, ("std", "letor"), seed=seed),
        *jobs(without_empty(folds), optimisers, ("std",), seed=seed),
    ]


def jobs(
    folds: Iterable[Fold], rankers: Iterable[RankerSetup], readings: Iterable[str] = tuple(READINGS), *, seed: int = 0
) -> list[ExperimentJob]:
    """Return a job for each ranker, reading and fold; it depends on the settings, the fold's data and the code."""
    shared = {"version": version("rankgauge"), "code": _code(), "found": FOUND, "seed": seed, "metric": METRIC}
    seen = [(fold, {"fold": fold.name, "data": _digest(fold)}) for fold in folds]
    jobs = []
    for ranker, reading, (fold, data) in product(rankers, readings, seen):
        sets = [{**ranker.settings, **choice} for choice in ranker.choices]
        settings = {**shared, "ranker": ranker.name, "sets": sets, "reading": reading, **data}
        jobs.append(ExperimentJob(name=name(ranker.title, reading, fold), settings=settings))
    return jobs


def train(folds: tuple[Fold, ...], job: ExperimentJob) -> dict[str, Any]:
    """Return the job's result: the scores of the fold's test documents, and what the training cost on one processor."""
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # it comes with scikit-learn

    from rankgauge import training

    asked = job.settings
    (fold,) = (fold for fold in folds if fold.name == asked["fold"])
    kind, shared = training.get(asked["ranker"]), {"metric": asked["metric"], "rng": asked["seed"]}
    rankers = [kind(dialect=READINGS[asked["reading"]], **{**shared, **chosen}) for chosen in asked["sets"]]
    held = (fold.validation.matrix, fold.validation.grades, fold.validation.queries)
    with threadpool_limits(1):
        clock, processor = time.perf_counter(), time.process_time()
        for ranker in rankers:
            ranker.fit(fold.train.matrix, fold.train.grades, qid=fold.train.queries, validation=held)
        values = [ranker.score(*held[:2], qid=held[2]) for ranker in rankers]
        best = int(np.argmax(values))
        seconds = {"wall": time.perf_counter() - clock, "cpu": time.process_time() - processor}
        scored = rankers[best].predict(fold.test.matrix).tolist()
    chosen = {"best_round": rankers[best].best_round_, "validation": values[best], "set": asked["sets"][best]}
    return {"scores": scored, **seconds, **chosen}


def scores(results: Mapping[str, Any], title: str, reading: str, folds: Iterable[Fold]) -> FloatArray:
    """Return a ranker's scores for all test documents, fold by fold."""
    return np.concatenate([results[name(title, reading, fold)]["scores"] for fold in folds])


def costs(results: Mapping[str, Any]) -> pl.DataFrame:
    """Return a row per job: seconds of training (wall clock and processor), best round, its value and settings."""
    names = [name.split(".") for name in results]
    columns = {column: [row[place] for row in names] for place, column in enumerate(("ranker", "reading", "fold"))}
    lists = {key: [result[key] for result in results.values()] for key in FOUND}
    return pl.DataFrame({**columns, **lists, "set": [json.dumps(result["set"]) for result in results.values()]})


def name(title: str, reading: str, fold: Fold) -> str:
    """Return the name of a ranker's job."""
    return ".".join([re.sub(r"\W+", "-", title.lower()), reading, fold.name])


def _digest(fold: Fold) -> str:
    """Return a digest of all the data that a job uses of its fold."""
    digest = hashlib.sha256()
    for data in (fold.train, fold.validation, fold.test):
        digest.update(np.ascontiguousarray(data.matrix).tobytes())
        digest.update(np.ascontiguousarray(data.grades).tobytes())
        digest.update("\n".join(map(str, data.queries)).encode())
    return digest.hexdigest()


@cache
def _code() -> str:
    """Return a digest of the rankers' sources, so that results of older code are not reused."""
    from rankgauge import training

    digest = hashlib.sha256()
    for path in sorted(Path(training.__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
