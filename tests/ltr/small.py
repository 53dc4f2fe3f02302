"""A small set to learn ranking from: three features that tell something, one that never varies and one of noise."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np


class Small(NamedTuple):
    """Features, grades and queries, row by row."""

    X: np.ndarray
    y: np.ndarray
    qid: np.ndarray

    def rows(self, chosen: np.ndarray) -> Small:
        """Some of the rows."""
        return Small(self.X[chosen], self.y[chosen], self.qid[chosen])

    def write(self, path: Path) -> Path:
        """The set as a LETOR file, every digit of it."""
        lines = (
            f"{grade:g} qid:{query} " + " ".join(f"{n}:{value!r}" for n, value in enumerate(row, start=1))
            for row, grade, query in zip(self.X.tolist(), self.y.tolist(), self.qid.tolist(), strict=True)
        )
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path


def small(seed: int = 0, queries: int = 16, documents: int = 7) -> Small:
    """A set of that many queries with that many documents each; in the last two queries nothing is relevant."""
    rng = np.random.default_rng(seed)
    n = queries * documents
    worth = rng.normal(size=n)
    views = [worth + rng.normal(scale=noise, size=n) for noise in (0.5, 1.0, 2.0)]
    X = np.column_stack([*views, np.full(n, 3.0), rng.normal(size=n)])
    qid = np.repeat(np.arange(queries) * 10 + 5, documents)
    y = np.where(qid >= (queries - 2) * 10 + 5, 0.0, np.digitize(worth, [0.3, 1.2]).astype(float))
    return Small(X, y, qid)
