"""An audit as one picture: each tool's mean, and what leads there from the base, cause by cause."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import TextIO

import numpy as np

from rankgauge.audit import Audit, headline
from rankgauge.audit.causes import Cause
from rankgauge.report.audit.charts import colour
from rankgauge.report.numbers import number

__all__ = ["write"]

WIDTH, LEFT, RIGHT, MARGIN = 960, 230, 80, 24
ROW, BAND, HEAD = 27, 8, 44
"""Of a tool's row, of what goes up or down in it, and of what stands above the rows of a run."""
LEADING = 1.35
"""How far lines are apart, in sizes of letters."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """Tools that come to the same mean in the same way: their names, the mean, and what each cause adds."""

    names: tuple[str, ...]
    mean: float
    parts: tuple[float, ...]


def write(audit: Audit, stream: TextIO) -> None:
    """The picture: an SVG file that needs nothing from outside."""
    top, parts = 0.0, list[str]()
    for piece, height in _pieces(audit):
        parts.append(f'<g transform="translate(0,{top:g})">{piece}</g>')
        top += height
    title = f"{audit.measure} of {', '.join(audit.scores)} by tool"
    stream.write(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top:g}" width="{WIDTH}" height="{top:g}" '
        f'role="img" aria-label="{escape(title)}" font-family="system-ui, Helvetica, Arial, sans-serif" '
        f'font-size="13" fill="#24303b"><title>{escape(title)}</title>'
        f'<rect width="{WIDTH}" height="{top:g}" rx="8" fill="#ffffff"/>{"".join(parts)}</svg>\n'
    )


def _pieces(audit: Audit) -> Iterator[tuple[str, float]]:
    """What stands below each other, and how high each of it is."""
    found = headline(audit, next(iter(audit.scores)))
    yield _words(found.gap, letters=80, size=18, weight=600, above=36)
    if found.cause:
        yield _words(found.cause, letters=125, size=13, weight=400, above=14)
    yield _legend(audit.causes)
    ends = _ends(audit)
    for run in audit.scores:
        yield _run(audit, run, ends)


def _words(text: str, *, letters: int, size: int, weight: int, above: int) -> tuple[str, float]:
    lines = textwrap.wrap(text, letters)
    told = "".join(
        f'<text x="{MARGIN}" y="{above + n * size * LEADING:g}">{escape(line)}</text>' for n, line in enumerate(lines)
    )
    told = f'<g font-size="{size}" font-weight="{weight}">{told}</g>'
    return told, above + (len(lines) - 1) * size * LEADING + 6


def _legend(causes: Sequence[Cause]) -> tuple[str, float]:
    parts, x = [], float(MARGIN)
    for place, cause in enumerate(causes):
        parts.append(
            f'<rect x="{x:g}" y="14" width="11" height="11" rx="2" fill="{colour(place)}"/>'
            f'<text x="{x + 17:g}" y="24" font-size="12">{escape(cause.name)}</text>'
        )
        x += 17 + 7.2 * len(cause.name) + 22
    return "".join(parts), 32


def _run(audit: Audit, run: str, ends: tuple[float, float]) -> tuple[str, float]:
    """A run's rows, the highest mean first, beside a line at what the base gives."""
    rows = _rows(audit, run)
    base = audit.mean(run, audit.base)
    bottom = HEAD + ROW * len(rows)
    parts = [f'<text x="{MARGIN}" y="{HEAD - 14}" font-weight="600">{escape(run)}</text>'] if audit.several else []
    parts += _axis(ends, bottom)
    parts += [line for place, row in enumerate(rows) for line in _bar(row, base, HEAD + ROW * (place + 0.5), ends)]
    at = _across(base, ends)
    parts.append(
        f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{HEAD - 6}" y2="{bottom}" stroke="#24303b" stroke-dasharray="3 3"/>'
        f'<text x="{at:.1f}" y="{HEAD - 12}" text-anchor="middle" font-size="12">{escape(audit.base.name)} '
        f"{number(base)}</text>"
    )
    return "".join(parts), bottom + 40


def _rows(audit: Audit, run: str) -> list[Row]:
    alike: dict[tuple[float, ...], list[str]] = {}
    for dialect in reversed(audit.ranked(run)):
        found = audit.attributions[run].get(dialect.name)
        parts = (0.0 if found is None else found.amount(cause) for cause in audit.causes)
        alike.setdefault(tuple(round(x, 6) for x in (audit.mean(run, dialect), *parts)), []).append(dialect.name)
    return [Row(names=tuple(sorted(names)), mean=key[0], parts=key[1:]) for key, names in alike.items()]


def _bar(row: Row, base: float, y: float, ends: tuple[float, float]) -> Iterator[str]:
    """From the base what lifts goes right, from there what lowers goes left; a dot where it ends."""
    lifted = base + sum(part for part in row.parts if part > 0)
    for above, at, wanted in ((True, base, 1), (False, lifted, -1)):
        for place, part in enumerate(row.parts):
            if np.sign(part) == wanted:
                low, high = sorted((_across(at, ends), _across(at + part, ends)))
                top = y - BAND if above else y
                yield (
                    f'<rect x="{low:.1f}" y="{top:.1f}" width="{max(high - low, 0.5):.1f}" height="{BAND}" '
                    f'fill="{colour(place)}"/>'
                )
                at += part
    end, names = _across(row.mean, ends), ", ".join(row.names)
    shown = names if len(names) <= 30 else f"{row.names[0]} + {len(row.names) - 1} more"
    if not np.isnan(end):  # a tool that leaves every query out has no mean
        yield f'<circle cx="{end:.1f}" cy="{y:.1f}" r="4.5" fill="#24303b"/>'
    yield f'<g text-anchor="end" transform="translate(0,{y + 4.5:.1f})"><title>{escape(names)}</title>'
    yield f'<text x="{LEFT - 14}">{escape(shown)}</text>'
    yield f'<text x="{WIDTH - MARGIN}" font-weight="600">{number(row.mean)}</text></g>'


def _axis(ends: tuple[float, float], bottom: float) -> Iterator[str]:
    for tick in _ticks(ends):
        at = _across(tick, ends)
        yield f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{HEAD}" y2="{bottom}" stroke="#e6e9ed"/>'
        yield (
            f'<text x="{at:.1f}" y="{bottom + 18:g}" text-anchor="middle" font-size="11" fill="#66727f">{tick:g}</text>'
        )


def _ends(audit: Audit) -> tuple[float, float]:
    """The least and the most that any bar of any run reaches, and a little more."""
    reached = []
    for run in audit.scores:
        base = audit.mean(run, audit.base)
        for row in _rows(audit, run):
            reached += [base, row.mean, base + sum(part for part in row.parts if part > 0)]
    known = [x for x in reached if not np.isnan(x)] or [0.0, 1.0]
    spare = 0.04 * (max(known) - min(known)) or 0.05
    return min(known) - spare, max(known) + spare


def _ticks(ends: tuple[float, float]) -> list[float]:
    """Round numbers between the ends, about six of them."""
    rough = (ends[1] - ends[0]) / 6
    power = 10.0 ** np.floor(np.log10(rough))
    step = next(power * n for n in (1, 2, 5, 10) if power * n >= rough)
    return [round(float(x), 10) for x in np.arange(np.ceil(ends[0] / step), np.floor(ends[1] / step) + 1) * step]


def _across(value: float, ends: tuple[float, float]) -> float:
    share = (value - ends[0]) / (ends[1] - ends[0])
    return float(LEFT + share * (WIDTH - RIGHT - MARGIN - LEFT))
