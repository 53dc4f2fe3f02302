"""Effects of the model, shared and by query: their precision as an arrow, and a normal approximation.

Queries meet only in the shared effects, so that the precision of all effects has the shape of an arrow and is never
written out: it is the block D_q of each query, and what is left for the shared effects once those are taken out,

    S = Λ⁻¹ + X'VX − Σ_q F_q'D_qF_q,   D_q = Λ_q⁻¹ + W_q'VW_q,   F_q = D_q⁻¹W_q'VX_q

with the rows X and W of the labelled documents and the weights V of their labels. Time grows with the labels, not with
their square or cube.

Draws are for reporting: they are too noisy to say which label would help most. The normal approximation is the same
model without noise, around the maximum of its posterior.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankgauge.labelling.posterior.model import GradeModel
from rankgauge.numeric import BoolArray, FloatArray, IndexArray


@dataclass(frozen=True, kw_only=True, eq=False)
class EffectRows:
    """The features of labelled documents, those of a query together.

    `padded` (queries × most labels of a query × effects) holds w, with rows of 0 behind a query's last label, and
    `slot` (labels) the row of each label in it: products of small matrices are many times faster than sums of rows.
    """

    model: GradeModel
    x: FloatArray
    w: FloatArray
    padded: FloatArray
    slot: IndexArray

    @classmethod
    def of(cls, model: GradeModel, rows: IndexArray) -> EffectRows:
        """The features of these documents, in ascending order."""
        query, queries = model.query[rows], len(model.sizes)
        counts = np.bincount(query, minlength=queries)
        most = max(int(counts.max(initial=0)), 1)
        slot = query * most + np.arange(len(rows)) - (np.cumsum(counts) - counts)[query]
        padded = np.zeros((queries * most, model.w.shape[1]))
        padded[slot] = model.w[rows]
        return cls(
            model=model,
            x=model.x[rows],
            w=model.w[rows],
            padded=padded.reshape(queries, most, -1),
            slot=slot,
        )

    def by_query(self, amounts: FloatArray) -> FloatArray:
        """Return Σ w · amount over the labels of each query (queries × effects × columns of the amounts)."""
        queries, most, _ = self.padded.shape
        spaced = np.zeros((queries * most, amounts.shape[1]))
        spaced[self.slot] = amounts
        return np.asarray(self.padded.transpose(0, 2, 1) @ spaced.reshape(queries, most, -1))

    def predictor(self, beta: FloatArray, b: FloatArray) -> FloatArray:
        """Return x'β + w'b of each label (labels × draws)."""
        own = (self.padded @ b).reshape(-1, b.shape[2])
        return np.asarray(self.x @ beta + own[self.slot])


@dataclass(frozen=True, kw_only=True, eq=False)
class NormalEffects:
    """The covariance of the effects: `shared` is S⁻¹ (features × features), `own` (queries × effects × effects) D⁻¹ of
    each query, and `carried` (queries × effects × features) F: by how much b moves with β."""

    rows: EffectRows
    shared: FloatArray
    own: FloatArray
    carried: FloatArray

    @classmethod
    def of(cls, rows: EffectRows, spread: FloatArray, weight: FloatArray, *, held: float = 0.0) -> NormalEffects:
        """Return the effects after labels of these weights, with these prior spreads of a query's effects.

        `held` is the precision that the next step adds to a query's intercept.
        """
        model, weighed = rows.model, rows.w * weight[:, np.newaxis]
        prior = np.diag(spread**-2)
        prior[0, 0] += held
        own = np.asarray(np.linalg.inv(prior + rows.by_query(weighed)), dtype=np.float64)
        cross = rows.by_query(rows.x * weight[:, np.newaxis])
        carried = own @ cross
        precision = np.diag(model.spread**-2) + (rows.x.T * weight) @ rows.x - np.einsum("qik,qil->kl", cross, carried)
        return cls(rows=rows, shared=np.linalg.inv((precision + precision.T) / 2), own=own, carried=carried)

    def solve(self, amounts: FloatArray, pull: FloatArray | None = None) -> tuple[FloatArray, FloatArray]:
        """Return the covariance times what amounts (labels × draws) pull at the effects: β (features × draws), b
        (queries × effects × draws). `pull` (queries × draws) is what other steps pull at the intercepts."""
        pulled = self.rows.by_query(amounts)
        if pull is not None:
            pulled[:, 0] += pull
        flat = pulled.reshape(-1, amounts.shape[1])
        beta = self.shared @ (self.rows.x.T @ amounts - self._carried.T @ flat)
        return beta, self.own @ pulled - (self._carried @ beta).reshape(pulled.shape)

    def noise(self, rng: np.random.Generator, draws: int) -> tuple[FloatArray, FloatArray]:
        """Draws of the effects around their mean: β (features × draws), b (queries × effects × draws)."""
        shared, own = self._roots
        beta = shared @ rng.standard_normal((len(shared), draws))
        b = own @ rng.standard_normal((*own.shape[:2], draws))
        return beta, b - (self._carried @ beta).reshape(b.shape)

    @cached_property
    def _carried(self) -> FloatArray:
        return np.ascontiguousarray(self.carried.reshape(-1, len(self.shared)))

    @cached_property
    def _roots(self) -> tuple[FloatArray, FloatArray]:
        shared, own = (np.asarray(np.linalg.cholesky(one), dtype=np.float64) for one in (self.shared, self.own))
        return shared, own

    def features(self) -> FloatArray:
        """What each document has of the shared effects once its query's move with them (documents × features): the
        covariance of two predictors is that of these, and w'D⁻¹w if they are of one query."""
        model = self.rows.model
        return np.asarray(model.x - np.einsum("zi,zik->zk", model.w, self.carried[model.query]))


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
    intercept: FloatArray
    """The intercept of each query that is most likely."""

    @classmethod
    def of(
        cls,
        model: GradeModel,
        step: int,
        rows: IndexArray,
        passed: BoolArray,
        spread: FloatArray,
        before: StepBeliefs | None = None,
    ) -> StepBeliefs:
        """Return the beliefs after the labels of some documents, with these spreads of queries' effects (effects), and
        the beliefs about the step before as if they were certain."""
        from scipy.special import ndtr

        order = np.argsort(rows, kind="stable")
        labelled, sign = EffectRows.of(model, rows[order]), np.where(passed[order], 1.0, -1.0)
        carried = np.zeros(len(model.sizes)) if before is None else model.carried[step] * before.intercept
        prior = model.x @ model.mean[step] + carried[model.query]
        beta, b, effects = _maximum(labelled, prior[rows[order]], sign, spread)
        u, by_query = effects.features(), effects.own[model.query]
        variance = np.einsum("zk,kl,zl->z", u, effects.shared, u) + np.einsum(
            "zi,zij,zj->z", model.w, by_query, model.w
        )
        wide = np.sqrt(1.0 + variance)
        middle = prior + model.x @ beta + np.einsum("zi,zi->z", model.w, b[model.query])
        at = middle / wide
        return cls(
            model=model,
            effects=effects,
            u=u,
            chance=np.clip(ndtr(at), 1e-6, 1.0 - 1e-6),
            slope=np.exp(-(at**2) / 2) / np.sqrt(2 * np.pi) / wide,
            variance=variance,
            intercept=carried + b[:, 0],
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
