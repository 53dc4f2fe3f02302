"""Repeated trials of methods on pools with known grades, run in parallel and gathered into studies."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from importlib.metadata import version
from itertools import product
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from rankgauge.evaluation.notes import note_worths
from rankgauge.labelling import methods
from rankgauge.labelling.defaults import DIALECT
from rankgauge.labelling.method import Method, Repetitions
from rankgauge.labelling.pool import Pool
from rankgauge.labelling.simulations.jobs import ExperimentJob, Progress, cores, report_nothing, run_jobs
from rankgauge.labelling.simulations.report import SimulationReport
from rankgauge.labelling.simulations.study import ErrorCurve, Study
from rankgauge.labelling.target import Target
from rankgauge.numeric import FloatArray

METHODS: Mapping[str, Mapping[str, Any]] = {
    "passive": {"method": "passive"},
    "passive-iid": {"method": "passive-iid"},
    "paper": {"method": "paper"},
    "uniD": {"method": "paper", "beliefs": "uniform"},
    "uniC": {"method": "paper", "costs": "one"},
    "defensive": {"method": "paper+defensive"},
    "greg": {"method": "greg"},
    "document": {"method": "document", "stages": 1},
    "staged": {"method": "document", "stages": 3},
}
"""The methods by the names of their curves, with their options.

Between stages, every repetition fits the beliefs to its labels so far; with a single stage a repetition takes a
hundredth of the time.
"""

Trialled: TypeAlias = "Mapping[str, Sequence[Case]]"


@dataclass(frozen=True, kw_only=True, eq=False)
class Case:
    """A pool with its grades and the measure to estimate, with their names."""

    title: str
    label: str
    pool: Pool
    grades: FloatArray
    measure: str
    dialect: str = DIALECT

    @property
    def name(self) -> str:
        """The name that identifies the case."""
        return f"{self.title}, {self.label}"

    @property
    def target(self) -> Target:
        """What is estimated."""
        return Target.of(self.measure, self.pool, self.dialect)

    def truth(self) -> float:
        """Return the value that estimates aim at: the mean over the queries of the pool."""
        return float(np.mean(self.target.values(self.pool, self.grades)))


def method(name: str) -> Method:
    """Return the method of a curve's name; any other name is looked up in the registry."""
    options = dict(METHODS.get(name, {"method": name}))
    return methods.get(options.pop("method"), **options)


@dataclass(frozen=True, kw_only=True)
class Effort:
    """How much a method has to do: repetitions up to so many, and budgets up to a share of the largest."""

    most: int | None = None
    budget: float = 1.0


@dataclass(frozen=True, kw_only=True)
class Trials:
    """How methods are tried: at which budgets, how often, with which seed."""

    methods: tuple[str, ...]
    budgets: tuple[float, ...]
    repetitions: int
    seed: int
    efforts: Mapping[tuple[str, str], Effort] = field(default_factory=dict)
    """By method and measure."""
    workers: int = field(default_factory=cores)
    progress: Progress = report_nothing

    def run(self, cases: Trialled, key: str, *, folder: Path | None = None) -> dict[str, dict[str, ErrorCurve]]:
        """Return the curves of each case's methods, by the case's name; cases of one name share the repetitions."""
        # The last methods are the slowest: started first, they do not keep one process busy at the end.
        asked = [self._job(several[0], one, key) for one in reversed(self.methods) for several in cases.values()]
        results = run_jobs(asked, _work, cases, folder=folder, workers=self.workers, progress=self.progress)
        kept = [known.name for known in fields(Repetitions)]
        curves: dict[str, dict[str, ErrorCurve]] = {name: {} for name in cases}
        for name, one in product(cases, self.methods):
            parts = []
            for rows in results[f"{_file(name)} {one}"]:
                values = [{k: np.array(row[k], dtype=np.float64) for k in kept} for row in rows]
                at = {row["budget"]: Repetitions(**of_budget) for row, of_budget in zip(rows, values, strict=True)}
                parts.append(ErrorCurve.of(one, at, rows[0]["truth"]))
            curves[name][one] = ErrorCurve.join(parts)
        return curves

    def report(
        self, cases: Trialled, key: str, facts: Mapping[str, Any], *, at: float, folder: Path | None = None
    ) -> SimulationReport:
        """Return what the methods do on the cases, with facts about the pools; savings are measured at a budget."""
        studies = []
        for name, curves in self.run(cases, key, folder=folder).items():
            pools, case = [case.pool for case in cases[name]], cases[name][0]
            known = {
                "queries": round(np.mean([len(pool.queries) for pool in pools])),
                "documents": round(np.mean([len(pool.documents) for pool in pools])),
                "pair": pools[0].rankers == 2,
                "worth": "; ".join(words for _, words in note_worths(case.target, pools[0].grades)),
                **facts,
            }
            truth = float(np.mean(next(iter(curves.values())).truth))
            studies.append(Study(title=case.title, measure=case.label, truth=truth, curves=curves, facts=known))
        return SimulationReport(
            studies=tuple(studies),
            repetitions=self.repetitions,
            seed=self.seed,
            budget=at,
            titles={name: type(method(name)).title for name in self.methods},
        )

    def _job(self, case: Case, name: str, key: str) -> ExperimentJob:
        effort = self.efforts.get((name, case.label), Effort())
        settings = {
            "data": key,
            "code": version("rankgauge"),
            "case": case.name,
            "dialect": case.dialect,
            "method": name,
            "options": dict(METHODS.get(name, {})),
            "budgets": [budget for budget in self.budgets if budget <= effort.budget * max(self.budgets)],
            "found": [known.name for known in fields(Repetitions)],
            "repetitions": min(self.repetitions, effort.most or self.repetitions),
            "seed": self.seed,
        }
        return ExperimentJob(name=f"{_file(case.name)} {name}", settings=settings)


def _file(case: str) -> str:
    return re.sub(r"[^\w.]+", "-", case.replace("−", "minus")).strip("-")


def _work(cases: Trialled, job: ExperimentJob) -> list[list[dict[str, Any]]]:
    """Return the estimates of a method on each pool of a case, at each budget."""
    settings, tried = job.settings, []
    chosen = cases[settings["case"]]
    share = -(-settings["repetitions"] // len(chosen))
    for number, case in enumerate(chosen):
        seeds = np.random.default_rng([settings["seed"], number]).integers(1 << 31, size=share)  # no pools share any
        target, truth, rows = case.target, case.truth(), []
        for budget in settings["budgets"]:
            estimates = method(settings["method"]).repeat(case.pool, target, case.grades, budget=budget, seeds=seeds)
            rows.append({"budget": budget, "truth": truth, **{k: v.tolist() for k, v in asdict(estimates).items()}})
        tried.append(rows)
    return tried
