"""AdaRank's query weights, round by round, and its first coefficient: what empty and short queries do to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rankgauge.demo.folds import Fold
from rankgauge.numeric import BoolArray, FloatArray
from rankgauge.papers.claims import Number
from rankgauge.papers.experiment import Measurements
from rankgauge.papers.published.ndcg_tools.evaluators import READINGS, TITLES
from rankgauge.papers.published.ndcg_tools.training import METRIC
from rankgauge.render.plots import Panels

if TYPE_CHECKING:
    from rankgauge.training.rankers.adarank import Boosting

ROUNDS = 30
TRIES = 500
"""How many rounds AdaRank may try, including those it undoes."""
TOLERANCE = 0.002
DEPTH = 10

KINDS = ("no relevant document", "fewer than 10 documents, some relevant")


def measure(folds: tuple[Fold, ...]) -> Measurements:
    """Return the shares as a table and a figure, how much they change, and what short queries do to the coefficient."""
    shares = {reading: np.array([_shares(fold, reading) for fold in folds]) for reading in TITLES}
    frame = pl.concat(_frames(shares))
    panels = Panels(
        frame=frame, x="round", y="share", error="error", series="queries with", column="training", limits=(0.0, 1.0)
    )
    title = "AdaRank: share of the weight on some queries (bars: one standard error each way)"
    figures = {"figure-weights": partial(panels.draw, title)}
    ratio = _over_folds(np.array([coefficient_ratio(fold) for fold in folds]))
    numbers = {**dict(_numbers(shares)), "LETOR: first coefficient, with over without short queries": ratio}
    return Measurements(numbers=numbers, tables={"figure-weights": frame}, figures=figures)


def _shares(fold: Fold, reading: str) -> FloatArray:
    """Return the share of the weight on each kind of query (kinds × rounds from 0 on) while RankLib's AdaRank learns.

    If there are fewer than ROUNDS rounds, the last weights are repeated.
    """
    boosting = _boosting(fold, reading)
    documents = boosting.objective.documents
    empty = np.maximum.reduceat(documents.grades, documents.starts) <= 0
    kinds = np.array([empty, ~empty & (documents.sizes < DEPTH)])[:, boosting.counted]
    shares = [_split(np.full(kinds.shape[1], 1.0 / kinds.shape[1]), kinds)]
    rounds = islice(boosting.set_aside(TRIES, TOLERANCE), ROUNDS)
    shares += [_split(round_.shares, kinds) for round_ in rounds]
    return np.transpose(shares + [shares[-1]] * (ROUNDS + 1 - len(shares)))


def coefficient_ratio(fold: Fold) -> float:
    """Return AdaRank's first coefficient under LETOR's reading, as a share of the one without short queries.

    The coefficient is ½ ln(Σ P(1 + E) / Σ P(1 − E)), P a query's weight and E its value (Xu & Li 2007). A query of
    value 0 adds its weight to both sums, so it draws the coefficient towards 0. NaN if every query is short.
    """
    from rankgauge.training.rankers.adarank import SURE

    boosting = _boosting(fold, "letor")
    values = boosting.table[boosting.table.mean(axis=1).argmax()]
    long = (boosting.objective.documents.sizes >= DEPTH)[boosting.counted]
    if not long.any():
        return np.nan
    with_short, without = np.arctanh(np.minimum([values.mean(), values[long].mean()], SURE))
    return float(with_short / without)


def _boosting(fold: Fold, reading: str) -> Boosting:
    """Return the weak rankers of RankLib's AdaRank on all training queries of the fold."""
    from rankgauge.training import Documents, Objective
    from rankgauge.training.rankers.adarank import Boosting

    documents = Documents.of(fold.train.matrix, fold.train.grades, fold.train.queries)
    return Boosting.like_ranklib(Objective.of(documents, METRIC, READINGS[reading]))


def _numbers(shares: Mapping[str, FloatArray]) -> Iterator[tuple[str, Number]]:
    """Yield, for each reading, the weight of each kind of query at the beginning and at the end."""
    for reading, found in shares.items():
        for kind, of_kind in zip(("empty", "short"), np.moveaxis(found, 1, 0), strict=True):
            name = f"{TITLES[reading]}: {kind} queries' weight"
            yield f"{name}, beginning", _over_folds(of_kind[:, 0])
            yield f"{name}, after {ROUNDS} rounds", _over_folds(of_kind[:, -1])
            yield f"{name}, end over beginning", _over_folds(of_kind[:, -1] / of_kind[:, 0])


def _split(weights: FloatArray, kinds: BoolArray) -> FloatArray:
    return np.asarray((weights * kinds).sum(axis=1))


def _over_folds(values: FloatArray) -> Number:
    """Return the mean over the folds and its standard error."""
    return Number(value=float(values.mean()), error=float(values.std(ddof=1) / np.sqrt(len(values))))


def _frames(shares: Mapping[str, FloatArray]) -> Iterator[pl.DataFrame]:
    for reading, found in shares.items():
        for place, kind in enumerate(KINDS):
            numbers = [_over_folds(values) for values in found[:, place].T]
            columns = {
                "round": range(ROUNDS + 1),
                "share": [n.value for n in numbers],
                "error": [n.error for n in numbers],
            }
            named = (
                pl.lit(f"trained under the {TITLES[reading]} reading").alias("training"),
                pl.lit(kind).alias("queries with"),
            )
            yield pl.DataFrame(columns).select(*named, pl.all())
