"""Counts: how many documents of each query reach each threshold, between what the sample and what the beliefs say.

The sample's count N̂ is unbiased but may be far off, even below 0; a ratio with it in the divisor explodes. The believed
count N0 is steady but may be wrong. Ñ weighs them by their variances.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankgauge.labelling.board.features import Features
from rankgauge.labelling.board.readings import Readings
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
    """The counts; `misfit` is how many times further believed counts may be off than the beliefs say."""
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
    """The variance of the believed count: of the labels, and of the query's effect that they share."""
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
