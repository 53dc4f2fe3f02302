"""Trials of yardsticks on boards that are judged throughout: a collection's, or a user's own judgments and runs."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from rankgauge.dialects import Dialect
from rankgauge.errors import InputError, ParameterError
from rankgauge.evaluation.notes import thresholds
from rankgauge.judgments.llm.machine_judge import steps
from rankgauge.labelling.board import Board, BoardPool
from rankgauge.labelling.defaults import DIALECT
from rankgauge.labelling.simulations.jobs import ExperimentJob, Progress, cores, report_nothing, run_jobs
from rankgauge.labelling.simulations.report import JUDGES, BoardSimulationReport
from rankgauge.labelling.simulations.study import MARKS, BoardCurve, BoardStudy, mark_repetition
from rankgauge.labelling.yardstick import YARDSTICKS, JudgedBoard
from rankgauge.measures import parse
from rankgauge.numeric import FloatArray
from rankgauge.policies import Policy

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
    progress: Progress = report_nothing

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
        """Return how often a yardstick is tried."""
        return min(self.fewer.get(method, self.repetitions), self.repetitions)

    def run(self, judged: JudgedBoard, title: str, **facts: Any) -> BoardStudy:
        """Return the study of a board."""
        blind = [name for name in self.methods if YARDSTICKS.find(name).judge and not judged.board.pool.judges]
        if blind:
            raise InputError(f"{', '.join(blind)} needs the grades of a judge", hint="Give one: --judge llm.qrels.")
        jobs = {method: self._jobs(judged, title, method) for method in self.methods}
        # Blocks of all yardsticks in turn: what is left at the end is as mixed as what was done.
        asked = sorted((job for mine in jobs.values() for job in mine), key=lambda job: int(job.settings["first"]))
        results = run_jobs(asked, work, judged, folder=self.folder, workers=self.workers, progress=self.progress)
        pool, measures = judged.board.pool, [str(target) for target in judged.board.targets]
        curves = []
        for method, mine in jobs.items():
            tried = [marks for job in mine for marks in results[job.name]]  # repetitions × numbers of labels × measures
            for m, measure in enumerate(measures):
                marks = {
                    name: np.array([[at[m][name] for at in marked] for marked in tried], dtype=np.float64).T
                    for name in MARKS
                }
                curves.append(BoardCurve(method=method, measure=measure, labels=self.labels, marks=marks))
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
        stem, jobs = re.sub(r"[^\w.]+", "-", title).strip("-"), []
        for first in range(0, self.count(method), BLOCK):
            name = f"{stem} {method} {first}"
            count = min(BLOCK, self.count(method) - first)
            jobs.append(ExperimentJob(name=name, settings={**shared, "first": first, "count": count}))
        return jobs


def work(judged: JudgedBoard, job: ExperimentJob) -> list[list[list[dict[str, float]]]]:
    """Return the marks of a block of repetitions: repetitions × numbers of labels × measures."""
    settings = job.settings
    yardstick = YARDSTICKS.find(settings["method"])
    results = []
    for number in range(settings["first"], settings["first"] + settings["count"]):
        seed = int(np.random.default_rng([settings["seed"], number]).integers(1 << 31))
        standings = yardstick.standings(judged, settings["labels"], seed)
        results.append([[mark_repetition(s, t) for s, t in zip(at, judged.truth, strict=True)] for at in standings])
    return results


def _digest(judged: JudgedBoard) -> str:
    """Return a digest of all that the marks depend on: pool, lists, grades and measures."""
    pool, digest = judged.board.pool, hashlib.sha256()
    for array in (pool.sizes, pool.run, pool.document, pool.rank, pool.lengths, judged.grades, judged.board.grades):
        digest.update(np.ascontiguousarray(array).tobytes())
    for judge in pool.judges:
        digest.update(np.ascontiguousarray(steps(judge.said)).tobytes())
    for target in judged.board.targets:
        digest.update(f"{target.measure} {target.dialect}".encode())
    return digest.hexdigest()


SHARES = (0.02, 0.05, 0.1, 0.2)
"""The usual numbers of labels, as shares of the pool."""


class PoolKind(Policy):
    """Pool: which documents are the pool."""

    JUDGED = "judged", "all that have a grade"
    DEPTH = "depth", "the first of every list, up to a depth"


@dataclass(frozen=True, kw_only=True)
class BoardSimulation:
    """What is simulated: the runs of a board, the measures, the yardsticks, and how often.

    The pool are the judged documents, or the first `depth` of every list, of which those without a grade count as not
    relevant. Labels are `budgets`, or `shares` of the pool.
    """

    judgments: Any
    runs: Mapping[str, Any]
    measures: tuple[str, ...] = ("nDCG@10", "AP")
    methods: tuple[str, ...] = ()
    """Yardsticks; all but slow ones if none is named, those that need a judge only where there is one."""
    shares: tuple[float, ...] = ()
    budgets: tuple[int, ...] = ()
    judges: Mapping[str, Any] = field(default_factory=dict)
    """Judges other than people, by name."""
    dialect: str | Dialect = DIALECT
    pool: PoolKind = PoolKind.JUDGED
    depth: int | None = None
    repetitions: int = 100
    seed: int = 0
    workers: int = field(default_factory=cores)
    folder: Path | None = None
    progress: Progress = report_nothing

    def run(self) -> BoardSimulationReport:
        """Try the yardsticks and gathers the results."""
        self.check()
        judged = self._judge_pool()
        trials = BoardTrials(
            methods=self._methods,
            labels=self._labels(judged.size),
            repetitions=self.repetitions,
            seed=self.seed,
            workers=self.workers,
            folder=self.folder,
            progress=self.progress,
        )
        words = "the judged documents" if self.pool is PoolKind.JUDGED else f"the first {self.depth} of every list"
        spoken = judged.board.targets[0].dialect
        rest = {"dialect": spoken.name, **dict(thresholds(spoken, [parse(name) for name in self.measures]))}
        told = {JUDGES: ", ".join(judge.name for judge in judged.board.pool.judges)} if self.judges else {}
        study = trials.run(judged, _title(self.judgments), pool=words, **rest, **told)
        return BoardSimulationReport(studies=(study,), seed=self.seed)

    def check(self) -> None:
        """Raise an error for settings that make no sense, before anything is read."""
        if self.budgets and self.shares:
            raise ParameterError("simulate", "shares", "left out where budgets are given", self.shares)
        for share in self.shares:
            if not 0 < share <= 1:
                raise ParameterError("simulate", "shares", "numbers above 0 and up to 1", share)
        if self.pool is PoolKind.DEPTH and self.depth is None:
            raise ParameterError("simulate", "depth", "how many documents of each list are pooled", None)
        if self.pool is PoolKind.JUDGED and self.depth is not None:
            raise ParameterError("simulate", "depth", "left out unless the pool is that of a depth", self.depth)
        # Checks the names, the repetitions and the budgets as they are known so far.
        BoardTrials(methods=self._methods, labels=self.budgets or (2,), repetitions=self.repetitions)

    @property
    def _methods(self) -> tuple[str, ...]:
        """The yardsticks that are asked for; else all that have what they need, but for slow ones."""
        usual = {name: one for name, one in YARDSTICKS.items() if not one.slow}
        return self.methods or tuple(name for name, one in usual.items() if self.judges or not one.judge)

    def _judge_pool(self) -> JudgedBoard:
        only = self.judgments if self.pool is PoolKind.JUDGED else None
        pool = BoardPool.from_runs(self.runs, only=only, depth=self.depth, judges=self.judges)
        grades = np.nan_to_num(pool.grades(self.judgments), nan=0.0)
        return judged_board(pool, grades, self.measures, dialect=self.dialect)

    def _labels(self, documents: int) -> tuple[int, ...]:
        wanted = self.budgets or tuple(round(share * documents) for share in self.shares or SHARES)
        most = max(wanted)
        if most > documents:
            raise ParameterError("simulate", "budgets", f"numbers up to the {documents} documents of the pool", most)
        return tuple(sorted(set(wanted)))


def judged_board(
    pool: BoardPool, grades: FloatArray, measures: tuple[str, ...], *, dialect: str | Dialect
) -> JudgedBoard:
    """Return the board of a pool whose grades are all known, on the scale of those grades."""
    scale = np.unique(np.maximum(np.append(grades, 0.0), 0.0))
    if len(scale) < 2:
        raise InputError("no document of the pool has a grade above 0", hint="Are these the judgments of these runs?")
    return JudgedBoard(board=Board.of(pool, measures, grades=scale.tolist(), dialect=dialect), grades=grades)


def _title(judgments: Any) -> str:
    return Path(str(judgments)).name if isinstance(judgments, str | PathLike) else "the board"
