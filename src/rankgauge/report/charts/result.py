"""A result: how the values of its queries are spread, and where their mean is."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np
import polars as pl

from rankgauge.report.plots import COLOURS, Chart, finished
from rankgauge.result import Result

BINS, WIDTH, HEIGHT = 20, 220, 160


def values(result: Result) -> Chart:
    """A panel per measure: how many queries have which value, the mean, and the band of its interval."""
    panels = [_panel(result, column) for column in range(len(result.measures))]
    queries = max(result.summary["queries"].to_list(), default=0)
    title = f"Values of {queries} queries ({result.dialect.name}); line and band: mean and 95 % interval"
    return finished(alt.concat(*panels, columns=3), title)


def _panel(result: Result, column: int) -> Any:
    name, known = str(result.measures[column]), result.matrix[:, column]
    counts, ends = np.histogram(known[~np.isnan(known)], bins=BINS)
    bins = pl.DataFrame({"from": ends[:-1], "to": ends[1:], "queries": counts})
    row = result.summary.filter(pl.col("measure") == name).select("measure", "mean", "low", "high")
    across = alt.X("from:Q", title=name)
    bars = (
        alt.Chart(bins)
        .mark_bar(color=COLOURS[4], stroke="white", strokeWidth=0.5)
        .encode(x=across, x2="to:Q", y=alt.Y("queries:Q"), y2=alt.datum(0), tooltip=["from", "to", "queries"])
    )
    found = alt.Chart(row)
    band = found.mark_rect(opacity=0.25, color=COLOURS[1]).encode(x="low:Q", x2="high:Q", tooltip=["low", "high"])
    line = found.mark_rule(color=COLOURS[1], strokeWidth=2).encode(x="mean:Q", tooltip=list(row.columns))
    return alt.layer(bars, band, line).properties(width=WIDTH, height=HEIGHT)


CHARTS = {"values": values}
