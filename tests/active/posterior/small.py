"""Small models and shallow pools, judged throughout."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from rankgauge.labelling.board import BoardPool
from rankgauge.labelling.posterior.model import GradeModel
from rankgauge.numeric import FloatArray, IndexArray
from tests.active.board.collection import tables

SCALE = (0, 1, 2, 3)


SPREAD, OWN = 0.8, 1.2


def model(steps: int = 1, carried: float = 0.0) -> GradeModel:
    """Two queries of two documents: one shared effect that the documents have in different amounts, one by query."""
    return GradeModel(
        sizes=np.array([2, 2]),
        x=np.array([[1.0], [0.5], [1.0], [-1.0]]),
        mean=np.full((steps, 1), 0.3),
        spread=np.array([SPREAD]),
        w=np.ones((4, 1)),
        query_spread=np.full((steps, 1), OWN),
        kind=np.zeros(1, dtype=np.int64),
        carried=np.array([0.0, *[carried] * (steps - 1)]),
    )


def integrated(rows: list[int], passed: list[bool]) -> tuple[FloatArray, FloatArray]:
    """Mean and variance of each document's predictor after these labels, on a grid of the three effects."""
    grid = np.linspace(-6.0, 6.0, 61)
    beta, first, second = np.meshgrid(grid, grid, grid, indexing="ij")
    weight = np.exp(-((beta / SPREAD) ** 2 + (first / OWN) ** 2 + (second / OWN) ** 2) / 2)
    made = [x * (0.3 + beta) + b for x, b in zip([1.0, 0.5, 1.0, -1.0], [first, first, second, second], strict=True)]
    for row, passes in zip(rows, passed, strict=True):
        weight = weight * ndtr(made[row] if passes else -made[row])
    weight /= weight.sum()
    mean = np.array([(weight * predictor).sum() for predictor in made])
    return mean, np.array([(weight * predictor**2).sum() for predictor in made]) - mean**2


def shallow(runs: int = 5, depth: int = 5, **choices: object) -> tuple[BoardPool, FloatArray]:
    """The first documents of some runs, and their true grades."""
    judgments, all_runs, _ = tables()
    pool = BoardPool.from_runs(dict(list(all_runs.items())[:runs]), depth=depth, **choices)  # type: ignore[arg-type]
    return pool, pool.grades(judgments)


def labels(grades: FloatArray, order: IndexArray, count: int) -> FloatArray:
    """The grades of the first documents of an order, NaN for the others."""
    found = np.full(len(grades), np.nan)
    found[order[:count]] = grades[order[:count]]
    return found
