"""The posterior of a board's beliefs: effects that may be the true ones, drawn as the labels leave them possible.

The normal distribution at the maximum of the penalised likelihood is too wide to the wrong side where a query has few
labels, all alike: it believes in relevant documents that nobody has seen. So draws are corrected by elliptical slices
(Murray, Adams & MacKay, AISTATS 2010) with that distribution as the reference: with many labels a draw is free, with
few it takes some steps, and there is nothing to tune.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rankgauge.labelling.board.beliefs import Effects, Fit
from rankgauge.labelling.board.features import Features
from rankgauge.numeric import FloatArray, IndexArray

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
        """The posterior after the labels of some documents: `reached` (labelled × thresholds) is 1 or 0."""
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
        """Probabilities to reach each threshold (documents × thresholds) that may be the true ones, one by one."""
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
        """The logarithm of the posterior over the normal distribution, up to a constant."""
        return self.fit.objective(*self._effects(at)) + float(at @ at) / 2

    def _step(self, at: FloatArray, rng: np.random.Generator) -> FloatArray:
        """A step along a random ellipse through the place, to where the posterior is high enough."""
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
