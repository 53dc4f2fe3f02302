"""The charts of an audit's page: bars and dots in HTML, lines in SVG, all without anything from outside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape

import numpy as np

from rankgauge.audit import Audit, Mover
from rankgauge.dialects import Dialect
from rankgauge.report.numbers import number

__all__ = ["COLOURS", "bars", "colour", "dots", "legend", "lines", "strip"]

COLOURS = ("#c8553d", "#3c6e9f", "#8e6bb0", "#4f9d69", "#d9a441", "#5bb0c0", "#a0527a", "#7a7f87", "#a57548", "#33475b")
"""Hues that stay apart for colour-blind eyes in the order of their use."""

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 1000, 420, 46, 210, 12, 34
"""The line chart's size, and its margins."""


def colour(place: int) -> str:
    """The colour of the thing at that place."""
    return COLOURS[place % len(COLOURS)]


def bars(audit: Audit, run: str) -> str:
    """A bar for each tool, the highest first; tools that refuse the input say why."""
    rows = []
    top = _top(audit)
    for dialect in reversed(audit.ranked(run)):
        mean, mark = audit.mean(run, dialect), _mark(audit, dialect)
        fill = f'<div class="fill" style="width:{100 * _share(mean, top):.2f}%"></div>'
        rows.append(_row(dialect.name, mark, fill, number(mean)))
    return f'<div class="bars">{"".join([*rows, *_refused(audit)])}</div>'


def dots(audit: Audit) -> str:
    """A line for each tool with a dot for each run."""
    rows = []
    top = _top(audit)
    for dialect in reversed(audit.ranked(next(iter(audit.scores)))):
        means = [audit.mean(run, dialect) for run in audit.scores]
        marks = "".join(
            f'<div class="dot" style="left:{100 * _share(mean, top):.2f}%;background:{colour(place)}" '
            f'title="{escape(run)} {number(mean)}"></div>'
            for place, (run, mean) in enumerate(zip(audit.scores, means, strict=True))
        )
        rows.append(_row(dialect.name, _mark(audit, dialect), marks, " · ".join(map(number, means))))
    return f'<div class="bars">{"".join([*rows, *_refused(audit)])}</div>'


def legend(names: Mapping[str, str], *, rounded: bool = False) -> str:
    """Names with their colours."""
    shape = ' class="round"' if rounded else ""
    items = (f'<li><i{shape} style="background:{hue}"></i>{escape(name)}</li>' for name, hue in names.items())
    return f'<ul class="legend">{"".join(items)}</ul>'


def strip(mover: Mover) -> str:
    """A query's values under all tools as dots between 0 and 1."""
    known = {name: value for name, value in mover.values.items() if not np.isnan(value)}
    top = max(1.0, *known.values())
    groups: dict[float, list[str]] = {}
    for name, value in known.items():
        groups.setdefault(round(value, 4), []).append(name)
    marks = "".join(
        f'<span class="dot" style="left:{100 * _share(value, top):.1f}%" '
        f'title="{value:.4f}: {escape(", ".join(names))}"></span>'
        for value, names in groups.items()
    )
    return f'<span class="strip">{marks}</span>'


def lines(audit: Audit, run: str) -> str:
    """The measure at each cutoff, a line for each group of tools that agree at all of them."""
    depths = [measure.depth for measure in audit.cutoffs]
    groups = _alike(audit, run)
    values = np.array(list(groups.values()))
    known = values[~np.isnan(values)]
    low, high = _nice(float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    x = np.linspace(LEFT, WIDTH - RIGHT, len(depths)) if len(depths) > 1 else np.array([LEFT])
    y = HEIGHT - BOTTOM - (values - low) / (high - low) * (HEIGHT - TOP - BOTTOM)
    parts = [*_grid(low, high, depths, x)]
    ends = _apart(y[:, -1], TOP + 6, HEIGHT - BOTTOM)
    for place, (names, row) in enumerate(zip(groups, y, strict=True)):
        hue = "#1f6f8b" if audit.base.name in names else colour(place)
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, row, strict=True) if not np.isnan(b))
        width = 3 if audit.base.name in names else 1.8
        parts.append(f'<polyline points="{points}" fill="none" stroke="{hue}" stroke-width="{width}"/>')
        end = f"M{x[-1]:.1f},{row[-1]:.1f} L{x[-1] + 16:.1f},{ends[place]:.1f}"
        parts.append(f'<path d="{end}" stroke="{hue}" stroke-width="1" fill="none"/>')
        parts.append(f'<text x="{x[-1] + 20:.1f}" y="{ends[place] + 4:.1f}">{_label(names)}</text>')
    title = f"{audit.measure.facts.name} of {run} by cutoff"
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}">'
        f"<title>{escape(title)}</title>{''.join(parts)}</svg>"
    )


def _alike(audit: Audit, run: str) -> dict[tuple[str, ...], list[float]]:
    """The tools with the same values at every cutoff, to four decimals, and these."""
    groups: dict[tuple[float, ...], list[str]] = {}
    for dialect in reversed(audit.ranked(run)):
        values = tuple(round(audit.mean(run, dialect, measure), 4) for measure in audit.cutoffs)
        groups.setdefault(values, []).append(dialect.name)
    return {tuple(names): list(values) for values, names in groups.items()}


def _label(names: Sequence[str]) -> str:
    text = ", ".join(names)
    shown = text if len(text) <= 26 else f"{names[0]} + {len(names) - 1} more"
    return f"<title>{escape(text)}</title>{escape(shown)}"


def _grid(low: float, high: float, depths: Sequence[int], x: Sequence[float] | np.ndarray) -> Iterator[str]:
    for step in np.linspace(low, high, 6):
        at = HEIGHT - BOTTOM - (step - low) / (high - low) * (HEIGHT - TOP - BOTTOM)
        yield f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}" stroke="#e6e9ed"/>'
        yield f'<text class="tick" x="{LEFT - 8}" y="{at + 4:.1f}" text-anchor="end">{step:.2f}</text>'
    for place, depth in zip(x, depths, strict=True):
        yield f'<text class="tick" x="{place:.1f}" y="{HEIGHT - 12}" text-anchor="middle">@{depth}</text>'


def _apart(wanted: np.ndarray, top: float, bottom: float, gap: float = 17.0) -> np.ndarray:
    """Places for labels near the wanted ones, no two of them closer than the gap."""
    order = np.argsort(wanted)
    placed = wanted[order].copy()
    for place in range(1, len(placed)):
        placed[place] = max(placed[place], placed[place - 1] + gap)
    placed -= max(0.0, placed[-1] - bottom)
    for place in range(len(placed) - 2, -1, -1):
        placed[place] = min(placed[place], placed[place + 1] - gap)
    ends = np.empty_like(placed)
    ends[order] = np.maximum(placed, top)
    return ends


def _nice(low: float, high: float) -> tuple[float, float]:
    """Round ends of an axis, a little apart where all values are one."""
    step = 10.0 ** np.floor(np.log10(max(high - low, 0.02) / 2))
    bottom = max(0.0, float(np.floor(low / step) * step))
    return bottom, max(float(np.ceil(high / step) * step), bottom + 5 * step)


def _row(name: str, mark: str, track: str, value: str) -> str:
    return (
        f'<div class="row{mark}"><div class="name">{escape(name)}</div><div class="track">{track}</div>'
        f'<div class="value">{value}</div></div>'
    )


def _refused(audit: Audit) -> Iterator[str]:
    for name, reason in audit.refused.items():
        words = f'<div class="refusal">refuses the input: {escape(reason)}</div>'
        yield f'<div class="row"><div class="name">{escape(name)}</div>{words}</div>'


def _mark(audit: Audit, dialect: Dialect) -> str:
    return " is-base" if dialect == audit.base else ""


def _top(audit: Audit) -> float:
    """The right end of the bars: 1, or the highest mean of a measure that has no upper bound."""
    means = [audit.mean(run, dialect) for run in audit.scores for dialect in audit.dialects]
    return max(1.0, *(mean for mean in means if not np.isnan(mean)), 0.0)


def _share(value: float, top: float) -> float:
    return 0.0 if np.isnan(value) else float(np.clip(value / top, 0.0, 1.0))
