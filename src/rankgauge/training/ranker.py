"""The contract of a ranker, and the registry that subclassing fills.

A ranker is one file: a scikit-learn estimator that declares its parameters and what it learns. `_fit` learns, `_scores`
scores documents.
"""

from __future__ import annotations

import inspect
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from os import PathLike, fspath
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np

from rankgauge import dialects, files
from rankgauge.dialects import Dialect
from rankgauge.errors import InputError, MissingExtraError, ParameterError
from rankgauge.files.output import writing
from rankgauge.measures import Measure, parse
from rankgauge.numeric import FloatArray, IndexArray
from rankgauge.registry import Registry
from rankgauge.training.documents import Documents, features, names_of
from rankgauge.training.objective import Objective
from rankgauge.training.parameters import Parametrised, learned, parameter

try:
    from sklearn.base import BaseEstimator
except ImportError:
    raise MissingExtraError("scikit-learn", "ltr") from None

FORMAT, VERSION = "rankgauge-ranker", 1

Watch: TypeAlias = Callable[[int, int, float, float], None]
"""Called after each round: its number, how many there are at most, the training and validation values (NaN: none)."""

RANKERS: Registry[type[Ranker]] = Registry("ranker", "rankgauge.training.rankers", lenient=True)


class Ranker(Parametrised, BaseEstimator, ABC):  # type: ignore[misc]  # scikit-learn has no types
    """A ranker of documents by their features, on the contract of scikit-learn's estimators.

    `metric`, computed under `dialect`, is what it optimises or stops early by; `rng` is a seed or a NumPy generator.
    After fit: `n_features_in_`, `curve_` (the values of each round), `best_round_`.
    """

    name: ClassVar[str]
    """What the command line and files call it."""
    quick: ClassVar[Mapping[str, Any]] = {}
    """Parameters that make it learn in a moment, for tests."""
    keeps_nan: ClassVar[bool] = False
    """Whether it treats a feature that is NaN as a value of its own; other rankers take it for 0."""

    # With metadata routing, pipelines and searches pass the queries on by default.
    __metadata_request__fit = {"qid": True}
    __metadata_request__score = {"qid": True}

    metric: str | Measure = parameter(default="nDCG@10")
    dialect: str | Dialect = parameter(default="standard")
    rng: int | np.random.Generator | None = parameter(default=0)

    n_features_in_: int = learned()
    curve_: list[dict[str, Any]] = learned()
    best_round_: int | None = learned()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if not inspect.isabstract(cls) and "name" in cls.__dict__:
            RANKERS.add(cls, cls.name)

    def fit(
        self, X: Any, y: Any = None, *, qid: Any = None, validation: Any = None, watch: Watch | None = None
    ) -> Self:
        """Learns from documents with features X, grades y and queries qid, or from a LETOR file.

        `validation` is (X, y, qid) or a LETOR file: the ranker uses it to stop early and to choose its parameters.
        `watch` is called after each round. Either may also be what `objective` gave.
        """
        self.check()
        train = X if isinstance(X, Objective) else self.objective(Documents.of(X, y, qid, nan=self.keeps_nan))
        width = train.documents.matrix.shape[1]
        held = None if validation is None else self._hold_out(validation, width)
        self.n_features_in_, self.curve_, self.best_round_ = width, [], None
        self._name_features(X)
        self._fit(train, held, self._note_rounds(watch))
        return self

    def predict(self, X: Any) -> FloatArray:
        """The scores of documents, in their order; a higher score ranks nearer to the top."""
        return self._scores(self._features(X))

    def score(self, X: Any, y: Any = None, *, qid: Any = None, sample_weight: None = None) -> float:
        """The mean of the metric under the dialect on graded documents.

        `sample_weight` is there because scikit-learn's pipelines pass it on; documents have no weights.
        """
        self._require_fitted()
        if sample_weight is not None:
            raise ParameterError(type(self).__name__, "sample_weight", "None: queries count alike", "weights")
        documents = Documents.of(X, y, qid, width=self.n_features_in_, nan=self.keeps_nan)
        self._require_names(X)
        return self.objective(documents).mean(self._scores(documents.matrix))

    def objective(self, documents: Documents) -> Objective:
        """What the ranker optimises: its metric on the documents, under its dialect."""
        return Objective.of(documents, self.metric, self.dialect)

    def check(self) -> None:
        """Raises an error for a parameter that makes no sense."""
        parse(self.metric)
        dialects.get(self.dialect)
        owner = type(self).__name__
        if not (self.rng is None or isinstance(self.rng, np.random.Generator | int | np.integer)):
            raise ParameterError(owner, "rng", "a whole number or a NumPy generator", self.rng)
        for name, constraint in self.constraints.items():
            constraint.check(owner, name, getattr(self, name))

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the ranker into a JSON file; `rankgauge.training.load` reads it back."""
        self._require_fitted()
        text = json.dumps(self._document(), ensure_ascii=False, separators=(",", ":"))
        with writing(fspath(path)) as file:
            file.write(text.encode() + b"\n")

    @abstractmethod
    def _fit(self, train: Objective, validation: Objective | None, watch: Watch) -> None:
        """Learns; what is learned becomes attributes that end in an underscore."""

    @abstractmethod
    def _scores(self, matrix: FloatArray) -> FloatArray:
        """The scores of documents with these features."""

    def _generator(self) -> np.random.Generator:
        return np.random.default_rng(self.rng)

    def _hold_out(self, validation: Any, width: int) -> Objective:
        if isinstance(validation, Objective):
            return validation
        if files.is_path(validation):
            return self.objective(Documents.of(validation, width=width, nan=self.keeps_nan))
        if not isinstance(validation, tuple | list) or len(validation) != 3:
            expected = "(X, y, qid) or the path of a LETOR file"
            raise ParameterError(type(self).__name__, "validation", expected, type(validation).__name__)
        return self.objective(Documents.of(*validation, width=width, nan=self.keeps_nan))

    def _note_rounds(self, watch: Watch | None) -> Watch:
        """Adds each round to the curve, and calls `watch`."""

        def note(round_: int, rounds: int, train: float, validation: float) -> None:
            values = {"train": train, "validation": validation}
            known = {name: None if np.isnan(value) else float(value) for name, value in values.items()}
            self.curve_.append({"round": int(round_), **known})
            if watch is not None:
                watch(round_, rounds, train, validation)

        return note

    def _features(self, X: Any) -> FloatArray:
        self._require_fitted()
        self._require_names(X)
        return features(X, width=self.n_features_in_, nan=self.keeps_nan)

    def _require_fitted(self) -> None:
        if not hasattr(self, "n_features_in_"):
            from sklearn.exceptions import NotFittedError

            raise NotFittedError(f"This {type(self).__name__} has not learned yet: call fit first.")

    def _name_features(self, X: Any) -> None:
        names = names_of(X)
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _require_names(self, X: Any) -> None:
        """Raises an error for a frame whose columns, or their order, are not those of training."""
        names, known = names_of(X), list(getattr(self, "feature_names_in_", ()))
        if names is None or not known or names == known or len(names) != len(known):
            return
        at = next(n for n, (one, other) in enumerate(zip(names, known, strict=True)) if one != other)
        raise InputError(
            f"column {at + 1} is called '{names[at]}', in training it was '{known[at]}'",
            hint="Give the same features, in the same order, as in training.",
        )

    def _document(self) -> dict[str, Any]:
        names = list(getattr(self, "feature_names_in_", ())) or None
        return {
            "format": FORMAT,
            "version": VERSION,
            "ranker": self.name,
            "parameters": {name: _write_parameter(value) for name, value in self.get_params(deep=False).items()},
            "features": self.n_features_in_,
            "names": names,
            "curve": self.curve_,
            "best_round": self.best_round_,
            "model": self._state(),
        }


def _write_parameter(value: Any) -> Any:
    """A parameter as the file has it; a generator becomes None, for no seed."""
    if isinstance(value, Dialect):
        return changed_dialect(value)
    if isinstance(value, Measure):
        return str(value)
    if isinstance(value, np.random.Generator):
        return None
    return value.item() if isinstance(value, np.generic) else value


def changed_dialect(dialect: Dialect) -> str | dict[str, Any]:
    """A dialect's name, along with what was changed in it, if anything."""
    known = dialects.get(dialect.name)
    changes = {f.name: getattr(dialect, f.name) for f in fields(dialect) if f.name != "providers"}
    changes = {name: value for name, value in changes.items() if value != getattr(known, name)}
    if not all(value is None or isinstance(value, str | int | float) for value in changes.values()):
        expected = "a registered dialect, or one with single choices changed, to be saved"
        raise ParameterError("Ranker", "dialect", expected, dialect.name)
    return {"name": dialect.name, **changes} if changes else dialect.name


def weighted(matrix: FloatArray, weights: FloatArray) -> FloatArray:
    """The weighted sum of each document's features; documents with the same features get the same score.

    A matrix product does not promise that: BLAS adds up rows in blocks, so the last bit of a sum may depend on the
    row's place, and ties would be broken arbitrarily.
    """
    return np.asarray(np.einsum("df,f->d", matrix, weights))


class LinearRanker(Ranker):
    """A ranker by a weighted sum of features, whose rounds propose weights. After fit: `weights_`."""

    weights_: FloatArray = learned("weights")

    def _keep_best(
        self, rounds: Iterable[tuple[int, FloatArray, float]], most: int, held: Objective | None, watch: Watch
    ) -> None:
        """Keeps the best weights: by their value on the validation documents, or in training if there are none.

        A round is its number, its weights and their value in training; there are at most `most`.
        """
        best = -np.inf
        for number, weights, trained in rounds:
            found = np.nan if held is None else held.mean(weighted(held.documents.matrix, weights))
            watch(number, most, trained, found)
            reached = trained if held is None else found
            if reached > best:
                self.weights_, self.best_round_, best = weights, number, reached

    def _scores(self, matrix: FloatArray) -> FloatArray:
        return weighted(matrix, self.weights_)


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
