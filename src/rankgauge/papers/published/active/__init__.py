"""Sawade, Bickel, von Oertzen, Scheffer & Landwehr, Active evaluation of ranking functions based on graded relevance,
ECML PKDD 2012: one ranker, two rankers, an index update, more training data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import cast

import numpy as np
import polars as pl

from rankgauge.charts import losses
from rankgauge.labelling.methods.paper import PaperMethod
from rankgauge.labelling.simulations.report import SimulationReport
from rankgauge.papers.experiment import PAPERS, Experiment, Figure, Measurements, Number, Setting
from rankgauge.papers.published.active import findings
from rankgauge.papers.published.active.benchmark import (
    Benchmark,
    Scenario,
    Split,
    generate_set,
    known_grades,
    pool_of,
    read_benchmark,
    scenarios,
    training_sizes,
)
from rankgauge.papers.published.active.trials import METHODS, Case, Trials, method
from rankgauge.render import plots
from rankgauge.render.format import Medium
from rankgauge.render.html import page

LOSSES = {"figure-1": "error", "figure-2": "wrong", "figure-3": "error"}
"""What each figure shows: the absolute error, or how often the worse ranker is chosen."""

MEASURE, DIALECT = "ERR", "papers"
"""The measure of the figures and its formula, as in the paper."""

TRIED = tuple(name for name in METHODS if name != "staged")
SIZED = ("passive", "passive-iid", "paper", "uniD", "uniC")
"""The methods that are tried at every training size."""

BINS = 30
"""The bars of the histogram of query costs."""


@Experiment.in_file(__file__, trials=1000)
def run(setting: Setting) -> Measurements:
    """Train the rankers, try every method on every pool, and measure what is saved."""
    return measure_all(generate_set(setting.seed) if setting.data is None else read_benchmark(setting.data), setting)


def measure_all(benchmark: Benchmark, setting: Setting) -> Measurements:
    """Return the whole experiment on a benchmark."""
    from rankgauge.papers.published.active.rankers import recipes, train_and_predict  # rankers are an extra

    cases, sizes, shown_in = dict[str, list[Case]](), dict[str, list[Case]](), dict[str, str]()
    documents, chosen, key = dict[str, int](), list[dict[str, str]](), f"{benchmark.key} {setting.seed}"
    for split in benchmark.splits:
        known = train_and_predict(split, recipes(benchmark.forest, seed=setting.seed, jobs=setting.jobs))
        for ranker, choice in known.chosen.items():
            words = ", ".join(f"{name}={value:g}" for name, value in choice.items())
            chosen.append({"split": split.name, "ranker": ranker, "chosen": words})
        for scenario in scenarios(known, setting.seed).values():
            shown_in[scenario.title] = scenario.figure
            for case in _cases(scenario, split, benchmark, tuple(benchmark.measures)):
                cases.setdefault(case.name, []).append(case)
        for size, scenario in training_sizes(known).items():
            (case,) = _cases(scenario, split, benchmark, (MEASURE,))
            sizes.setdefault(case.name, []).append(case)
            documents[case.name] = size
    trials = Trials(
        methods=TRIED,
        budgets=benchmark.budgets,
        repetitions=setting.trials,
        seed=setting.seed,
        efforts=benchmark.efforts,
        workers=setting.jobs,
        progress=setting.progress,
    )
    facts = {"cost": benchmark.cost, "trained on": benchmark.words}
    shown = trials.report(cases, key, facts, at=benchmark.at, folder=setting.parts)
    sized = replace(trials, methods=SIZED, budgets=(benchmark.third,)).run(sizes, key, folder=setting.parts)
    if setting.folder is not None:
        (setting.folder / "simulation.html").write_text(page(shown.document(Medium.PAGE)), encoding="utf-8")
    costs = np.concatenate([case.target.query_costs(case.pool) for case in next(iter(cases.values()))])
    counts, ends = np.histogram(costs, bins=BINS)
    tables = {
        "curves": shown.frame(),
        "savings": shown.savings,
        "costs": pl.DataFrame({"from": ends[:-1], "to": ends[1:], "share of the queries": counts / len(costs)}),
        "training-sizes": findings.size_table(sized, documents),
        "parameters": pl.DataFrame(chosen),
    }
    pairs = [s for s in shown.studies if shown_in[s.title] == "figure-2" and s.measure == MEASURE]
    biases = [findings.discounts_known(case) for case in cases[f"Random Forest, {MEASURE}"]]
    variants = {name: cast("PaperMethod", method(name)) for name in ("paper", *findings.VARIANTS)}
    saved = dict([*findings.savings(shown.studies, benchmark.at), *findings.choice_savings(pairs, benchmark.at)])
    numbers = {
        **saved,
        **dict(findings.overall(saved, MEASURE, pairs)),
        **dict(findings.variance_savings(cases[f"index update, {MEASURE}"], variants)),
        **dict(findings.choice_gains(pairs)),
        **dict(findings.size_ratios(sized)),
        f"Random Forest, {MEASURE}: bias if half of the documents are judged": Number(value=float(np.mean(biases))),
        **dict(findings.coverages(shown.studies, benchmark.at)),
    }
    words = f"{shown.repetitions:,} repetitions, seed {shown.seed}; {benchmark.words}"
    return Measurements(numbers=numbers, tables=tables, figures=_figures(shown, tables, shown_in), words=words)


def _figures(
    shown: SimulationReport, tables: Mapping[str, pl.DataFrame], shown_in: Mapping[str, str]
) -> dict[str, Figure]:
    titles, drawn = PAPERS["active"].paper.figures, dict[str, Figure]()
    drawn["figure-1-left"] = partial(
        plots.histogram,
        tables["costs"],
        low="from",
        high="to",
        x="cost of a query, in units of the mean",
        y="share of the queries",
        title=titles["figure-1-left"],
    )
    for figure, loss in LOSSES.items():
        mine = [s for s in shown.studies if shown_in[s.title] == figure and s.measure == MEASURE]
        drawn[figure] = partial(losses, pl.concat([study.to_frame() for study in mine]), loss, titles[figure])
    sizes = tables["training-sizes"].with_columns(
        (pl.col("documents") // 1000).alias("documents in thousands"),
        pl.col("error").alias("mean absolute error"),
        panel=pl.lit("against a forest of half of the documents"),
    )
    panels = partial(plots.Panels, series="method", column="panel", digits=".4f", error="error_se")
    panel = panels(frame=sizes, x="documents in thousands", y="mean absolute error")
    drawn["figure-3-right"] = partial(panel.draw, titles["figure-3-right"])
    return drawn


def _cases(scenario: Scenario, split: Split, benchmark: Benchmark, labels: tuple[str, ...]) -> list[Case]:
    pool = pool_of(scenario, split, cost=benchmark.cost, depth=benchmark.depth)
    grades = known_grades(pool, split)
    case = partial(Case, title=scenario.title, pool=pool, grades=grades, dialect=DIALECT)
    return [case(label=label, measure=benchmark.measures[label]) for label in labels]
