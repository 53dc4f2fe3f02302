"""Random forests as graded-relevance models: the grades of a leaf's training documents give the odds of each grade.

Breiman, Random forests, Machine Learning 2001. Whether trees split by the variance of grades (regression) or by how
mixed they are (classification), a leaf holds a histogram of grades; a forest's belief is the mean over its trees.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from rankgauge.ltr.parameters import learned, parameter, real_number, whole_number
from rankgauge.ltr.relevance_model import RelevanceModel
from rankgauge.ltr.trees import Trees
from rankgauge.numeric import FloatArray, IndexArray


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

    trees_: Trees = learned()
    beliefs_: FloatArray = learned("beliefs")
    """How likely each grade is in each leaf (leaves × grades)."""

    grower: ClassVar[type[Any]]
    """The scikit-learn class that grows the trees."""

    def _learn(self, matrix: FloatArray, classes: IndexArray) -> None:
        grower = self.grower(
            n_estimators=self.trees,
            min_samples_leaf=self.min_leaf,
            max_features=self.share,
            random_state=int(self._generator().integers(1 << 31)),
            n_jobs=self.n_jobs,
        )
        single = matrix.astype(np.float32)
        grower.fit(single, self._targets(classes))
        self.trees_ = Trees.of([tree.tree_ for tree in grower.estimators_])
        counts = self._counts(grower, single, classes)
        shares = np.bincount(classes, minlength=len(self.classes_)) / len(classes)
        self.beliefs_ = (counts + self.smoothing * shares) / (counts.sum(axis=1, keepdims=True) + self.smoothing)

    @abstractmethod
    def _targets(self, classes: IndexArray) -> FloatArray | IndexArray:
        """What the trees are to predict."""

    @abstractmethod
    def _counts(self, grower: Any, matrix: Any, classes: IndexArray) -> FloatArray:
        """How many training documents of each grade are in each leaf."""

    def _probabilities(self, matrix: FloatArray) -> FloatArray:
        return self.trees_.mean(matrix, self.beliefs_)

    def _state(self) -> dict[str, Any]:
        return {**super()._state(), "trees": self.trees_.state()}

    def _restore(self, state: Mapping[str, Any]) -> None:
        super()._restore(state)
        self.trees_ = Trees.restored(state["trees"], self.n_features_in_)
        self.beliefs_ = self.beliefs_.reshape(int(self.trees_.is_leaf.sum()), len(self.classes_))
        if not np.isfinite(self.beliefs_).all():
            raise ValueError("a belief is not a number")


class ForestRegression(Forest):
    """A forest that splits by the variance of grades; every training document counts in the leaf that it ends in."""

    name = "forest-regression"
    grower = RandomForestRegressor

    def _targets(self, classes: IndexArray) -> FloatArray:
        return self.classes_[classes]

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

    def _targets(self, classes: IndexArray) -> IndexArray:
        return classes

    def _counts(self, grower: Any, matrix: Any, classes: IndexArray) -> FloatArray:
        trees = [tree.tree_ for tree in grower.estimators_]
        shares = np.concatenate([tree.value[:, 0, :] for tree in trees])
        seen = np.concatenate([tree.weighted_n_node_samples for tree in trees])
        return np.asarray((shares * seen[:, np.newaxis])[self.trees_.is_leaf])
