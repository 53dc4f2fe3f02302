"""The contract of a ranker, and the registry that subclassing fills.

A ranker is one file: a scikit-learn estimator that declares its parameters and what it learns. `_fit` learns, `_scores`
scores documents.
"""

from __future__ import annotations

import inspect
import json
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from os import PathLike, fspath
from typing import Any, ClassVar, Literal, Self, TypeAlias, dataclass_transform

import numpy as np

from rankgauge import dialects, files
from rankgauge.constraints import Constraint
from rankgauge.dialects import Dialect
from rankgauge.errors import InputError, MissingExtraError, ParameterError, RankGaugeError
from rankgauge.files.output import writing
from rankgauge.files.source import Source
from rankgauge.measures import Measure, parse
from rankgauge.numeric import FloatArray, IndexArray
from rankgauge.registry import Registry
from rankgauge.training.documents import Documents, features, names_of
from rankgauge.training.objective import Objective

try:
    from sklearn.base import BaseEstimator
except ImportError:
    raise MissingExtraError("scikit-learn", "ltr") from None


def parameter(constraint: Constraint | None = None, *, default: Any) -> Any:
    """Return a parameter of the constructor, with its default and what it may be."""
    return field(default=default, metadata={} if constraint is None else {"constraint": constraint})


def learned_attribute(key: str | None = None, *, dtype: Any = np.float64, init: Literal[False] = False) -> Any:
    """Return an attribute that only learning sets; with a `key`, an array or a number of NumPy's that is saved."""
    return field(init=init, metadata={} if key is None else {"key": key, "dtype": dtype})


FORMAT, VERSION = "rankgauge-ranker", 1

Watch: TypeAlias = Callable[[int, int, float, float], None]
"""Called after each round: its number, how many there are at most, the training and validation values (NaN: none)."""

RANKERS: Registry[type[Ranker]] = Registry("ranker", "rankgauge.training.rankers", lenient=True)


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(parameter, learned_attribute))
@dataclass(kw_only=True, eq=False, repr=False)
class Ranker(BaseEstimator, ABC):  # type: ignore[misc]  # scikit-learn has no types
    """A ranker of documents by their features, on the contract of scikit-learn's estimators.

    The constructor is made from the parameters that a subclass declares, as that of a dataclass is; it only stores
    them. `fit` checks their values, and the command line reads them from a text.

    `metric`, computed under `dialect`, is what it optimises or stops early by; `rng` is a seed or a NumPy generator.
    After fit: `n_features_in_`, `curve_` (the values of each round), `best_round_`.
    """

    name: ClassVar[str]
    """What the command line and files call it."""
    quick: ClassVar[Mapping[str, Any]] = {}
    """Parameters that make it learn in a moment, for tests."""
    keeps_nan: ClassVar[bool] = False
    """Whether it treats a feature that is NaN as a value of its own; other rankers take it for 0."""
    constraints: ClassVar[Mapping[str, Constraint]] = {}
    """What each parameter of its own may be, by name."""
    saved: ClassVar[Mapping[str, tuple[str, Any]]] = {}
    """The key and the type of each array that is saved, by the attribute's name."""

    # With metadata routing, pipelines and searches pass the queries on by default.
    __metadata_request__fit = {"qid": True}
    __metadata_request__score = {"qid": True}

    metric: str | Measure = parameter(default="nDCG@10")
    dialect: str | Dialect = parameter(default="standard")
    rng: int | np.random.Generator | None = parameter(default=0)

    n_features_in_: int = learned_attribute()
    curve_: list[dict[str, Any]] = learned_attribute()
    best_round_: int | None = learned_attribute()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        declared = fields(dataclass(kw_only=True, eq=False, repr=False)(cls))
        cls.constraints = {f.name: f.metadata["constraint"] for f in declared if "constraint" in f.metadata}
        cls.saved = {f.name: (f.metadata["key"], f.metadata["dtype"]) for f in declared if "key" in f.metadata}
        if not inspect.isabstract(cls) and "name" in cls.__dict__:
            RANKERS.add(cls, cls.name)

    def fit(
        self, X: Any, y: Any = None, *, qid: Any = None, validation: Any = None, watch: Watch | None = None
    ) -> Self:
        """Learn from documents with features X, grades y and queries qid, or from a LETOR file.

        `validation` is (X, y, qid) or a LETOR file: the ranker uses it to stop early and to choose its parameters.
        `watch` is called after each round. Either may also be what `objective` gave.
        """
        self.check()
        train = X if isinstance(X, Objective) else self.objective(Documents.of(X, y, qid, nan=self.keeps_nan))
        width, held = train.documents.matrix.shape[1], validation
        if validation is not None and not isinstance(validation, Objective):
            given = (validation,) if files.is_path(validation) else validation
            if not isinstance(given, tuple | list) or len(given) not in (1, 3):
                expected = "(X, y, qid) or the path of a LETOR file"
                raise ParameterError(type(self).__name__, "validation", expected, type(validation).__name__)
            held = self.objective(Documents.of(*given, width=width, nan=self.keeps_nan))
        self.n_features_in_, self.curve_, self.best_round_ = width, [], None
        names = names_of(X)
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

        def note(round_: int, rounds: int, train: float, validation: float) -> None:
            values = {"train": train, "validation": validation}
            known = {name: None if np.isnan(value) else float(value) for name, value in values.items()}
            self.curve_.append({"round": int(round_), **known})
            if watch is not None:
                watch(round_, rounds, train, validation)

        self._fit(train, held, note)
        return self

    def predict(self, X: Any) -> FloatArray:
        """Return the scores of documents, in their order; a higher score ranks nearer to the top."""
        return self._scores(self._features(X))

    def score(self, X: Any, y: Any = None, *, qid: Any = None, sample_weight: None = None) -> float:
        """Return the mean of the metric under the dialect on graded documents.

        `sample_weight` is there because scikit-learn's pipelines pass it on; documents have no weights.
        """
        self._require_fitted()
        if sample_weight is not None:
            raise ParameterError(type(self).__name__, "sample_weight", "None: queries count alike", "weights")
        documents = Documents.of(X, y, qid, width=self.n_features_in_, nan=self.keeps_nan)
        self._require_names(X)
        return self.objective(documents).mean(self._scores(documents.matrix))

    def objective(self, documents: Documents) -> Objective:
        """Return what the ranker optimises: its metric on the documents, under its dialect."""
        return Objective.of(documents, self.metric, self.dialect)

    def check(self) -> None:
        """Raise an error for a parameter that makes no sense."""
        parse(self.metric)
        dialects.get(self.dialect)
        owner = type(self).__name__
        if not (self.rng is None or isinstance(self.rng, np.random.Generator | int | np.integer)):
            raise ParameterError(owner, "rng", "a whole number or a NumPy generator", self.rng)
        for name, constraint in self.constraints.items():
            constraint.check(owner, name, getattr(self, name))

    def save(self, path: str | PathLike[str]) -> None:
        """Write the ranker into a JSON file; `rankgauge.training.load` reads it back."""
        self._require_fitted()
        document = {
            "format": FORMAT,
            "version": VERSION,
            "ranker": self.name,
            "parameters": {name: _write_parameter(value) for name, value in self.get_params(deep=False).items()},
            "features": self.n_features_in_,
            "names": list(getattr(self, "feature_names_in_", ())) or None,
            "curve": self.curve_,
            "best_round": self.best_round_,
            "model": self._state(),
        }
        text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
        with writing(fspath(path)) as file:
            file.write(text.encode() + b"\n")

    @property
    def own_parameters(self) -> dict[str, Any]:
        """Its parameters that have a constraint, sorted by name."""
        return {name: getattr(self, name) for name in sorted(self.constraints)}

    @abstractmethod
    def _fit(self, train: Objective, validation: Objective | None, watch: Watch) -> None:
        """Learns; what is learned becomes attributes that end in an underscore."""

    @abstractmethod
    def _scores(self, matrix: FloatArray) -> FloatArray:
        """Return the scores of documents with these features."""

    def _state(self) -> dict[str, Any]:
        """Return what was learned, as lists, numbers and strings: by default the arrays that have a key."""
        return {key: getattr(self, name).tolist() for name, (key, _) in self.saved.items()}

    def _restore(self, state: Mapping[str, Any]) -> None:
        """Take back what `_state` gave."""
        for name, (key, dtype) in self.saved.items():
            setattr(self, name, np.array(state[key], dtype=dtype)[()])  # a number stays one

    def _generator(self) -> np.random.Generator:
        return np.random.default_rng(self.rng)

    def _features(self, X: Any) -> FloatArray:
        self._require_fitted()
        self._require_names(X)
        return features(X, width=self.n_features_in_, nan=self.keeps_nan)

    def _require_fitted(self) -> None:
        if not hasattr(self, "n_features_in_"):
            from sklearn.exceptions import NotFittedError

            raise NotFittedError(f"This {type(self).__name__} has not learned yet: call fit first.")

    def _require_names(self, X: Any) -> None:
        """Raise an error for a frame whose columns, or their order, are not those of training."""
        names, known = names_of(X) or [], list(getattr(self, "feature_names_in_", ()))
        for at, (one, other) in enumerate(zip(names, known, strict=True) if len(names) == len(known) else ()):
            if one != other:
                hint = "Give the same features, in the same order, as in training."
                raise InputError(f"column {at + 1} is called '{one}', in training it was '{other}'", hint=hint)


def _write_parameter(value: Any) -> Any:
    """Return a parameter as the file has it; a generator becomes None, for no seed."""
    if isinstance(value, Dialect):
        return changed_dialect(value)
    if isinstance(value, Measure):
        return str(value)
    if isinstance(value, np.random.Generator):
        return None
    return value.item() if isinstance(value, np.generic) else value


def changed_dialect(dialect: Dialect) -> str | dict[str, Any]:
    """Return a dialect's name, along with what was changed in it, if anything."""
    known = dialects.get(dialect.name)
    changes = {f.name: getattr(dialect, f.name) for f in fields(dialect) if f.name != "providers"}
    changes = {name: value for name, value in changes.items() if value != getattr(known, name)}
    if not all(value is None or isinstance(value, str | int | float) for value in changes.values()):
        expected = "a registered dialect, or one with single choices changed, to be saved"
        raise ParameterError("Ranker", "dialect", expected, dialect.name)
    return {"name": dialect.name, **changes} if changes else dialect.name


def weigh_features(matrix: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the weighted sum of each document's features; documents with the same features get the same score.

    A matrix product does not promise that: BLAS adds up rows in blocks, so the last bit of a sum may depend on the
    row's place, and ties would be broken arbitrarily.
    """
    return np.asarray(np.einsum("df,f->d", matrix, weights))


@dataclass(frozen=True, kw_only=True, eq=False)
class WeightedRound:
    """A round of a linear ranker: its number, its weights and their value in training."""

    number: int = 0
    weights: FloatArray
    value: float


class LinearRanker(Ranker):
    """A ranker by a weighted sum of features, whose rounds propose weights. After fit: `weights_`."""

    weights_: FloatArray = learned_attribute("weights")

    def _keep_best(self, rounds: Iterable[WeightedRound], most: int, held: Objective | None, watch: Watch) -> None:
        """Keep the best weights of at most `most` rounds: by the validation documents, or in training without any."""
        best = -np.inf
        for one in rounds:
            checked = np.nan if held is None else held.mean(weigh_features(held.documents.matrix, one.weights))
            watch(one.number, most, one.value, checked)
            reached = one.value if held is None else checked
            if self.best_round_ is None or reached > best:  # a first round stays even if nothing can be measured
                self.weights_, self.best_round_, best = one.weights, one.number, reached

    def _scores(self, matrix: FloatArray) -> FloatArray:
        return weigh_features(matrix, self.weights_)


class RelevanceModel(Ranker):
    """A model of p(grade | document). After fit: `classes_`, the grades, ascending."""

    classes_: FloatArray = learned_attribute("classes")

    def fit(
        self, X: Any, y: Any = None, *, qid: Any = None, validation: Any = None, watch: Watch | None = None
    ) -> Self:
        """Learn from documents with features X and grades y, or from a LETOR file; queries do not matter."""
        alone = np.zeros(np.size(y)) if qid is None and y is not None else qid
        return super().fit(X, y, qid=alone, validation=validation, watch=watch)

    def predict_proba(self, X: Any) -> FloatArray:
        """Return how likely each grade is (documents × grades), in the order of `classes_`."""
        return self._probabilities(self._features(X))

    @abstractmethod
    def _learn(self, matrix: FloatArray, classes: IndexArray) -> None:
        """Learn from documents of these classes: places in `classes_`."""

    @abstractmethod
    def _probabilities(self, matrix: FloatArray) -> FloatArray:
        """Return how likely each grade is for documents with these features."""

    def _fit(self, train: Objective, validation: Objective | None, watch: Watch) -> None:
        # In the order of the input: what is learned must not depend on the queries.
        documents = train.documents
        rows = np.argsort(documents.place)
        self.classes_, classes = np.unique(documents.grades[rows], return_inverse=True)
        self._learn(documents.matrix[rows], classes)

    def _scores(self, matrix: FloatArray) -> FloatArray:
        return np.asarray(self._probabilities(matrix) @ self.classes_)


MAKE = "Make a ranker's file: rankgauge train … -o model.json"
"""What to do where a file holds no ranker."""

MOST_FEATURES = 1_000_000
"""More than any data set has, but few enough for memory."""


def load(path: str | PathLike[str]) -> Ranker:
    """Return the ranker in a file; it predicts exactly what the saved ranker did."""
    path = fspath(path)
    try:
        document = json.loads(Source.of(path).read())
    except UnicodeDecodeError:
        raise InputError("is not a text file; a ranker's JSON file was expected", path=path, hint=MAKE) from None
    except json.JSONDecodeError as error:
        raise InputError(f"is not JSON: {error.msg}", path=path, line=error.lineno, hint=MAKE) from None
    except ValueError as error:  # a number of thousands of digits
        raise InputError(f"is not JSON: {error}", path=path) from None
    except RecursionError:
        raise InputError("is nested too deeply for a ranker's file", path=path) from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise InputError("is not a ranker's file", path=path, hint=MAKE)
    if document.get("version") != VERSION:
        problem = f"has version {document.get('version')} of the format; this program reads version {VERSION}"
        hint = "Use the release of rankgauge that wrote it, or train again."
        raise InputError(problem, path=path, hint=hint)
    try:
        return _ranker(document)
    except RankGaugeError as error:
        raise InputError(f"the ranker in it cannot be made: {error}", path=path) from None
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
        raise InputError(f"the ranker in it is damaged: {type(error).__name__}: {error}", path=path) from None


def _ranker(document: Mapping[str, Any]) -> Ranker:
    parameters: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in document["parameters"].items()
    }
    if isinstance(parameters.get("dialect"), dict):
        changed = dict(parameters["dialect"])
        parameters["dialect"] = dialects.get(changed.pop("name")).changed(**changed)
    if isinstance(parameters.get("n_jobs"), int):  # a file must not decide how many threads run
        parameters["n_jobs"] = min(parameters["n_jobs"], os.cpu_count() or 1)
    ranker = RANKERS.find(document["ranker"])(**parameters)
    ranker.check()
    ranker.n_features_in_ = int(document["features"])
    if not 0 < ranker.n_features_in_ <= MOST_FEATURES:
        raise ValueError(f"{ranker.n_features_in_} features")
    ranker.curve_, ranker.best_round_ = (
        [dict(point) for point in document.get("curve") or []],
        document.get("best_round"),
    )
    if names := document.get("names"):
        if len(names) != ranker.n_features_in_:
            raise ValueError(f"{len(names)} names of {ranker.n_features_in_} features")
        ranker.feature_names_in_ = np.array(names, dtype=object)
    ranker._restore(document["model"])
    # If it cannot score a document, its numbers do not fit together.
    with np.errstate(divide="raise", invalid="raise"):
        scores = ranker.predict(np.zeros((1, ranker.n_features_in_)))
    if not np.isfinite(scores).all():
        raise ValueError("a score is not a number")
    return ranker
