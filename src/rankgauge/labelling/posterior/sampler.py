"""The sampler: effects that may be the true ones, drawn as the labels of one step leave them possible.

Albert & Chib's Gibbs sampler (JASA 1993) with many chains at once. Behind each label is a number y* ~ N(f, 1) whose
sign the label is. In turn y* is drawn from that normal distribution, cut to the label's side, and the effects from the
normal distribution that they have once y* is known.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from rankgauge.labelling.posterior.effects import EffectRows, NormalEffects
from rankgauge.labelling.posterior.model import GradeModel
from rankgauge.numeric import BoolArray, FloatArray, IndexArray

CHAINS, PER_CHAIN, APART = 80, 5, 3
"""How many chains there are, the draws from each, and the iterations between two of them."""

BURN_IN, LEARNT_AT = 21, (6, 12, 18)
"""The iterations before the first draw, and those after which spreads of queries' effects are learnt."""

PRIOR_QUERIES = 20.0
"""As how many queries the spreads count that were expected."""

EDGE = 1e-7
"""How near a probability may come to 0 or 1."""


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
        order = np.argsort(self.rows, kind="stable")
        self.spread = self.model.query_spread[self.step].copy()
        self._labelled = EffectRows.of(self.model, self.rows[order])
        self._sign = np.where(self.passed[order], 1.0, -1.0)[:, np.newaxis]
        self._mean = (self._labelled.x @ self.model.mean[self.step])[:, np.newaxis]

    def draw(self, per_chain: int = PER_CHAIN) -> StepDraws:
        """Draws of the predictors; from the prior where no document has come to the step."""
        found = np.concatenate([self._predictor(*effects) for effects in self._drawn(per_chain)], axis=1)
        return StepDraws(predictor=np.ascontiguousarray(found.T), spread=self.spread)

    def _drawn(self, per_chain: int) -> Iterator[tuple[FloatArray, FloatArray]]:
        """β less its mean (features × chains), and b (queries × effects × chains)."""
        latent, known = np.repeat(self._mean, self.chains, axis=1), self._known()
        for n in range(1, BURN_IN + per_chain * APART + 1):
            beta, b = self._effects(known, self._noisy(latent))
            if n in self.learnt_at:
                self._learn(b)
                known = self._known()
            latent = self._mean + self._labelled.predictor(beta, b)
            if n > BURN_IN and (n - BURN_IN) % APART == 0:
                yield beta, b

    def _known(self) -> NormalEffects:
        """What labels with y* say, with the current spreads."""
        return NormalEffects.of(self._labelled, self.spread, np.ones(len(self.rows)))

    def _noisy(self, latent: FloatArray) -> FloatArray:
        """y* of each label and chain."""
        from scipy.special import ndtr, ndtri

        beyond = self.rng.random(latent.shape) * ndtr(self._sign * latent)
        return np.asarray(latent + self._sign * ndtri(np.clip(1.0 - beyond, EDGE, 1.0 - EDGE)))

    def _effects(self, known: NormalEffects, noisy: FloatArray) -> tuple[FloatArray, FloatArray]:
        (beta, b), (off, apart) = known.solve(noisy - self._mean), known.noise(self.rng, self.chains)
        return beta + off, b + apart

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
