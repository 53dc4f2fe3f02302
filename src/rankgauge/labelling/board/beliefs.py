"""Beliefs of a board: how likely each document reaches each grade, from the labels so far.

    logit P(y_z ≥ t) = x_z'β_t + w_z'b_qt,   w_z = (1, log of the fused rank)

A logistic regression for each threshold; a query's effects b_q are normal and alike from threshold to threshold. β and
b are those of the penalised likelihood, by Newton's steps in which b is eliminated. A probability is the mean over what
is still unknown of b_q: σ(η / √(1 + π w'V_q w / 8)). No estimate's unbiasedness rests on any of this.

The normal distribution at the maximum of the penalised likelihood is too wide to the wrong side where a query has few
labels, all alike: it believes in relevant documents that nobody has seen. So draws are corrected by elliptical slices
(Murray, Adams & MacKay, AISTATS 2010) with that distribution as the reference: with many labels a draw is free, with
few it takes some steps, and there is nothing to tune.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankgauge.labelling.board.features import Features
from rankgauge.numeric import FloatArray, IndexArray

EDGE = 1e-4
"""No probability is nearer to 0 or 1."""

STEPS, CLOSE = 60, 1e-4
"""Newton's steps end at this number, or when no coefficient moves by more: the next would move by its square."""

CLOSER = 1e-7
"""Where steps with the curvature of an earlier one end: the next would move by a part of this number."""

NEAR = 0.05
"""A curvature serves the next step too if no coefficient has moved by more."""

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
        """Return what is believed before the first label."""
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
        """Return the probabilities that follow from the effects: falling with the threshold, never quite 0 or 1."""
        return next(cls.each(features, [effects]))

    @classmethod
    def each(cls, features: Features, effects: Sequence[Effects]) -> Iterator[Beliefs]:
        """Yield the same for each of several effects, with one pass over the features."""
        fixed = features.x @ np.vstack([effect.beta for effect in effects]).T.astype(np.float32)
        for one, part in zip(effects, np.split(fixed, len(effects), axis=1), strict=True):
            own, spread = _own(features, one)
            chance = _logistic((part + own) / np.sqrt(1.0 + np.pi * spread / 8.0))
            yield cls(chance=np.clip(np.minimum.accumulate(chance, axis=1), EDGE, 1.0 - EDGE), effects=one)


def believe(features: Features, labelled: IndexArray, reached: FloatArray, start: Effects | None = None) -> Beliefs:
    """Return the beliefs after the labels of some documents: `reached` (labelled × thresholds) is 1 or 0."""
    return Beliefs.of(features, learn_effects(features, labelled, reached, start))


def learn_effects(
    features: Features, labelled: IndexArray, reached: FloatArray, start: Effects | None = None
) -> Effects:
    """Return the effects after the labels of some documents. `start` saves steps and does not change where they end."""
    first = Effects.prior(features)
    return Fit.of(features, labelled, reached).effects(start or first) if len(labelled) else first


@dataclass(frozen=True, kw_only=True, eq=False)
class Curvature:
    """The curvature of the penalised likelihood, in which b is eliminated: `held` (coefficients × coefficients) is that
    in β.

    `inverse` (queries × effects × effects) is the covariance of each query's effects given β, `cross` (queries ×
    effects × coefficients) the curvature between them and β, `carried` how far they follow β: inverse times cross.
    """

    inverse: FloatArray
    cross: FloatArray
    carried: FloatArray
    held: FloatArray


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
        """Return the labels of some documents: `reached` (labelled × thresholds) is 1 or 0."""
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
        """Return the effects at the maximum of the penalised likelihood, which is unique.

        Near the maximum the curvature hardly changes, and one serves several steps: most of the time goes into it.
        """
        beta, b = start.beta, start.b
        value, last = self.objective(beta, b), np.inf
        curvature: Curvature | None = None
        for _ in range(STEPS):
            fresh = curvature is None
            curvature = self.curvature(beta, b) if curvature is None else curvature
            by_beta, by_b = self._step(beta, b, curvature)
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
            length = max(float(np.abs(by_beta).max()), float(np.abs(by_b).max(initial=0.0)))
            if length < (CLOSE if fresh else CLOSER):
                break
            if length > NEAR or length > last / 2:
                curvature = None
            last = length
        return Effects(beta=beta, b=b, covariance=_blocks(self._inverse(self._curve(beta, b))))

    def _logits(self, beta: FloatArray, b: FloatArray) -> FloatArray:
        return np.asarray(self.x @ beta.T + np.einsum("zi,zti->zt", self.w, b[self.query]))

    def objective(self, beta: FloatArray, b: FloatArray) -> float:
        """Return the logarithm of the penalised likelihood."""
        eta, flat = self._logits(beta, b), b.reshape(self.queries, -1)
        fit = np.sum(self.y * eta - np.logaddexp(0.0, eta))
        held = np.sum(self.precision * (beta - self.mean) ** 2) + np.einsum("qi,ij,qj->", flat, self.hold, flat)
        return float(fit - held / 2)

    def _step(self, beta: FloatArray, b: FloatArray, curvature: Curvature) -> tuple[FloatArray, FloatArray]:
        """Newton's step for β and b."""
        left = self.y - _logistic(self._logits(beta, b))
        by_own = np.stack([self._by_query(left * self.w[:, [i]]) for i in (0, 1)], axis=2)
        slope_b = by_own.reshape(self.queries, -1) - b.reshape(self.queries, -1) @ self.hold
        slope = (left.T @ self.x - self.precision * (beta - self.mean)).ravel()
        pull = slope - curvature.carried.reshape(-1, len(slope)).T @ slope_b.ravel()
        by_beta = np.asarray(np.linalg.solve(curvature.held, pull), dtype=np.float64)
        by_b: FloatArray = (curvature.inverse @ (slope_b - curvature.cross @ by_beta)[..., np.newaxis])[..., 0]
        return by_beta.reshape(beta.shape), by_b.reshape(b.shape)

    def curvature(self, beta: FloatArray, b: FloatArray) -> Curvature:
        """Return the curvature of the penalised likelihood at these effects."""
        curve, (thresholds, width) = self._curve(beta, b), beta.shape
        whole = np.zeros((thresholds * width, thresholds * width))
        cross = np.zeros((self.queries, 2 * thresholds, thresholds * width))
        for t in range(thresholds):
            block, rooted = slice(t * width, (t + 1) * width), self.x * np.sqrt(curve[:, [t]])
            whole[block, block] = rooted.T @ rooted + np.diag(self.precision)  # a matrix by itself: half the products
            for i in (0, 1):
                cross[:, 2 * t + i, block] = self._by_query(self.x * (curve[:, [t]] * self.w[:, [i]]))
        inverse = self._inverse(curve)
        carried = np.asarray(inverse @ cross)
        flat, flat_carried = (m.reshape(-1, len(whole)) for m in (cross, carried))
        return Curvature(inverse=inverse, cross=cross, carried=carried, held=whole - flat.T @ flat_carried)

    def _curve(self, beta: FloatArray, b: FloatArray) -> FloatArray:
        """Return the variance of each label (labels × thresholds) at these effects."""
        p = _logistic(self._logits(beta, b))
        return np.asarray(p * (1.0 - p))

    def _inverse(self, curve: FloatArray) -> FloatArray:
        """Return the inverse curvature in each query's effects given β."""
        own = np.repeat(self.hold[np.newaxis], self.queries, axis=0)
        for i, j in ((0, 0), (0, 1), (1, 0), (1, 1)):
            inverse = self._by_query(curve * self.w[:, [i]] * self.w[:, [j]])
            for t in range(curve.shape[1]):
                own[:, 2 * t + i, 2 * t + j] += inverse[:, t]
        return np.asarray(np.linalg.inv(own), dtype=np.float64)

    def _by_query(self, rows: FloatArray) -> FloatArray:
        """Return the sum of the rows of each query."""
        table = np.zeros((self.queries, rows.shape[1]))
        table[self.query[self._starts]] = np.add.reduceat(rows, self._starts, axis=0)
        return table

    @cached_property
    def _starts(self) -> IndexArray:
        """Where the labels of each query that has one begin."""
        return np.flatnonzero(np.diff(self.query, prepend=-1))


def _own(features: Features, effects: Effects) -> tuple[FloatArray, FloatArray]:
    """What its query's effects add to the logit of each document (documents × thresholds), and the variance of that."""
    first, second = (features.w[:, [i]] for i in (0, 1))
    b, v = (np.repeat(of_query, features.sizes, axis=0) for of_query in (effects.b, effects.covariance))
    own = first * b[:, :, 0] + second * b[:, :, 1]
    mixed = first * second * (v[:, :, 0, 1] + v[:, :, 1, 0])
    return own, first**2 * v[:, :, 0, 0] + mixed + second**2 * v[:, :, 1, 1]


def _blocks(covariance: FloatArray) -> FloatArray:
    """Return the 2 × 2 block of each threshold (queries × thresholds × 2 × 2)."""
    queries, size, _ = covariance.shape
    folded = covariance.reshape(queries, size // 2, 2, size // 2, 2)
    return np.ascontiguousarray(np.einsum("qtitj->qtij", folded))


def _logistic(x: FloatArray) -> FloatArray:
    from scipy.special import expit

    return np.asarray(expit(x))


def covariances(chance: FloatArray) -> FloatArray:
    """Return the covariance of a document's indicators under the beliefs (documents × thresholds × thresholds).

    A document that reaches the higher threshold reaches the lower one, so the mean of a product is the lesser chance.
    """
    lesser = np.minimum(chance[:, :, np.newaxis], chance[:, np.newaxis, :])
    return np.asarray(lesser - chance[:, :, np.newaxis] * chance[:, np.newaxis, :])


FIRST, BETWEEN = 60, 5
"""How many steps are taken before the first draw, and between two."""


@dataclass(frozen=True, kw_only=True, eq=False)
class EffectsPosterior:
    """What labels say of the effects, and what they leave unknown.

    `root` (coefficients × coefficients) times standard normal numbers gives how far β may be off; a query's effects are
    then off by `carried` (queries × effects × coefficients) times as much, and by `own` (queries × effects × effects)
    times numbers of their own.
    """

    features: Features
    fit: Fit
    effects: Effects
    root: FloatArray
    carried: FloatArray
    own: FloatArray

    @classmethod
    def of(cls, features: Features, labelled: IndexArray, reached: FloatArray) -> EffectsPosterior:
        """Return the posterior after the labels of some documents: `reached` (labelled × thresholds) is 1 or 0."""
        fit = Fit.of(features, labelled, reached)
        effects = fit.effects(Effects.prior(features))
        curvature = fit.curvature(effects.beta, effects.b)
        return cls(
            features=features,
            fit=fit,
            effects=effects,
            root=np.asarray(np.linalg.inv(np.linalg.cholesky(curvature.held)).T, dtype=np.float64),
            carried=curvature.carried,
            own=np.asarray(np.linalg.cholesky(curvature.inverse), dtype=np.float64),
        )

    def chances(self, rng: np.random.Generator, draws: int) -> Iterator[FloatArray]:
        """Yield draws of the chance that each document reaches each threshold (documents × thresholds)."""
        at = np.zeros(len(self.root) + self.own.shape[0] * self.own.shape[1])
        for draw in range(draws):
            for _ in range(BETWEEN if draw else FIRST):
                at = self._step(at, rng)
            yield self._chances(*self._effects(at))

    def _effects(self, at: FloatArray) -> tuple[FloatArray, FloatArray]:
        """β and b at a place that is measured in standard normal numbers from the maximum."""
        queries, size, _ = self.own.shape
        off = self.root @ at[: len(self.root)]
        apart = np.einsum("qij,qj->qi", self.own, at[len(self.root) :].reshape(queries, size)) - self.carried @ off
        beta = self.effects.beta + off.reshape(self.effects.beta.shape)
        return beta, self.effects.b + apart.reshape(self.effects.b.shape)

    def _excess(self, at: FloatArray) -> float:
        """Return the logarithm of the posterior over the normal distribution, up to a constant."""
        return self.fit.objective(*self._effects(at)) + float(at @ at) / 2

    def _step(self, at: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Return a step along a random ellipse through the place, to where the posterior is high enough."""
        other, level = rng.standard_normal(len(at)), self._excess(at) + np.log(rng.random())
        angle = rng.random() * 2 * np.pi
        low, high = angle - 2 * np.pi, angle
        while True:
            moved = np.asarray(at * np.cos(angle) + other * np.sin(angle))
            if self._excess(moved) >= level:
                return moved
            low, high = (angle, high) if angle < 0 else (low, angle)
            angle = low + (high - low) * rng.random()

    def _chances(self, beta: FloatArray, b: FloatArray) -> FloatArray:
        from scipy.special import expit

        features = self.features
        fixed = (features.x @ beta.T.astype(np.float32)).astype(np.float64)
        logits = fixed + np.einsum("zi,zti->zt", features.w, b[features.query])
        return np.asarray(np.minimum.accumulate(expit(logits), axis=1))
