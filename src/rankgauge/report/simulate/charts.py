"""The charts of a simulation's page, as SVG that needs nothing from outside."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from rankgauge.numeric import FloatArray
from rankgauge.report.compare.charts import colour

__all__ = ["Axis", "Line", "curves", "dots", "ticks"]

WIDTH, HEIGHT = 460, 290
LEFT, RIGHT, TOP, BOTTOM = 58, 12, 10, 44

Line = tuple[FloatArray, FloatArray, FloatArray]
"""Where the points of a method lie: x, y, and the standard error of y."""


@dataclass(frozen=True, kw_only=True)
class Axis:
    """A scale from low to high on a stretch of paper; logarithmic where it is said."""

    low: float
    high: float
    start: float
    end: float
    log: bool = True

    def place(self, value: float) -> float:
        """Where on the paper the value lies, within the ends."""
        low, high, at = (self._scaled(number) for number in (self.low, self.high, value))
        share = min(max((at - low) / ((high - low) or 1.0), 0.0), 1.0)
        return self.start + share * (self.end - self.start)

    def _scaled(self, value: float) -> float:
        return math.log(max(value, 1e-300)) if self.log else value


def curves(lines: Mapping[str, Line], order: Sequence[str], label: str, *, log: bool = True) -> str:
    """A line per method with whiskers of two standard errors, on logarithmic scales."""
    x, y = _axes(list(lines.values()), log=log)
    parts = [*_grid(x, y), _caption("budget spent", x)]
    for name in reversed(order):
        if name in lines:
            parts += _drawn(name, lines[name], x, y, colour(order.index(name)) or "#8a97a5")
    return _svg(parts, label)


def dots(lines: Mapping[str, Line], order: Sequence[str], label: str, *, aim: float) -> str:
    """The share of intervals that hold the truth, by budget, against the aim."""
    x, _ = _axes(list(lines.values()), log=False)
    least = min([0.85, *(float(np.nanmin(line[1])) for line in lines.values())])
    y = Axis(low=math.floor(20 * least) / 20, high=1.0, start=HEIGHT - BOTTOM, end=TOP, log=False)
    parts = [*_grid(x, y), _caption("budget spent", x)]
    parts.append(_stroke(x.start, y.place(aim), x.end, y.place(aim), 'class="zero" stroke-dasharray="5 4"'))
    for name in reversed(order):
        if name in lines:
            parts += _drawn(name, lines[name], x, y, colour(order.index(name)) or "#8a97a5")
    return _svg(parts, label)


def ticks(low: float, high: float, *, log: bool) -> list[float]:
    """Round values in the range: 1, 2 and 5 of each power of ten, or steps."""
    if log:
        powers = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 1)
        found = [digit * 10.0**power for power in powers for digit in (1, 2, 5)]
        return [value for value in found if low * 0.999 <= value <= high * 1.001]
    span = (high - low) or 1.0
    power = 10.0 ** math.floor(math.log10(span / 4))
    step = next(power * size for size in (1, 2, 5, 10) if span / (power * size) <= 7)
    return [round(step * k, 10) for k in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]


def _axes(lines: Sequence[Line], *, log: bool) -> tuple[Axis, Axis]:
    spent = np.concatenate([line[0] for line in lines])
    found = np.concatenate([line[1] for line in lines])
    found = found[np.isfinite(found)]
    low = float(found[found > 0].min(initial=found.max(initial=1.0))) if log else 0.0
    high = float(found.max(initial=0.0)) or 1.0
    x = Axis(low=float(spent.min()) * 0.93, high=float(spent.max()) * 1.07, start=LEFT, end=WIDTH - RIGHT)
    return x, Axis(low=low * 0.85, high=high * (1.15 if log else 1.05), start=HEIGHT - BOTTOM, end=TOP, log=log)


def _grid(x: Axis, y: Axis) -> list[str]:
    parts = []
    for level in ticks(y.low, y.high, log=y.log):
        at = y.place(level)
        parts.append(_stroke(x.start, at, x.end, at, 'class="grid"'))
        parts.append(f'<text class="tick" x="{x.start - 6}" y="{at + 4:.1f}" text-anchor="end">{level:g}</text>')
    for level in ticks(x.low, x.high, log=x.log):
        at = x.place(level)
        parts.append(f'<text class="tick" x="{at:.1f}" y="{y.start + 17}" text-anchor="middle">{level:g}</text>')
    return parts


def _drawn(name: str, line: Line, x: Axis, y: Axis, hue: str) -> list[str]:
    points = [(x.place(a), y.place(b), b, e) for a, b, e in zip(*line, strict=True) if math.isfinite(b)]
    path = " ".join(f"{a:.1f},{b:.1f}" for a, b, _, _ in points)
    shown = [f'<polyline class="curve" stroke="{hue}" points="{path}"><title>{escape(name)}</title></polyline>']
    for a, b, value, error in points:
        shown.append(
            _stroke(a, y.place(value - 2 * error), a, y.place(value + 2 * error), f'stroke="{hue}" stroke-width="1.3"')
        )
        told = f"<title>{escape(name)}: {value:.4g} ± {error:.2g}</title>"
        shown.append(f'<circle cx="{a:.1f}" cy="{b:.1f}" r="2.6" fill="{hue}">{told}</circle>')
    return shown


def _caption(words: str, x: Axis) -> str:
    middle = (x.start + x.end) / 2
    return f'<text class="tick" x="{middle}" y="{HEIGHT - 8}" text-anchor="middle">{words}</text>'


def _stroke(x1: float, y1: float, x2: float, y2: float, style: str) -> str:
    return f'<line {style} x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _svg(parts: Sequence[str], label: str) -> str:
    return f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(label)}">{"".join(parts)}</svg>'
