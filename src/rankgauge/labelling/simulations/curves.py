"""Curves over what was spent: a line per method with whiskers of two standard errors; the budget is logarithmic."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from rankgauge.numeric import FloatArray
from rankgauge.render.svg import WIDTH, Axis, Plot

LEFT, RIGHT, TOP, BOTTOM = 58, WIDTH - 12, 10, 246
"""The ends of the axes on the paper."""

Points = tuple[FloatArray, FloatArray, FloatArray]
"""What a method spent, what came of it, and the standard error of that."""


def axes(lines: Sequence[Points], *, log: bool) -> tuple[Axis, Axis]:
    """Axes that hold the lines; `log` makes that of the values logarithmic, else it begins at 0."""
    spent = np.concatenate([line[0] for line in lines])
    found = np.concatenate([line[1] for line in lines])
    found = found[np.isfinite(found)]
    low = float(found[found > 0].min(initial=found.max(initial=1.0))) if log else 0.0
    high = float(found.max(initial=0.0)) or 1.0
    x = Axis(low=float(spent.min()) * 0.93, high=float(spent.max()) * 1.07, start=LEFT, end=RIGHT, log=True)
    return x, Axis(low=low * 0.85, high=high * (1.15 if log else 1.05), start=BOTTOM, end=TOP, log=log)


def drawn(
    title: str, lines: Mapping[str, Points], hues: Mapping[str, str], between: tuple[Axis, Axis], *, caption: str
) -> Plot:
    """A line for each method that has one, the first of them on top; `caption` says what was spent."""
    plot = Plot(title, *between)
    plot.grid()
    plot.caption(caption)
    for name in reversed(list(hues)):
        if name in lines:
            _draw(plot, name, lines[name], hues[name])
    return plot


def _draw(plot: Plot, name: str, line: Points, hue: str) -> None:
    plot.curve(zip(line[0], line[1], strict=True), title=name, stroke=hue)
    for cost, value, error in zip(*line, strict=True):
        if math.isfinite(value):
            x, spread = plot.x(cost), 2 * error if math.isfinite(error) else 0.0
            plot.line((x, plot.y(value - spread)), (x, plot.y(value + spread)), stroke=hue, stroke_width=1.3)
            plot.dot((x, plot.y(value)), fill=hue, title=f"{name}: {value:.4g} ± {error:.2g}")
