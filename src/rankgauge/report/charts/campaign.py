"""A campaign: how its estimate and the interval moved as labels came in."""

from __future__ import annotations

import altair as alt
import polars as pl

from rankgauge.active import Campaign
from rankgauge.report.campaign import settled
from rankgauge.report.plots import COLOURS, Chart, finished

WIDTH, HEIGHT = 480, 260


def estimate(campaign: Campaign) -> Chart:
    """The estimate after each of many draws, and the band of its interval."""
    curve = campaign.curve().filter(pl.col("low").is_finite() & pl.col("high").is_finite())
    across = alt.X("cost:Q", title="spent")
    base = alt.Chart(curve).encode(x=across)
    up = alt.Scale(domain=list(settled(curve)) if len(curve) else [0.0, 1.0], zero=False)
    band = base.mark_area(opacity=0.2, color=COLOURS[0], clip=True).encode(
        y=alt.Y("low:Q", title="estimate", scale=up), y2="high:Q"
    )
    line = base.mark_line(color=COLOURS[0], clip=True, point=alt.OverlayMarkDef(size=14)).encode(
        y=alt.Y("value:Q", title="estimate", scale=up), tooltip=list(curve.columns)
    )
    drawn = alt.layer(band, line).properties(width=WIDTH, height=HEIGHT)
    return finished(drawn, "The estimate and its 95 % interval")


CHARTS = {"estimate": estimate}
