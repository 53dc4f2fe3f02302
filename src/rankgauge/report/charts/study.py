"""A study: how far off each method is, or how often it chooses the wrong ranker, by what was spent."""

from __future__ import annotations

from functools import partial
from typing import Any

import polars as pl

from rankgauge.active.study import Study
from rankgauge.report.plots import COLOURS, Chart, finished, require, series_colour

WIDTH, HEIGHT = 250, 260
HUES = ("#555555", *COLOURS, "#000000")
"""Passive, which is what all are measured by, is grey."""

CHOICES = (0.0, 0.55)
"""From never wrong to a little more than a coin."""

LABELS = {"error": "mean absolute error", "wrong": "share of wrong choices"}


def panels(studies: tuple[Study, ...]) -> pl.DataFrame:
    """The data of a figure: a row per study, method and budget."""
    return pl.concat([study.to_frame() for study in studies])


def draw(frame: pl.DataFrame, loss: str, title: str) -> Chart:
    """A panel per study: a line per method with bars of two standard errors; budgets are on a logarithmic scale."""
    names = frame["study"].unique(maintain_order=True).to_list()
    drawn = [_panel(frame.filter(study=name), loss, name, frame, first=name == names[0]) for name in names]
    return finished(require().hconcat(*drawn, spacing=16), f"{title} (bars: two standard errors)")


def _panel(shown: pl.DataFrame, loss: str, name: str, whole: pl.DataFrame, *, first: bool) -> Any:
    alt, spread = require(), pl.col(f"{loss}_se") * 2
    bounded = shown.with_columns(
        (pl.col(loss) - spread).clip(lower_bound=pl.col(loss) * 0.05).alias("low"),
        (pl.col(loss) + spread).alias("high"),
    )
    across = alt.X("cost:Q", title="budget spent", scale=alt.Scale(type="log", nice=False), axis=alt.Axis(grid=False))
    scale = alt.Scale(type="log", nice=False) if loss == "error" else alt.Scale(domain=CHOICES)
    label = LABELS[loss] if first else None
    base = alt.Chart(bounded).encode(x=across, color=series_colour(whole, "method", colours=HUES))
    curve = base.mark_line(strokeWidth=1.7, point=alt.OverlayMarkDef(size=16)).encode(
        y=alt.Y(f"{loss}:Q", title=label, scale=scale), tooltip=["method", "budget", "cost", loss, f"{loss}_se"]
    )
    bar = base.mark_rule(strokeWidth=1.2).encode(y=alt.Y("low:Q", title=label, scale=scale), y2="high:Q")
    return alt.layer(bar, curve).properties(width=WIDTH, height=HEIGHT, title=name)


def _loss(study: Study, loss: str) -> Chart:
    return draw(study.to_frame(), loss, f"{study.measure}: {LABELS[loss]}")


CHARTS = {loss: partial(_loss, loss=loss) for loss in LABELS}
