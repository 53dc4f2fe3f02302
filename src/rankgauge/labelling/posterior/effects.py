"""What labels say of the effects of one step, where the likelihood is normal: shared ones, and those of each query.

Queries meet only in the shared effects, so that the precision of all effects has the shape of an arrow and is never
written out: it is the block D_q of each query, and what is left for the shared effects once those are taken out,

    S = Λ⁻¹ + X'VX − Σ_q F_q'D_qF_q,   D_q = Λ_q⁻¹ + W_q'VW_q,   F_q = D_q⁻¹W_q'VX_q

with the rows X and W of the labelled documents and the weights V of their labels. Time grows with the labels, not with
their square or cube.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankgauge.labelling.posterior.model import GradeModel
from rankgauge.numeric import FloatArray, IndexArray


@dataclass(frozen=True, kw_only=True, eq=False)
class EffectRows:
    """The features of labelled documents, those of a query together."""

    model: GradeModel
    x: FloatArray
    w: FloatArray
    query: IndexArray
    starts: IndexArray

    @classmethod
    def of(cls, model: GradeModel, rows: IndexArray) -> EffectRows:
        """The features of these documents, in ascending order."""
        query = model.query[rows]
        starts = np.flatnonzero(np.diff(query, prepend=-1))
        return cls(model=model, x=model.x[rows], w=model.w[rows], query=query, starts=starts)

    def by_query(self, amounts: FloatArray) -> FloatArray:
        """The sums of amounts (labels × …) over the labels of each query; 0 where there are none."""
        found = np.zeros((len(self.model.sizes), *amounts.shape[1:]))
        if len(self.starts):
            found[self.query[self.starts]] = np.add.reduceat(amounts, self.starts, axis=0)
        return found

    def predictor(self, beta: FloatArray, b: FloatArray) -> FloatArray:
        """x'β + w'b of each label (labels × number)."""
        return np.asarray(self.x @ beta + (self.w[:, np.newaxis] @ b[self.query])[:, 0])


@dataclass(frozen=True, kw_only=True, eq=False)
class NormalEffects:
    """The covariance of the effects: `shared` is S⁻¹ (features × features), `own` (queries × effects × effects) D⁻¹ of
    each query, and `carried` (queries × effects × features) F: by how much b moves with β."""

    rows: EffectRows
    shared: FloatArray
    own: FloatArray
    carried: FloatArray

    @classmethod
    def of(cls, rows: EffectRows, spread: FloatArray, weight: FloatArray) -> NormalEffects:
        """After labels of these weights, with these prior spreads of a query's effects."""
        model, weighed = rows.model, rows.w * weight[:, np.newaxis]
        prior = np.diag(spread**-2)
        own = np.asarray(
            np.linalg.inv(prior + rows.by_query(weighed[:, :, np.newaxis] * rows.w[:, np.newaxis])), dtype=np.float64
        )
        cross = rows.by_query(weighed[:, :, np.newaxis] * rows.x[:, np.newaxis])
        carried = own @ cross
        held = np.diag(model.spread**-2) + (rows.x.T * weight) @ rows.x - np.einsum("qik,qil->kl", cross, carried)
        return cls(rows=rows, shared=np.linalg.inv((held + held.T) / 2), own=own, carried=carried)

    def solve(self, amounts: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The covariance times what amounts (labels × any number) pull at the effects: β (features × number), b
        (queries × effects × number)."""
        pulled = self.rows.by_query(self.rows.w[:, :, np.newaxis] * amounts[:, np.newaxis])
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
