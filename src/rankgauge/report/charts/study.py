"""A study: how far off each method is, or how often it chooses the wrong ranker, by what was spent."""

from __future__ import annotations

from functools import partial

from rankgauge.active.study import Study
from rankgauge.report.plots import Chart
from rankgauge.report.simulate.figures import LABELS, draw

__all__ = ["CHARTS"]


def _loss(study: Study, loss: str) -> Chart:
    return draw(study.to_frame(), loss, f"{study.measure}: {LABELS[loss]}")


CHARTS = {loss: partial(_loss, loss=loss) for loss in LABELS}
