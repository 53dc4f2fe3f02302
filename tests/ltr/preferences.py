"""Small graded documents, the explicit list of their preferences, and the folds of MQ2008."""

from __future__ import annotations

from functools import cache

import numpy as np
from hypothesis import strategies as st

from rankgauge.files.formats.letor import FeatureTable
from rankgauge.training import Documents
from rankgauge.training.documents import read
from tests.shared import shared


@st.composite
def graded_documents(draw: st.DrawFn, *, features: int = 2) -> Documents:
    """Up to four queries of up to six documents, with few distinct values, so that there are ties."""
    sizes = draw(st.lists(st.integers(1, 6), min_size=1, max_size=4))
    count = sum(sizes)
    values = st.integers(-4, 4).map(lambda n: n / 2)
    matrix = draw(st.lists(values, min_size=count * features, max_size=count * features))
    grades = draw(st.lists(st.sampled_from([-1.0, 0.0, 0.5, 2.0]), min_size=count, max_size=count))
    return Documents.of(np.reshape(matrix, (count, features)), grades, np.repeat(np.arange(len(sizes)), sizes))


def random_documents(seed: int, *, queries: int = 20, features: int = 4, noise: float = 1.0) -> Documents:
    """Documents whose grades follow a linear score, with noise."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 12, size=queries)
    matrix = rng.normal(size=(int(sizes.sum()), features))
    worth = matrix @ np.arange(1, features + 1) / features + noise * rng.normal(size=len(matrix))
    return Documents.of(matrix, np.digitize(worth, [0.3, 1.2]), np.repeat(np.arange(queries), sizes))


def parts(documents: Documents) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features, grades and queries, as `fit` takes them."""
    return documents.matrix, documents.grades, documents.query


def pairs(documents: Documents) -> tuple[np.ndarray, np.ndarray]:
    """The rows of the preferred and of the other document, for each pair."""
    same = documents.query[:, np.newaxis] == documents.query
    higher = documents.grades[:, np.newaxis] > documents.grades
    preferred, other = np.nonzero(same & higher)
    return preferred, other


@cache
def _part(number: int) -> FeatureTable:
    return read(shared(f"data/mq2008/S{number}.txt"))


def mq2008(fold: int) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Training, validation and test set of a fold of MQ2008: three parts, the fourth, the fifth, from the fold's on."""
    ring = [_part((fold + step - 1) % 5 + 1) for step in range(5)]
    return [_joined(ring[:3]), _joined(ring[3:4]), _joined(ring[4:])]


def _joined(found: list[FeatureTable]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    matrix, grades, queries = zip(*((one.matrix, one.grades, one.queries) for one in found), strict=True)
    return np.concatenate(matrix), np.concatenate(grades), np.concatenate(queries)
