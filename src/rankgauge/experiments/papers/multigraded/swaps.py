"""Figures 4 and 5: orders from ideal to random, graded on scales of 2 to 50 levels.

A trial is a walk: it begins with the ideal order of 100 documents and swaps a random pair at each step. All numbers of
levels share the same walks, so only the grading differs between them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

import numpy as np

from rankgauge.arrays import score_arrays
from rankgauge.experiments.claims import Number
from rankgauge.experiments.experiment import Measurements
from rankgauge.experiments.papers.multigraded.tables import BESIDES, MEASURES, means
from rankgauge.experiments.standard_errors import jackknife
from rankgauge.numeric import FloatArray, IndexArray
from rankgauge.report import plots

DOCUMENTS, SWAPS, LEVELS = 100, 100, (2, 10, 20, 50)
"""Orders are measured after 0 to 99 swaps."""

SHOWN = "Mean over trials, with two standard errors: "


def simulate(trials: int, rng: np.random.Generator) -> Measurements:
    """Both figures, and how much each measure changes with the number of levels."""
    outcome = Measurements(numbers={})
    for scale, (figure, grades) in SCALES.items():
        orders = walks(trials, rng)
        values = _values([grades(levels, trials, rng) for levels in LEVELS], orders)
        levels, swaps = (grid.ravel() for grid in np.meshgrid(LEVELS, np.arange(SWAPS), indexing="ij"))
        frame = means(values, levels=levels, swaps=swaps)
        names = {"x": "swaps", "y": "mean", "error": "error", "series": "levels", "panel": "measure"}
        draw = partial(plots.lines, frame, **names, title=f"{SHOWN}{scale} grades")
        outcome |= Measurements(numbers=dict(_moves(scale, values)), tables={figure: frame}, figures={figure: draw})
    return outcome


def walks(trials: int, rng: np.random.Generator) -> IndexArray:
    """The document at each rank, after each number of swaps, in each trial (swaps × trials × documents)."""
    order = np.tile(np.arange(DOCUMENTS), (trials, 1))
    trial, found = np.arange(trials), []
    for _ in range(SWAPS):
        found.append(order.copy())
        one = rng.integers(DOCUMENTS, size=trials)
        other = (one + rng.integers(1, DOCUMENTS, size=trials)) % DOCUMENTS  # never the same document
        order[trial, one], order[trial, other] = order[trial, other], order[trial, one]
    return np.stack(found)


def uniform(levels: int, trials: int, rng: np.random.Generator) -> FloatArray:
    """Falling grades, each level equally often (trials × documents)."""
    return np.tile(np.arange(DOCUMENTS)[::-1] * levels // DOCUMENTS, (trials, 1)).astype(np.float64)


def uneven(levels: int, trials: int, rng: np.random.Generator) -> FloatArray:
    """Falling grades that use only half of the levels, some more often than others.

    The lowest and the highest level are always used, so that the scale keeps its range; the others are drawn. Each used
    level has one document; the others are distributed by weights from the flat Dirichlet distribution.
    """
    inner = [rng.choice(np.arange(1, levels - 1), max(levels // 2 - 2, 0), replace=False) for _ in range(trials)]
    used = np.sort([[0, *row, levels - 1] for row in inner], axis=1)
    shares = rng.dirichlet(np.ones(used.shape[1]), size=trials)
    counts = 1 + rng.multinomial(DOCUMENTS - used.shape[1], shares)
    rows = [np.repeat(row, count)[::-1] for row, count in zip(used, counts, strict=True)]
    return np.array(rows, dtype=np.float64)


SCALES: Mapping[str, tuple[str, Callable[[int, int, np.random.Generator], FloatArray]]] = {
    "uniform": ("figure-4", uniform),
    "uneven": ("figure-5", uneven),
}
"""How grades are distributed: the figure, and the grades of the ideal order."""


def _values(scales: list[FloatArray], orders: IndexArray) -> dict[str, FloatArray]:
    """Each measure's values (levels × swaps × trials); all orders of a scale go through a kernel as one block."""
    falling = np.broadcast_to(-np.arange(float(DOCUMENTS)), (orders.shape[0] * orders.shape[1], DOCUMENTS))
    measures = {**MEASURES, **BESIDES}
    found: dict[str, list[FloatArray]] = {name: [] for name in measures}
    for grades in scales:
        listed = np.take_along_axis(grades[np.newaxis], orders, axis=-1).reshape(-1, DOCUMENTS)
        for name, measure in measures.items():
            found[name].append(score_arrays(listed, falling, measure).reshape(orders.shape[:2]))
    return {name: np.stack(values) for name, values in found.items()}


def _moves(scale: str, values: Mapping[str, FloatArray]) -> Iterator[tuple[str, Number]]:
    """How far apart the levels' mean curves are, averaged over the swaps, also as a share of NDCG's; and how far apart
    the levels' values of a single order are."""
    for name, found in values.items():
        yield f"{scale}: {name} moves by", jackknife(found, _spread)
        # A mean may stay the same while the values behind it change.
        alone = np.ptp(found, axis=0).mean(axis=0, keepdims=True)
        yield f"{scale}: {name} of a single order moves by", jackknife(alone, lambda means: means[0])
    for name in ("µMAP", "NDCNG"):
        both = np.stack([values[name], values["NDCG"]])
        yield f"{scale}: {name} against NDCG", jackknife(both, lambda means: _spread(means[0]) / _spread(means[1]))


def _spread(means: FloatArray) -> FloatArray:
    """The highest less the lowest mean of the levels, averaged over the swaps (levels × swaps × …)."""
    return np.asarray(np.ptp(means, axis=0).mean(axis=0))
