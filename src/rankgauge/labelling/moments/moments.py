"""Moments: the mean and variance of each query's value under the beliefs, and what each document adds to them.

They are computed in closed form for linear measures and cascades, and sampled for all others; each form is in
`forms/`. What the forms share is here: worths under beliefs, and lists in batches of like length.

Linear and cascade measures are linear in the worth of each single document, so a label that turns an expected worth
into a known one moves the expected value by exactly (worth − expected worth) · slope. For a cascade

    ∂M/∂ℓ_i = [Π_{k<i} (1 − ℓ_k)] · (φ_i − V_{i+1}),   with E ℓ in place of every ℓ that is not yet known

and for the difference of two lists the slope is that in the first minus that in the second.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from rankgauge.errors import ParameterError
from rankgauge.labelling.pool import Pool
from rankgauge.labelling.target import Target
from rankgauge.measures.forms import Shape
from rankgauge.numeric import FloatArray, IndexArray
from rankgauge.registry import Registered, Registry

CELLS = 1 << 16
"""How many cells are worked on at a time: what a core's own cache holds."""

SAMPLES = 128
"""How many label vectors are drawn for each query: fewer cost efficiency (16 would waste the gain), more cost time."""

FORMS: Registry[MomentForm] = Registry("form of moments", "rankgauge.labelling.moments.forms")


@dataclass(frozen=True, kw_only=True, eq=False)
class Moments:
    """The mean and the variance of each query's value under the beliefs."""

    mean: FloatArray
    variance: FloatArray

    @property
    def expected(self) -> float:
        """The mean over the pool: R_θ, for two rankers Δ_θ."""
        return float(np.mean(self.mean))

    def about(self, value: float | None = None) -> FloatArray:
        """E[(L − R)²] of each query: its mean squared distance from a value, by default from the pool's mean."""
        centre = self.expected if value is None else value
        return self.variance + (self.mean - centre) ** 2


@dataclass(frozen=True, kw_only=True)
class MomentForm(Registered):
    """A way to compute moments, for measures of one shape and pools with one or two rankers."""

    registry: ClassVar[Registry[MomentForm]] = FORMS

    name: str
    title: str
    shape: Shape
    rankers: tuple[int, ...]
    compute: Callable[[Pool, Target, int, np.random.Generator], Moments]
    """Takes the pool, the target, and for sampling the number of samples and a generator."""


def moments(pool: Pool, target: Target, *, rng: int | np.random.Generator = 0, samples: int = SAMPLES) -> Moments:
    """The mean and variance of each query's value under the beliefs; for two rankers, of the difference."""
    if samples < 2:
        raise ParameterError("moments", "samples", "a whole number, 2 or more", samples)

    def compute() -> Moments:
        fits = (form for form in FORMS.values() if form.shape is target.shape and pool.rankers in form.rankers)
        return next(fits).compute(pool, target, samples, np.random.default_rng(rng))

    if isinstance(rng, np.random.Generator):
        return compute()
    return target.remembered(f"moments {rng} {samples}", (pool.ranks, pool.beliefs), compute)


@dataclass(frozen=True, kw_only=True, eq=False)
class Worths:
    """What each document's grade is worth under the beliefs: its mean, its variance, and the mean of 1 − worth.

    The last is not computed from the first: if a worth of 1 is nearly certain, 1 − mean would be rounding alone.
    """

    mean: FloatArray
    variance: FloatArray
    rest: FloatArray


def worths(pool: Pool, target: Target) -> Worths:
    """The moments of every document's worth; measures that are neither linear nor a cascade have no worths."""
    if target.shape is Shape.OTHER:
        raise ParameterError("worths", "measure", "linear or a cascade", str(target.measure))
    return target.remembered("worths", (pool.beliefs,), lambda: _worths(pool, target))


def _worths(pool: Pool, target: Target) -> Worths:
    mean, variance = pool.beliefs @ target.worth, np.empty(len(pool.documents))
    for start in range(0, len(mean), CELLS):
        part = slice(start, start + CELLS)
        # Squared distances are never negative, as E ℓ² − (E ℓ)² may be after rounding.
        distance = target.worth - mean[part, np.newaxis]
        variance[part] = np.einsum("ny,ny,ny->n", pool.beliefs[part], distance, distance)
    return Worths(mean=mean, variance=variance, rest=pool.beliefs @ (1.0 - target.worth))


def net_weights(weights: FloatArray) -> FloatArray:
    """The weight of each document in the value: for two lists, that in the first minus that in the second."""
    return weights[..., 0] if weights.shape[-1] == 1 else weights[..., 0] - weights[..., 1]


def batches(sizes: IndexArray, cells: int) -> Iterator[IndexArray]:
    """The positions of queries with documents, in batches of like size with about that many cells each."""
    order = np.argsort(sizes, kind="stable")
    order = order[np.searchsorted(sizes[order], 1) :]
    while len(order):
        sorted_ = sizes[order]
        # A list twice as long as a batch's first begins a new batch: padding at most doubles the cells.
        most = int(np.searchsorted(sorted_, 2 * max(int(sorted_[0]), 8), side="right"))
        rows = np.arange(1, most + 1)
        fits = int(np.searchsorted(rows * sorted_[:most], cells, side="right"))
        taken = max(fits, 1)
        yield order[:taken]
        order = order[taken:]


@dataclass(frozen=True, kw_only=True, eq=False)
class Lists:
    """One ranker's lists down to the last rank that counts, as flat positions of documents in rank order."""

    order: IndexArray
    starts: IndexArray
    lengths: IndexArray

    @classmethod
    def of(cls, pool: Pool, ranker: int, last: int) -> Lists:
        """The lists of a ranker."""
        lengths = pool.lengths[:, ranker]
        return cls(order=pool.orders[ranker], starts=np.cumsum(lengths) - lengths, lengths=np.minimum(lengths, last))

    def columns(self, queries: IndexArray) -> tuple[IndexArray, FloatArray]:
        """The documents of some queries' lists (ranks × queries), and 1 where there is one, 0 on padding."""
        places = np.arange(int(self.lengths[queries].max(initial=0)))[:, np.newaxis]
        filled = places < self.lengths[queries]
        source = np.where(filled, self.starts[queries] + places, 0)
        # A ranker may have no lists at all; then nothing is filled.
        taken = self.order[source] if len(self.order) else source
        return taken, filled.astype(np.float64)


@dataclass(frozen=True, kw_only=True, eq=False)
class ValueSlopes:
    """The expected value M_S of each query given the labels seen, and its slope in each document's worth."""

    value: FloatArray
    slope: FloatArray


def slopes(pool: Pool, target: Target, grades: npt.ArrayLike | None = None) -> ValueSlopes:
    """The expected values of all queries (queries) and the slopes of all documents (documents).

    `grades` (documents) are the labels seen so far, NaN for the others; None if nothing is judged.
    """
    worth = worths(pool, target).mean
    if grades is not None:
        seen = target.worths(grades)
        worth = np.where(np.isnan(seen), worth, seen)
    return (_linear if target.shape is Shape.LINEAR else _cascade)(pool, target, worth)


def _linear(pool: Pool, target: Target, worth: FloatArray) -> ValueSlopes:
    slope = net_weights(target.weights(pool))
    return ValueSlopes(value=np.add.reduceat(slope * worth, pool.starts), slope=slope)


def _cascade(pool: Pool, target: Target, worth: FloatArray) -> ValueSlopes:
    value, slope = np.zeros(len(pool.queries)), np.zeros(len(pool.documents))
    weights, last = target.weights(pool), target.last(pool)
    for ranker, sign in zip(range(pool.rankers), (1.0, -1.0), strict=False):
        lists = Lists.of(pool, ranker, last)
        for queries in batches(lists.lengths, CELLS):
            documents, filled = lists.columns(queries)
            stops = worth[documents] * filled
            stake, found = stakes(weights[documents, ranker] * filled, stops)
            reached = np.ones_like(stops)
            np.cumprod(1.0 - stops[:-1], axis=0, out=reached[1:])
            value[queries] += sign * found
            listed = filled > 0
            slope[documents[listed]] += sign * (reached * stake)[listed]  # no document is twice in a list
    return ValueSlopes(value=value, slope=slope)


def stakes(weights: FloatArray, stops: FloatArray) -> tuple[FloatArray, FloatArray]:
    """What a stop at each rank gains over going on, φ_i − V_{i+1} (ranks × queries), and the value V_1 of the list."""
    ahead, stake = np.zeros(weights.shape[1:]), np.empty_like(weights)
    for i in range(len(weights) - 1, -1, -1):
        stake[i] = weights[i] - ahead
        ahead = ahead + stops[i] * stake[i]
    return stake, ahead
