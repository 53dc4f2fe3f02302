"""The sampler: effects that may be the true ones, drawn as the labels of one step leave them possible.

Albert & Chib's Gibbs sampler (JASA 1993) with many chains at once. Behind each label is a number y* ~ N(f, 1) whose
sign the label is. With the prior N(μ, Λ) of the effects and the rows A of the labelled documents, K = AΛA':

    y* | f: normal, cut to the label's side;    f | y* ~ N(Aμ + H(y* − Aμ), H),   H = K(K + I)⁻¹

Effects are drawn by Matheron's rule: a draw from the prior, moved by ΛA'(K + I)⁻¹ times what it misses.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from rankgauge.active.posterior.model import GradeModel
from rankgauge.numeric import BoolArray, FloatArray, IndexArray

CHAINS, PER_CHAIN, APART = 80, 5, 3
"""How many chains there are, the draws from each, and the iterations between two of them."""

BURN_IN, LEARNT_AT = 21, (6, 12, 18)
"""The iterations before the first draw, and those after which spreads of queries' effects are learnt."""

PRIOR_QUERIES = 20.0
"""As how many queries the spreads count that were expected."""

JITTER, EDGE = 1e-6, 1e-7
"""What is added to a matrix so that it has a root, and how near a probability may come to 0 or 1."""


@dataclass(frozen=True, kw_only=True, eq=False)
class StepDraws:
    """Drawn predictors of all documents (draws × documents), and the learnt spreads of queries' effects."""

    predictor: FloatArray
    spread: FloatArray


@dataclass(kw_only=True, eq=False)
class StepSampler:
    """The regression of one step on the documents `rows` that came to it, of which some `passed`."""

    model: GradeModel
    step: int
    rows: IndexArray
    passed: BoolArray
    rng: np.random.Generator
    chains: int = CHAINS
    learnt_at: tuple[int, ...] = LEARNT_AT
    spread: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        order = np.argsort(self.rows, kind="stable")  # rows of a query are together, as documents are
        self.rows, self.passed = self.rows[order], self.passed[order]
        self.spread = self.model.query_spread[self.step].copy()
        self._query, self._x, self._w = (part[self.rows] for part in (self.model.query, self.model.x, self.model.w))
        self._sign = np.where(self.passed, 1.0, -1.0)[:, np.newaxis]
        self._mean = (self._x @ self.model.mean[self.step])[:, np.newaxis]
        self._shared = (self._x * self.model.spread**2) @ self._x.T
        self._same = np.equal.outer(self._query, self._query)

    def draw(self, per_chain: int = PER_CHAIN) -> StepDraws:
        """Draws of the predictors; from the prior where no document has come to the step."""
        self._factor()
        latent = np.repeat(self._mean, self.chains, axis=1)
        for n in range(1, BURN_IN + 1):
            noisy = self._noisy(latent)
            if n in self.learnt_at:
                self._learn(self._effects(noisy)[1])
                self._factor()
            latent = self._latent(noisy)
        found = np.concatenate([self._predictor(*effects) for effects in self._drawn(latent, per_chain)], axis=1)
        return StepDraws(predictor=np.ascontiguousarray(found.T), spread=self.spread)

    def _drawn(self, latent: FloatArray, per_chain: int) -> Iterator[tuple[FloatArray, FloatArray]]:
        for _ in range(per_chain):
            for _ in range(APART):
                noisy = self._noisy(latent)
                latent = self._latent(noisy)
            yield self._effects(noisy)

    def _factor(self) -> None:
        """The matrices of the current spreads."""
        own = self._same * ((self._w * self.spread**2) @ self._w.T)
        one = np.eye(len(self.rows))
        self._inverse = np.linalg.inv(self._shared + own + one)
        self._gain = one - self._inverse
        self._root = np.linalg.cholesky(self._gain + JITTER * one)

    def _noisy(self, latent: FloatArray) -> FloatArray:
        """y* of each label and chain."""
        from scipy.special import ndtr, ndtri

        beyond = self.rng.random(latent.shape) * ndtr(self._sign * latent)
        return np.asarray(latent + self._sign * ndtri(np.clip(1.0 - beyond, EDGE, 1.0 - EDGE)))

    def _latent(self, noisy: FloatArray) -> FloatArray:
        """f of each label and chain."""
        noise = self.rng.standard_normal(noisy.shape)
        return np.asarray(self._mean + self._gain @ (noisy - self._mean) + self._root @ noise)

    def _effects(self, noisy: FloatArray) -> tuple[FloatArray, FloatArray]:
        """β less its mean (features × chains), and b (queries × effects × chains)."""
        model, rng, chains = self.model, self.rng, noisy.shape[1]
        beta = model.spread[:, np.newaxis] * rng.standard_normal((len(model.spread), chains))
        b = self.spread[:, np.newaxis] * rng.standard_normal((len(model.sizes), len(self.spread), chains))
        if not len(self.rows):
            return beta, b
        drawn = self._x @ beta + np.einsum("ni,nic->nc", self._w, b[self._query]) + rng.standard_normal(noisy.shape)
        moved = self._inverse @ (noisy - self._mean - drawn)
        beta += model.spread[:, np.newaxis] ** 2 * (self._x.T @ moved)
        starts = np.flatnonzero(np.diff(self._query, prepend=-1))
        sums = np.add.reduceat(self._w[:, :, np.newaxis] * moved[:, np.newaxis], starts, axis=0)
        b[self._query[starts]] += self.spread[:, np.newaxis] ** 2 * sums
        return beta, b

    def _learn(self, b: FloatArray) -> None:
        """Moves the spreads of queries' effects to those of the drawn effects, of one kind all together."""
        expected, queries = self.model.query_spread[self.step], len(self.model.sizes)
        seen = (b**2).mean(axis=(0, 2))
        for kind in np.unique(self.model.kind):
            of_kind = self.model.kind == kind
            before = PRIOR_QUERIES * expected[of_kind] ** 2 + queries * seen[of_kind].mean()
            self.spread[of_kind] = np.sqrt(before / (PRIOR_QUERIES + queries))

    def _predictor(self, beta: FloatArray, b: FloatArray) -> FloatArray:
        """x'β + w'b of every document (documents × chains)."""
        model = self.model
        found = model.x @ (model.mean[self.step][:, np.newaxis] + beta)
        for start, size, effects in zip(model.starts, model.sizes, b, strict=True):
            found[start : start + size] += model.w[start : start + size] @ effects
        return np.asarray(found)
