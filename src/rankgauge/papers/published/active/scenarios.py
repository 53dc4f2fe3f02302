"""The paper's scenarios: which ranking is judged, or which two are compared, and with which beliefs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import polars as pl

from rankgauge.labelling.pool import Pool
from rankgauge.numeric import BoolArray, FloatArray
from rankgauge.papers.published.active.benchmark import SIZES, Split, forest_of

if TYPE_CHECKING:
    from rankgauge.papers.published.active.rankers import Predictions

ONE = {"Random Forest": "RF regression", "ordered logit": "ordered logit"}
"""The rankers of Figure 1, by the titles of the scenarios."""

PAIRS = {
    "RF regression − RF classification": ("RF regression", "RF classification"),
    "ordered logit − RankSVM": ("ordered logit", "RankSVM"),
    "ordered logit − Random Forest": ("ordered logit", "RF regression"),
}
"""The pairs of Figure 2."""

REMOVED = 0.1
"""The share of each list that the outdated index of Figure 3 lacks."""

DOCUMENTS = 200_000
"""The documents that the paper's larger forest learns from; all of ours take their place."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Scenario:
    """The scores of one or two rankers for a pool's documents (NaN: not retrieved), and the beliefs about grades."""

    title: str
    figure: str
    scores: tuple[FloatArray, ...]
    beliefs: FloatArray
    scale: FloatArray

    @property
    def pair(self) -> bool:
        """Whether two rankers are compared."""
        return len(self.scores) == 2


def scenarios(found: Predictions, seed: int) -> list[Scenario]:
    """All scenarios over budgets, in the order of the figures."""
    return [*one_ranker(found), *two_rankers(found), index_update(found, seed), training_size(found)]


def one_ranker(found: Predictions) -> Iterator[Scenario]:
    """Figure 1: how good one ranker is, with its own beliefs."""
    for title, ranker in ONE.items():
        yield _scenario(found, title, "figure-1", ranker)


def two_rankers(found: Predictions) -> Iterator[Scenario]:
    """Figure 2: which of two rankers is better, with the mixture of their beliefs.

    The paper mixes those of ordered logit and Random Forest; for the other pairs it does not say.
    """
    for title, pair in PAIRS.items():
        yield _scenario(found, title, "figure-2", *pair)


def index_update(found: Predictions, seed: int) -> Scenario:
    """Figure 3, left: the Random Forest's lists against those of an outdated index, which lacks a tenth of each."""
    now = _scenario(found, "index update", "figure-3", "RF regression")
    (scores,) = now.scores
    gone = lacking(found.split.pool.queries, np.random.default_rng([seed, 1]))
    return replace(now, scores=(scores, np.where(gone, np.nan, scores)))


def lacking(queries: npt.NDArray[Any], rng: np.random.Generator) -> BoolArray:
    """Which documents are removed at random: a tenth of each list, but never all of it.

    A tenth of n documents is rounded up or down at random so that it is a tenth on average.
    """
    _, place, sizes = np.unique(queries.astype(str), return_inverse=True, return_counts=True)
    count = np.minimum(np.floor(REMOVED * sizes + rng.random(len(sizes))), sizes - 1)
    order = np.lexsort((rng.random(len(place)), place))
    number = np.empty(len(place))
    number[order] = np.arange(len(place)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.asarray(number < count[place])


def training_size(found: Predictions) -> Scenario:
    """Figure 3, center: a Random Forest of all training documents against one of half of them.

    The paper has 200,000 documents against 100,000.
    """
    return _scenario(found, "training size", "figure-3", forest_of(1.0), forest_of(0.5))


def training_sizes(found: Predictions) -> dict[int, Scenario]:
    """Figure 3, right: forests of more documents against that of half of them; by the documents in the paper."""
    return {
        (size := round(share * DOCUMENTS)): _scenario(
            found, f"{size:,} documents", "figure-3-right", forest_of(share), forest_of(0.5)
        )
        for share in SIZES[1:]
    }


def _scenario(found: Predictions, title: str, figure: str, *rankers: str) -> Scenario:
    scores = tuple(found.scores[name] for name in rankers)
    return Scenario(title=title, figure=figure, scores=scores, beliefs=found.mixture(*rankers), scale=found.scale)


def pool_of(scenario: Scenario, split: Split, *, cost: str, depth: int | None = None) -> Pool:
    """The pool of a scenario, judged down to a depth, with costs in units of a query's mean cost."""
    names = ("score",) if not scenario.pair else ("score_1", "score_2")
    columns = {name: pl.Series(scores).fill_nan(None) for name, scores in zip(names, scenario.scores, strict=True)}
    frame = pl.DataFrame({"query": split.pool.queries, "document": split.pool.documents, **columns})
    if split.lengths is not None:
        frame = frame.with_columns(pl.Series("length", split.lengths))
    return Pool.of(frame, grades=scenario.scale, beliefs=scenario.beliefs, cost=cost, depth=depth).scaled()


def known_grades(pool: Pool, split: Split) -> FloatArray:
    """The true grades of the pool's documents."""
    known = split.pool
    return pool.find(pl.DataFrame({"query": known.queries, "document": known.documents, "grade": known.grades}))
