"""LambdaMART: boosted trees that follow the swaps of a measure, grown by LightGBM."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from rankgauge.constraints import real_number, whole_number
from rankgauge.errors import MissingExtraError
from rankgauge.numeric import FloatArray
from rankgauge.training.lambdas import Lambdas
from rankgauge.training.objective import Objective
from rankgauge.training.parameters import parameter
from rankgauge.training.ranker import Ranker, Watch
from rankgauge.training.trees import BoostedTree, lightgbm_text, lightgbm_trees

try:
    import lightgbm
except ImportError:
    raise MissingExtraError("lightgbm", "ltr") from None

TOPS = 30
"""How many top documents form pairs if the measure has no cutoff, as in LightGBM."""

LEAST_SHARE, LEAST_MOST = 0.01, 50


class LambdaMART(Ranker):
    """Boosted trees of `leaves` leaves, each of at least `min_leaf` documents (by default a hundredth, at most 50).

    Each tree follows the slopes of the metric under the dialect: what a swap of two documents would change weighs
    their pair, and a query that the dialect gives one value whatever the order weighs nothing. It stops when
    `patience` trees in a row were not the best on the validation set, and keeps the trees up to the best. A share of
    the features and of the documents may be drawn for each tree; `penalty` is on the squares of leaves. Pairs have one
    document among the first `tops`, by default the metric's cutoff. Where the swaps of a metric have no closed form,
    `swaps` of each query are tried. NaN is a value of its own.

    Wu, Burges, Svore & Gao, Adapting boosting for information retrieval measures, Information Retrieval 2010; Ke et
    al., LightGBM, NIPS 2017.
    """

    name = "lambdamart"
    quick = {"trees": 10}
    keeps_nan = True

    trees: int = parameter(whole_number(), default=1000)
    leaves: int = parameter(whole_number(least=2), default=10)
    rate: float = parameter(real_number(positive=True), default=0.1)
    min_leaf: int | None = parameter(whole_number(optional=True), default=None)
    feature_share: float = parameter(real_number(positive=True, most=1.0), default=1.0)
    document_share: float = parameter(real_number(positive=True, most=1.0), default=1.0)
    penalty: float = parameter(real_number(), default=0.0)
    patience: int = parameter(whole_number(), default=50)
    tops: int | None = parameter(whole_number(optional=True), default=None)
    swaps: int = parameter(whole_number(), default=200)
    n_jobs: int = parameter(whole_number(), default=1)

    def _fit(self, train: Objective, validation: Objective | None, watch: Watch) -> None:
        rng, chosen = self._generator(), train.live & ~train.short
        self._grow(())
        if not chosen.any():
            return  # every order is as good as any other: all documents score 0
        tops = self.tops or train.measure.depth or TOPS
        lambdas = Lambdas(objective=train.chosen(chosen), tops=tops, most=self.swaps, rng=rng)
        documents = lambdas.objective.documents
        settings = self._settings(len(documents.grades), int(rng.integers(1 << 31)))
        data = lightgbm.Dataset(documents.matrix, documents.grades, params=settings).construct()
        if any(data.feature_num_bin(feature) > 1 for feature in range(data.num_feature())):
            if validation is None:
                held, value = data, lambda scores: train.completed(chosen, lambdas.objective.values(scores))
            else:
                held = data.create_valid(validation.documents.matrix, validation.documents.grades)
                value = validation.mean
            grown = self._grown(
                data, lambdas, (held, value), settings, self._watch_rounds(watch, validation is not None)
            )
            text = grown.model_to_string(num_iteration=self.best_round_)
            self._grow(lightgbm_trees(text, self.n_features_in_))

    def _grown(
        self,
        data: Any,
        lambdas: Lambdas,
        judge: tuple[Any, Callable[[FloatArray], float]],
        settings: dict[str, Any],
        watched: Callable[[Any], None],
    ) -> Any:
        held, value = judge
        return lightgbm.train(
            # A function: LightGBM would copy any other object, and all documents with it.
            {**settings, "objective": lambda scores, _: lambdas(scores)},
            data,
            num_boost_round=self.trees,
            valid_sets=[held],
            feval=lambda scores, _: ("value", value(scores), True),
            callbacks=[watched],
        )

    def _watch_rounds(self, watch: Watch, validated: bool) -> Callable[[Any], None]:
        """Reports each round; keeps the best by validation, or the last if there is no validation."""
        best = -np.inf

        def note(round_: Any) -> None:
            nonlocal best
            number, value = round_.iteration + 1, round_.evaluation_result_list[0][2]
            if not validated or self.best_round_ is None or value > best:
                best, self.best_round_ = value, number
            watch(number, self.trees, *((np.nan, value) if validated else (value, np.nan)))
            if number - self.best_round_ >= self.patience:
                raise lightgbm.callback.EarlyStopException(self.best_round_ - 1, round_.evaluation_result_list)

        return note

    def _settings(self, documents: int, seed: int) -> dict[str, Any]:
        least = self.min_leaf or int(np.clip(LEAST_SHARE * documents, 1, LEAST_MOST))
        return {
            "num_leaves": self.leaves,
            "learning_rate": self.rate,
            "min_data_in_leaf": least,
            "min_data_in_bin": min(least, 3),
            "feature_pre_filter": False,
            "feature_fraction": self.feature_share,
            "bagging_fraction": self.document_share,
            "bagging_freq": int(self.document_share < 1),
            "lambda_l2": self.penalty,
            "metric": "None",
            "seed": seed,
            "num_threads": self.n_jobs,
            "deterministic": True,
            "force_row_wise": True,
            "verbosity": -1,
        }

    def _grow(self, trees: tuple[BoostedTree, ...]) -> None:
        """Takes the trees, after fitting as after loading, so that scores agree to the last bit."""
        self.trees_ = trees
        self._model = lightgbm.Booster(model_str=lightgbm_text(trees, self.n_features_in_)) if trees else None

    def _scores(self, matrix: FloatArray) -> FloatArray:
        if self._model is None:
            return np.zeros(len(matrix))
        return np.asarray(self._model.predict(matrix, num_threads=self.n_jobs), dtype=np.float64)

    def _state(self) -> dict[str, Any]:
        return {"trees": [tree.state() for tree in self.trees_]}

    def _restore(self, state: Mapping[str, Any]) -> None:
        self._grow(tuple(BoostedTree.restored(tree, self.n_features_in_) for tree in state["trees"]))
