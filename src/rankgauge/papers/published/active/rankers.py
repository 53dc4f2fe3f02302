"""The rankers of the experiments: the scores they give a pool's documents, and their beliefs about the grades.

As in the paper, a ranker learns from one half of the training queries, and its parameters are those that do best on the
other half. The paper does not say by which measure; here it is ERR, which is what is estimated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np

from rankgauge import training
from rankgauge.demo import learning_rows
from rankgauge.labelling.beliefs import mixture, predict
from rankgauge.numeric import FloatArray
from rankgauge.papers.published.active.benchmark import SIZES, Split, first_queries, forest_of

LEAVES = (5, 20, 80)
PRIORS = (0.1, 1.0, 10.0)
COSTS = (1e-4, 1e-3, 1e-2)
"""What is tried on the validation queries: the least documents in a leaf, the width of the prior, RankSVM's C."""


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """A ranker of the registry, its parameters, and the share of the training queries that it learns from."""

    ranker: str
    parameters: Mapping[str, Any]
    grid: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    """The values that are tried for further parameters; the best on the validation queries are taken."""
    like: str | None = None
    """The recipe whose choices are taken over."""
    share: float = 1.0


def recipes(forest: Mapping[str, Any], *, seed: int, jobs: int) -> dict[str, Recipe]:
    """Return how each of the paper's rankers is trained."""
    grown, leaves = {**forest, "rng": seed, "n_jobs": jobs}, {"min_leaf": LEAVES}
    # Ordinal classification has a forest for each step of the scale: about as many trees in all.
    apart = {**grown, "trees": max(forest["trees"] // 4, 1)}
    return {
        "RF regression": Recipe(ranker="forest-regression", parameters=grown, grid=leaves),
        "RF classification": Recipe(ranker="forest-ordinal", parameters=apart, grid=leaves),
        "ordered logit": Recipe(ranker="ordered-logit", parameters={"rng": seed}, grid={"prior": PRIORS}),
        "RankSVM": Recipe(ranker="ranksvm", parameters={"rng": seed}, grid={"C": COSTS}),
        **{
            forest_of(share): Recipe(ranker="forest-regression", parameters=grown, like="RF regression", share=share)
            for share in SIZES[:-1]
        },
    }


@dataclass(frozen=True, kw_only=True, eq=False)
class Predictions:
    """The scores of each ranker for the pool's documents, and the beliefs of those that have some."""

    split: Split
    scale: FloatArray
    scores: Mapping[str, FloatArray]
    beliefs: Mapping[str, FloatArray]
    chosen: Mapping[str, Mapping[str, Any]]
    """The parameters that were chosen on the validation queries."""

    def mixture(self, *rankers: str) -> FloatArray:
        """Return the mixture of the rankers' beliefs; a ranker without beliefs, such as RankSVM, adds nothing."""
        return mixture(*(self.beliefs[name] for name in rankers if name in self.beliefs))


def train_and_predict(split: Split, recipes: Mapping[str, Recipe]) -> Predictions:
    """Train the rankers and applies them to the pool."""
    scale, held = np.unique(np.concatenate([split.train.grades, split.pool.grades])), split.validation
    scores, beliefs = {}, {}
    chosen: dict[str, dict[str, Any]] = {}
    for name, recipe in recipes.items():
        fixed = {**recipe.parameters, **({} if recipe.like is None else chosen[recipe.like])}
        train, trained = learning_rows(split.train, first_queries(split.train, recipe.share)), []
        for values in product(*recipe.grid.values()):
            choice = dict(zip(recipe.grid, values, strict=True))
            # A ranker that has nothing to choose keeps its own metric.
            judged = {"metric": f"ERR(max_grade={scale[-1]:g})"} if choice else {}
            model = training.get(recipe.ranker)(**{**fixed, **choice, **judged})
            model.fit(train.matrix, train.grades, qid=train.queries)
            value = 0.0 if held is None else model.score(held.matrix, held.grades, qid=held.queries)
            trained.append((value, model, choice))
        _, best, chosen[name] = max(trained, key=lambda one: one[0])
        if hasattr(best, "predict_proba"):
            beliefs[name] = predict(best, split.pool.matrix, scale)
            scores[name] = beliefs[name] @ scale
        else:
            scores[name] = best.predict(split.pool.matrix)
    return Predictions(split=split, scale=scale, scores=scores, beliefs=beliefs, chosen=chosen)
