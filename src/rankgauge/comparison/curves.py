"""A measure at every cutoff, and precision at every level of recall: the means to draw as curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rankgauge.evaluation.evaluation import scored
from rankgauge.evaluation.result import Result
from rankgauge.measures import Cutoff, Measure, parse
from rankgauge.numeric import FloatArray

DEPTH = 10
"""How far a curve over cutoffs goes at least."""

LEVELS = tuple(level / 10 for level in range(11))
"""The levels of recall of TREC's curve."""


@dataclass(frozen=True, kw_only=True, eq=False)
class MeanCurve:
    """Points to draw: what is measured, over what, and each run's means."""

    measure: str
    over: str
    x: FloatArray
    y: Mapping[str, FloatArray]


def cutoff_curves(results: Mapping[str, Result]) -> MeanCurve:
    """The first measure with a rank cutoff, or nDCG, at every cutoff up to its own, to 10 at least."""
    measures = next(iter(results.values())).measures
    cut = [m for m in measures if m.depth and m.facts.cutoff in (Cutoff.REQUIRED, Cutoff.OPTIONAL)]
    model = cut[0] if cut else parse("nDCG@20")
    depths = range(1, max(model.depth, DEPTH) + 1)
    wanted = [replace(model, cutoff=depth) for depth in depths]  # type: ignore[call-arg]  # those with a depth have it
    name = str(model).rpartition("@")[0]
    return MeanCurve(measure=name, over="cutoff", x=np.array(depths, dtype=np.float64), y=_means(results, wanted))


def recall_curves(results: Mapping[str, Result]) -> MeanCurve:
    """Interpolated precision at the eleven levels of recall."""
    wanted = [parse(f"IPrec@{level:g}") for level in LEVELS]
    return MeanCurve(measure="interpolated precision", over="recall", x=np.array(LEVELS), y=_means(results, wanted))


def _means(results: Mapping[str, Result], wanted: Sequence[Measure]) -> dict[str, FloatArray]:
    """By run, the means of other measures on the same hits."""
    found = {name: scored(result.hits, tuple(wanted), result.dialect) for name, result in results.items()}
    return {name: np.array([other[measure] for measure in wanted]) for name, other in found.items()}
