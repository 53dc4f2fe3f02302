"""rank: places in place of scores."""

from __future__ import annotations

from rankgauge.fusion.normalisation import Normalisation
from rankgauge.fusion.stack import Stack


def _apply(stack: Stack) -> Stack:
    return stack.rescored(stack.shared(1.0 - (stack.rank - 1) / stack.length))


Normalisation(
    name="rank",
    title="the share of a list that is not above the document",
    formula="1 − (rank − 1) / length",
    ranx="rank",
    apply=_apply,
    by_rank=True,
).register()
