"""z-score: distances from a list's mean score, in units of its standard deviation."""

from __future__ import annotations

import numpy as np

from rankgauge.fusion.normalisation import Normalisation, each, safe, total
from rankgauge.fusion.stack import Stack


def _apply(stack: Stack) -> Stack:
    centred = stack.score - each(stack, total(stack, stack.score) / stack.sizes)
    deviation = np.sqrt(total(stack, centred**2) / stack.sizes)
    # A mean may be off in its last bits: without this, equal scores would be far from it in units of the deviation.
    flat = deviation <= 1e-12 * np.maximum(np.abs(stack.score[stack.starts]), 1e-300)
    centred[each(stack, flat)] = 0.0
    return stack.rescored(centred / each(stack, safe(np.where(flat, 0.0, deviation))))


Normalisation(
    name="z-score",
    title="zero mean and unit variance in each list (ZMUV)",
    formula="(s − mean) / standard deviation",
    ranx="zmuv",
    apply=_apply,
).register()
