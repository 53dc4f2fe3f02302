"""The estimate over what was spent, drawn as SVG without a script: a line, its band, and where it is to end."""

from __future__ import annotations

import math
from collections.abc import Iterable

import polars as pl
from markupsafe import Markup

__all__ = ["estimate_chart"]

WIDTH, HEIGHT = 720, 280
LEFT, RIGHT, TOP, BOTTOM = 58, 14, 12, 40
TICKS = 5


def estimate_chart(curve: pl.DataFrame, *, budget: float, words: str) -> Markup:
    """The curve (cost, value, low, high) from nothing to the whole budget."""
    if curve.is_empty():
        return Markup("")
    # The first intervals are so wide that the later ones would be a line: they are cut off at the edge.
    shown = curve.tail(max(3 * len(curve) // 4, 2)) if len(curve) > 8 else curve
    low, high = float(shown["low"].min()), float(shown["high"].max())  # type: ignore[arg-type]
    margin = 0.08 * max(high - low, 1e-3)
    frame = _Frame(right=max(budget, float(curve["cost"].max())), low=low - margin, high=high + margin)  # type: ignore[arg-type]
    points = list(curve.select("cost", "value", "low", "high").iter_rows())
    band = [*((c, up) for c, _, _, up in points), *((c, down) for c, _, down, _ in reversed(points))]
    parts = [
        *frame.grid(),
        Markup('<polygon class="band" points="{}"/>').format(frame.path(band)),
        Markup('<polyline class="curve" points="{}"/>').format(frame.path((c, v) for c, v, _, _ in points)),
    ]
    return Markup('<svg viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>').format(
        WIDTH, HEIGHT, words, Markup("").join(parts)
    )


class _Frame:
    def __init__(self, *, right: float, low: float, high: float) -> None:
        self._right, self._low, self._high = right, low, high

    def x(self, cost: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * cost / self._right

    def y(self, value: float) -> float:
        inside = min(max(value, self._low), self._high)
        return TOP + (HEIGHT - TOP - BOTTOM) * (self._high - inside) / (self._high - self._low)

    def path(self, points: Iterable[tuple[float, float]]) -> str:
        return " ".join(f"{self.x(cost):.1f},{self.y(value):.1f}" for cost, value in points)

    def grid(self) -> list[Markup]:
        line = Markup('<line class="grid" x1="{}" x2="{}" y1="{y}" y2="{y}"/>')
        tick = Markup('<text class="tick" x="{}" y="{}" text-anchor="end">{}</text>')
        across = [
            line.format(LEFT, WIDTH - RIGHT, y=f"{self.y(value):.1f}")
            + tick.format(LEFT - 8, f"{self.y(value) + 4:.1f}", _short(value, self._high - self._low))
            for value in _ticks(self._low, self._high)
        ]
        along = [
            Markup('<text class="tick" x="{}" y="{}" text-anchor="middle">{}</text>').format(
                f"{self.x(cost):.1f}", HEIGHT - BOTTOM + 18, f"{cost:g}"
            )
            for cost in _ticks(0.0, self._right)
        ]
        caption = Markup('<text class="tick" x="{}" y="{}" text-anchor="end">cost</text>').format(
            WIDTH - RIGHT, HEIGHT - 6
        )
        return [*across, *along, caption]


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers between the two."""
    rough = (high - low) / TICKS
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough)
    first = math.ceil(low / step)
    return [round(n * step, 10) + 0.0 for n in range(first, math.floor(high / step) + 1)]


def _short(value: float, span: float) -> str:
    digits = max(0, 1 - math.floor(math.log10(span)))
    return f"{value:.{digits}f}"
