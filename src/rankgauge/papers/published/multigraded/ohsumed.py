"""Figures 6 to 8: features of OHSUMED as ranking strategies, judged by people and by virtual users.

A virtual user is a strategy whose scores are the reference ratings, as they are: neither rounded nor put at equal
steps. TF of the title, feature 1, has few levels at equal steps; TF-IDF of the title, feature 9, has many at uneven
ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl

from rankgauge.errors import InputError
from rankgauge.evaluation.arrays import score_arrays
from rankgauge.files.formats.letor import FeatureTable, read_features
from rankgauge.files.source import Source
from rankgauge.numeric import FloatArray, ratio
from rankgauge.papers.claims import Number
from rankgauge.papers.experiment import Measurements
from rankgauge.papers.published.multigraded.tables import BESIDES, MEASURES, means
from rankgauge.papers.published.multigraded.thresholds import Thresholds
from rankgauge.papers.standard_errors import jackknife
from rankgauge.policies import LEAVE_OUT
from rankgauge.render import plots

STRATEGIES = (1, 5, 9, 11, 15, 19, 21, 22)
FEW, MANY = 1, 9
"""The virtual users: TF and TF-IDF of the title."""

USERS: Mapping[str, tuple[str, int | None]] = {
    "figure-6": ("OHSUMED, graded by people", None),
    "figure-7": ("OHSUMED, graded by feature 1", FEW),
    "figure-8": ("OHSUMED, graded by feature 9", MANY),
}
"""Who grades: the feature whose scores are the grades, or None for people."""

SHOWN = "MAP at each threshold, and the measures; means over queries, with two standard errors"

OTHERS = [place for place, feature in enumerate(STRATEGIES) if feature not in (FEW, MANY)]
"""The strategies that are no virtual user's own."""

EQUAL_STEPS = "µMAP with equal steps"
"""The plain mean of average precision over a query's thresholds, without the distances of equation 4."""

PAPERS_FEATURES = 25
"""How many features the paper's release of OHSUMED has. LETOR 3.0 has 45, so an id may name another feature there."""


@dataclass(frozen=True, kw_only=True, eq=False)
class JudgedStrategies:
    """The strategies as one user grades the documents."""

    grades: FloatArray
    values: Mapping[str, FloatArray]
    """Each measure's values (strategies × queries with something relevant)."""
    thresholds: Thresholds
    precision: FloatArray
    """Average precision (strategies × thresholds)."""

    @classmethod
    def of(cls, data: FeatureTable, feature: int | None) -> JudgedStrategies:
        """The strategies judged by people, or by the scores of a feature."""
        scores = {s: data.matrix[:, s - 1].astype(np.float64) for s in STRATEGIES}
        grades = data.grades if feature is None else scores[feature]
        thresholds = Thresholds.of(grades, data.queries)
        precision = np.array([thresholds.precision(scores[s]) for s in STRATEGIES])
        values = {name: _values(data, grades, measure) for name, measure in {**MEASURES, **BESIDES}.items()}
        values[EQUAL_STEPS] = thresholds.mean(precision)
        return cls(grades=grades, values=values, thresholds=thresholds, precision=precision)

    @property
    def levels(self) -> FloatArray:
        """Every positive grade in use in the collection, rising."""
        return np.unique(self.grades[self.grades > 0])

    @property
    def at_levels(self) -> FloatArray:
        """Average precision at each level (strategies × queries × levels), NaN where no document reaches it."""
        return self.thresholds.at(self.precision, self.levels)

    @property
    def curves(self) -> pl.DataFrame:
        """MAP of each strategy at each level over the queries that reach it; strategies that rank alike are one row."""
        found, alike = self.at_levels, _alike(self.precision)
        n = (~np.isnan(found)).sum(axis=1)
        mean = np.nansum(found, axis=1) / n
        apart = np.nansum((found - mean[:, np.newaxis]) ** 2, axis=1)
        error = np.sqrt(ratio(apart, (n - 1.0) * n))
        columns = {"threshold": self.levels, "queries": n[0]}
        parts = [
            pl.DataFrame({**columns, "MAP": mean[first], "error": error[first]}).with_columns(feature=pl.lit(words))
            for words, first in alike.items()
        ]
        return pl.concat(parts).select("feature", "threshold", "MAP", "error", "queries").fill_nan(None)


def load(folder: Path) -> FeatureTable:
    """The documents of every file of a folder, or of its folder Feature-min."""
    inner = folder / "Feature-min"
    paths = sorted((inner if inner.is_dir() else folder).glob("*.txt"))
    if not paths:
        hint = "Give the folder of OHSUMED's raw features in LETOR 3.0: Feature-min."
        raise InputError("has no .txt files", path=folder, hint=hint)
    parts = [read_features(Source.of(path)) for path in paths]
    return FeatureTable(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def compare(data: FeatureTable) -> Measurements:
    """The three figures, how the measures change between the last two, and what the users' scores are like."""
    judged = {figure: JudgedStrategies.of(data, feature) for figure, (_, feature) in USERS.items()}
    numbers = dict([*_scores(data), *_thresholds(judged), *_own(judged), *_nearest(judged), *_changes(judged)])
    right = {figure: means(found.values, feature=STRATEGIES) for figure, found in judged.items()}
    left = {f"{figure}-thresholds": found.curves for figure, found in judged.items()}
    figures = {
        figure: partial(_draw, left[f"{figure}-thresholds"], right[figure], f"{words}: {SHOWN}")
        for figure, (words, _) in USERS.items()
    }
    return Measurements(numbers=numbers, tables={**right, **left}, figures=figures)


def _draw(left: pl.DataFrame, right: pl.DataFrame, title: str) -> plots.Chart:
    """The figure's two halves. A line between two thresholds would say nothing, so these have bars."""
    if left["threshold"].n_unique() > 2:
        at_thresholds = plots.line_panel(left, x="threshold", y="MAP", error="error", series="feature")
    else:
        at_thresholds = plots.bar_panel(left, x="feature", y="MAP", error="error", series="threshold")
    measures = plots.bar_panel(right, x="feature", y="mean", error="error", series="measure")
    return plots.beside(at_thresholds, measures, title=title)


def _values(data: FeatureTable, grades: FloatArray, measure: str) -> FloatArray:
    """A measure's values (strategies × queries), the mean over all orders of tied documents."""
    rows = [
        score_arrays(grades, data.matrix[:, s - 1], measure, qid=data.queries, dialect="papers", empty=LEAVE_OUT)
        for s in STRATEGIES
    ]
    found = np.array(rows)
    return np.asarray(found[:, ~np.isnan(found).any(axis=0)])


def _alike(precision: FloatArray) -> dict[str, int]:
    """The strategies' names, those with the same values together, and the first place of each."""
    groups: dict[bytes, list[int]] = {}
    for place, row in enumerate(precision.round(9)):
        groups.setdefault(row.tobytes(), []).append(place)
    return {", ".join(str(STRATEGIES[place]) for place in places): places[0] for places in groups.values()}


def _scores(data: FeatureTable) -> Iterator[tuple[str, Number]]:
    """How the users' scores are correlated, how many levels they have, and how often and how far apart those are."""
    few, many = (data.matrix[:, user - 1] for user in (FEW, MANY))
    levels, used = np.unique(many, return_counts=True)
    high, low = levels > levels[-1] / 2, (levels > 0) & (levels <= levels[-1] / 2)
    distances = np.diff(levels)
    yield "correlation of features 1 and 9", Number(value=float(np.corrcoef(few, many)[0, 1]))
    yield "feature 9: high scores used once", Number(value=float((used[high] == 1).sum()))
    yield (
        "feature 9: documents per low score against per high",
        Number(value=float(used[low].mean() / used[high].mean())),
    )
    yield (
        "feature 9: spread of the distances against their mean",
        Number(value=float(distances.std() / distances.mean())),
    )
    release = " of the release with 25 features" if data.matrix.shape[1] == PAPERS_FEATURES else ""
    yield f"levels of feature 1{release}", Number(value=float(len(np.unique(few))))
    yield f"levels of feature 9{release}", Number(value=float(len(levels)))


def _thresholds(judged: Mapping[str, JudgedStrategies]) -> Iterator[tuple[str, Number]]:
    """How far µMAP is from the mean of MAP over the thresholds, for the strategy with the greatest distance."""
    for figure in ("figure-6", "figure-7"):
        found = judged[figure]
        mean = np.nanmean(found.at_levels, axis=1).mean(axis=-1)
        apart = np.abs(found.values["µMAP"].mean(axis=-1) - mean).max()
        yield f"{figure}: µMAP and the mean of MAP, farthest apart", Number(value=float(apart))


def _own(judged: Mapping[str, JudgedStrategies]) -> Iterator[tuple[str, Number]]:
    for figure, feature in (("figure-7", FEW), ("figure-8", MANY)):
        own = [judged[figure].values[name][STRATEGIES.index(feature)].min() for name in MEASURES]
        yield f"feature {feature} by its own user, lowest value", Number(value=float(min(own)))


def _nearest(judged: Mapping[str, JudgedStrategies]) -> Iterator[tuple[str, Number]]:
    """How far feature 9 is above the best strategy that is no user's own, graded by feature 1."""
    nine = STRATEGIES.index(MANY)
    for name in MEASURES:
        lead = jackknife(judged["figure-7"].values[name], lambda m: np.asarray(m[nine] - m[OTHERS].max(axis=0)))
        yield f"figure-7: {name} of feature 9 less the next", lead


def _changes(judged: Mapping[str, JudgedStrategies]) -> Iterator[tuple[str, Number]]:
    """How the measures change from Figure 7 to Figure 8, over the strategies that are no user's own."""
    few, many = judged["figure-7"].values, judged["figure-8"].values
    change = {name: (many[name] - few[name])[OTHERS] for name in few}
    for name, found in change.items():
        yield f"{name} changes by", jackknife(found, lambda m: np.asarray(m.mean(axis=0)))
        yield f"{name} moves by", jackknife(found, _moved)
    for name in ("µMAP", "NDCNG"):
        both = np.stack([change[name], change["NDCG"]])
        yield f"{name} against NDCG", jackknife(both, lambda m: _moved(m[0]) / _moved(m[1]))
    both = np.stack([change[EQUAL_STEPS], change["µMAP"]])
    yield f"{EQUAL_STEPS} moves farther by", jackknife(both, lambda m: _moved(m[0]) - _moved(m[1]))
    users = many["NDCG"][STRATEGIES.index(FEW)] - few["NDCG"][STRATEGIES.index(MANY)]
    yield "NDCG of the other user's strategy changes by", jackknife(users[np.newaxis], lambda m: m[0])
    beyond = change["NDCG"].mean(axis=0) - users
    yield "NDCG of the rest changes further by", jackknife(beyond[np.newaxis], lambda m: m[0])


def _moved(means: FloatArray) -> FloatArray:
    """The absolute change of the means, averaged over the strategies."""
    return np.asarray(np.abs(means).mean(axis=0))
