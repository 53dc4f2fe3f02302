"""The paper's experiments: one ranker, two rankers, an index update, more training data."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl

from rankgauge.active.study import Study, saving
from rankgauge.experiments.claims import Number, Paper
from rankgauge.experiments.experiment import Experiment, Figure, Measurements, Setting
from rankgauge.experiments.papers.active.benchmark import Benchmark, generated, given
from rankgauge.experiments.papers.active.scenarios import known_grades, pool_of, scenarios
from rankgauge.experiments.papers.active.trials import METHODS, Case, Trials, studies
from rankgauge.report.charts import losses
from rankgauge.report.format import Medium
from rankgauge.report.html import page
from rankgauge.report.simulation import SimulationReport

LOSSES = {"figure-1": "error", "figure-2": "wrong", "figure-3": "error"}
"""What each figure shows: the absolute error, or how often the worse ranker is chosen."""

MEASURE = "ERR"
"""The measure of the figures, as in the paper."""

TRIED = tuple(name for name in METHODS if name != "staged")
OWN = ("greg", "document")
"""Methods that go beyond the paper."""


def run(setting: Setting) -> Measurements:
    """Trains the rankers, tries every method on every pool, and measures what is saved."""
    benchmark = generated(setting.seed) if setting.data is None else given(setting.data)
    return measure_all(benchmark, setting)


def measure_all(benchmark: Benchmark, setting: Setting, methods: tuple[str, ...] = TRIED) -> Measurements:
    """The whole experiment on a benchmark."""
    cases, shown_in = _cases(benchmark, setting)
    trials = Trials(
        methods=methods,
        budgets=benchmark.budgets,
        repetitions=setting.trials,
        seed=setting.seed,
        efforts=benchmark.efforts,
        workers=setting.jobs,
        progress=setting.progress,
    )
    curves = trials.run(cases, f"{benchmark.key} {setting.seed}", folder=setting.parts)
    found = studies(curves, cases, {"cost": benchmark.cost, "trained on": benchmark.words})
    shown = SimulationReport(studies=found, repetitions=setting.trials, seed=setting.seed, budget=benchmark.at)
    if setting.folder is not None:
        (setting.folder / "simulation.html").write_text(page(shown.document(Medium.PAGE)), encoding="utf-8")
    return outcome(shown, shown_in, benchmark)


def outcome(shown: SimulationReport, shown_in: dict[str, str], benchmark: Benchmark) -> Measurements:
    """The numbers behind the claims, the tables and the figures."""
    drawn: dict[str, Figure] = {}
    titles = ACTIVE.paper.figures
    for figure, loss in LOSSES.items():
        mine = [s for s in shown.studies if shown_in[s.title] == figure and s.measure == MEASURE]
        if mine:
            curves = pl.concat([study.to_frame() for study in mine])
            drawn[figure] = partial(losses, curves, loss, titles[figure])
    return Measurements(
        numbers=dict(_numbers(shown, benchmark.at)),
        tables={"curves": shown.frame(), "savings": shown.savings},
        figures=drawn,
        words=f"{shown.repetitions:,} repetitions, seed {shown.seed}; {benchmark.words}",
    )


def _cases(benchmark: Benchmark, setting: Setting) -> tuple[dict[str, tuple[Case, ...]], dict[str, str]]:
    """The pools of each scenario and measure, and the figure that shows each scenario."""
    from rankgauge.experiments.papers.active.rankers import recipes, train_and_predict  # rankers are an extra

    cases: dict[str, list[Case]] = {}
    shown_in = {}
    for split in benchmark.splits:
        predictions = train_and_predict(split, recipes(benchmark.forest, seed=setting.seed, jobs=setting.jobs))
        for scenario in scenarios(predictions, setting.seed):
            shown_in[scenario.title] = scenario.figure
            pool = pool_of(scenario, split, cost=benchmark.cost, depth=benchmark.depth)
            grades = known_grades(pool, split)
            for name, measure in benchmark.measures.items():
                case = Case(title=scenario.title, label=name, pool=pool, grades=grades, measure=measure)
                cases.setdefault(case.name, []).append(case)
    return {name: tuple(several) for name, several in cases.items()}, shown_in


def _numbers(shown: SimulationReport, at: float) -> Iterator[tuple[str, Number]]:
    for study in shown.studies:
        wanted = [("paper", "passive"), *((own, "paper") for own in OWN)]
        for method, other in wanted:
            if method in study.curves and other in study.curves:
                found = saving(study.curves[method], study.curves[other], budget=at)
                name = f"{study.title}, {study.measure}: {method} saves against {other}"
                yield name, Number(value=found.value, error=found.error)
    for method in shown.methods:
        covered = [_coverage(study, method, at) for study in shown.studies if method in study.curves]
        value, error = (float(np.mean(part)) for part in zip(*covered, strict=True))
        yield f"coverage of {method}, mean over pools", Number(value=value, error=error / np.sqrt(len(covered)))


def _coverage(study: Study, method: str, at: float) -> tuple[float, float]:
    """The coverage at the budget, or at the method's largest budget below it."""
    row = study.curves[method].to_frame().filter(pl.col("budget") <= at).row(-1, named=True)
    return row["coverage"], row["coverage_se"]


ACTIVE = Experiment(
    name="active", paper=Paper.read(Path(__file__).with_name("expected.toml")), run=run, trials=1000
).register()
