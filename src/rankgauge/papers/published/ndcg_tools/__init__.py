"""Busa-Fekete, Szarvas, Éltető & Kégl, An apple-to-apple comparison of learning-to-rank algorithms in terms of
Normalized Discounted Cumulative Gain, ECAI 2012 workshop on Preference Learning: six rankers, trained under three
readings of NDCG on five folds, judged by every tool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from rankgauge.demo.folds import Fold, folds_of, read_folds
from rankgauge.demo.learning import generate_learning, learning_parts
from rankgauge.dialects import DIALECTS
from rankgauge.labelling.simulations.jobs import run_jobs
from rankgauge.papers.experiment import Experiment, Measurements, Setting, fold_means, fold_number
from rankgauge.papers.published.ndcg_tools import findings, training
from rankgauge.papers.published.ndcg_tools.findings import CUTOFFS, SHOWN, Findings, HeldOut, measure_weights
from rankgauge.papers.published.ndcg_tools.training import OPTIMISERS, READINGS, SPOKEN, TITLES
from rankgauge.render.plots import Panels

QUERIES = 200
"""How many queries the generated set has; MQ2008 has 784."""

ERRORS = "bars: one standard error each way"


@Experiment.in_file(__file__, has_full=True)
def run(setting: Setting) -> Measurements:
    """Train the models that are not trained yet, and judge them all."""
    folds = _generate_folds(setting.seed) if setting.data is None else read_folds(setting.data)
    effort = training.FULL if setting.full else training.QUICK if setting.data is None else training.USUAL
    drawn = training.make_sampled(effort.drawn)
    asked = training.all_jobs(folds, (*effort.rankers, *training.BESIDE), drawn, setting.seed)
    known = (*folds, *training.without_empty(folds))
    workers, progress = setting.jobs, setting.progress
    results = run_jobs(asked, training.train, known, folder=setting.parts, workers=workers, progress=progress)
    tested = HeldOut.of(folds)
    empty, shorter, short = (part.mean() for part in (tested.is_empty, tested.sizes < CUTOFFS[-3], tested.is_short))
    words = (
        f"{len(folds)} folds, {len(tested.fold)} queries: {empty:.1%} without a relevant document, "
        f"{shorter:.1%} with fewer than 8 documents, {short:.1%} with fewer than 10; "
        f"seed {setting.seed}, {effort.words}"
    )
    judged = judge(folds, results, [ranker.title for ranker in drawn])
    return Measurements(numbers={}, words=words) | judged | measure_weights(folds)


def judge(folds: tuple[Fold, ...], results: Mapping[str, Any], drawn: Sequence[str]) -> Measurements:
    """Return all tables, figures and numbers, from the scores of the trained models and of the drawn LambdaMARTs."""
    tested = HeldOut.of(folds)
    titles = [*TITLES, *(ranker.title for ranker in training.BESIDE)]
    scores = np.array([training.scores(results, title, r, folds) for r in READINGS for title in titles])
    shape = len(READINGS), len(titles), len(CUTOFFS), len(tested.fold)
    named = {**READINGS, **{f"tool {name}": spoken for name, spoken in DIALECTS.items()}}
    values = {name: tested.values(scores, spoken).reshape(shape) for name, spoken in named.items()}
    trained_under, ranker, cutoff = (grid.ravel() for grid in np.meshgrid([*READINGS], titles, CUTOFFS, indexing="ij"))
    parts = []
    for name, of_all in values.items():
        mean, error = (amount.ravel() for amount in fold_means(of_all, tested.fold))
        columns = {"trained under": trained_under, "ranker": ranker, "cutoff": cutoff, "NDCG": mean, "error": error}
        parts.append(pl.DataFrame(columns).select(pl.lit(name).alias("judged by"), pl.all()))
    frame = pl.concat(parts)
    usual = scores[: len(TITLES)]  # READINGS begins with the standard one
    trained = [(drawn, "std", folds), (drawn, "letor", folds), (OPTIMISERS, "std", training.without_empty(folds))]
    standard, letor, without = (
        tested.values(np.array([training.scores(results, title, r, some) for title in names]), READINGS["std"])[:, -1]
        for names, r, some in trained
    )
    of = partial(Findings, tested=tested)
    by_reading, six = np.array([values[name] for name in READINGS]), len(TITLES)
    whole = by_reading[0, 0, [TITLES.index(name) for name in OPTIMISERS], -1]
    beside = of(values=by_reading[:, :, six:], rankers=tuple(titles[six:]))
    judged = Measurements(
        numbers={
            **of(values=by_reading[:, :, :six], rankers=TITLES).numbers(),
            **dict(beside.trainings()),
            **dict(findings.seed_effects(standard, letor, tested.fold)),
            **{
                f"trained without empty queries less with them, {name}": fold_number(gains, tested.fold)
                for name, gains in zip(OPTIMISERS, without - whole, strict=True)
            },
            **dict(findings.tool_differences(tested, usual)),
            **dict(findings.tie_effects(tested, TITLES, usual)),
        },
        tables={"values": frame, "training": training.costs(results)},
    )
    return judged | _figures(frame.filter(frame["judged by"].is_in(list(READINGS))))


def _figures(values: pl.DataFrame) -> Measurements:
    judged = pl.format("judged by the {} reading", pl.col("judged by").replace_strict(SPOKEN))
    named = values.with_columns(judged, pl.col("trained under").replace_strict(SPOKEN))
    order = pl.col("ranker").replace_strict({name: place for place, name in enumerate(SHOWN)}, default=None)
    first = named.filter(pl.col("ranker").is_in(SHOWN)).sort(order, maintain_order=True)
    second = named.filter(pl.col("trained under") == SPOKEN["std"], pl.col("ranker").is_in(TITLES))
    panels = partial(Panels, x="cutoff", y="NDCG", error="error", column="judged by")
    one, two = panels(frame=first, series="trained under", row="ranker"), panels(frame=second, series="ranker")
    titles = (
        f"NDCG of rankers trained and judged under three readings of it ({ERRORS})",
        f"NDCG of six rankers trained under the standard reading ({ERRORS})",
    )
    figures = {"figure-1": partial(one.draw, titles[0]), "figure-2": partial(two.draw, titles[1])}
    return Measurements(numbers={}, tables={"figure-1": first, "figure-2": second}, figures=figures)


def _generate_folds(seed: int) -> tuple[Fold, ...]:
    data = generate_learning(rng=np.random.default_rng(seed), like="mq2008", queries=QUERIES)
    return folds_of(learning_parts(data))
