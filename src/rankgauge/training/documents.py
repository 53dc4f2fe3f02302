"""Documents: what a ranker learns from, with each query's documents together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from os import fspath
from typing import Any, TypeAlias

import numpy as np

from rankgauge import files
from rankgauge.errors import InputError
from rankgauge.files import Reading
from rankgauge.files.formats.letor import FeatureTable, read_features
from rankgauge.files.source import Source
from rankgauge.numeric import BoolArray, FloatArray, Grouped, IndexArray
from rankgauge.policies import Duplicates

Given: TypeAlias = Any
"""An array, a polars or pandas frame, a sparse matrix, the path of a LETOR file, or documents."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Documents(Grouped):
    """Graded documents with their features, sorted by query; queries are in the order of their first documents."""

    matrix: FloatArray
    """The features (documents × features)."""
    grades: FloatArray
    sizes: IndexArray
    """How many documents each query has."""
    place: IndexArray
    """The row of the input that each document comes from."""

    @classmethod
    def of(cls, X: Given, y: Any = None, qid: Any = None, *, width: int | None = None, nan: bool = False) -> Documents:
        """Return the documents of arrays, frames or a LETOR file; `width` is the expected number of features.

        A feature that is NaN becomes 0, like one that is missing from a line of a LETOR file, unless `nan` keeps it.
        """
        path = fspath(X) if files.is_path(X) else None
        if path is not None:
            rows = read(path)
            X, y, qid = widen(rows.matrix, width), rows.grades, rows.queries
        matrix = _check(X, width=width, nan=nan, path=path)
        if y is None:
            raise InputError("documents without grades", hint="Give a grade for each document: fit(X, y, qid=…).")
        if qid is None:
            hint = "Say which query each document is for: fit(X, y, qid=…)."
            raise InputError("documents without queries", hint=hint)
        grades, names = _numbers(y, "grades").reshape(-1), np.asarray(qid).reshape(-1)
        for given, what, one in ((grades, "grades", "grade"), (names, "query ids", "qid")):
            if len(given) != len(matrix):
                hint = f"Give one {one} for each document."
                raise InputError(f"{len(given)} {what} for {len(matrix)} documents", hint=hint)
        if not np.isfinite(grades).all():
            row = int(np.flatnonzero(~np.isfinite(grades))[0])
            raise InputError(f"the grade of document {row + 1} is {grades[row]}", hint="Leave out ungraded documents.")
        names = names.astype(str) if names.dtype == object else names
        _, first, codes = np.unique(names, return_index=True, return_inverse=True)
        query = np.argsort(np.argsort(first))[codes.reshape(-1)]  # in the order of first appearance
        place = np.argsort(query, kind="stable")
        return cls(matrix=matrix[place], grades=grades[place], sizes=np.bincount(query), place=place)

    @cached_property
    def spread(self) -> FloatArray:
        """How much each feature varies within queries (root mean square); 0 for one that cannot change an order."""
        means = np.add.reduceat(self.matrix, self.starts) / self.sizes[:, np.newaxis]
        spread = np.sqrt(np.mean((self.matrix - means[self.query]) ** 2, axis=0))
        # A feature that is the same throughout each query may vary by rounding: that is no spread.
        return np.where(spread > 1e-9 * np.abs(self.matrix).max(axis=0), spread, 0.0)

    @cached_property
    def mixed(self) -> BoolArray:
        """Which queries have documents of different grades."""
        low, high = (at.reduceat(self.grades, self.starts) for at in (np.minimum, np.maximum))
        return np.asarray(low < high)

    def of_queries(self, queries: BoolArray) -> Documents:
        """Return the documents of some of the queries."""
        rows = queries[self.query]
        kept = {name: getattr(self, name)[rows] for name in ("matrix", "grades", "place")}
        return replace(self, sizes=self.sizes[queries], **kept)


def read(path: Any, *, named: bool = False) -> FeatureTable:
    """Return the lines of a LETOR file, each a document of its own; if `named`, a query may not have an id twice."""
    duplicates = Duplicates.REFUSE if named else Duplicates.ROWS
    return read_features(Source.of(fspath(path)), Reading(duplicates=duplicates))


def features(X: Given, *, width: int | None = None, nan: bool = False) -> FloatArray:
    """Return the features as a matrix, in the order of the input."""
    if isinstance(X, Documents):
        X = X.matrix
    if files.is_path(X):
        return _check(widen(read(X).matrix, width), width=width, nan=nan, path=fspath(X))
    return _check(X, width=width, nan=nan)


def widen(matrix: Any, width: int | None) -> FloatArray:
    """The matrix with at least `width` columns: a file leaves out trailing features that are 0 in all its lines."""
    lacking = 0 if width is None else max(width - matrix.shape[1], 0)
    return np.asarray(np.pad(matrix, ((0, 0), (0, lacking))) if lacking else matrix, dtype=np.float64)


def _check(X: Given, *, width: int | None, nan: bool, path: str | None = None) -> FloatArray:
    matrix = _numbers(X.toarray() if hasattr(X, "toarray") else X, "features")
    if matrix.ndim != 2 or not len(matrix):
        hint = "Give a row for each document and a column for each feature."
        raise InputError(f"features of shape {matrix.shape}", path=path, hint=hint)
    if width is not None and matrix.shape[1] != width:
        problem = f"documents with {matrix.shape[1]} features, for a ranker that learned from {width}"
        raise InputError(problem, path=path, hint="Give the same features, in the same order, as in training.")
    if np.isinf(matrix).any():
        row, column = np.argwhere(np.isinf(matrix))[0]
        problem = f"feature {column + 1} of document {row + 1} is infinite"
        raise InputError(problem, path=path, hint="Give finite numbers or NaN.")
    # Always row by row in memory: the last bits of a product depend on the layout.
    return np.ascontiguousarray(matrix if nan else np.nan_to_num(matrix, nan=0.0))


def names_of(X: Given) -> list[str] | None:
    """Return the names of a frame's columns; None if features have no names."""
    columns = getattr(X, "columns", None)
    named = columns is not None and all(isinstance(name, str) for name in columns)
    return list(columns) if named else None  # type: ignore[arg-type]


def _numbers(values: Any, what: str) -> FloatArray:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{what} that are not numbers: {error}") from None


@dataclass(frozen=True, kw_only=True, eq=False)
class Preferences(Grouped):
    """The documents of all queries in which some are preferred to others.

    A document is preferred to every document of its query with a lower grade. A query whose documents all have one
    grade says nothing and is left out. The pairs are never listed: a query of n documents has up to n² / 2 of them.
    """

    rows: IndexArray
    """The row of each of these documents among all; those of a query are together."""
    levels: IndexArray
    """For each document, how many lower grades its query has."""
    sizes: IndexArray

    @classmethod
    def of(cls, documents: Documents) -> Preferences:
        """Return the preferences that grades express."""
        rows, sizes = np.flatnonzero(documents.mixed[documents.query]), documents.sizes[documents.mixed]
        grades, starts = documents.grades[rows], np.cumsum(sizes) - sizes
        order = np.lexsort((grades, np.repeat(np.arange(len(sizes)), sizes)))
        rises = np.zeros(len(rows), dtype=np.int64)
        rises[1:] = grades[order[1:]] != grades[order[:-1]]
        rises[starts] = 0
        steps, levels = np.cumsum(rises), np.empty(len(rows), dtype=np.int64)
        levels[order] = steps - np.repeat(steps[starts], sizes)
        return cls(rows=rows, levels=levels, sizes=sizes)

    @cached_property
    def ends(self) -> IndexArray:
        """The place after each document's query."""
        return np.repeat(np.cumsum(self.sizes), self.sizes)

    @cached_property
    def height(self) -> int:
        """The largest number of grades in a query."""
        return int(self.levels.max(initial=-1)) + 1

    @cached_property
    def cells(self) -> IndexArray:
        """The cell of each document in a table with a row for each query and a column for each level."""
        return self.query * self.height + self.levels
