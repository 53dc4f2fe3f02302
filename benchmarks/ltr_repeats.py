"""Trainings again: with other seeds, and for another measure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from rankgauge.demo.folds import Fold
from rankgauge.labelling.simulations.jobs import Progress, run_jobs
from rankgauge.papers.experiment import fold_means
from rankgauge.papers.published.ndcg_tools import training
from rankgauge.papers.published.ndcg_tools.findings import HeldOut
from rankgauge.papers.published.ndcg_tools.training import READINGS, RankerSetup

SEEDS = 5
DRAWN = ("ranknet", "coordinate-ascent")
"""The rankers that draw random numbers with their default settings."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Repeats:
    """Trainings on the folds of a set, kept in a folder."""

    folds: tuple[Fold, ...]
    tested: HeldOut
    folder: Path
    workers: int
    tell: Progress

    def table(self, rankers: tuple[RankerSetup, ...], known: Mapping[str, Any], seeds: int) -> Iterator[str]:
        """NDCG@10 on the test sets with each seed, beside RankLib's."""
        if not rankers:
            return
        yield f"| std@10 with seeds 0 to {seeds - 1} | mean | standard deviation | least | largest | RankLib there |"
        yield "|---|---|---|---|---|---|"
        for ranker in rankers:
            found = np.array([self.value(ranker, seed) for seed in range(seeds)])
            spread = f"{found.std(ddof=1):.4f}" if seeds > 1 else ""
            there = f"{known[ranker.title]['std']:.4f}" if ranker.title in known else ""
            cells = [f"{found.mean():.4f}", spread, f"{found.min():.4f}", f"{found.max():.4f}", there]
            yield f"| {ranker.title} | " + " | ".join(cells) + " |"
        yield ""

    def value(self, ranker: RankerSetup, seed: int) -> float:
        """The mean over folds of NDCG@10 on the test sets."""
        jobs = training.jobs(self.folds, (ranker,), ("std",), seed=seed)
        folder = self.folder / f"seed-{seed}" if seed else self.folder
        found = run_jobs(jobs, training.train, self.folds, folder=folder, workers=self.workers, progress=self.tell)
        scores = training.scores(found, ranker.title, "std", self.folds)
        values = self.tested.values(scores[np.newaxis], READINGS["std"])
        return float(fold_means(values[0, -1], self.tested.fold)[0])

    def mean(self, ranker: RankerSetup, seeds: int) -> float:
        """The mean of that over the seeds."""
        return float(np.mean([self.value(ranker, seed) for seed in range(seeds)]))

    def seconds(self, ranker: RankerSetup, metric: str) -> float:
        """The seconds of the processor that a fold takes, where the ranker optimises this measure."""
        jobs = [
            replace(job, settings={**job.settings, "metric": metric})
            for job in training.jobs(self.folds, (ranker,), ("std",))
        ]
        found = run_jobs(
            jobs, training.train, self.folds, folder=self.folder / metric, workers=self.workers, progress=self.tell
        )
        return float(np.mean([result["cpu"] for result in found.values()]))
