"""sum: a list's scores from 0 on, adding up to 1."""

from __future__ import annotations

from rankgauge.fusion.normalisation import Normalisation, each, safe, total, worst
from rankgauge.fusion.stack import Stack


def _apply(stack: Stack) -> Stack:
    above = stack.score - each(stack, worst(stack))
    return stack.rescored(above / each(stack, safe(total(stack, above))))


Normalisation(
    name="sum",
    title="from 0 for a list's lowest score, adding up to 1",
    formula="(s − min) / Σ (s − min)",
    ranx="sum",
    apply=_apply,
).register()
