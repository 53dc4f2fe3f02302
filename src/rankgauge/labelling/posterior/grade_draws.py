"""Drawn gradings of the whole pool: every document has a grade in each, and those that are judged keep their own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankgauge.labelling.posterior.model import STEPS, GradeModel
from rankgauge.labelling.posterior.sampler import CHAINS, PER_CHAIN, StepSampler
from rankgauge.numeric import FloatArray, IndexArray


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
    """Draws from what the labels leave possible; `grades` (documents) are on the scale, NaN where nobody judged."""
    judged = np.flatnonzero(~np.isnan(grades))
    if len(judged) == len(grades):
        return GradeDraws(grades=np.tile(grades, (2, 1)), spread=model.query_spread)
    level = np.searchsorted(scale, grades[judged])
    merged = merged_levels(len(scale))
    label = merged[level]
    reached = np.zeros((chains * per_chain, len(grades)), dtype=np.int64)
    going, spreads = np.ones(reached.shape, dtype=bool), []
    for step in range(model.steps):
        came = label >= step
        sampler = StepSampler(
            model=model, step=step, rows=judged[came], passed=label[came] > step, rng=rng, chains=chains
        )
        drawn = sampler.draw(per_chain)
        going &= drawn.predictor + rng.standard_normal(reached.shape) > 0
        reached += going
        spreads.append(drawn.spread)
    levels = _within(reached, merged, level, rng)
    levels[:, judged] = level
    return GradeDraws(grades=scale[levels], spread=np.array(spreads))


def merged_levels(levels: int) -> IndexArray:
    """The level of the model that each level of a scale belongs to: its own, unless the scale is too fine."""
    return np.arange(levels) * (min(levels - 1, STEPS) + 1) // levels


def _within(reached: IndexArray, merged: IndexArray, seen: IndexArray, rng: np.random.Generator) -> IndexArray:
    """The level of the scale for each level of the model; of those that were merged, one is drawn as often as labels
    have it, where each counts as one label more."""
    if len(merged) == merged[-1] + 1:
        return reached
    found = np.empty_like(reached)
    counts = np.bincount(seen, minlength=len(merged)) + 1.0
    for level in range(merged[-1] + 1):
        members, here = np.flatnonzero(merged == level), reached == level
        share = counts[members] / counts[members].sum()
        found[here] = rng.choice(members, size=int(np.count_nonzero(here)), p=share)
    return found
