"""Figures 6 to 8: features of OHSUMED as ranking strategies, judged by people and by virtual users.

A virtual user agrees with one feature: the grades are its values as dense levels. The lowest value of the collection
is 0, the next one 1, and so on; this gives the 9 and 158 levels that the paper counts. We also measure the same with
levels counted within each query.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from rankgauge.arrays import score_arrays
from rankgauge.errors import InputError
from rankgauge.experiments.claims import Number
from rankgauge.experiments.experiment import Measurements
from rankgauge.experiments.papers.multigraded.tables import BESIDES, MEASURES, means
from rankgauge.experiments.standard_errors import jackknife
from rankgauge.io.formats.letor import Features, read_features
from rankgauge.io.source import Source
from rankgauge.numeric import FloatArray
from rankgauge.policies import LEAVE_OUT
from rankgauge.report import plots

STRATEGIES = (1, 5, 9, 11, 15, 19, 21, 22)
USERS: Mapping[str, tuple[str, int | None]] = {
    "figure-6": ("OHSUMED, graded by people: mean over queries, with two standard errors", None),
    "figure-7": ("OHSUMED, graded by feature 1: mean over queries, with two standard errors", 1),
    "figure-8": ("OHSUMED, graded by feature 9: mean over queries, with two standard errors", 9),
}
"""Who grades: the feature that a virtual user agrees with, or None for people."""

OTHERS = [place for place, feature in enumerate(STRATEGIES) if feature not in (1, 9)]
"""The strategies that no virtual user agrees with."""


def load(folder: Path) -> Features:
    """The documents of every file of a folder."""
    paths = sorted(folder.glob("*.txt"))
    if not paths:
        hint = "Give the folder of OHSUMED's raw features in LETOR 3.0: Feature-min."
        raise InputError("has no .txt files", path=folder, hint=hint)
    parts = [read_features(Source.of(path)) for path in paths]
    return Features(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def compare(data: Features) -> Measurements:
    """The three figures, and how the measures change between the last two."""
    everything = np.zeros(len(data.queries))
    values = {figure: _values(data, feature, everything) for figure, (_, feature) in USERS.items()}
    apart = {figure: _values(data, feature, data.queries) for figure, (_, feature) in USERS.items() if feature}
    numbers = {**dict(_numbers(values)), **{f"levels by query: {name}": n for name, n in _numbers(apart)}}
    frames = {figure: means(found, feature=STRATEGIES) for figure, found in values.items()}
    draw = partial(plots.bars, x="feature", y="mean", error="error", series="measure")
    figures = {figure: partial(draw, frames[figure], title=words) for figure, (words, _) in USERS.items()}
    return Measurements(numbers=numbers, tables=frames, figures=figures)


def levels(values: npt.NDArray[np.floating[Any]], groups: npt.NDArray[Any]) -> FloatArray:
    """The values as dense levels from 0 on, each group of documents by itself."""
    dense = pl.DataFrame({"group": groups, "value": values}).select(pl.col("value").rank("dense").over("group"))
    return dense.to_series().to_numpy().astype(np.float64) - 1.0


def scaled_gains(grades: FloatArray, queries: npt.NDArray[Any]) -> FloatArray:
    """Gains of 2^g − 1, divided by 2^m with m the query's highest grade.

    NDCG does not change if all gains are multiplied by a factor, and 2^1128 is beyond the largest float.
    """
    best = pl.DataFrame({"query": queries, "grade": grades}).select(pl.col("grade").max().over("query"))
    highest = best.to_series().to_numpy()
    return np.asarray(np.exp2(grades - highest) - np.exp2(-highest))


def _values(data: Features, feature: int | None, groups: npt.NDArray[Any]) -> dict[str, FloatArray]:
    """Each measure's values (strategies × queries), the mean over all orders of tied documents."""
    grades = data.grades if feature is None else levels(data.matrix[:, feature - 1], groups)
    found = {}
    for name, measure in {**MEASURES, "NDCG": "nDCG(dcg='log2')", **BESIDES}.items():
        graded = scaled_gains(grades, data.queries) if name == "NDCG" else grades
        rows = [
            score_arrays(graded, data.matrix[:, s - 1], measure, qid=data.queries, ties="expected", empty=LEAVE_OUT)
            for s in STRATEGIES
        ]
        kept = np.array(rows)
        found[name] = kept[:, ~np.isnan(kept).any(axis=0)]
    return found


def _numbers(values: Mapping[str, Mapping[str, FloatArray]]) -> Iterator[tuple[str, Number]]:
    for figure, feature in (("figure-7", 1), ("figure-8", 9)):
        own = [found[STRATEGIES.index(feature)].min() for found in values[figure].values()]
        yield f"feature {feature} by its own user, lowest value", Number(value=float(min(own)))
    for name in (*MEASURES, *BESIDES):
        change = (values["figure-8"][name] - values["figure-7"][name])[OTHERS]
        yield f"{name} changes by", jackknife(change, lambda means: np.asarray(means.mean(axis=0)))
        yield f"{name} moves by", jackknife(change, lambda means: np.asarray(np.abs(means).mean(axis=0)))
