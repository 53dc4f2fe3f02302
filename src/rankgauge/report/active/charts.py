"""The chart of a campaign: the estimate and its interval over the cost, as SVG that needs nothing from outside."""

from __future__ import annotations

import math
from collections.abc import Iterator
from html import escape

import polars as pl

from rankgauge.report.active.content import amount

__all__ = ["movement", "settled"]

WIDTH, HEIGHT = 760, 320
LEFT, RIGHT, TOP, BOTTOM = 64, 16, 12, 44
SETTLED = 0.25
"""The first estimates are wide of the mark: the chart has room for what comes after this share of them."""


def movement(curve: pl.DataFrame, budget: float, label: str) -> str:
    """The estimate after each of many draws, the band of its interval, and the budget as a line."""
    known = curve.filter(pl.col("low").is_finite() & pl.col("high").is_finite())
    if known.is_empty():
        return ""
    low, high = settled(known)
    frame = _Frame(low, high, budget)
    band = [(row["cost"], row["high"]) for row in known.iter_rows(named=True)]
    band += [(row["cost"], row["low"]) for row in known.reverse().iter_rows(named=True)]
    points = [(row["cost"], row["value"]) for row in known.iter_rows(named=True)]
    dots = (frame.dot(*row) for row in known.select("cost", "value", "low", "high", "draws").iter_rows())
    parts = [
        f'<clipPath id="inside"><rect x="0" y="{TOP}" width="{WIDTH}" height="{HEIGHT - TOP - BOTTOM}"/></clipPath>',
        *frame.grid(),
        f'<g clip-path="url(#inside)"><polygon class="band" points="{frame.path(band)}"/>',
        f'<polyline class="line" points="{frame.path(points)}"/>',
        *dots,
        "</g>",
    ]
    drawn = "".join(parts)
    return f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(label)}">{drawn}</svg>'


def settled(known: pl.DataFrame) -> tuple[float, float]:
    """The values to show: the later estimates, the last interval, and some room."""
    later = known.tail(max(1, round(len(known) * (1 - SETTLED))))
    low = min(float(later["value"].to_numpy().min()), float(known["low"][-1]))
    high = max(float(later["value"].to_numpy().max()), float(known["high"][-1]))
    room = max((high - low) * 0.25, 1e-9)
    return low - room, high + room


class _Frame:
    """Where a cost and a value stand in the chart."""

    def __init__(self, low: float, high: float, budget: float) -> None:
        self.low, self.high, self.budget = low, high, budget

    def x(self, cost: float) -> float:
        return LEFT + cost / self.budget * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        return TOP + (self.high - value) / (self.high - self.low) * (HEIGHT - TOP - BOTTOM)

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
