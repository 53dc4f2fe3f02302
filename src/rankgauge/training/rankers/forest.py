"""Random forests as graded-relevance models: the grades of a leaf's training documents give the odds of each grade.

Breiman, Random forests, Machine Learning 2001. Whether trees split by the variance of grades (regression) or by how
mixed they are (classification), a leaf holds a histogram of grades; a forest's belief is the mean over its trees. The
ordinal forests are those of Li, Wu & Burges, McRank, NeurIPS 2007, and of Mohan, Chen & Weinberger, Web-search ranking
with initialized gradient boosted regression trees, JMLR Workshop 14, 2011.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from rankgauge.constraints import real_number, whole_number
from rankgauge.numeric import FloatArray, IndexArray
from rankgauge.training.ranker import RelevanceModel, learned_attribute, parameter
from rankgauge.training.trees import Trees

LEAST = 1e-3
"""The least belief of ordinal forests: no grade is impossible."""


class Forest(RelevanceModel):
    """A forest of `trees`, with at least `min_leaf` documents in a leaf, and a `share` of the features at each split.

    To each leaf `smoothing` documents are added, whose grades are those of all training documents: no grade is
    impossible.
    """

    quick = {"trees": 10}

    trees: int = parameter(whole_number(), default=100)
    min_leaf: int = parameter(whole_number(), default=5)
    share: float = parameter(real_number(positive=True, most=1.0), default=0.3)
    smoothing: float = parameter(real_number(), default=1.0)
    n_jobs: int = parameter(whole_number(), default=1)

    trees_: Trees = learned_attribute()
    beliefs_: FloatArray = learned_attribute("beliefs")
    """How likely each grade is in each leaf (leaves × grades)."""

    grower: ClassVar[type[Any]]
    """The scikit-learn class that grows the trees."""

    def _learn(self, matrix: FloatArray, classes: IndexArray) -> None:
        single = matrix.astype(np.float32)
        targets = self.classes_[classes] if self.grower is RandomForestRegressor else classes
        grower = self._grow(single, targets, self._generator())
        self.trees_ = Trees.of([tree.tree_ for tree in grower.estimators_])
        self.beliefs_ = self._smooth(self._counts(grower, single, classes), classes)

    def _grow(self, matrix: Any, targets: FloatArray | IndexArray, rng: np.random.Generator) -> Any:
        grower = self.grower(
            n_estimators=self.trees,
            min_samples_leaf=self.min_leaf,
            max_features=self.share,
            random_state=int(rng.integers(1 << 31)),
            n_jobs=self.n_jobs,
        )
        return grower.fit(matrix, targets)

    def _smooth(self, counts: FloatArray, classes: IndexArray) -> FloatArray:
        """Return the shares of the grades in each leaf, with the documents that smoothing adds."""
        shares = np.bincount(classes, minlength=len(self.classes_)) / len(classes)
        return np.asarray((counts + self.smoothing * shares) / (counts.sum(axis=1, keepdims=True) + self.smoothing))

    @abstractmethod
    def _counts(self, grower: Any, matrix: Any, classes: IndexArray) -> FloatArray:
        """Return how many training documents of each grade are in each leaf."""

    def _probabilities(self, matrix: FloatArray) -> FloatArray:
        return self.trees_.mean(matrix, self.beliefs_)

    def _state(self) -> dict[str, Any]:
        return {**super()._state(), "trees": self.trees_.state()}

    def _restore(self, state: Mapping[str, Any]) -> None:
        super()._restore(state)
        self.trees_ = Trees.restore(state["trees"], self.n_features_in_)
        self.beliefs_ = self.beliefs_.reshape(int(self.trees_.is_leaf.sum()), len(self.classes_))
        if not np.isfinite(self.beliefs_).all():
            raise ValueError("a belief is not a number")


class ForestRegression(Forest):
    """A forest that splits by the variance of grades; every training document counts in the leaf that it ends in."""

    name = "forest-regression"
    grower = RandomForestRegressor

    def _counts(self, grower: Any, matrix: Any, classes: IndexArray) -> FloatArray:
        grades = len(self.classes_)
        counts = np.zeros(int(self.trees_.is_leaf.sum()) * grades)
        for rows, leaves in self.trees_.leaves(matrix):
            np.add.at(counts, leaves * grades + classes[rows], 1.0)
        return counts.reshape(-1, grades)


class ForestClassification(Forest):
    """A forest that splits by how mixed grades are; the documents that a tree was grown from count in its leaves.

    Without smoothing its beliefs are `predict_proba` of scikit-learn's classifier.
    """

    name = "forest-classification"
    grower = RandomForestClassifier

    def _counts(self, grower: Any, matrix: Any, classes: IndexArray) -> FloatArray:
        trees = [tree.tree_ for tree in grower.estimators_]
        shares = np.concatenate([tree.value[:, 0, :] for tree in trees])
        seen = np.concatenate([tree.weighted_n_node_samples for tree in trees])
        return np.asarray((shares * seen[:, np.newaxis])[self.trees_.is_leaf])


class ForestOrdinal(ForestRegression):
    """A forest of `trees` for each grade but the lowest: how likely is it, or a higher one? Differences are beliefs.

    The forests are grown apart, so that a difference may be below 0. It then counts as a thousandth.
    """

    name = "forest-ordinal"

    def _learn(self, matrix: FloatArray, classes: IndexArray) -> None:
        single, rng, grades = matrix.astype(np.float32), self._generator(), len(self.classes_)
        steps = range(1, max(grades, 2))  # with one grade, there is one forest, in which no document has a second one
        grown = [self._grow(single, (classes >= step).astype(float), rng) for step in steps]
        trees = [tree.tree_ for forest in grown for tree in forest.estimators_]
        self.trees_ = Trees.of(trees)
        step = np.repeat(np.repeat(steps, self.trees), [tree.n_leaves for tree in trees])
        shares = self._smooth(self._counts(None, single, classes), classes)
        reached = np.where(np.arange(grades) >= step[:, np.newaxis], shares, 0.0).sum(axis=1)
        # p(c) = P(≥ c) − P(≥ c + 1) is linear: a leaf moves its chance from the grade below the step to the step. Means
        # are over the trees of all steps, and each step has only its own.
        unit = np.eye(grades)
        moved = unit[np.minimum(step, grades - 1)] - unit[step - 1]
        self.beliefs_ = unit[0] + len(steps) * reached[:, np.newaxis] * moved

    def _probabilities(self, matrix: FloatArray) -> FloatArray:
        beliefs = np.maximum(super()._probabilities(matrix), LEAST)
        return np.asarray(beliefs / beliefs.sum(axis=1, keepdims=True))
