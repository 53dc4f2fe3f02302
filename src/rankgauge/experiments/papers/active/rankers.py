"""The rankers of the experiments: the scores they give a pool's documents, and their beliefs about the grades."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankgauge import ltr
from rankgauge.active.beliefs import mixture, predict
from rankgauge.datasets import learning_rows
from rankgauge.experiments.papers.active.benchmark import Split
from rankgauge.io.formats.letor import Features
from rankgauge.numeric import FloatArray


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """A ranker of the registry, its parameters, and the share of the training queries that it learns from."""

    ranker: str
    parameters: Mapping[str, Any]
    share: float = 1.0


def recipes(forest: Mapping[str, Any], *, seed: int, jobs: int) -> dict[str, Recipe]:
    """How each of the paper's rankers is trained; the last one learns from half of the queries."""
    grown = {**forest, "rng": seed, "n_jobs": jobs}
    return {
        "RF regression": Recipe(ranker="forest-regression", parameters=grown),
        "RF classification": Recipe(ranker="forest-classification", parameters=grown),
        "ordered logit": Recipe(ranker="ordered-logit", parameters={"rng": seed}),
        "RankSVM": Recipe(ranker="ranksvm", parameters={"C": 1e-3, "rng": seed}),
        "RF regression, half": Recipe(ranker="forest-regression", parameters=grown, share=0.5),
    }


@dataclass(frozen=True, kw_only=True, eq=False)
class Predictions:
    """The scores of each ranker for the pool's documents, and the beliefs of those that have some."""

    split: Split
    scale: FloatArray
    scores: Mapping[str, FloatArray]
    beliefs: Mapping[str, FloatArray]

    def mixture(self, *rankers: str) -> FloatArray:
        """The mixture of the rankers' beliefs; a ranker without beliefs, such as RankSVM, adds nothing."""
        return mixture(*(self.beliefs[name] for name in rankers if name in self.beliefs))


def train_and_predict(split: Split, recipes: Mapping[str, Recipe]) -> Predictions:
    """Trains the rankers and applies them to the pool."""
    scale = np.unique(np.concatenate([split.train.grades, split.pool.grades]))
    scores, beliefs = {}, {}
    for name, recipe in recipes.items():
        train = _first(split.train, recipe.share)
        model = ltr.get(recipe.ranker)(**recipe.parameters).fit(train.matrix, train.grades, qid=train.queries)
        if hasattr(model, "predict_proba"):
            beliefs[name] = predict(model, split.pool.matrix, scale)
            scores[name] = beliefs[name] @ scale
        else:
            scores[name] = model.predict(split.pool.matrix)
    return Predictions(split=split, scale=scale, scores=scores, beliefs=beliefs)


def _first(data: Features, share: float) -> Features:
    """The documents of a share of the queries: the first ones."""
    queries = list(dict.fromkeys(data.queries))
    kept = np.isin(data.queries.astype(str), [str(query) for query in queries[: round(share * len(queries))]])
    return learning_rows(data, kept)
