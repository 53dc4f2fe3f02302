"""Drawn gradings of the whole pool: a Gibbs sampler with many chains, and the grades that follow from it.

Albert & Chib's Gibbs sampler (JASA 1993) with many chains at once. Behind each label is a number y* ~ N(f, 1) whose
sign the label is. In turn y* is drawn from that normal distribution, cut to the label's side, and the effects from the
normal distribution that they have once y* and the effects of the neighbouring steps are known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from rankgauge.labelling.posterior.model import STEPS, EffectRows, GradeModel, NormalEffects
from rankgauge.numeric import BoolArray, FloatArray, IndexArray

CHAINS, PER_CHAIN, APART = 80, 5, 3
"""How many chains there are, the draws from each, and the iterations between two of them."""

BURN_IN, LEARNT_AT = 21, (6, 12, 18)
"""The iterations before the first draw, and those after which spreads of queries' effects are learnt."""

PRIOR_QUERIES = 20.0
"""As how many queries the spreads count that were expected."""

EDGE = 1e-7
"""How near a probability may come to 0 or 1."""


@dataclass(kw_only=True, eq=False)
class StepSampler:
    """The regression of one step on the documents `rows` that came to it, of which some `passed`.

    `beta` (features × chains) and `b` (queries × effects × chains) are where the chains are: β less its mean, and b.
    """

    model: GradeModel
    step: int
    rows: IndexArray
    passed: BoolArray
    rng: np.random.Generator
    chains: int = CHAINS
    spread: FloatArray = field(init=False)
    beta: FloatArray = field(init=False)
    b: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        order = np.argsort(self.rows, kind="stable")
        self.spread = self.model.query_spread[self.step].copy()
        self._labelled = EffectRows.of(self.model, self.rows[order])
        self._sign = np.where(self.passed[order], 1.0, -1.0)[:, np.newaxis]
        self._mean = (self._labelled.x @ self.model.mean[self.step])[:, np.newaxis]
        self.beta = np.zeros((self.model.x.shape[1], self.chains))
        self.b = np.zeros((len(self.model.sizes), self.model.w.shape[1], self.chains))

    @property
    def carried(self) -> float:
        """By how much a query's intercept follows that of the step before."""
        return float(self.model.carried[self.step])

    @property
    def follows(self) -> float:
        """How precisely it does so."""
        return float(self.spread[0] ** -2)

    def advance(self, before: StepSampler | None, after: StepSampler | None) -> None:
        """Take one iteration of all chains, given where those of the neighbouring steps are."""
        pull = np.zeros((len(self.b), self.chains))
        if before is not None:
            pull += self.carried * self.follows * before.b[:, 0]
        if after is not None:
            pull += after.carried * after.follows * after.b[:, 0]
        latent = self._mean + self._labelled.predictor(self.beta, self.b)
        known = self._effects_of_labels(0.0 if after is None else after.carried**2 * after.follows)
        (beta, b), (off, apart) = (
            known.solve(self._noisy(latent) - self._mean, pull),
            known.noise(self.rng, self.chains),
        )
        self.beta, self.b = beta + off, b + apart

    def learn(self, before: StepSampler | None) -> None:
        """Move the spreads of queries' effects to those of the drawn effects, of one kind all together."""
        expected, queries = self.model.query_spread[self.step], len(self.model.sizes)
        apart = self.b.copy()
        if before is not None:
            apart[:, 0] -= self.carried * before.b[:, 0]
        seen = (apart**2).mean(axis=(0, 2))
        for kind in np.unique(self.model.kind):
            of_kind = self.model.kind == kind
            prior = PRIOR_QUERIES * expected[of_kind] ** 2 + queries * seen[of_kind].mean()
            self.spread[of_kind] = np.sqrt(prior / (PRIOR_QUERIES + queries))
        self._effects.clear()

    def predictor(self) -> FloatArray:
        """Return x'β + w'b of every document (documents × chains)."""
        model = self.model
        predictor = model.x @ (model.mean[self.step][:, np.newaxis] + self.beta)
        for start, size, effects in zip(model.starts, model.sizes, self.b, strict=True):
            predictor[start : start + size] += model.w[start : start + size] @ effects
        return np.asarray(predictor)

    @cached_property
    def _effects(self) -> dict[float, NormalEffects]:
        return {}

    def _effects_of_labels(self, held: float) -> NormalEffects:
        """Return what labels with y* say, with the current spreads."""
        if held not in self._effects:
            weight = np.ones(len(self.rows))
            self._effects[held] = NormalEffects.of(self._labelled, self.spread, weight, held=held)
        return self._effects[held]

    def _noisy(self, latent: FloatArray) -> FloatArray:
        """y* of each label and chain."""
        from scipy.special import ndtr, ndtri

        beyond = self.rng.random(latent.shape) * ndtr(self._sign * latent)
        return np.asarray(latent + self._sign * ndtri(np.clip(1.0 - beyond, EDGE, 1.0 - EDGE)))


def sampled_predictors(
    steps: Sequence[StepSampler], *, per_chain: int = PER_CHAIN, learnt_at: tuple[int, ...] = LEARNT_AT
) -> Iterator[list[FloatArray]]:
    """Yield draws of all steps' predictors (documents × chains of each step), as often as each chain is drawn from."""
    neighbours = list(zip([None, *steps[:-1]], steps, [*steps[1:], None], strict=True))
    for n in range(1, BURN_IN + per_chain * APART + 1):
        for before, step, after in neighbours:
            step.advance(before, after)
        if n in learnt_at:
            for before, step, _ in neighbours:
                step.learn(before)
        if n > BURN_IN and (n - BURN_IN) % APART == 0:
            yield [step.predictor() for step in steps]


@dataclass(frozen=True, kw_only=True, eq=False)
class GradeDraws:
    """Grades (draws × documents), and the spreads of queries' effects as they were learnt (steps × effects)."""

    grades: FloatArray
    spread: FloatArray


def draw_grades(
    model: GradeModel,
    scale: FloatArray,
    grades: FloatArray,
    rng: np.random.Generator,
    *,
    chains: int = CHAINS,
    per_chain: int = PER_CHAIN,
) -> GradeDraws:
    """Draw from what the labels leave possible; `grades` (documents) are on the scale, NaN where nobody judged."""
    judged = np.flatnonzero(~np.isnan(grades))
    if len(judged) == len(grades):
        return GradeDraws(grades=np.tile(grades, (2, 1)), spread=model.query_spread)
    level = np.searchsorted(scale, grades[judged])
    merged = merged_levels(len(scale))
    label = merged[level]
    came = [label >= step for step in range(model.steps)]
    samplers = [
        StepSampler(model=model, step=step, rows=judged[mine], passed=label[mine] > step, rng=rng, chains=chains)
        for step, mine in enumerate(came)
    ]
    drawn = [_count_passes(steps, rng) for steps in sampled_predictors(samplers, per_chain=per_chain)]
    reached = np.ascontiguousarray(np.concatenate(drawn, axis=1).T)
    levels = _within(reached, merged, level, rng)
    levels[:, judged] = level
    return GradeDraws(grades=scale[levels], spread=np.array([step.spread for step in samplers]))


def merged_levels(levels: int) -> IndexArray:
    """Return the level of the model that each level of a scale belongs to: its own, unless the scale is too fine."""
    return np.arange(levels) * (min(levels - 1, STEPS) + 1) // levels


def _count_passes(predictors: Sequence[FloatArray], rng: np.random.Generator) -> npt.NDArray[np.int8]:
    """Return how many steps in a row each document passes (documents × chains), a coin for each."""
    reached = np.zeros(predictors[0].shape, dtype=np.int8)
    going = np.ones(reached.shape, dtype=bool)
    for predictor in predictors:
        going &= predictor > rng.standard_normal(reached.shape, dtype=np.float32)
        reached += going
    return reached


def _within(
    reached: npt.NDArray[np.int8], merged: IndexArray, seen: IndexArray, rng: np.random.Generator
) -> npt.NDArray[np.int8]:
    """The level of the scale for each level of the model; of those that were merged, one is drawn as often as labels
    have it, where each counts as one label more."""
    if len(merged) == merged[-1] + 1:
        return reached
    values = np.empty_like(reached)
    counts = np.bincount(seen, minlength=len(merged)) + 1.0
    for level in range(merged[-1] + 1):
        members, here = np.flatnonzero(merged == level), reached == level
        share = counts[members] / counts[members].sum()
        values[here] = rng.choice(members, size=int(np.count_nonzero(here)), p=share)
    return values
