"""Studies of boards: how good yardsticks are over numbers of labels, on a pool whose grades are all known.

Every mark is a mean over repetitions with its standard error. Of intervals only those count that are shown: where a
yardstick says that labels are too few, there is nothing to cover.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from rankgauge.errors import InputError, ParameterError
from rankgauge.judgments.llm.machine_judge import steps
from rankgauge.labelling.simulations.jobs import ExperimentJob, Progress, cores, run_jobs, unreported
from rankgauge.labelling.yardstick import YARDSTICKS, JudgedBoard, Standing
from rankgauge.numeric import FloatArray
from rankgauge.statistics import kendall_tau, tau_ap

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


ROUNDING = 1e-9
"""Errors up to this are those of sums in floating point: where everything is judged, an interval has no width."""

GOOD_ORDER = 0.9
"""The τ with the true order from which on an order counts as good."""

MARKS: dict[str, str] = {
    "tau": "Kendall's τ with the true order",
    "tau_ap": "τ_AP with the true order, in which the top counts more",
    "winner": "How often the best run is first",
    "rmse": "Root mean squared error over the runs",
    "bias": "Bias, the mean over the runs",
    "coverage": "Share of the runs' own intervals that hold the truth",
    "joint_coverage": "How often the joint intervals hold the truth of all runs",
    "family_error": "How often any settled pair is in the wrong order",
    "settled": "Share of the pairs that are settled",
    "half_width": "Half the width of a run's own interval, the mean over the runs",
}
"""What is told of a yardstick at a number of labels."""

INTERVALS = ("coverage", "joint_coverage", "family_error", "settled", "half_width")
"""The marks of yardsticks that have intervals."""


def marked(standing: Standing, truth: FloatArray) -> dict[str, float]:
    """The marks of one repetition; NaN where there is no value or no interval. Of `rmse` it is the square."""
    values = standing.values
    if np.isnan(values).any():
        return dict.fromkeys(MARKS, np.nan)
    off = values - truth
    miss = np.maximum(np.abs(off) - ROUNDING, 0.0)
    found = {
        "tau": float(np.nan_to_num(kendall_tau(values, truth))) if len(truth) > 1 else np.nan,
        "tau_ap": tau_ap(truth, values) if len(truth) > 1 else np.nan,
        "winner": float(truth[np.argmax(values)] == truth.max()),
        "rmse": float(np.mean(off**2)),
        "bias": float(np.mean(off)),
    }
    return {**dict.fromkeys(MARKS, np.nan), **found, **dict(_interval_marks(standing, truth, miss))}


def _interval_marks(standing: Standing, truth: FloatArray, miss: FloatArray) -> Iterator[tuple[str, float]]:
    if standing.own is not None:
        yield "coverage", float(np.mean(miss <= standing.own))
        yield "half_width", float(np.mean(standing.own))
    if standing.joint is not None:
        yield "joint_coverage", float(np.all(miss <= standing.joint))
    if standing.pairs is not None and len(truth) > 1:
        upper = np.triu_indices(len(truth), 1)
        gaps, true = (np.subtract.outer(x, x)[upper] for x in (standing.values, truth))
        settled = np.abs(gaps) > standing.pairs[upper]
        yield "settled", float(settled.mean())
        yield "family_error", float(np.any(settled & (gaps * true < 0)))


@dataclass(frozen=True, kw_only=True, eq=False)
class BoardCurve:
    """The marks of a yardstick by one measure: each mark is numbers of labels × repetitions."""

    method: str
    measure: str
    labels: tuple[int, ...]
    marks: Mapping[str, FloatArray]

    @property
    def repetitions(self) -> int:
        """How often it was tried."""
        return int(self.marks["tau"].shape[1])

    def mark(self, name: str) -> tuple[FloatArray, FloatArray]:
        """A mark at each number of labels, and its standard error; NaN where no repetition has it."""
        mean, error = _means(self.marks[name])
        if name != "rmse":
            return mean, error
        root = np.sqrt(mean)
        return root, np.where(root > 0, error / (2 * np.where(root > 0, root, 1.0)), error)

    @property
    def intervals(self) -> FloatArray:
        """The share of repetitions that show intervals."""
        return np.asarray(np.mean(~np.isnan(self.marks["coverage"]), axis=1))

    def needed(self, *, tau: float = GOOD_ORDER) -> Needed:
        """The labels from which on the mean τ is that, with the jackknife's standard error; NaN if there is no τ."""
        found = self.marks["tau"]
        if np.isnan(found).any():
            return Needed(labels=np.nan, error=np.nan)
        at, n = _crossing(found.mean(axis=1), self.labels, tau), found.shape[1]
        if np.isnan(at):
            return Needed(labels=float(self.labels[-1]), error=np.nan, bound=">")
        if at <= self.labels[0]:
            return Needed(labels=float(self.labels[0]), error=np.nan, bound="≤")
        without = (found.sum(axis=1, keepdims=True) - found) / max(n - 1, 1)
        others = np.array([_crossing(column, self.labels, tau) for column in without.T])
        return Needed(labels=at, error=float(np.sqrt((n - 1) / n * np.sum((others - others.mean()) ** 2))))

    def enough(self, rmse: float) -> Needed:
        """The labels from which on the root mean squared error is at most that, on straight lines over logarithms."""
        error = -np.log(np.maximum(self.mark("rmse")[0], 1e-12))
        if np.isnan(error).any():
            return Needed(labels=np.nan, error=np.nan)
        at = _crossing(error, self.labels, -np.log(rmse))
        if np.isnan(at):
            return Needed(labels=float(self.labels[-1]), error=np.nan, bound=">")
        return Needed(labels=at, error=np.nan, bound="≤" if at <= self.labels[0] else "")

    def to_frame(self, documents: int) -> pl.DataFrame:
        """A row for each number of labels."""
        columns: dict[str, Any] = {
            "measure": [self.measure] * len(self.labels),
            "method": [self.method] * len(self.labels),
            "labels": list(self.labels),
            "share": [n / documents for n in self.labels],
            "repetitions": [self.repetitions] * len(self.labels),
            "intervals": self.intervals,
        }
        for name in MARKS:
            columns[name], columns[f"{name}_se"] = self.mark(name)
        return pl.DataFrame(columns)


@dataclass(frozen=True, kw_only=True)
class Needed:
    """Labels that are needed; `bound` is "≤" if the fewest that were tried are enough, ">" if the most are not."""

    labels: float
    error: float
    bound: str = ""


@dataclass(frozen=True, kw_only=True, eq=False)
class BoardStudy:
    """Yardsticks on one judged board: the true values of the runs by each measure, and a curve for each yardstick and
    measure."""

    title: str
    runs: tuple[str, ...]
    queries: int
    documents: int
    truth: Mapping[str, FloatArray]
    curves: Sequence[BoardCurve]
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures, in the order in which they were asked for."""
        return tuple(self.truth)

    @property
    def methods(self) -> tuple[str, ...]:
        """The yardsticks, in the order in which they were asked for."""
        return tuple(dict.fromkeys(curve.method for curve in self.curves))

    def of(self, measure: str) -> dict[str, BoardCurve]:
        """The curves by one measure, by yardstick."""
        return {curve.method: curve for curve in self.curves if curve.measure == measure}

    def to_frame(self) -> pl.DataFrame:
        """A row for each measure, yardstick and number of labels."""
        rows = pl.concat([curve.to_frame(self.documents) for curve in self.curves])
        return rows.select(pl.lit(self.title).alias("collection"), pl.all())


def curves_of(
    method: str,
    measures: Sequence[str],
    labels: Sequence[int],
    repetitions: Sequence[Sequence[Sequence[Mapping[str, float]]]],
) -> Iterator[BoardCurve]:
    """The curves of a yardstick from the marks of its repetitions: repetitions × numbers of labels × measures."""
    for m, measure in enumerate(measures):
        marks = {
            name: np.array([[at[m][name] for at in repetition] for repetition in repetitions], dtype=np.float64).T
            for name in MARKS
        }
        yield BoardCurve(method=method, measure=measure, labels=tuple(labels), marks=marks)


def _means(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The mean of each row's known entries and its standard error; NaN where there is none, or only one."""
    known = ~np.isnan(values)
    count = known.sum(axis=1)
    mean = np.where(count > 0, np.nansum(values, axis=1) / np.maximum(count, 1), np.nan)
    squares = np.nansum((values - mean[:, np.newaxis]) ** 2, axis=1)
    return mean, np.where(count > 1, np.sqrt(squares / np.maximum(count - 1, 1) / np.maximum(count, 1)), np.nan)


def _crossing(values: FloatArray, labels: Sequence[int], level: float) -> float:
    """Where values reach a level for good, on straight lines over the logarithm of the labels; NaN if they do not."""
    if not values[-1] >= level:
        return np.nan
    below = np.flatnonzero(~(values >= level))
    if not len(below):
        return float(labels[0])
    last = int(below[-1])
    share = (level - values[last]) / (values[last + 1] - values[last])
    low, high = np.log(labels[last]), np.log(labels[last + 1])
    return float(np.exp(low + share * (high - low)))
