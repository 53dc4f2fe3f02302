"""Repeated trials of yardsticks on a judged board, run in parallel and gathered into a study."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from rankgauge.errors import InputError, ParameterError
from rankgauge.judgments.llm.machine_judge import steps
from rankgauge.labelling.simulations.board_study import MARKS, BoardCurve, BoardStudy, curves_of, marked
from rankgauge.labelling.simulations.jobs import ExperimentJob, Progress, cores, run_jobs, unreported
from rankgauge.labelling.yardstick import YARDSTICKS, JudgedBoard

BLOCK = 5
"""The repetitions of a job. It never changes with what is asked for, so that finished parts serve more repetitions."""


@dataclass(frozen=True, kw_only=True)
class BoardTrials:
    """How yardsticks are tried: with how many labels, how often, with which seed."""

    methods: tuple[str, ...]
    labels: tuple[int, ...]
    repetitions: int
    fewer: Mapping[str, int] = field(default_factory=dict)
    """How often slow yardsticks are tried, if less often."""
    seed: int = 0
    workers: int = field(default_factory=cores)
    folder: Path | None = None
    """Where finished parts are kept."""
    progress: Progress = unreported

    def __post_init__(self) -> None:
        for name in self.methods:
            YARDSTICKS.find(name)
        if not self.methods:
            raise ParameterError("simulate", "methods", f"some of {', '.join(YARDSTICKS)}", ())
        if not self.labels or min(self.labels) < 2:
            raise ParameterError("simulate", "budgets", "2 labels or more", self.labels)
        if self.repetitions < 2:
            raise ParameterError("simulate", "repetitions", "a whole number, 2 or more", self.repetitions)

    def count(self, method: str) -> int:
        """How often a yardstick is tried."""
        return min(self.fewer.get(method, self.repetitions), self.repetitions)

    def run(self, judged: JudgedBoard, title: str, **facts: Any) -> BoardStudy:
        """The study of a board."""
        blind = [name for name in self.methods if YARDSTICKS.find(name).judge and not judged.board.pool.judges]
        if blind:
            raise InputError(f"{', '.join(blind)} needs the grades of a judge", hint="Give one: --judge llm.qrels.")
        jobs = {method: self._jobs(judged, title, method) for method in self.methods}
        # Blocks of all yardsticks in turn: what is left at the end is as mixed as what was done.
        asked = sorted((job for mine in jobs.values() for job in mine), key=lambda job: int(job.settings["first"]))
        found = run_jobs(asked, work, judged, folder=self.folder, workers=self.workers, progress=self.progress)
        pool, measures = judged.board.pool, [str(target) for target in judged.board.targets]
        curves: list[BoardCurve] = []
        for method, mine in jobs.items():
            repetitions = [marks for job in mine for marks in found[job.name]]
            curves += curves_of(method, measures, self.labels, repetitions)
        return BoardStudy(
            title=title,
            runs=pool.runs,
            queries=len(pool.queries),
            documents=judged.size,
            truth=dict(zip(measures, judged.truth, strict=True)),
            curves=curves,
            facts=facts,
        )

    def _jobs(self, judged: JudgedBoard, title: str, method: str) -> list[ExperimentJob]:
        shared = {
            "data": _digest(judged),
            "code": version("rankgauge"),
            "method": method,
            "labels": list(self.labels),
            "marks": list(MARKS),
            "seed": self.seed,
        }
        stem, found = re.sub(r"[^\w.]+", "-", title).strip("-"), []
        for first in range(0, self.count(method), BLOCK):
            name = f"{stem} {method} {first}"
            count = min(BLOCK, self.count(method) - first)
            found.append(ExperimentJob(name=name, settings={**shared, "first": first, "count": count}))
        return found


def work(judged: JudgedBoard, job: ExperimentJob) -> list[list[list[dict[str, float]]]]:
    """The marks of a block of repetitions: repetitions × numbers of labels × measures."""
    settings = job.settings
    yardstick = YARDSTICKS.find(settings["method"])
    found = []
    for number in range(settings["first"], settings["first"] + settings["count"]):
        seed = int(np.random.default_rng([settings["seed"], number]).integers(1 << 31))
        standings = yardstick.standings(judged, settings["labels"], seed)
        found.append([[marked(s, t) for s, t in zip(at, judged.truth, strict=True)] for at in standings])
    return found


def _digest(judged: JudgedBoard) -> str:
    """A digest of all that the marks depend on: pool, lists, grades and measures."""
    pool, found = judged.board.pool, hashlib.sha256()
    for array in (pool.sizes, pool.run, pool.document, pool.rank, pool.lengths, judged.grades, judged.board.grades):
        found.update(np.ascontiguousarray(array).tobytes())
    for judge in pool.judges:
        found.update(np.ascontiguousarray(steps(judge.said)).tobytes())
    for target in judged.board.targets:
        found.update(f"{target.measure} {target.dialect}".encode())
    return found.hexdigest()
