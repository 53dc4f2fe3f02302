"""Laplace's approximation of one step: what is believed of every document, and how the beliefs vary together.

Draws are for reporting: they are too noisy to say which label would help most. This is the same model without noise,
around the maximum of its posterior.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankgauge.labelling.posterior.effects import EffectRows, NormalEffects
from rankgauge.labelling.posterior.model import GradeModel
from rankgauge.numeric import BoolArray, FloatArray, IndexArray

ROUNDS = 6
"""How many of Newton's steps are taken."""


@dataclass(frozen=True, kw_only=True, eq=False)
class StepBeliefs:
    """The chance that each document passes the step, its slope in the predictor, and the predictor's variance.

    The covariance of two predictors is u'S⁻¹u, and w'D⁻¹w more if they are of one query: `u` (documents × features) and
    `effects` have what it takes.
    """

    model: GradeModel
    effects: NormalEffects
    u: FloatArray
    chance: FloatArray
    slope: FloatArray
    variance: FloatArray

    @classmethod
    def of(cls, model: GradeModel, step: int, rows: IndexArray, passed: BoolArray, spread: FloatArray) -> StepBeliefs:
        """The beliefs after the labels of some documents, with these spreads of queries' effects (effects)."""
        from scipy.special import ndtr

        order = np.argsort(rows, kind="stable")
        labelled, sign = EffectRows.of(model, rows[order]), np.where(passed[order], 1.0, -1.0)
        beta, b, effects = _maximum(labelled, labelled.x @ model.mean[step], sign, spread)
        u, by_query = effects.features(), effects.own[model.query]
        variance = np.einsum("zk,kl,zl->z", u, effects.shared, u) + np.einsum(
            "zi,zij,zj->z", model.w, by_query, model.w
        )
        wide = np.sqrt(1.0 + variance)
        middle = model.x @ (model.mean[step] + beta) + np.einsum("zi,zi->z", model.w, b[model.query])
        at = middle / wide
        return cls(
            model=model,
            effects=effects,
            u=u,
            chance=np.clip(ndtr(at), 1e-6, 1.0 - 1e-6),
            slope=np.exp(-(at**2) / 2) / np.sqrt(2 * np.pi) / wide,
            variance=variance,
        )

    def row(self, place: int) -> FloatArray:
        """The covariance of one document with all."""
        model, query = self.model, self.model.query[place]
        mine = slice(model.starts[query], model.starts[query] + model.sizes[query])
        found = self.u @ (self.effects.shared @ self.u[place])
        found[mine] += model.w[mine] @ (self.effects.own[query] @ model.w[place])
        return np.asarray(found)

    def times(self, weights: FloatArray) -> FloatArray:
        """Weights (any number × documents) times the covariance of all documents, which is never made."""
        model = self.model
        shared = (weights @ self.u @ self.effects.shared) @ self.u.T
        sums = np.add.reduceat(weights[:, :, np.newaxis] * model.w, model.starts, axis=1)
        own = np.einsum("sqi,qij->sqj", sums, self.effects.own)[:, model.query]
        return np.asarray(shared + np.einsum("szi,zi->sz", own, model.w))


def _maximum(
    rows: EffectRows, prior: FloatArray, sign: FloatArray, spread: FloatArray
) -> tuple[FloatArray, FloatArray, NormalEffects]:
    """β less its mean and b at the maximum of the posterior, and how far they may be off, by Newton's steps."""
    from scipy.special import log_ndtr

    at = prior
    for _ in range(ROUNDS):
        ratio = np.exp(-(at**2) / 2 - log_ndtr(sign * at)) / np.sqrt(2 * np.pi)
        weight = np.maximum(ratio**2 + sign * at * ratio, 1e-9)
        effects = NormalEffects.of(rows, spread, weight)
        beta, b = effects.solve((weight * (at - prior) + sign * ratio)[:, np.newaxis])
        at = prior + rows.predictor(beta, b)[:, 0]
    return beta[:, 0], b[..., 0], effects
