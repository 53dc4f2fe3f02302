"""A comparison: the means of its runs, or the differences of its pairs, each with the interval."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from rankgauge.comparison import Comparison
from rankgauge.report.plots import COLOURS, Chart, finished

WIDTH = 260


def means(comparison: Comparison) -> Chart:
    """A panel per measure: each run's mean and its interval."""
    title = f"Means of runs and their 95 % intervals ({comparison.dialect.name})"
    return _dots(comparison, comparison.means, "mean", "run", title)


def pairs(comparison: Comparison) -> Chart:
    """A panel per measure: each pair's difference and its interval; coloured by the verdict."""
    named = comparison.pairs.with_columns(pair=pl.format("{} − {}", "run", "other"))
    settings = comparison.settings
    title = f"Differences and their 95 % intervals; colour: {settings.test} test, {settings.correction} correction"
    return _dots(comparison, named, "difference", "pair", title)


def _dots(comparison: Comparison, rows: pl.DataFrame, value: str, name: str, title: str) -> Chart:
    panels = [
        _panel(rows.filter(pl.col("measure") == str(measure)), value, name, str(measure))
        for measure in comparison.measures
    ]
    return finished(alt.concat(*panels, columns=2), title)


def _panel(rows: pl.DataFrame, value: str, name: str, measure: str) -> Any:
    ordered = rows.sort(value, descending=True, maintain_order=True)[name].to_list()
    colour: Any = alt.value(COLOURS[0])
    if "verdict" in rows.columns:
        words = rows["verdict"].unique(maintain_order=True).to_list()
        colour = alt.Color("verdict:N", scale=alt.Scale(domain=words, range=list(COLOURS[: len(words)])))
    base = alt.Chart(rows).encode(y=alt.Y(f"{name}:N", sort=ordered, title=None), color=colour)
    reach = base.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q", title=measure), x2="high:Q")
    dots = base.mark_point(filled=True, size=60, opacity=1).encode(
        x=alt.X(f"{value}:Q", title=measure, scale=alt.Scale(zero=False)), tooltip=list(rows.columns)
    )
    zero = alt.Chart(rows.head(1)).mark_rule(strokeDash=[3, 3], color="#888").encode(x=alt.datum(0))
    drawn = (zero, reach, dots) if value == "difference" else (reach, dots)
    return alt.layer(*drawn).properties(width=WIDTH, height=alt.Step(22))


CHARTS = {"means": means, "pairs": pairs}
