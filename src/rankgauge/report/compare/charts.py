"""The charts of a comparison's page, as SVG that needs nothing from outside.

They are drawn for a column of 460 units, so that a telephone shows them at nearly their own size.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from html import escape

import numpy as np

from rankgauge.comparison import MeanCurve
from rankgauge.numeric import FloatArray
from rankgauge.report.compare.content import DOWN, OPEN, UP, signed
from rankgauge.report.numbers import number

__all__ = ["Bar", "bars", "colour", "curves", "differences", "legend", "matrix"]

COLOURS = ("#1f6f8b", "#c8553d", "#8e6bb0", "#4f9d69", "#d9a441", "#3c4f9f", "#a0527a", "#7d5a3c")
"""Hues that stay apart for colour-blind eyes in the order of their use."""

WIDTH, NAME = 460, 20
"""A chart's width, and how many letters of a run's name it shows."""

Bar = tuple[str, float, float, float, bool]
"""A run's name, its mean, the ends of its interval, and whether it is the baseline."""


def colour(place: int) -> str | None:
    """The colour of the run at that place; None where there are more runs than an eye tells apart."""
    return COLOURS[place] if place < len(COLOURS) else None


def legend(names: Sequence[str], *, rest: int = 0) -> str:
    """Names with their colours, and how many more there are in grey."""
    items = [f'<li><i style="background:{colour(place)}"></i>{escape(name)}</li>' for place, name in enumerate(names)]
    if rest:
        items.append(f'<li><i style="background:#cdd4db"></i>{rest} other runs</li>')
    return f'<ul class="legend">{"".join(items)}</ul>'


def bars(rows: Sequence[Bar], label: str) -> str:
    """A bar for each run with the interval of its mean."""
    left, right, step = 160, 56, 24
    ends = [end for _, mean, low, high, _ in rows for end in (mean, low, high) if math.isfinite(end)]
    low, high = min(0.0, *ends, 0.0), max(ends, default=1.0) or 1.0
    scale = (WIDTH - left - right) / ((high - low) or 1.0)
    parts = list(_columns(low, high, left, scale, step * len(rows) + 6))
    for place, (run, mean, least, most, base) in enumerate(rows):
        y, x = place * step + 4, left + (min(mean, 0.0) - low) * scale
        kind = "bar is-base" if base else "bar"
        parts.append(
            f'<text x="{left - 8}" y="{y + 13}" text-anchor="end">{_short(run)}<title>{escape(run)}</title></text>'
        )
        if math.isfinite(mean):
            parts.append(
                f'<rect class="{kind}" x="{x:.1f}" y="{y}" width="{abs(mean) * scale:.1f}" height="16" rx="2"/>'
            )
        if math.isfinite(least) and math.isfinite(most):
            parts.append(_line(left + (least - low) * scale, y + 8, left + (most - low) * scale, y + 8, "whisker"))
        parts.append(f'<text class="value" x="{WIDTH - right + 8}" y="{y + 13}">{number(mean)}</text>')
    return _svg(WIDTH, step * len(rows) + 26, parts, label)


def differences(values: FloatArray, queries: Sequence[str], label: str) -> str:
    """A bar for each query, the largest gain first."""
    left, top, height = 54, 8, 150
    order = np.argsort(-values, kind="stable")
    reach = float(np.abs(values).max(initial=0.0)) or 1.0
    middle, scale = top + height / 2, height / 2 / reach
    width = (WIDTH - left - 6) / max(len(values), 1)
    parts = []
    for level in (reach, 0.0, -reach):
        y = middle - level * scale
        parts.append(_line(left, y, WIDTH - 6, y, "grid" if level else "zero"))
        shown = signed(level, 2) if level else "0"
        parts.append(f'<text class="tick" x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{shown}</text>')
    for place, query in enumerate(order):
        value = float(values[query])
        y, tall = middle - max(value, 0.0) * scale, abs(value) * scale
        parts.append(
            f'<rect class="{"up" if value > 0 else "down"}" x="{left + place * width:.2f}" y="{y:.1f}" '
            f'width="{max(width * 0.82, 0.5):.2f}" height="{tall:.1f}">'
            f"<title>{escape(queries[query])} {signed(value)}</title></rect>"
        )
    return _svg(WIDTH, top + height + 10, parts, label)


def curves(curve: MeanCurve, order: Sequence[str], label: str) -> str:
    """A line for each run, the best ones in colour and in front."""
    left, right, top, height = 40, 10, 8, 250
    known = [float(y) for line in curve.y.values() for y in line if math.isfinite(y)]
    low, high = min(0.0, *known, 0.0), max([*known, 0.0]) or 1.0
    across = (WIDTH - left - right) / ((curve.x[-1] - curve.x[0]) or 1.0)
    scale = height / (high - low)
    parts = []
    for level in _ticks(low, high):
        y = top + height - (level - low) * scale
        parts.append(_line(left, y, WIDTH - right, y, "grid"))
        parts.append(f'<text class="tick" x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{level:g}</text>')
    for x in curve.x[:: max(1, math.ceil(len(curve.x) / 11))]:
        place = left + (x - curve.x[0]) * across
        parts.append(f'<text class="tick" x="{place:.1f}" y="{top + height + 18}" text-anchor="middle">{x:g}</text>')
    middle = left + (WIDTH - left - right) / 2
    parts.append(f'<text class="tick" x="{middle}" y="{top + height + 36}" text-anchor="middle">{curve.over}</text>')
    for place, run in reversed(list(enumerate(order))):
        points = " ".join(
            f"{left + (x - curve.x[0]) * across:.1f},{top + height - (y - low) * scale:.1f}"
            for x, y in zip(curve.x, curve.y[run], strict=True)
            if math.isfinite(y)
        )
        hue = colour(place)
        style = f'class="curve" stroke="{hue}"' if hue else 'class="curve rest"'
        parts.append(f'<polyline {style} points="{points}"><title>{escape(run)}</title></polyline>')
    return _svg(WIDTH, top + height + 42, parts, label)


def matrix(order: Sequence[str], labels: Mapping[str, str], marks: Mapping[tuple[str, str], str], label: str) -> str:
    """A square for each pair of runs: filled where the run of the row is above or below that of the column."""
    wide = len(order) > 12
    whole, left, top = (960 if wide else WIDTH), 170, 22
    cell = min((whole - left - 4) / len(order), 30.0)
    parts = []
    for row, run in enumerate(order):
        y = top + row * cell
        named = f"{labels[run]}  {_short(run)}"
        size = f' style="font-size:{min(12.5, cell * 0.8):.1f}px"'
        parts.append(f'<text x="{left - 8}" y="{y + cell * 0.68:.1f}" text-anchor="end"{size}>{named}</text>')
        middle = left + row * cell + cell / 2
        parts.append(
            f'<text class="tick" x="{middle:.1f}" y="{top - 7}" text-anchor="middle"{size}>{labels[run]}</text>'
        )
        parts += [_cell(left + column * cell, y, cell, run, other, marks) for column, other in enumerate(order)]
    return _svg(whole, top + cell * len(order) + 4, parts, label, kind="wide" if wide else "")


KINDS = {UP: ("up", "above"), DOWN: ("down", "below"), OPEN: ("open", "not separated from")}


def _cell(x: float, y: float, size: float, run: str, other: str, marks: Mapping[tuple[str, str], str]) -> str:
    if run == other:
        return ""
    mark = marks[run, other]
    kind, words = KINDS.get(mark, ("equal", "equal to"))
    drawn = (
        f'<rect class="{kind}" x="{x + 0.5:.1f}" y="{y + 0.5:.1f}" width="{size - 1:.1f}" height="{size - 1:.1f}">'
        f"<title>{escape(run)}: {words} {escape(other)}</title></rect>"
    )
    if mark in (UP, DOWN) and size >= 15:
        drawn += f'<text class="mark" x="{x + size / 2:.1f}" y="{y + size / 2 + 4.5:.1f}">{mark}</text>'
    return drawn


def _columns(low: float, high: float, left: float, scale: float, bottom: float) -> Iterator[str]:
    """Lines from top to bottom at round values, with the values below."""
    for level in _ticks(low, high):
        x = left + (level - low) * scale
        yield _line(x, 0, x, bottom, "grid")
        yield f'<text class="tick" x="{x:.1f}" y="{bottom + 14}" text-anchor="middle">{level:g}</text>'


def _ticks(low: float, high: float) -> list[float]:
    """Four to eight round values in the range."""
    span = (high - low) or 1.0
    power = 10.0 ** math.floor(math.log10(span / 4))
    step = next(power * size for size in (1, 2, 5, 10) if span / (power * size) <= 7)
    return [round(step * k, 10) for k in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]


def _short(run: str) -> str:
    return escape(run if len(run) <= NAME else run[: NAME - 1] + "…")


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _svg(width: float, height: float, parts: Sequence[str], label: str, *, kind: str = "") -> str:
    named = f' class="{kind}"' if kind else ""
    return (
        f'<svg{named} viewBox="0 0 {width:.0f} {height:.0f}" role="img" aria-label="{escape(label)}">'
        f"{''.join(parts)}</svg>"
    )
