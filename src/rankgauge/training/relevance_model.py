"""The contract of a graded-relevance model: how likely each grade is for a document, whatever its query.

Such a model is a ranker too: its score is the grade that it expects.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np

from rankgauge.numeric import FloatArray, IndexArray
from rankgauge.training.objective import Objective
from rankgauge.training.parameters import learned
from rankgauge.training.ranker import Ranker, Watch


class RelevanceModel(Ranker):
    """A model of p(grade | document). After fit: `classes_`, the grades, ascending."""

    classes_: FloatArray = learned("classes")

    def fit(
        self, X: Any, y: Any = None, *, qid: Any = None, validation: Any = None, watch: Watch | None = None
    ) -> Self:
        """Learns from documents with features X and grades y, or from a LETOR file; queries do not matter."""
        alone = np.zeros(np.size(y)) if qid is None and y is not None else qid
        return super().fit(X, y, qid=alone, validation=validation, watch=watch)

    def predict_proba(self, X: Any) -> FloatArray:
        """How likely each grade is (documents × grades), in the order of `classes_`."""
        return self._probabilities(self._features(X))

    @abstractmethod
    def _learn(self, matrix: FloatArray, classes: IndexArray) -> None:
        """Learns from documents of these classes: places in `classes_`."""

    @abstractmethod
    def _probabilities(self, matrix: FloatArray) -> FloatArray:
        """How likely each grade is for documents with these features."""

    def _fit(self, train: Objective, validation: Objective | None, watch: Watch) -> None:
        # In the order of the input: what is learned must not depend on the queries.
        documents = train.documents
        rows = np.argsort(documents.place)
        self.classes_, classes = np.unique(documents.grades[rows], return_inverse=True)
        self._learn(documents.matrix[rows], classes)

    def _scores(self, matrix: FloatArray) -> FloatArray:
        return np.asarray(self._probabilities(matrix) @ self.classes_)
