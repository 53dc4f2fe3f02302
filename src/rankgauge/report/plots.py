"""Figures for papers and pages: lines in panels, grouped bars; as PNG, SVG and a page that needs no network.

The drawing libraries are an extra and are imported only where something is drawn.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import polars as pl

from rankgauge.errors import MissingExtraError

if TYPE_CHECKING:
    import altair as alt

__all__ = ["COLOURS", "OPTIONS", "Chart", "bars", "finished", "lines", "require", "save"]

Chart: TypeAlias = "alt.TopLevelMixin"

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
"""Colours that people who see few of them can tell apart (Okabe & Ito)."""

OPTIONS: Mapping[str, Mapping[str, Any]] = {".png": {"scale_factor": 2}, ".svg": {}, ".html": {"inline": True}}
"""The endings of a figure's files. A page holds the drawing code itself: it opens without a network."""

HEIGHT, WIDTH, BAR = 240, 230, 14
UNIT = (0.0, 1.0)


def require() -> None:
    """An error that names the pip command where the drawing libraries are not installed."""
    for module, package in (("altair", "altair"), ("vl_convert", "vl-convert-python")):
        if importlib.util.find_spec(module) is None:
            raise MissingExtraError(package, "plots")


def lines(frame: pl.DataFrame, *, x: str, y: str, error: str, series: str, panel: str, title: str) -> Chart:
    """A line per series with a band of two standard errors, in a panel each."""
    require()
    import altair as alt

    base = alt.Chart(_bounded(frame, y, error)).encode(
        x=alt.X(f"{x}:Q", title=x), color=_colour(frame, series, ordinal=True)
    )
    curve = base.mark_line(strokeWidth=1.8).encode(y=_unit(y), tooltip=list(frame.columns))
    band = base.mark_area(opacity=0.2).encode(y=alt.Y("low:Q", title=y), y2="high:Q")
    columns = alt.Column(f"{panel}:N", title=None, sort=_distinct(frame, panel), header=alt.Header(labelFontSize=13))
    layered = alt.layer(band, curve).properties(width=WIDTH, height=HEIGHT)
    return finished(layered.facet(column=columns), title)


def bars(frame: pl.DataFrame, *, x: str, y: str, error: str, series: str, title: str) -> Chart:
    """A bar per series at each x, with a whisker of two standard errors."""
    require()
    import altair as alt

    base = alt.Chart(_bounded(frame, y, error)).encode(
        x=alt.X(f"{x}:O", title=x, sort=_distinct(frame, x), axis=alt.Axis(labelAngle=0)),
        xOffset=alt.XOffset(f"{series}:N", sort=_distinct(frame, series)),
    )
    bar = base.mark_bar().encode(y=_unit(y), color=_colour(frame, series, ordinal=False), tooltip=list(frame.columns))
    whisker = base.mark_rule(color="#333").encode(y=alt.Y("low:Q", title=y), y2="high:Q")
    step = alt.Step(BAR, **{"for": "offset"})  # "for" is a word of Python
    return finished(alt.layer(bar, whisker).properties(width=step, height=HEIGHT), title)


def save(chart: Chart, stem: Path) -> list[Path]:
    """The chart as files of that name, one for each ending."""
    paths = [stem.with_name(stem.name + ending) for ending in OPTIONS]
    for path in paths:
        chart.save(path, **OPTIONS[path.suffix])
    return paths


def _bounded(frame: pl.DataFrame, y: str, error: str) -> pl.DataFrame:
    """The frame with the ends of two standard errors, which do not leave the range of the measures."""
    low, high = pl.col(y) - 2 * pl.col(error), pl.col(y) + 2 * pl.col(error)
    return frame.with_columns(low.clip(*UNIT).alias("low"), high.clip(*UNIT).alias("high"))


def _unit(y: str) -> alt.Y:
    import altair as alt

    return alt.Y(f"{y}:Q", title=y, scale=alt.Scale(domain=UNIT))


def _colour(frame: pl.DataFrame, series: str, *, ordinal: bool) -> alt.Color:
    import altair as alt

    names = _distinct(frame, series)
    scale = alt.Scale(domain=names, range=list(COLOURS[: len(names)]))
    legend = alt.Legend(symbolOpacity=1, symbolType="stroke", symbolStrokeWidth=3) if ordinal else alt.Legend()
    return alt.Color(f"{series}:{'O' if ordinal else 'N'}", title=series, sort=names, scale=scale, legend=legend)


def _distinct(frame: pl.DataFrame, column: str) -> list[Any]:
    return frame[column].unique(maintain_order=True).to_list()


def finished(chart: Any, title: str) -> Chart:
    """The chart with its title, on white, so that it can be read on any ground."""
    whole: Chart = (
        chart.properties(title=title).configure(background="white").configure_title(anchor="start", offset=12)
    )
    return whole
