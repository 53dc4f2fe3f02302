"""Moments: the mean and variance of each query's value under the beliefs, and what each document adds to them.

Linear and cascade measures are linear in the worth of each single document, so a label that turns an expected worth
into a known one moves the expected value by exactly (worth − expected worth) · slope. For a cascade

    ∂M/∂ℓ_i = [Π_{k<i} (1 − ℓ_k)] · (φ_i − V_{i+1}),   with E ℓ in place of every ℓ that is not yet known

and for the difference of two lists the slope is that in the first minus that in the second.

Linear measures:

    E L = Σ w_z E g_z,   Var L = Σ w_z² Var g_z,   with w_z = w1(z) − w2(z) for two lists

A document that both lists have counts once, with the difference of its weights.

Cascades (ERR, RR, PFound, Success) of one list, L = Σ φ_i ℓ_i Π_{k<i} (1 − ℓ_k):

    V_{n+1} = 0,   V_i = φ_i E ℓ_i + (1 − E ℓ_i) V_{i+1};   E L = V_1
    Var L = Σ_i [Π_{k<i} E(1 − ℓ_k)²] · Var ℓ_i · (φ_i − V_{i+1})²

V_i is the value that a user who has come to rank i can still expect. What the label of rank i adds to L has mean 0
given the labels above it, so the variance is a plain sum. Nothing is divided, so that perfect documents and lists of
any length work: the form of Sawade et al. 2012, equation 23, divides by products that underflow.

The difference of a cascade over two lists: with P_i = Π_{k≤i} (1 − ℓ_k), c_i = φ_i − φ_{i+1} (φ_{n+1} = 0) and the same
with j and d_j for list 2,

    L1 = φ_1 − Σ_i c_i P_i,   Cov(L1, L2) = Σ_ij c_i d_j D_ij,   D_ij = Cov(P_i, Q_j)

The documents of list 1 are added one by one. One that is also at rank j or above in list 2 is in both products; with m
= E(1 − ℓ), v = Var ℓ and u = v / m its step is

    D_ij = m D_{i−1,j} + u (D_{i−1,j} + E P_{i−1} E Q_j);   any other's is D_ij = m D_{i−1,j}

Every term is a product of numbers from 0 to 1: nothing cancels, nothing overflows, and u ≤ 1 − m, also where a document
stops every user (m = 0). In logarithms the same sum is exp(S1_i + S2_j + C_ij) − exp(S1_i + S2_j), which needs an
exponential in each of the |r1| · |r2| cells and care with log 0.

Any other measure is sampled. Each query gets its own independent labels; the kernels of the measures see one list for
each vector.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankgauge.errors import ParameterError
from rankgauge.evaluation.arrays import score_arrays
from rankgauge.labelling.pool import Pool
from rankgauge.labelling.target import Target
from rankgauge.measures.forms import Shape
from rankgauge.numeric import FloatArray, IndexArray

CELLS = 1 << 16
"""How many cells are worked on at a time: what a core's own cache holds."""

SAMPLES = 128
"""How many label vectors are drawn for each query: fewer cost efficiency (16 would waste the gain), more cost time."""


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


def moments(pool: Pool, target: Target, *, rng: int | np.random.Generator = 0, samples: int = SAMPLES) -> Moments:
    """Return the mean and variance of each query's value under the beliefs; for two rankers, of the difference."""
    if samples < 2:
        raise ParameterError("moments", "samples", "a whole number, 2 or more", samples)

    def compute() -> Moments:
        if target.shape is Shape.LINEAR:
            weights, worth = net_weights(target.weights(pool)), worths(pool, target)
            mean = np.add.reduceat(weights * worth.mean, pool.starts)
            return Moments(mean=mean, variance=np.add.reduceat(weights**2 * worth.variance, pool.starts))
        if target.shape is Shape.CASCADE and pool.rankers == 1:
            return list_moments(Lists.of(pool, 0, target.last(pool)), target.weights(pool)[:, 0], worths(pool, target))
        if target.shape is Shape.CASCADE:
            return _pair_moments(pool, target)
        return _sampled_moments(pool, target, samples, np.random.default_rng(rng))

    if isinstance(rng, np.random.Generator):
        return compute()
    return target.remember(f"moments {rng} {samples}", (pool.ranks, pool.beliefs), compute)


@dataclass(frozen=True, kw_only=True, eq=False)
class Worths:
    """What each document's grade is worth under the beliefs: its mean, its variance, and the mean of 1 − worth.

    The last is not computed from the first: if a worth of 1 is nearly certain, 1 − mean would be rounding alone.
    """

    mean: FloatArray
    variance: FloatArray
    rest: FloatArray


def worths(pool: Pool, target: Target) -> Worths:
    """Return the moments of every document's worth; measures that are neither linear nor a cascade have no worths."""
    if target.shape is Shape.OTHER:
        raise ParameterError("worths", "measure", "linear or a cascade", str(target.measure))

    def compute() -> Worths:
        mean, variance = pool.beliefs @ target.worth, np.empty(len(pool.documents))
        for start in range(0, len(mean), CELLS):
            part = slice(start, start + CELLS)
            # Squared distances are never negative, as E ℓ² − (E ℓ)² may be after rounding.
            distance = target.worth - mean[part, np.newaxis]
            variance[part] = np.einsum("ny,ny,ny->n", pool.beliefs[part], distance, distance)
        return Worths(mean=mean, variance=variance, rest=pool.beliefs @ (1.0 - target.worth))

    return target.remember("worths", (pool.beliefs,), compute)


def net_weights(weights: FloatArray) -> FloatArray:
    """Return the weight of each document in the value: for two lists, that in the first minus that in the second."""
    return weights[..., 0] if weights.shape[-1] == 1 else weights[..., 0] - weights[..., 1]


def batches(sizes: IndexArray, cells: int) -> Iterator[IndexArray]:
    """Yield the positions of queries with documents, in batches of like size with about that many cells each."""
    order = np.argsort(sizes, kind="stable")
    order = order[np.searchsorted(sizes[order], 1) :]
    while len(order):
        sorted_ = sizes[order]
        # A list twice as long as a batch's first begins a new batch: padding at most doubles the cells.
        most = int(np.searchsorted(sorted_, 2 * max(int(sorted_[0]), 8), side="right"))
        taken = max(int(np.searchsorted(np.arange(1, most + 1) * sorted_[:most], cells, side="right")), 1)
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
        """Return the lists of a ranker."""
        lengths = pool.lengths[:, ranker]
        return cls(order=pool.orders[ranker], starts=np.cumsum(lengths) - lengths, lengths=np.minimum(lengths, last))

    def columns(self, queries: IndexArray) -> tuple[IndexArray, FloatArray]:
        """Return the documents of some queries' lists (ranks × queries), and 1 where there is one, 0 on padding."""
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
    """Return the expected values of all queries (queries) and the slopes of all documents (documents).

    `grades` (documents) are the labels seen so far, NaN for the others; None if nothing is judged.
    """
    worth = worths(pool, target).mean
    if grades is not None:
        seen = target.worths(grades)
        worth = np.where(np.isnan(seen), worth, seen)
    weights = target.weights(pool)
    if target.shape is Shape.LINEAR:
        slope = net_weights(weights)
        return ValueSlopes(value=np.add.reduceat(slope * worth, pool.starts), slope=slope)
    value, slope, last = np.zeros(len(pool.queries)), np.zeros(len(pool.documents)), target.last(pool)
    for ranker, sign in zip(range(pool.rankers), (1.0, -1.0), strict=False):
        lists = Lists.of(pool, ranker, last)
        for queries in batches(lists.lengths, CELLS):
            documents, filled = lists.columns(queries)
            stops = worth[documents] * filled
            stake, expected = stakes(weights[documents, ranker] * filled, stops)
            reached = np.ones_like(stops)
            np.cumprod(1.0 - stops[:-1], axis=0, out=reached[1:])
            value[queries] += sign * expected
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


def list_moments(lists: Lists, weights: FloatArray, worth: Worths) -> Moments:
    """Return the moments of every query's list; `weights` (documents) are those of the places in it."""
    mean, variance = np.zeros((2, len(lists.lengths)))
    for queries in batches(lists.lengths, CELLS):
        documents, filled = lists.columns(queries)
        spread = worth.variance[documents] * filled
        stake, mean[queries] = stakes(weights[documents] * filled, worth.mean[documents] * filled)
        passing = np.where(filled > 0, worth.rest[documents] ** 2 + spread, 1.0)
        reached = np.cumprod(passing[:-1], axis=0)
        variance[queries] = spread[0] * stake[0] ** 2 + (reached * spread[1:] * stake[1:] ** 2).sum(axis=0)
    return Moments(mean=mean, variance=variance)


PAIR_CELLS = 1 << 14
"""How many cells of D are worked on at a time: with two more such arrays they fit into a core's cache."""


def _pair_moments(pool: Pool, target: Target) -> Moments:
    weights, worth = target.weights(pool), worths(pool, target)
    first, second = (Lists.of(pool, r, target.last(pool)) for r in (0, 1))
    one, two = (list_moments(lists, weights[:, r], worth) for r, lists in enumerate((first, second)))
    # Rounding must not lift u above its bound where both are tiny.
    shared = np.minimum(worth.variance / np.where(worth.rest > 0, worth.rest, 1.0), worth.mean)
    ranks = np.where(np.isnan(pool.ranks[:, 1]), np.iinfo(np.int32).max, pool.ranks[:, 1]).astype(np.int64)
    covariance = np.zeros(len(pool.queries))
    for queries in batches(np.minimum(first.lengths, 1) * second.lengths, PAIR_CELLS):
        documents, filled = first.columns(queries)
        rest, both = np.where(filled > 0, worth.rest[documents], 1.0), shared[documents] * filled
        places, steps = ranks[documents], _steps(weights[documents, 0] * filled)
        documents, filled = second.columns(queries)
        passed: FloatArray = np.where(filled > 0, worth.rest[documents], 1.0)
        np.cumprod(passed, axis=0, out=passed)  # E Q_j
        falls = _steps(weights[documents, 1] * filled)
        listed = both * (places <= len(documents))
        covariance[queries] = _sum_products(rest, listed, places, steps, passed.T.copy(), falls.T.copy())
    # Lists that give every document the same weight have exactly the same value.
    differs = np.logical_or.reduceat(weights[:, 0] != weights[:, 1], pool.starts)
    variance = np.maximum(one.variance + two.variance - 2.0 * covariance, 0.0)
    return Moments(mean=np.where(differs, one.mean - two.mean, 0.0), variance=np.where(differs, variance, 0.0))


def _steps(weights: FloatArray) -> FloatArray:
    """c_i = φ_i − φ_{i+1} (ranks × queries)."""
    return -np.diff(weights, axis=0, append=0.0)


def _sum_products(
    rest: FloatArray, shared: FloatArray, ranks: IndexArray, steps: FloatArray, passed: FloatArray, falls: FloatArray
) -> FloatArray:
    """Σ_ij c_i d_j D_ij; the first four are ranks of list 1 × queries, the last two queries × ranks of list 2."""
    places = np.arange(1, passed.shape[1] + 1)
    D, both, product = np.zeros_like(passed), np.empty_like(passed), np.empty_like(passed)
    sum_, reached = np.zeros(len(passed)), np.ones(len(passed))
    for i in range(len(rest)):
        if shared[i].any():
            np.multiply(passed, reached[:, np.newaxis], out=both)
            both += D
            np.multiply(places >= ranks[i, :, np.newaxis], shared[i, :, np.newaxis], out=product)
            both *= product
            D *= rest[i, :, np.newaxis]
            D += both
        else:
            D *= rest[i, :, np.newaxis]
        reached *= rest[i]
        if steps[i].any():
            sum_ += steps[i] * np.einsum("qj,qj->q", D, falls)
    return sum_


DRAWN_CELLS = 1 << 19
"""How many grades are drawn and scored at a time."""


def _sampled_moments(pool: Pool, target: Target, samples: int, rng: np.random.Generator) -> Moments:
    mean, variance = np.zeros((2, len(pool.queries)))
    for queries in batches(pool.sizes, max(DRAWN_CELLS // samples, 1)):
        values = _values(pool, target, queries, samples, rng)
        mean[queries], variance[queries] = values.mean(axis=0), values.var(axis=0, ddof=1)
    return Moments(mean=mean, variance=variance)


def _values(pool: Pool, target: Target, queries: IndexArray, samples: int, rng: np.random.Generator) -> FloatArray:
    """Return the value of each query under each of its label vectors (samples × queries)."""
    columns = np.arange(int(pool.sizes[queries].max()))
    filled = columns < pool.sizes[queries][:, np.newaxis]
    documents = np.where(filled, pool.starts[queries][:, np.newaxis] + columns, 0)
    chance, drawn = np.cumsum(pool.beliefs[documents], axis=-1), rng.random((samples, *documents.shape))
    index = np.zeros(drawn.shape, dtype=np.intp)  # each grade as often as the beliefs say
    for y in range(len(pool.grades) - 1):
        index += drawn >= chance[..., y]
    grades, lists = np.where(filled, pool.grades[index], np.nan).reshape(-1, len(columns)), []
    for ranker in range(pool.rankers):
        scores = np.where(filled, -pool.ranks[documents, ranker], np.nan)
        rows = np.broadcast_to(scores, (samples, *scores.shape)).reshape(grades.shape)
        values = score_arrays(grades, rows, target.measure, unscored=True, dialect=target.dialect)
        lists.append(values.reshape(samples, len(queries)))
    return lists[0] if len(lists) == 1 else lists[0] - lists[1]
