"""max: scores in units of a list's highest."""

from __future__ import annotations

import numpy as np

from rankgauge.fusion.normalisation import Normalisation, UnfitListError, best, each, safe, worst
from rankgauge.fusion.stack import Stack


def _apply(stack: Stack) -> Stack:
    top = best(stack)
    bad = np.flatnonzero((top < 0) | ((top == 0) & (worst(stack) < 0)))
    if len(bad):
        problem = f"has {top[bad[0]]:g} as its highest score, and the normalisation max divides by it"
        raise UnfitListError(int(bad[0]), problem, "Use min-max, sum or z-score for scores that may be negative.")
    return stack.rescored(stack.score / each(stack, safe(top)))


Normalisation(
    name="max", title="in units of a list's highest score", formula="s / max", ranx="max", apply=_apply
).register()
