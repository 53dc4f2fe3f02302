"""The figures of the page on pools: two TREC collections without each of their teams or runs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rankgauge.labelling.pools.reuse import Reuse
from rankgauge.labelling.pools.reuse_report import PoolReuseReport
from rankgauge.papers.experiment import UNTRIED, Experiment, Measurements, Number, Setting
from rankgauge.papers.trec import FOLDERS, collections, teams_of

MEASURES = {"TREC-8": ("nDCG@10", "AP", "RBP"), "DL19": ("nDCG@10", "AP(rel=2)", "RBP(rel=2)")}
"""Passages of DL19 are relevant from grade 2 on, as in the track."""


@Experiment.in_file(__file__)
def run(setting: Setting) -> Measurements:
    """Leave out every team, or every run, of the collections that are there."""
    reuses = {}
    for title, folder in collections(setting.data).items():
        pool, grades = FOLDERS[title][1](folder)
        reuses[title] = Reuse(
            pool=pool,
            grades=grades,
            new=np.zeros(len(pool.runs), dtype=bool),
            measures=MEASURES[title],
            teams=teams_of(folder) or None,
            progress=setting.progress,
        )
    if not reuses:
        return UNTRIED
    reports = {title: PoolReuseReport(reuse=reuse, foretell=True) for title, reuse in reuses.items()}
    return Measurements(
        numbers={name: number for title, reuse in reuses.items() for name, number in numbers(title, reuse)},
        tables={title: report.frame() for title, report in reports.items()},
        reports=reports,
        words="every team or run left out once; nothing is drawn",
    )


def numbers(title: str, reuse: Reuse) -> Iterator[tuple[str, Number]]:
    """Yield what claims are about."""
    left, expectations = reuse.without_teams or reuse.without_runs, reuse.expectations
    for at, row in enumerate(left.by_measure().iter_rows(named=True)):
        name = f"{title}, {row['measure'].replace('(rel=2)', '')}"
        yield f"{name}: mean change over the value", Number(value=abs(row["relative"]))
        yield f"{name}: largest fall in ranks", Number(value=row["most_fall"])
        yield f"{name}: lowest τ", Number(value=row["tau"])
        plain, model = (
            np.abs((values - expectations.truth[at]).mean())
            for values in (expectations.plain[at], expectations.expected[at])
        )
        yield f"{name}: bias of the model over that without", Number(value=float(model / plain))
        yield f"{name}: share of runs that intervals hold", Number(value=expectations.coverage(at))
