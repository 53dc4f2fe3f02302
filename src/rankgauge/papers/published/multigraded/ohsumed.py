"""Figures 6 to 8: features of OHSUMED as ranking strategies, judged by people and by virtual users.

A virtual user is a strategy whose scores are the reference ratings, as they are: neither rounded nor put at equal
steps. TF of the title has few levels at equal steps; TF-IDF of the title has many at uneven ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from rankgauge.errors import InputError
from rankgauge.evaluation.arrays import score_arrays
from rankgauge.files.formats.letor import FeatureTable, read_features
from rankgauge.files.source import Source
from rankgauge.numeric import FloatArray, ratio
from rankgauge.papers.experiment import Measurements, Number, jackknife
from rankgauge.papers.published.multigraded.lists import BESIDES, MEASURES, means
from rankgauge.policies import LEAVE_OUT
from rankgauge.render import plots

FEW, MANY = "TF of the title", "TF-IDF of the title"
"""The virtual users."""

RELEASE = {
    FEW: 1,
    "IDF of the title": 5,
    MANY: 9,
    "TF of the abstract": 11,
    "IDF of the abstract": 15,
    "TF-IDF of the abstract": 19,
    "BM25 of both": 21,
    "log BM25 of both": 22,
}
"""The paper's eight strategies: what they are, and their ids in the release with 25 features, which the paper uses.

The paper names two of them. The others are inferred from the order of features in that release: ten of the title, ten
of the abstract, and five of both together, of which BM25 and its logarithm come first."""

FEATURES = 25
"""How many features that release has."""

LETOR3 = dict(zip(RELEASE, (1, 5, 9, 16, 20, 24, 41, 42), strict=True))
"""The same strategies in LETOR 3.0, which has 15 features of the title, 15 of the abstract and 15 of both."""

SAME_IDS = {FEW: 1, MANY: 9, **{f"feature {id_}": id_ for id_ in RELEASE.values() if id_ not in (1, 9)}}
"""What the paper's ids are in LETOR 3.0: only 1, 5 and 9 are the same features."""

USERS: Mapping[str, tuple[str, str | None]] = {
    "figure-6": ("OHSUMED, graded by people", None),
    "figure-7": (f"OHSUMED, graded by {FEW}", FEW),
    "figure-8": (f"OHSUMED, graded by {MANY}", MANY),
}
"""Who grades: the strategy whose scores are the grades, or None for people."""

SHOWN = "MAP at each threshold, and the measures; means over queries, with two standard errors"

EQUAL_STEPS = "µMAP with equal steps"
"""The plain mean of average precision over a query's thresholds, without the distances of equation 4."""


def at_thresholds(
    grades: FloatArray, queries: npt.NDArray[Any], scores: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the positive grades in use, rising; average precision at each of them (strategies × queries × levels), the
    mean over all orders of tied documents, NaN where no document of a query gets there; and its plain mean over the
    grades that each query with something relevant uses, whatever their distances.

    Between two grades in use nothing changes: what reaches the threshold is what reaches the next grade in use.
    """
    names, first = np.unique(queries, return_index=True)
    held = [np.flatnonzero(queries == name) for name in names[np.argsort(first)]]
    used = [np.unique(grades[documents][grades[documents] > 0]) for documents in held]
    # Every document once for each grade in use: whether it gets there.
    relevant = [(grades[documents] >= own[:, np.newaxis]).ravel() for documents, own in zip(held, used, strict=True)]
    copied = np.concatenate([np.tile(documents, len(own)) for documents, own in zip(held, used, strict=True)])
    ends = np.cumsum([len(own) for own in used])
    number = np.repeat(np.arange(ends[-1]), np.repeat([len(documents) for documents in held], list(map(len, used))))
    wanted = 1.0 * np.concatenate(relevant)
    settings: dict[str, Any] = {"qid": number, "ties": "expected"}
    precision = np.array([score_arrays(wanted, scored[copied], "AP(rel=1)", **settings) for scored in scores])
    levels = np.unique(np.concatenate(used))
    values = np.full((len(scores), len(held), len(levels)), np.nan)
    for query, (own, end) in enumerate(zip(used, ends, strict=True)):
        place = np.searchsorted(own, levels)
        values[:, query, place < len(own)] = precision[:, (end - len(own) + place)[place < len(own)]]
    mean = [precision[:, end - len(own) : end].mean(axis=1) for own, end in zip(used, ends, strict=True) if len(own)]
    return levels, values, np.transpose(mean)


@dataclass(frozen=True, kw_only=True, eq=False)
class JudgedStrategies:
    """The strategies as one user grades the documents."""

    names: tuple[str, ...]
    values: Mapping[str, FloatArray]
    """Each measure's values (strategies × queries with something relevant)."""
    levels: FloatArray
    """Every positive grade in use in the collection, rising."""
    precision: FloatArray
    """Average precision at each level (strategies × queries × levels), NaN where no document reaches it."""

    @classmethod
    def of(cls, data: FeatureTable, strategies: Mapping[str, int], user: str | None) -> JudgedStrategies:
        """Return the strategies, each with the number of its feature, as people or the scores of one of them grade."""
        names, scores = tuple(strategies), data.matrix.T[np.array([*strategies.values()]) - 1].astype(np.float64)
        grades = data.grades if user is None else scores[names.index(user)]
        levels, precision, equal_steps = at_thresholds(grades, data.queries, scores)
        values = {name: _values(data, grades, measure, scores) for name, measure in {**MEASURES, **BESIDES}.items()}
        return cls(names=names, values={**values, EQUAL_STEPS: equal_steps}, levels=levels, precision=precision)

    def of_strategy(self, measure: str, name: str) -> FloatArray:
        """Return a measure's values of the strategy, query by query."""
        return np.asarray(self.values[measure][self.names.index(name)])

    @property
    def curves(self) -> pl.DataFrame:
        """MAP of each strategy at each level over the queries that reach it; strategies that rank alike are one row."""
        n = (~np.isnan(self.precision)).sum(axis=1)
        mean = np.nansum(self.precision, axis=1) / n
        apart = np.nansum((self.precision - mean[:, np.newaxis]) ** 2, axis=1)
        error = np.sqrt(ratio(apart, (n - 1.0) * n))
        columns = {"threshold": self.levels, "queries": n[0]}
        parts = [
            pl.DataFrame({**columns, "MAP": mean[first], "error": error[first]}).with_columns(strategy=pl.lit(words))
            for words, first in _alike(self.names, self.precision).items()
        ]
        return pl.concat(parts).select("strategy", "threshold", "MAP", "error", "queries").fill_nan(None)


def load(folder: Path) -> FeatureTable:
    """Return the documents of every file of a folder, or of its folder Feature-min."""
    inner = folder / "Feature-min"
    paths = sorted((inner if inner.is_dir() else folder).glob("*.txt"))
    if not paths:
        hint = "Give the folder of OHSUMED's raw features in LETOR 3.0: Feature-min."
        raise InputError("has no .txt files", path=folder, hint=hint)
    parts = [read_features(Source.of(path)) for path in paths]
    return FeatureTable(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def compare(data: FeatureTable) -> Measurements:
    """Return the three figures, how the measures change between the last two, and what the users' scores are like.

    In LETOR 3.0 the strategies are those that the paper's ids meant in its own release. Figures and numbers of the
    features that have these ids in LETOR 3.0 are beside them.
    """
    scores = Measurements(numbers=dict(_scores(data)))
    if data.matrix.shape[1] == FEATURES:
        return scores | _compare(data, RELEASE)
    same_ids = _compare(data, SAME_IDS)
    numbers = {f"by id: {name}": number for name, number in same_ids.numbers.items()}
    tables = {f"{name}-by-id": table for name, table in same_ids.tables.items()}
    return scores | _compare(data, LETOR3) | Measurements(numbers=numbers, tables=tables)


def _compare(data: FeatureTable, strategies: Mapping[str, int]) -> Measurements:
    judged = {figure: JudgedStrategies.of(data, strategies, user) for figure, (_, user) in USERS.items()}
    outcome = Measurements(numbers=dict(_numbers(judged)))
    for figure, (words, _) in USERS.items():
        left, right = judged[figure].curves, means(judged[figure].values, strategy=judged[figure].names)
        draw = partial(_draw, left, right, f"{words}: {SHOWN}")
        tables = {figure: right, f"{figure}-thresholds": left}
        outcome |= Measurements(numbers={}, tables=tables, figures={figure: draw})
    return outcome


def _draw(left: pl.DataFrame, right: pl.DataFrame, title: str) -> plots.Chart:
    """Return the figure's two halves. A line between two thresholds would say nothing, so these have bars."""
    if left["threshold"].n_unique() > 2:
        at_thresholds = plots.line_panel(left, x="threshold", y="MAP", error="error", series="strategy")
    else:
        at_thresholds = plots.bar_panel(left, x="strategy", y="MAP", error="error", series="threshold")
    measures = plots.bar_panel(right, x="strategy", y="mean", error="error", series="measure")
    return plots.beside(at_thresholds, measures, title=title)


def _values(data: FeatureTable, grades: FloatArray, measure: str, scores: Iterable[FloatArray]) -> FloatArray:
    """Return a measure's values (strategies × queries), the mean over all orders of tied documents."""
    settings: dict[str, Any] = {"qid": data.queries, "dialect": "papers", "empty": LEAVE_OUT}
    values = np.array([score_arrays(grades, scored, measure, **settings) for scored in scores])
    return np.asarray(values[:, ~np.isnan(values).any(axis=0)])


def _alike(names: Sequence[str], precision: FloatArray) -> dict[str, int]:
    """Return the strategies' names, those with the same values together, and the first place of each."""
    groups: dict[bytes, list[int]] = {}
    for place, row in enumerate(precision.round(9)):
        groups.setdefault(row.tobytes(), []).append(place)
    return {", ".join(names[place] for place in places): places[0] for places in groups.values()}


def _scores(data: FeatureTable) -> Iterator[tuple[str, Number]]:
    """Yield how the users' scores correlate, how many levels they have, how often and how far apart these are."""
    few, many = (data.matrix[:, RELEASE[user] - 1] for user in (FEW, MANY))
    levels, used = np.unique(many, return_counts=True)
    high, low = levels > levels[-1] / 2, (levels > 0) & (levels <= levels[-1] / 2)
    distances = np.diff(levels)
    yield "correlation of TF and TF-IDF of the title", Number(value=float(np.corrcoef(few, many)[0, 1]))
    release = " of the release with 25 features" if data.matrix.shape[1] == FEATURES else ""
    facts = {
        "documents with the most frequent grade of people, share": np.unique(data.grades, return_counts=True)[1].max()
        / len(data.grades),
        f"{MANY}: high scores used once": (used[high] == 1).sum(),
        f"{MANY}: documents per low score against per high": used[low].mean() / used[high].mean(),
        f"{MANY}: spread of the distances against their mean": distances.std() / distances.mean(),
        f"levels of {FEW}{release}": len(np.unique(few)),
        f"levels of {MANY}{release}": len(levels),
    }
    yield from ((name, Number(value=float(fact))) for name, fact in facts.items())


def _numbers(judged: Mapping[str, JudgedStrategies]) -> Iterator[tuple[str, Number]]:
    """Yield how far µMAP is from the mean of MAP over the thresholds, for the strategy with the greatest distance; how
    far TF-IDF of the title is above the best strategy that is no user's own, graded by TF of the title; how the
    measures change from Figure 7 to Figure 8, over the strategies that are no user's own; and what users' own get."""
    few, many = judged["figure-7"], judged["figure-8"]
    for figure in ("figure-6", "figure-7"):
        mean = np.nanmean(judged[figure].precision, axis=1).mean(axis=-1)
        apart = np.abs(judged[figure].values["µMAP"].mean(axis=-1) - mean).max()
        yield f"{figure}: µMAP and the mean of MAP, farthest apart", Number(value=float(apart))
    others = [place for place, name in enumerate(few.names) if name not in (FEW, MANY)]
    place = few.names.index(MANY)
    for name in MEASURES:
        lead = jackknife(few.values[name], lambda m: np.asarray(m[place] - m[others].max(axis=0)))
        yield f"figure-7: {name} of {MANY} less the next", lead
    change = {name: (many.values[name] - few.values[name])[others] for name in few.values}
    for name, changed in change.items():
        yield f"{name} changes by", jackknife(changed, lambda m: np.asarray(m.mean(axis=0)))
        yield f"{name} moves by", jackknife(changed, _mean_change)
    for name in ("µMAP", "NDCNG"):
        both = np.stack([change[name], change["NDCG"]])
        yield f"{name} against NDCG", jackknife(both, lambda m: _mean_change(m[0]) / _mean_change(m[1]))
    both = np.stack([change[EQUAL_STEPS], change["µMAP"]])
    yield f"{EQUAL_STEPS} moves farther by", jackknife(both, lambda m: _mean_change(m[0]) - _mean_change(m[1]))
    users = many.of_strategy("NDCG", FEW) - few.of_strategy("NDCG", MANY)
    yield "NDCG of the other user's strategy changes by", jackknife(users[np.newaxis], lambda m: m[0])
    beyond = change["NDCG"].mean(axis=0) - users
    yield "NDCG of the rest changes further by", jackknife(beyond[np.newaxis], lambda m: m[0])
    alike = np.stack([many.of_strategy("NDCNG", FEW), few.of_strategy("NDCNG", MANY)])
    yield "NDCNG of the other user's strategy, the lower value", jackknife(alike, lambda m: np.asarray(m.min(axis=0)))
    for of_user, user in ((few, FEW), (many, MANY)):
        own = min(of_user.of_strategy(measure, user).min() for measure in MEASURES)
        yield f"{user} by its own user, lowest value", Number(value=float(own))


def _mean_change(means: FloatArray) -> FloatArray:
    """Return the absolute change of the means, averaged over the strategies."""
    return np.asarray(np.abs(means).mean(axis=0))
