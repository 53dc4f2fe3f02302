"""What a judge's grades by themselves would say of the runs, beside what people's labels say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from rankgauge.labelling.board import Outlook
from rankgauge.labelling.posterior import RunEstimate
from rankgauge.labelling.posterior.outlook import PosteriorOutlook
from rankgauge.numeric import FloatArray

NEARLY = 0.9
"""The share of the pool that a judge must have graded to be shown by itself."""


@dataclass(frozen=True, kw_only=True, eq=False)
class JudgeAlone:
    """The values of the runs by a judge's grades taken for the truth, less their estimates; how many pairs of runs
    people's labels have settled, and how many of these the judge has in the same order.

    `share` is the share of the pool that the judge has graded; the rest counts as its lowest grade.
    """

    judge: str
    measure: str
    values: FloatArray
    shifts: FloatArray
    settled: int
    agreed: int
    share: float


def judges_alone(outlook: Outlook | PosteriorOutlook | None, estimates: Sequence[RunEstimate]) -> Iterator[JudgeAlone]:
    """Each judge that graded nearly the whole pool, by each measure that has intervals; what it did not grade counts
    as the lowest grade."""
    if outlook is None:
        return
    scale = outlook.grades
    for judge in outlook.pool.judges:
        if judge.share < NEARLY:
            continue
        given = judge.on(scale)
        told = outlook.values_of(np.where(np.isnan(given), scale[0], given))
        for estimate, values in zip(estimates, told, strict=True):
            if not estimate.reason:
                verdicts = estimate.verdicts()
                above = np.zeros((len(values), len(values)), bool) if verdicts is None else verdicts.above
                yield JudgeAlone(
                    judge=judge.name,
                    measure=str(estimate.target),
                    values=values,
                    shifts=values - estimate.values,
                    settled=int(above.sum()),
                    agreed=int((above & (np.subtract.outer(values, values) > 0)).sum()),
                    share=judge.share,
                )
