"""Figures of many panels: curves with error bars, a column and a row of panels for each value of two columns."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import polars as pl

from rankgauge.report.plots import COLOURS, Chart, finished, require

if TYPE_CHECKING:
    import altair as alt

__all__ = ["Panels"]

WIDTH, HEIGHT, LOW = 250, 280, 130
BELOW, BESIDE = 12, 46
"""How far panels are apart: beside each other there is room for numbers."""
SPREAD = 0.5
"""How much of the way from one x to the next the series take that stand side by side."""
MARGIN = 0.04
"""How much wider than what is drawn a scale is, each way."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Panels:
    """What a figure shows: a line per series over whole numbers x, with a bar of one standard error each way.

    The panels of a column share their scale. At each x the series stand side by side, so that no bar hides another.
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

    def draw(self, title: str) -> Chart:
        """The figure."""
        require()
        import altair as alt

        panels = [self._placed_panel(*place) for place in product(self._rows, self._values(self.column))]
        columns = len(self._values(self.column))
        apart = {"row": BELOW, "column": BESIDE}
        return finished(alt.concat(*panels, columns=columns, spacing=apart, bounds="flush"), title)

    @property
    def _rows(self) -> list[Any]:
        return [None] if self.row is None else self._values(self.row)

    def _placed_panel(self, row: Any, column: Any) -> Any:
        """A panel with the labels that its place asks for: names at the top and on the left, numbers at the bottom."""
        import altair as alt

        held = self._placed().filter(pl.col(self.column) == column)
        shown = held if row is None else held.filter(pl.col(str(self.row)) == row)
        label = (self.y if row is None else row) if column == self._values(self.column)[0] else None
        panel = self._panel(shown, label, self.limits or _limits(held), last=row == self._rows[-1])
        title = alt.TitleParams(str(column), anchor="middle", fontSize=12, offset=6)
        return panel.properties(title=title) if row == self._rows[0] else panel

    def _panel(self, shown: pl.DataFrame, label: str | None, limits: tuple[float, float], *, last: bool) -> Any:
        import altair as alt

        ticks = self._values(self.x)
        ruler = alt.Axis(values=ticks, format="d", labels=last, title=self.x if last else None, grid=False)
        width = (min(ticks) - SPREAD, max(ticks) + SPREAD)
        across = alt.X("place:Q", axis=ruler, scale=alt.Scale(domain=width, nice=False))
        ladder = alt.Axis(format=".2f", tickCount=5, titlePadding=8)
        up = alt.Y(f"{self.y}:Q", title=label, axis=ladder, scale=alt.Scale(domain=limits, nice=False, zero=False))
        base = alt.Chart(shown).encode(x=across, color=self._colour())
        curve = base.mark_line(strokeWidth=1.6, point=alt.OverlayMarkDef(size=18)).encode(
            y=up, tooltip=list(self.frame.columns)
        )
        bar = base.mark_rule(strokeWidth=1.1, opacity=0.65).encode(
            y=alt.Y("low:Q", axis=ladder, title=label), y2="high:Q"
        )
        return alt.layer(bar, curve).properties(width=WIDTH, height=HEIGHT if self.row is None else LOW)

    def _placed(self) -> pl.DataFrame:
        """The frame with the ends of the bars, and with the place of each series beside its x."""
        names = self._values(self.series)
        step = SPREAD / len(names)
        aside = {name: (number - (len(names) - 1) / 2) * step for number, name in enumerate(names)}
        shift = pl.col(self.series).replace_strict(aside, return_dtype=pl.Float64)
        low, high = pl.col(self.y) - pl.col(self.error), pl.col(self.y) + pl.col(self.error)
        return self.frame.with_columns((pl.col(self.x) + shift).alias("place"), low.alias("low"), high.alias("high"))

    def _colour(self) -> alt.Color:
        import altair as alt

        names = self._values(self.series)
        scale = alt.Scale(domain=names, range=list(COLOURS[: len(names)]))
        legend = alt.Legend(symbolType="stroke", symbolStrokeWidth=3, symbolOpacity=1, labelLimit=0)
        return alt.Color(f"{self.series}:N", title=self.series, sort=names, scale=scale, legend=legend)

    def _values(self, column: str) -> list[Any]:
        return self.frame[column].unique(maintain_order=True).to_list()


def _limits(shown: pl.DataFrame) -> tuple[float, float]:
    """The range of all bars, and a little more."""
    low, high = float(shown["low"].min()), float(shown["high"].max())  # type: ignore[arg-type]
    return low - MARGIN * (high - low), high + MARGIN * (high - low)
