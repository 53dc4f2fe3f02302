"""The chart of a campaign: the estimate and its interval over the cost, as SVG that needs nothing from outside."""

from __future__ import annotations

import math
from collections.abc import Iterator
from html import escape

import polars as pl

from rankgauge.report.active.content import amount

__all__ = ["movement"]

WIDTH, HEIGHT = 760, 320
LEFT, RIGHT, TOP, BOTTOM = 64, 16, 12, 44
REACH = 3.0
"""The first intervals are endless or very wide: the chart shows so many times the last one to either side."""


def movement(curve: pl.DataFrame, budget: float, label: str) -> str:
    """The estimate after each of many draws, the band of its interval, and the budget as a line."""
    known = curve.filter(pl.col("low").is_finite() & pl.col("high").is_finite())
    if known.is_empty():
        return ""
    last = known.row(-1, named=True)
    reach = REACH * max(last["high"] - last["low"], 1e-9) / 2
    low, high = last["value"] - reach, last["value"] + reach
    frame = _Frame(low, high, budget)
    band = [(row["cost"], row["high"]) for row in known.iter_rows(named=True)]
    band += [(row["cost"], row["low"]) for row in known.reverse().iter_rows(named=True)]
    points = [(row["cost"], row["value"]) for row in known.iter_rows(named=True)]
    parts = [
        *frame.grid(),
        f'<polygon class="band" points="{frame.path(band)}"/>',
        f'<polyline class="line" points="{frame.path(points)}"/>',
        *(frame.dot(*row) for row in known.select("cost", "value", "low", "high", "draws").iter_rows()),
    ]
    drawn = "".join(parts)
    return f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(label)}">{drawn}</svg>'


class _Frame:
    """Where a cost and a value stand in the chart."""

    def __init__(self, low: float, high: float, budget: float) -> None:
        self.low, self.high, self.budget = low, high, budget

    def x(self, cost: float) -> float:
        return LEFT + cost / self.budget * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        inside = min(max(value, self.low), self.high)
        return TOP + (self.high - inside) / (self.high - self.low) * (HEIGHT - TOP - BOTTOM)

    def path(self, points: list[tuple[float, float]]) -> str:
        return " ".join(f"{self.x(cost):.1f},{self.y(value):.1f}" for cost, value in points)

    def dot(self, cost: float, value: float, low: float, high: float, draws: int) -> str:
        words = f"after {draws} draws, cost {amount(cost)}: {value:.4f}, {low:.4f} to {high:.4f}"
        return (
            f'<circle class="dot" cx="{self.x(cost):.1f}" cy="{self.y(value):.1f}" r="2.6">'
            f"<title>{escape(words)}</title></circle>"
        )

    def grid(self) -> Iterator[str]:
        for level in _ticks(self.low, self.high):
            y = self.y(level)
            yield f'<line class="grid" x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}"/>'
            yield f'<text class="tick" x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{level:g}</text>'
        for cost in _ticks(0.0, self.budget):
            place = f'x="{self.x(cost):.1f}" y="{HEIGHT - BOTTOM + 18}"'
            yield f'<text class="tick" {place} text-anchor="middle">{amount(cost)}</text>'
        x = self.x(self.budget)
        yield f'<line class="budget" x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{HEIGHT - BOTTOM}"/>'
        middle = (LEFT + WIDTH - RIGHT) / 2
        yield f'<text class="tick" x="{middle:.0f}" y="{HEIGHT - 6}" text-anchor="middle">cost, up to the budget</text>'


def _ticks(low: float, high: float) -> list[float]:
    """Four to eight round values in the range."""
    span = (high - low) or 1.0
    power = 10.0 ** math.floor(math.log10(span / 4))
    step = next(power * size for size in (1, 2, 5, 10) if span / (power * size) <= 7)
    return [round(step * k, 10) for k in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]
