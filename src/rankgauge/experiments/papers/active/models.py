"""The rankers of the experiments: what they say of a pool's documents, and what they believe of their grades."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankgauge import ltr
from rankgauge.active.beliefs import mixture, predict
from rankgauge.datasets import learning_rows
from rankgauge.experiments.papers.active.material import Split
from rankgauge.io.formats.letor import Features
from rankgauge.numeric import FloatArray

__all__ = ["RANKERS", "Opinions", "Recipe", "consult", "recipes"]


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """A ranker of the registry, its parameters, and the share of the training queries that it sees."""

    ranker: str
    parameters: Mapping[str, Any]
    share: float = 1.0


RANKERS = ("RF regression", "RF classification", "ordered logit", "RankSVM", "RF regression, half")
"""The paper's rankers. The last one has half of the training data."""


def recipes(forest: Mapping[str, Any], *, seed: int, jobs: int) -> dict[str, Recipe]:
    """How each of the paper's rankers is trained."""
    grown = {**forest, "rng": seed, "n_jobs": jobs}
    return {
        "RF regression": Recipe(ranker="forest-regression", parameters=grown),
        "RF classification": Recipe(ranker="forest-classification", parameters=grown),
        "ordered logit": Recipe(ranker="ordered-logit", parameters={"rng": seed}),
        "RankSVM": Recipe(ranker="ranksvm", parameters={"C": 1e-3, "rng": seed}),
        "RF regression, half": Recipe(ranker="forest-regression", parameters=grown, share=0.5),
    }


@dataclass(frozen=True, kw_only=True, eq=False)
class Opinions:
    """The scores of each ranker for the pool's documents, and the beliefs of those that have some."""

    split: Split
    scale: FloatArray
    scores: Mapping[str, FloatArray]
    beliefs: Mapping[str, FloatArray]

    def believed(self, *rankers: str) -> FloatArray:
        """The mixture of the rankers' beliefs; a ranker without any, as RankSVM is, adds nothing."""
        return mixture(*(self.beliefs[name] for name in rankers if name in self.beliefs))


def consult(split: Split, recipes: Mapping[str, Recipe]) -> Opinions:
    """Trains the rankers and asks them about the pool."""
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
    return Opinions(split=split, scale=scale, scores=scores, beliefs=beliefs)


def _first(data: Features, share: float) -> Features:
    """The documents of the first queries of the set."""
    queries = list(dict.fromkeys(data.queries))
    kept = np.isin(data.queries.astype(str), [str(query) for query in queries[: round(share * len(queries))]])
    return learning_rows(data, kept)
