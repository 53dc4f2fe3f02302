"""Figures for papers and notebooks, drawn by Altair: lines, bars and panels; as PNG, SVG and a page without network.

The drawing libraries are an extra and are imported only where something is drawn.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import polars as pl

from rankgauge.errors import MissingExtraError

if TYPE_CHECKING:
    import altair as alt

Chart: TypeAlias = "alt.TopLevelMixin"

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
"""Colours that colour-blind people can tell apart (Okabe & Ito)."""

OPTIONS: Mapping[str, Mapping[str, Any]] = {".png": {"scale_factor": 2}, ".svg": {}, ".html": {"inline": True}}
"""The endings of a figure's files. A page holds the drawing code itself: it opens without a network."""

HEIGHT, WIDTH, BAR = 240, 230, 14
UNIT = (0.0, 1.0)
TICKS = 10
"""Up to how many values of x have a tick each."""

PANEL, TALL, LOW = 250, 280, 130
"""The width of a panel, and its height in one row and in several."""
BELOW, BESIDE = 12, 46
"""How far panels are apart: beside each other there is room for numbers."""
FLUSH = 5
"""How near the end of a scale a number would reach over it, in pixels."""
SPREAD = 0.5
"""How much of the way from one x to the next the series take up side by side."""
MARGIN = 0.04
"""How much wider than what is drawn a scale is, each way."""


def require() -> Any:
    """Return the drawing library; an error names the pip command where it is not installed."""
    for module, package in (("altair", "altair"), ("vl_convert", "vl-convert-python")):
        if importlib.util.find_spec(module) is None:
            raise MissingExtraError(package, "plots")
    return importlib.import_module("altair")


def lines(frame: pl.DataFrame, *, x: str, y: str, error: str, series: str, panel: str, title: str) -> Chart:
    """Return a line per series with a band of two standard errors, in a panel each."""
    alt = require()
    columns = alt.Column(f"{panel}:N", title=None, sort=_distinct(frame, panel), header=alt.Header(labelFontSize=13))
    layered = line_panel(frame, x=x, y=y, error=error, series=series)
    return finish(layered.facet(column=columns), title)


def beside(*panels: Any, title: str) -> Chart:
    """Return panels beside each other, each with its own colours and legend."""
    row = require().hconcat(*panels, spacing=BESIDE)
    return finish(row.resolve_scale(color="independent", xOffset="independent"), title)


def line_panel(frame: pl.DataFrame, *, x: str, y: str, error: str, series: str) -> Any:
    """Return a line per series with a band of two standard errors, as a part of a chart."""
    alt = require()
    ticks = _distinct(frame, x)
    ruler = alt.Axis(values=ticks, format="~g") if len(ticks) <= TICKS else alt.Axis()
    base = alt.Chart(_bound(frame, y, error)).encode(
        x=alt.X(f"{x}:Q", title=x, axis=ruler), color=series_colour(frame, series, kind="O")
    )
    unit = alt.Y(f"{y}:Q", title=y, scale=alt.Scale(domain=UNIT))
    curve = base.mark_line(strokeWidth=1.8).encode(y=unit, tooltip=list(frame.columns))
    band = base.mark_area(opacity=0.2).encode(y=alt.Y("low:Q", title=y), y2="high:Q")
    return alt.layer(band, curve).properties(width=WIDTH, height=HEIGHT)


def bar_panel(
    frame: pl.DataFrame, *, x: str, y: str, error: str, series: str, limits: tuple[float, float] = UNIT
) -> Any:
    """Return a bar per series at each x with a whisker of two standard errors, as a part of a chart."""
    alt = require()
    base = alt.Chart(_bound(frame, y, error, limits)).encode(
        x=alt.X(f"{x}:O", title=x, sort=_distinct(frame, x), axis=alt.Axis(labelAngle=0)),
        xOffset=alt.XOffset(f"{series}:N", sort=_distinct(frame, series)),
    )
    unit = alt.Y(f"{y}:Q", title=y, scale=alt.Scale(domain=limits))
    bar = base.mark_bar().encode(y=unit, color=series_colour(frame, series, legend={}), tooltip=list(frame.columns))
    whisker = base.mark_rule(color="#333").encode(y=alt.Y("low:Q", title=y), y2="high:Q")
    step = alt.Step(BAR, **{"for": "offset"})  # "for" is a word of Python
    return alt.layer(bar, whisker).properties(width=step, height=HEIGHT)


def histogram(frame: pl.DataFrame, *, low: str, high: str, x: str, y: str, title: str) -> Chart:
    """Return a bar from `low` to `high` for each row, as high as `y`; `x` says what is counted."""
    alt = require()
    bar = alt.Chart(frame).mark_bar(color=COLOURS[4], stroke="white", strokeWidth=0.5)
    across, up = alt.X(f"{low}:Q", title=x), alt.Y(f"{y}:Q", title=y)
    drawn = bar.encode(x=across, x2=f"{high}:Q", y=up, y2=alt.datum(0), tooltip=list(frame.columns))
    return finish(drawn.properties(width=WIDTH * 2, height=HEIGHT), title)


def save(chart: Chart, stem: Path) -> list[Path]:
    """Return the chart as files of that name, one for each ending."""
    paths = [stem.with_name(stem.name + ending) for ending in OPTIONS]
    with require().data_transformers.enable("default", max_rows=None):  # Altair's limit on points is not for files
        for path in paths:
            chart.save(path, **OPTIONS[path.suffix])
    return paths


def series_colour(
    frame: pl.DataFrame,
    series: str,
    *,
    kind: str = "N",
    colours: Sequence[str] = COLOURS,
    legend: Mapping[str, Any] | None = None,
) -> Any:
    """Return a colour for each series, in the order in which they come; the legend shows strokes by default."""
    alt, names = require(), _distinct(frame, series)
    strokes = {"symbolType": "stroke", "symbolStrokeWidth": 3, "symbolOpacity": 1, "labelLimit": 0}
    scale = alt.Scale(domain=names, range=list(colours[: len(names)]))
    shown = alt.Legend(**(strokes if legend is None else legend))
    return alt.Color(f"{series}:{kind}", title=series, sort=names, scale=scale, legend=shown)


def finish(chart: Any, title: str) -> Chart:
    """Return the chart with its title, on white, so that it can be read on any ground."""
    whole = chart.properties(title=title).configure(background="white").configure_title(anchor="start", offset=12)
    kind: Any = type(whole)
    object.__setattr__(whole, "__class__", _offline(kind))  # Altair's own would make it a property of the chart
    drawn: Chart = whole
    return drawn


@cache
def _offline(kind: Any) -> type:
    """Return the same kind of chart, whose pages hold the drawing code themselves unless somebody asks otherwise."""

    def save(self: Any, fp: Any, format: str | None = None, **options: Any) -> None:
        named = format or (Path(fp).suffix.removeprefix(".") if isinstance(fp, str | os.PathLike) else "")
        kind.save(self, fp, format, **({"inline": True} if named == "html" else {}) | options)

    return type(kind.__name__, (kind,), {"save": save, "__doc__": kind.__doc__, "__module__": kind.__module__})


@dataclass(frozen=True, kw_only=True, eq=False)
class Panels:
    """A figure of many panels: a line per series over whole numbers x, with a bar of one standard error each way.

    The panels of a column share their scale. At each x the series are side by side, so that no bar hides another.
    """

    frame: pl.DataFrame
    x: str
    y: str
    error: str
    series: str
    column: str
    row: str | None = None
    limits: tuple[float, float] | None = None
    """The ends of every panel's scale; None: each column's own."""
    digits: str = ".2f"
    """How the numbers of the scale are written."""

    def draw(self, title: str) -> Chart:
        """Return the figure."""
        alt, columns = require(), _distinct(self.frame, self.column)
        panels = [self._placed_panel(*place) for place in product(self._rows, columns)]
        apart = {"row": BELOW, "column": BESIDE}
        return finish(alt.concat(*panels, columns=len(columns), spacing=apart, bounds="flush"), title)

    @property
    def _rows(self) -> list[Any]:
        return [None] if self.row is None else _distinct(self.frame, self.row)

    def _placed_panel(self, row: Any, column: Any) -> Any:
        """A panel with the labels that its place asks for: names at the top and on the left, numbers at the bottom."""
        held = self._place().filter(pl.col(self.column) == column)
        shown = held if row is None else held.filter(pl.col(str(self.row)) == row)
        label = (self.y if row is None else row) if column == _distinct(self.frame, self.column)[0] else None
        panel = self._panel(shown, label, self.limits or _limits(held), last=row == self._rows[-1])
        title = require().TitleParams(str(column), anchor="middle", fontSize=12, offset=6)
        return panel.properties(title=title) if row == self._rows[0] else panel

    def _panel(self, shown: pl.DataFrame, label: str | None, limits: tuple[float, float], *, last: bool) -> Any:
        alt, ticks = require(), _distinct(self.frame, self.x)
        ruler = alt.Axis(values=ticks, format="d", labels=last, title=self.x if last else None, grid=False)
        width = (min(ticks) - SPREAD, max(ticks) + SPREAD)
        across = alt.X("place:Q", axis=ruler, scale=alt.Scale(domain=width, nice=False))
        # Where scales differ, a number near the end of one stays within its panel, or it would lift that title alone.
        flush = FLUSH if self.limits is None else False
        ladder = alt.Axis(format=self.digits, tickCount=5, titlePadding=8, labelFlush=flush)
        up = alt.Y(f"{self.y}:Q", title=label, axis=ladder, scale=alt.Scale(domain=limits, nice=False, zero=False))
        base = alt.Chart(shown).encode(x=across, color=series_colour(self.frame, self.series))
        curve = base.mark_line(strokeWidth=1.6, point=alt.OverlayMarkDef(size=18)).encode(
            y=up, tooltip=list(self.frame.columns)
        )
        ends = {"y": alt.Y("low:Q", axis=ladder, title=label), "y2": "high:Q"}
        bar = base.mark_rule(strokeWidth=1.1, opacity=0.65).encode(**ends)
        return alt.layer(bar, curve).properties(width=PANEL, height=TALL if self.row is None else LOW)

    def _place(self) -> pl.DataFrame:
        """Return the frame with the ends of the bars, and with the place of each series beside its x."""
        names = _distinct(self.frame, self.series)
        step = SPREAD / len(names)
        aside = {name: (number - (len(names) - 1) / 2) * step for number, name in enumerate(names)}
        shift = pl.col(self.series).replace_strict(aside, return_dtype=pl.Float64)
        low, high = pl.col(self.y) - pl.col(self.error), pl.col(self.y) + pl.col(self.error)
        return self.frame.with_columns((pl.col(self.x) + shift).alias("place"), low.alias("low"), high.alias("high"))


def _limits(shown: pl.DataFrame) -> tuple[float, float]:
    """Return the range of all bars, and a little more."""
    low, high = float(shown["low"].min()), float(shown["high"].max())  # type: ignore[arg-type]
    return low - MARGIN * (high - low), high + MARGIN * (high - low)


def _bound(frame: pl.DataFrame, y: str, error: str, limits: tuple[float, float] = UNIT) -> pl.DataFrame:
    """Return the frame with the ends of two standard errors, which do not leave the scale."""
    low, high = pl.col(y) - 2 * pl.col(error), pl.col(y) + 2 * pl.col(error)
    return frame.with_columns(low.clip(*limits).alias("low"), high.clip(*limits).alias("high"))


def _distinct(frame: pl.DataFrame, column: str) -> list[Any]:
    return frame[column].unique(maintain_order=True).to_list()
