"""min-max: a list's scores from 0 to 1; and min-max-inverted, where the least score is the best."""

from __future__ import annotations

from rankgauge.fusion.normalisation import Normalisation, best, each, safe, worst
from rankgauge.fusion.stack import Stack


def _apply(stack: Stack) -> Stack:
    low = worst(stack)
    return stack.rescored((stack.score - each(stack, low)) / each(stack, safe(best(stack) - low)))


Normalisation(
    name="min-max",
    title="from 0 for a list's lowest score to 1 for its highest",
    formula="(s − min) / (max − min)",
    ranx="min-max",
    apply=_apply,
).register()

# The scores have the other sign by now: −s − min(−s) = max − s.
Normalisation(
    name="min-max-inverted",
    title="min-max for distances, of which the least is the best",
    formula="(max − s) / (max − min)",
    ranx="min-max-inverted",
    apply=_apply,
    inverts=True,
).register()
