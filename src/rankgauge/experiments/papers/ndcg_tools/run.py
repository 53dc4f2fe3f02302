"""The paper's experiment: six rankers, trained under three readings of NDCG on five folds, judged by every tool."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from rankgauge.datasets.folds import Fold, folds_of, read_folds
from rankgauge.datasets.learning import generate_learning, learning_parts
from rankgauge.experiments.claims import Number, Paper
from rankgauge.experiments.experiment import Experiment, Outcome, Setting
from rankgauge.experiments.jobs import run_jobs
from rankgauge.experiments.papers.ndcg_tools import curves, training, weights
from rankgauge.experiments.papers.ndcg_tools.findings import Findings
from rankgauge.experiments.papers.ndcg_tools.tools import CUTOFFS, READINGS, HeldOut, tools
from rankgauge.experiments.papers.ndcg_tools.training import PLAIN, RANKERS, WHOLE
from rankgauge.numeric import FloatArray

__all__ = ["NDCG_TOOLS", "judge"]

QUERIES = 200
"""How many queries the generated set has; MQ2008 has 784."""

PARTS = "parts"
"""The folder of finished trainings, in that of the results."""


def run(setting: Setting) -> Outcome:
    """Trains what is not trained yet, and judges it."""
    folds = _generated(setting.seed) if setting.data is None else read_folds(setting.data)
    asked = training.jobs(folds, (*(PLAIN if setting.data is None else RANKERS), WHOLE), seed=setting.seed)
    passing = TemporaryDirectory() if setting.folder is None else nullcontext(setting.folder / PARTS)
    with passing as folder:
        results = run_jobs(
            asked, training.train, folds, folder=Path(folder), workers=setting.jobs, progress=setting.progress
        )
    return judge(folds, results) | weights.outcome(folds)


def judge(folds: tuple[Fold, ...], results: Mapping[str, Any]) -> Outcome:
    """Everything that follows from the scores of the trained models."""
    tested = HeldOut.of(folds)
    titles = [ranker.title for ranker in (*RANKERS, WHOLE)]
    scores = np.array([training.scores(results, title, r, folds) for r in READINGS for title in titles])
    shape = len(READINGS), len(titles), len(CUTOFFS), len(tested.fold)
    named = {**READINGS, **{f"tool {name}": spoken for name, spoken in tools().items()}}
    values = {name: tested.values(scores, spoken).reshape(shape) for name, spoken in named.items()}
    frame = curves.table(values, tuple(READINGS), tuple(titles), tested.fold)
    frames, figures = curves.figures(frame.filter(frame["judged by"].is_in(list(READINGS))))
    return Outcome(
        numbers=_numbers(np.array([values[name] for name in READINGS]), tested),
        tables={"values": frame, "training": training.costs(results), **frames},
        figures=figures,
        words=_words(folds, tested),
    )


def _numbers(values: FloatArray, tested: HeldOut) -> dict[str, Number]:
    """The numbers of the six rankers, and what training under another reading does to AdaRank as published."""
    six, one = (
        Findings(values=part, readings=tuple(READINGS), rankers=tuple(r.title for r in rankers), fold=tested.fold)
        for part, rankers in ((values[:, :, :-1], RANKERS), (values[:, :, -1:], (WHOLE,)))
    )
    return {**six.numbers(), **dict(one.trainings())}


def _generated(seed: int) -> tuple[Fold, ...]:
    data = generate_learning(rng=np.random.default_rng(seed), like="mq2008", queries=QUERIES)
    return folds_of(learning_parts(data))


def _words(folds: tuple[Fold, ...], tested: HeldOut) -> str:
    empty, sizes = tested.is_empty, tested.sizes
    return (
        f"{len(folds)} folds, {len(empty)} queries: {empty.mean():.1%} without a relevant document, "
        f"{(sizes < 10).mean():.1%} with fewer than 10 documents"
    )


NDCG_TOOLS = Experiment(
    name="ndcg-tools", paper=Paper.read(Path(__file__).with_name("expected.toml")), run=run
).register()
