"""An 11-point curve as an inline SVG."""

from __future__ import annotations

import math
from collections.abc import Iterator
from html import escape

from rankgauge.report.romip.layout import Drawn
from rankgauge.report.romip.words import Words

__all__ = ["COLOURS", "plot"]

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
"""Colours that people who see few of them can tell apart (Okabe & Ito)."""
DASHES = ("", "6 3", "2 3")
"""With more runs than colours, lines differ in their dashes too."""

WIDTH, HEIGHT = 400, 290
LEFT, RIGHT, TOP, BOTTOM = 52, 10, 12, 40


def plot(drawn: Drawn, words: Words) -> str:
    """The curves of all runs, precision over recall, with a title for those who do not see them."""
    title = escape(drawn.title)
    parts = [
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{title}"><title>{title}</title>',
        *_grid(words),
    ]
    for place, (run, points) in enumerate(drawn.points.items()):
        known = [(_x(recall), _y(precision)) for recall, precision, _ in points if math.isfinite(precision)]
        parts += _line(known, place, run)
    return "".join([*parts, "</svg>"])


def _grid(words: Words) -> Iterator[str]:
    for tenth in range(0, 11, 2):
        share = tenth / 10
        across, down = f"M{LEFT} {_y(share):.1f}H{WIDTH - RIGHT}", f"M{_x(share):.1f} {TOP}V{HEIGHT - BOTTOM}"
        yield f'<path class="grid" d="{across}{down}"/>'
        yield f'<text x="{LEFT - 6}" y="{_y(share) + 4:.1f}" text-anchor="end">{share:.1f}</text>'
        yield f'<text x="{_x(share):.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{share:.1f}</text>'
    middle = (TOP + HEIGHT - BOTTOM) / 2
    yield f'<text x="{_x(0.5):.1f}" y="{HEIGHT - 6}" text-anchor="middle">{words.recall}</text>'
    yield f'<text transform="translate(14 {middle:.1f}) rotate(-90)" text-anchor="middle">{words.precision}</text>'


def _line(points: list[tuple[float, float]], place: int, run: str) -> Iterator[str]:
    colour, dash = COLOURS[place % len(COLOURS)], DASHES[place // len(COLOURS) % len(DASHES)]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dashed}>'
    yield f"<title>{escape(run)}</title></polyline>"
    yield from (f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.8" fill="{colour}"/>' for x, y in points)


def _x(recall: float) -> float:
    return LEFT + recall * (WIDTH - LEFT - RIGHT)


def _y(precision: float) -> float:
    return TOP + (1.0 - precision) * (HEIGHT - TOP - BOTTOM)
