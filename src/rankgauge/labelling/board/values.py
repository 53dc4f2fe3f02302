"""Values: each run's value of each query from the readings, and the slopes and variances that its error has.

A linear measure takes pseudo-labels as they are, a cascade its tangent at the best guess:

    f = f(Y0) + slope(Y0)·(Ŷ − Y0)

A ratio starts at the ratio A0 of the best guess and corrects it by what the sample says,

    f = A0 + (U − A0·[I + Σ_t D'(Ñ_t)(N̂_t − Ñ_t)]) / I,   I = Σ_t D(Ñ_t)

so that an error of A0 counts only in the second order; U is the tangent too where it is a cascade. AP's numerator U is
quadratic; pairs of pseudo-labels make it exact but noisy, so its quadratic part is drawn towards what the beliefs
expect of it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankgauge.labelling.board.design import Slopes
from rankgauge.labelling.board.features import Features
from rankgauge.labelling.board.lists import PrecisionLists, RunLists
from rankgauge.labelling.board.readings import Readings
from rankgauge.labelling.board.target import IdealSum
from rankgauge.numeric import FloatArray

SHARED = 0.6
"""How much of the uncertainty of a query's effect counts in the variance of its believed count."""

LEAST_FACTOR = 0.5
"""Labels never lower the variance that beliefs expect by more: few of them may show none."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Counts:
    """The counts (queries × thresholds): of the sample, believed, and both weighed; `trust` λ is the sample's weight,
    `variance` that of the sample's count."""

    sampled: FloatArray
    believed: FloatArray
    weighed: FloatArray
    trust: FloatArray
    variance: FloatArray


def count(features: Features, readings: Readings, misfit: float) -> Counts:
    """Return the counts; `misfit` is how many times further believed counts may be off than the beliefs say."""
    add, doubt = features.starts, readings.doubt
    sampled = np.add.reduceat(readings.mean, add, axis=0)
    believed = np.add.reduceat(readings.best, add, axis=0)
    own = _own_variance(features, readings, doubt)
    variance = _sampling_variance(features, readings)
    prior = misfit * own
    trust = np.where(prior + variance > 0, prior / np.where(prior + variance > 0, prior + variance, 1.0), 1.0)
    seen = np.zeros_like(readings.best)
    seen[readings.labelled] = readings.best[readings.labelled]
    factor = np.exp(2 * np.sqrt(np.log1p(own / np.maximum(believed, 1e-9) ** 2)))
    weighed = np.clip(trust * sampled + (1 - trust) * believed, believed / factor, believed * factor)
    return Counts(
        sampled=sampled,
        believed=believed,
        weighed=np.maximum(weighed, np.add.reduceat(seen, add, axis=0)),
        trust=trust,
        variance=variance,
    )


def _own_variance(features: Features, readings: Readings, doubt: FloatArray) -> FloatArray:
    """Return the variance of the believed count: of the labels, and of the query's effect that they share."""
    pull = np.add.reduceat(doubt[:, :, np.newaxis] * features.w[:, np.newaxis, :], features.starts, axis=0)
    shared = np.einsum("qti,qtij,qtj->qt", pull, readings.beliefs.effects.covariance, pull)
    return np.asarray(np.add.reduceat(doubt, features.starts, axis=0) + SHARED * shared)


def _sampling_variance(features: Features, readings: Readings) -> FloatArray:
    """The variance of the sample's count: as the beliefs expect it of each query, times a factor for all of them that
    brings it to what the labels show.

    What the labels of one query show is too noisy by itself; the larger of both was twice the true variance on TREC-8.
    """
    shown = (readings.error**2).sum(axis=0)
    spread = readings.beliefs.chance * (1.0 - readings.beliefs.chance) * readings.inflation[:, np.newaxis]
    expected = np.add.reduceat(spread, features.starts, axis=0)
    whole = expected.sum(axis=0)
    factor = np.where(whole > 0, shown / np.where(whole > 0, whole, 1.0), 1.0)
    return np.asarray(expected * np.maximum(factor, LEAST_FACTOR))


MISFIT = 1.0
"""How many times further believed counts may be off than the beliefs say."""

DEEP_MISFIT = 3.0
"""How many times further counts may be off for shares of all relevant documents, which follow them one to one."""

LIFT = 2.0
"""The sample's level counts as no further from the believed one than this factor."""

BENT = 1 / 8
"""The share of the squared bend that counts as variance: the bias was a third of the bend or less."""

SHALLOW, SHALLOW_SIZE = 0.5, 100
"""In a pool with fewer documents per query, this share of the ideal's squared correction counts as variance: without it
intervals of nDCG covered 60 to 90 % of the time there."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Values:
    """The values (runs × queries), their slopes, and the variance of each run's mean that slopes do not show (runs).

    `shared` (runs) is an error that all runs make together, each by its own amount, where there may be one.
    """

    by_query: FloatArray
    slopes: Slopes
    further: FloatArray
    shared: FloatArray | None = None
    deep: bool = False
    """Whether whole lists count."""


def value(lists: RunLists, features: Features, readings: Readings) -> Values:
    """Return the values of all runs."""
    target, ideal = lists.target, lists.target.ideal
    if isinstance(lists, PrecisionLists) and ideal is not None:
        return _precision_ratio(lists, ideal, features, readings)
    best = readings.best @ target.steps
    guess, hit = lists.values(best), lists.slopes(best)
    summed = guess + lists.sums(hit * (readings.mean @ target.steps - best)[lists.document])
    if ideal is None:
        queries = lists.shape[1]
        level, curve = np.zeros(lists.shape), np.zeros((queries, len(target.steps)))
        slopes = Slopes(lists=lists, hit=hit, level=level, curve=curve, divisor=np.ones(queries))
        return Values(by_query=summed, slopes=slopes, further=np.zeros(lists.shape[0]))
    counts = count(features, readings, DEEP_MISFIT if target.deep else MISFIT)
    divisor, curve = ideal.expect(counts.weighed, counts.trust * counts.variance)
    divisor = np.maximum(divisor, ideal.least)
    moved = np.einsum("qt,qt->q", curve, counts.sampled - counts.weighed)
    level = guess / np.maximum(ideal.at(counts.believed), ideal.least)
    level = _lift_ratios(level, summed, divisor + moved, divisor)
    slopes = Slopes(lists=lists, hit=hit, level=level, curve=curve, divisor=divisor)
    # In a deep pool the biases of the ideal's two parts cancel; in a shallow one the correction is biased by itself.
    shallow = SHALLOW if not target.deep and features.sizes.mean() < SHALLOW_SIZE else 0.0
    shared = np.sqrt(shallow) * (level * moved / divisor).mean(axis=1)
    by_query = (summed - level * moved) / divisor
    return Values(by_query=by_query, slopes=slopes, further=np.zeros(lists.shape[0]), shared=shared)


def _precision_ratio(lists: PrecisionLists, ideal: IdealSum, features: Features, readings: Readings) -> Values:
    counts, steps = count(features, readings, DEEP_MISFIT), lists.target.steps
    t = int(np.flatnonzero(steps)[0])
    best, mean = readings.best[:, t], readings.mean[:, t]
    divisor = np.maximum(counts.weighed[:, t], ideal.least)
    guess, *folds = lists.values(np.vstack([best, readings.folds[:, :, t]]))
    summed, hit = np.mean(folds, axis=0), lists.slopes(best)
    level = _lift_ratios(guess / np.maximum(counts.believed[:, t], ideal.least), summed, counts.sampled[:, t], divisor)
    # U(Y0 + d) = U(Y0) + slope·d + Σ_{j above i} d_i d_j / i: the quadratic part is what the others leave.
    quadratic = (summed - guess - lists.sums(hit * (mean - best)[lists.document])) / divisor
    expected, noise = _second_order(t, lists, features, readings, divisor)
    keep = np.where(noise > 0, expected**2 / np.where(noise > 0, expected**2 + noise, 1.0), 1.0)
    drawn = (1.0 - keep)[:, np.newaxis] * (quadratic - expected[:, np.newaxis])
    by_query = level + (summed - level * counts.sampled[:, t]) / divisor - drawn
    curve = np.broadcast_to(steps, (len(divisor), len(steps)))
    slopes = Slopes(lists=lists, hit=hit, level=level, curve=curve, divisor=divisor)
    bend = _bend(lists, features, readings.doubt[:, t], hit, level)
    bent = (bend * (counts.trust * counts.variance)[:, t] / divisor**2).mean(axis=1)
    further = keep**2 * noise + (1.0 - keep) ** 2 * expected**2 + BENT * bent**2
    return Values(by_query=by_query, slopes=slopes, further=further, deep=True)


def _lift_ratios(level: FloatArray, summed: FloatArray, sampled: FloatArray, divisor: FloatArray) -> FloatArray:
    """Return the believed ratios (runs × queries), halfway to the level that the sample shows of all runs together.

    Beliefs tell relevant documents apart less well than runs do, so that all believed ratios are too low. A factor for
    each run would be noisier and the order of the runs worse; the whole way would let the noise of the sample in.
    `sampled` is the ideal sum that the sample shows, `divisor` the steadier one that is divided by.
    """
    shown, believed = float((summed / divisor).sum()), float((level * sampled / divisor).sum())
    factor = shown / believed if believed > 0 else 1.0
    return np.asarray(level * np.sqrt(np.clip(factor, 1.0 / LIFT, LIFT)))


def _second_order(
    t: int, lists: PrecisionLists, features: Features, readings: Readings, divisor: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """What the beliefs expect of the quadratic part, as documents of a query share its effect, and the variance with
    which the sample shows it (runs)."""
    doubt, queries = readings.doubt[:, t], len(divisor)
    root = np.linalg.cholesky(readings.beliefs.effects.covariance[:, t])
    shared = doubt[:, np.newaxis] * np.einsum("zi,zij->zj", features.w, root[features.query])
    shown = np.zeros(len(doubt))
    shown[readings.labelled] = readings.error[:, t] ** 2
    chance = readings.beliefs.chance[:, t]
    believed = chance * (1.0 - chance) * readings.inflation
    squares = lists.pairs(np.vstack([shown, believed]), power=2)
    by_labels, by_beliefs = (squares / (divisor * queries) ** 2).sum(axis=2)
    noise = np.maximum(by_labels, (by_labels + by_beliefs) / 2)
    return (lists.pairs(shared.T).sum(axis=0) / divisor).mean(axis=1), noise


def _bend(lists: RunLists, features: Features, doubt: FloatArray, hit: FloatArray, level: FloatArray) -> FloatArray:
    """The mean slope of the documents that are in doubt (runs × queries): an error of the count acts through it."""
    whole = np.add.reduceat(doubt, features.starts)
    return np.asarray(lists.sums(hit * doubt[lists.document]) / np.where(whole > 0, whole, 1.0) - level)
