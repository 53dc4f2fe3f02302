"""Beliefs: how likely each document is to reach each threshold of the scale, from its features and its query.

    logit P(y_z ≥ t) = x_z'β_t + w_z'b_qt,   w_z = (1, log of the fused rank)

A logistic regression for each threshold; a query's effects b_q are normal and alike from threshold to threshold. β and
b are those of the penalised likelihood, by Newton's steps in which b is eliminated. A probability is the mean over what
is still unknown of b_q: σ(η / √(1 + π w'V_q w / 8)). No estimate's unbiasedness rests on any of this.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankgauge.active.board.features import Features
from rankgauge.numeric import FloatArray, IndexArray

EDGE = 1e-4
"""No probability is nearer to 0 or 1."""

STEPS, CLOSE = 60, 1e-4
"""Newton's steps end at this number, or when no coefficient moves by more: the next would move by its square."""

HALVINGS = 20


@dataclass(frozen=True, kw_only=True, eq=False)
class Effects:
    """The coefficients β (thresholds × features), the queries' effects b (queries × thresholds × 2), and the
    covariance V of what is still unknown of them (queries × thresholds × 2 × 2)."""

    beta: FloatArray
    b: FloatArray
    covariance: FloatArray

    @classmethod
    def prior(cls, features: Features) -> Effects:
        """What is believed before the first label."""
        queries, thresholds = len(features.sizes), len(features.mean)
        blocks = _blocks(np.broadcast_to(features.effects, (queries, *features.effects.shape)))
        return cls(beta=features.mean, b=np.zeros((queries, thresholds, 2)), covariance=blocks)


@dataclass(frozen=True, kw_only=True, eq=False)
class Beliefs:
    """The probability that each document reaches each threshold (documents × thresholds), and what it rests on."""

    chance: FloatArray
    effects: Effects

    @classmethod
    def of(cls, features: Features, effects: Effects) -> Beliefs:
        """The probabilities that follow from the effects: falling with the threshold, never quite 0 or 1."""
        query, w = features.query, features.w
        fixed = (features.x @ effects.beta.T.astype(np.float32)).astype(np.float64)
        own, spread = np.zeros_like(fixed), np.zeros_like(fixed)
        for t in range(fixed.shape[1]):
            own[:, t] = np.einsum("zi,zi->z", w, effects.b[query, t])
            spread[:, t] = np.einsum("zi,zij,zj->z", w, effects.covariance[query, t], w)
        chance = _logistic((fixed + own) / np.sqrt(1.0 + np.pi * spread / 8.0))
        return cls(chance=np.clip(np.minimum.accumulate(chance, axis=1), EDGE, 1.0 - EDGE), effects=effects)


def believe(features: Features, labelled: IndexArray, reached: FloatArray, start: Effects | None = None) -> Beliefs:
    """The beliefs after the labels of some documents: `reached` (labelled × thresholds) is 1 or 0.

    `start` saves steps and does not change where they end.
    """
    first = Effects.prior(features) if start is None else start
    if not len(labelled):
        return Beliefs.of(features, Effects.prior(features))
    return Beliefs.of(features, Fit.of(features, labelled, reached).effects(first))


@dataclass(frozen=True, kw_only=True, eq=False)
class Fit:
    """The labelled documents in the order of their queries, and the prior that the effects are held by."""

    x: FloatArray
    w: FloatArray
    y: FloatArray
    query: IndexArray
    mean: FloatArray
    precision: FloatArray
    hold: FloatArray
    queries: int

    @classmethod
    def of(cls, features: Features, labelled: IndexArray, reached: FloatArray) -> Fit:
        """The labels of some documents: `reached` (labelled × thresholds) is 1 or 0."""
        order = np.argsort(labelled, kind="stable")
        rows = labelled[order]
        return cls(
            x=features.x[rows].astype(np.float64),
            w=features.w[rows],
            y=reached[order],
            query=features.query[rows],
            mean=features.mean,
            precision=features.precision,
            hold=np.asarray(np.linalg.inv(features.effects), dtype=np.float64),
            queries=len(features.sizes),
        )

    def effects(self, start: Effects) -> Effects:
        """The effects at the maximum of the penalised likelihood, which is unique."""
        beta, b = start.beta, start.b
        value = self.objective(beta, b)
        for _ in range(STEPS):
            by_beta, by_b, _ = self._step(beta, b)
            size = 1.0
            for _ in range(HALVINGS):
                # Far from the maximum a whole step may overshoot: on some collections it diverged.
                moved = self.objective(beta + size * by_beta, b + size * by_b)
                if moved >= value:
                    break
                size /= 2
            else:
                break
            beta, b, value = beta + size * by_beta, b + size * by_b, moved
            if max(np.abs(by_beta).max(), np.abs(by_b).max(initial=0.0)) < CLOSE:
                break
        return Effects(beta=beta, b=b, covariance=_blocks(self._step(beta, b)[2]))

    def _logits(self, beta: FloatArray, b: FloatArray) -> FloatArray:
        return np.asarray(self.x @ beta.T + np.einsum("zi,zti->zt", self.w, b[self.query]))

    def objective(self, beta: FloatArray, b: FloatArray) -> float:
        """The logarithm of the penalised likelihood."""
        eta, flat = self._logits(beta, b), b.reshape(self.queries, -1)
        fit = np.sum(self.y * eta - np.logaddexp(0.0, eta))
        held = np.sum(self.precision * (beta - self.mean) ** 2) + np.einsum("qi,ij,qj->", flat, self.hold, flat)
        return float(fit - held / 2)

    def _step(self, beta: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Newton's step for β and b, and the inverse curvature in each query's effects given β."""
        thresholds, width = beta.shape
        p = _logistic(self._logits(beta, b))
        left, curve = self.y - p, p * (1.0 - p)
        inverse, cross, whole = self._curvature(curve, width)
        by_own = np.stack([self._by_query(left * self.w[:, [i]]) for i in (0, 1)], axis=2)
        slope_b = by_own.reshape(self.queries, -1) - b.reshape(self.queries, -1) @ self.hold
        slope = (left.T @ self.x - self.precision * (beta - self.mean)).ravel()
        carried = inverse @ cross
        flat, flat_carried = (m.reshape(-1, thresholds * width) for m in (cross, carried))
        pull = slope - flat_carried.T @ slope_b.ravel()
        by_beta = np.asarray(np.linalg.solve(whole - flat.T @ flat_carried, pull), dtype=np.float64)
        by_b: FloatArray = (inverse @ (slope_b - cross @ by_beta)[..., np.newaxis])[..., 0]
        return by_beta.reshape(beta.shape), by_b.reshape(b.shape), inverse

    def spread(self, effects: Effects) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The covariance of each query's effects given β, how β carries them, and the precision of β."""
        p = _logistic(self._logits(effects.beta, effects.b))
        inverse, cross, whole = self._curvature(p * (1.0 - p), effects.beta.shape[1])
        carried = np.asarray(inverse @ cross)
        flat, flat_carried = (m.reshape(-1, len(whole)) for m in (cross, carried))
        return inverse, carried, whole - flat.T @ flat_carried

    def _curvature(self, curve: FloatArray, width: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The inverse curvature in each query's effects, that between them and β, and that in β."""
        own, cross = self._curvatures(curve, width)
        thresholds = curve.shape[1]
        whole = np.zeros((thresholds * width, thresholds * width))
        for t in range(thresholds):
            block = slice(t * width, (t + 1) * width)
            whole[block, block] = (self.x * curve[:, [t]]).T @ self.x + np.diag(self.precision)
        return np.asarray(np.linalg.inv(own), dtype=np.float64), cross, whole

    def _curvatures(self, curve: FloatArray, width: int) -> tuple[FloatArray, FloatArray]:
        """The curvature in each query's effects, and that between them and β."""
        thresholds = curve.shape[1]
        own = np.repeat(self.hold[np.newaxis], self.queries, axis=0)
        cross = np.zeros((self.queries, 2 * thresholds, thresholds * width))
        for i in (0, 1):
            weighed = curve * self.w[:, [i]]
            for j in (0, 1):
                found = self._by_query(weighed * self.w[:, [j]])
                for t in range(thresholds):
                    own[:, 2 * t + i, 2 * t + j] += found[:, t]
            for t in range(thresholds):
                cross[:, 2 * t + i, t * width : (t + 1) * width] = self._by_query(self.x * weighed[:, [t]])
        return own, cross

    def _by_query(self, rows: FloatArray) -> FloatArray:
        """The sum of the rows of each query."""
        starts = np.flatnonzero(np.diff(self.query, prepend=-1))
        found = np.zeros((self.queries, rows.shape[1]))
        found[self.query[starts]] = np.add.reduceat(rows, starts, axis=0)
        return found


def _blocks(covariance: FloatArray) -> FloatArray:
    """The 2 × 2 block of each threshold (queries × thresholds × 2 × 2)."""
    queries, size, _ = covariance.shape
    folded = covariance.reshape(queries, size // 2, 2, size // 2, 2)
    return np.ascontiguousarray(np.einsum("qtitj->qtij", folded))


def _logistic(x: FloatArray) -> FloatArray:
    from scipy.special import expit

    return np.asarray(expit(x))


def covariances(chance: FloatArray) -> FloatArray:
    """The covariance of a document's indicators under the beliefs (documents × thresholds × thresholds).

    A document that reaches the higher threshold reaches the lower one, so the mean of a product is the lesser chance.
    """
    lesser = np.minimum(chance[:, :, np.newaxis], chance[:, np.newaxis, :])
    return np.asarray(lesser - chance[:, :, np.newaxis] * chance[:, np.newaxis, :])
