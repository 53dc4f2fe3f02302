"""An audit as one picture: each tool's mean, and what leads there from the base, cause by cause."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from typing import TextIO

import numpy as np

from rankgauge.audit import Audit, headline
from rankgauge.audit.cause import Cause
from rankgauge.report.audit.charts import colour
from rankgauge.report.numbers import number

__all__ = ["write"]

WIDTH, LEFT, RIGHT, MARGIN = 720, 252, 68, 24
"""Narrow, with large letters: on a phone, where half of the size is left, they can still be read."""
ROW, BAND, HEAD = 34, 10, 50
"""Of a tool's row, of what goes up or down in it, and of what stands above the rows of a run."""
TITLE, LETTERS, TICKS = 22, 17, 15
"""The sizes of letters."""
LEADING, BREADTH = 1.35, 0.52
"""How far lines are apart, and how broad a letter is, in sizes of letters."""
SEEN = 0.01
"""Of the widest part; what is narrower cannot be seen, and is neither drawn nor explained."""
INK, FAINT = "#24303b", "#66727f"


@dataclass(frozen=True, kw_only=True)
class Row:
    """Tools that come to the same mean in the same way: their names, the mean, and what each cause adds."""

    names: tuple[str, ...]
    mean: float
    parts: tuple[tuple[Cause, float], ...]

    @property
    def top(self) -> float:
        """What the causes that lift add together."""
        return sum(part for _, part in self.parts if part > 0)


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
        f'font-size="{LETTERS}" fill="{INK}"><title>{escape(title)}</title>'
        f'<rect width="{WIDTH}" height="{top:g}" rx="8" fill="#ffffff"/>{"".join(parts)}</svg>\n'
    )


def _pieces(audit: Audit) -> Iterator[tuple[str, float]]:
    """What stands below each other, and how high each of it is."""
    found = headline(audit, next(iter(audit.scores)))
    yield _words(found.gap, size=TITLE, weight=600, above=40)
    if found.cause:
        yield _words(found.cause, size=LETTERS, weight=400, above=24)
    rows = {run: _rows(audit, run) for run in audit.scores}
    hues = _hues([row for some in rows.values() for row in some])
    if hues:
        yield _words(f"What leads from {audit.base.name} to each tool", size=LETTERS, weight=600, above=40)
        yield _legend(_causes(audit, hues))
    yield _legend(_marks(audit))
    ends = _ends(audit, rows)
    for run in audit.scores:
        yield _run(audit, run, rows[run], hues, ends)


def _words(text: str, *, size: int, weight: int, above: int) -> tuple[str, float]:
    letters = int((WIDTH - 2 * MARGIN) / (size * BREADTH * (1.15 if weight > 400 else 1)))
    lines = textwrap.wrap(text.replace(" %", "\N{NO-BREAK SPACE}%"), letters)
    told = "".join(
        f'<text x="{MARGIN}" y="{above + n * size * LEADING:g}">{escape(line)}</text>' for n, line in enumerate(lines)
    )
    told = f'<g font-size="{size}" font-weight="{weight}">{told}</g>'
    return told, above + (len(lines) - 1) * size * LEADING + 6


def _hues(rows: Iterable[Row]) -> Mapping[Cause, str]:
    """The colours of the causes that can be seen, the widest first."""
    widest: dict[Cause, float] = {}
    for cause, part in (item for row in rows for item in row.parts):
        widest[cause] = max(widest.get(cause, 0.0), abs(part))
    least = SEEN * max(widest.values(), default=0.0)
    seen = sorted((cause for cause in widest if widest[cause] > least), key=lambda cause: -widest[cause])
    return {cause: colour(place) for place, cause in enumerate(seen)}


def _causes(audit: Audit, hues: Mapping[Cause, str]) -> Iterator[tuple[str, str]]:
    """The colours, and the causes in words."""
    conditions = next(iter(audit.conditions.values()))
    for cause, hue in hues.items():
        yield f'<rect x="0" y="-12" width="13" height="13" rx="2" fill="{hue}"/>', cause.named(conditions)


def _marks(audit: Audit) -> Iterator[tuple[str, str]]:
    """The line at the base and the dot of a tool, and what they mean."""
    line = f'<line x1="6.5" x2="6.5" y1="-15" y2="3" stroke="{INK}" stroke-width="1.5" stroke-dasharray="3 3"/>'
    papers = audit.base.name == "standard"
    yield line, "standard: the definition of the papers" if papers else f"what {audit.base.name} gives"
    yield f'<circle cx="6.5" cy="-5.5" r="5" fill="{INK}"/>', "what the tool gives"


def _legend(keys: Iterable[tuple[str, str]]) -> tuple[str, float]:
    """Marks with their words in two columns; words that do not fit into their column begin a line."""
    whole, second, step = WIDTH - 2 * MARGIN, 370, LETTERS * LEADING + 3
    parts, place = list[str](), 0
    for mark, words in keys:
        width = 22 + 0.5 * LETTERS * len(words)
        place += place % 2 and width > whole - second
        x, y = MARGIN + second * (place % 2), step * (place // 2 + 1)
        parts.append(f'<g transform="translate({x:g},{y:g})">{mark}<text x="22">{escape(words)}</text></g>')
        place += 2 if width > second else 1
    return "".join(parts), step * ((place + 1) // 2)


def _run(
    audit: Audit, run: str, rows: list[Row], hues: Mapping[Cause, str], ends: tuple[float, float]
) -> tuple[str, float]:
    """A run's rows, the highest mean first, beside a line at what the base gives."""
    base = audit.mean(run, audit.base)
    bottom = HEAD + ROW * len(rows)
    parts = [f'<text x="{MARGIN}" y="{HEAD - 12}" font-weight="600">{escape(run)}</text>'] if audit.several else []
    parts += _axis(ends, bottom)
    at = _across(base, ends)
    if not np.isnan(at):
        parts.append(
            f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{HEAD - 6}" y2="{bottom}" stroke="{INK}" stroke-width="1.5" '
            f'stroke-dasharray="3 3"/><text x="{at:.1f}" y="{HEAD - 12}" text-anchor="middle">'
            f"{escape(audit.base.name)} {number(base)}</text>"
        )
    for place, row in enumerate(rows):
        y = HEAD + ROW * (place + 0.5)
        parts += [*_bar(row, base, y, hues, ends), *_labels(row, y, ends)]
    return "".join(parts), bottom + 42


def _rows(audit: Audit, run: str) -> list[Row]:
    alike: dict[tuple[float, ...], list[str]] = {}
    for dialect in reversed(audit.ranked(run)):
        found = audit.attributions[run].get(dialect.name)
        parts = (0.0 if found is None else found.amount(cause) for cause in audit.causes)
        alike.setdefault(tuple(round(x, 6) for x in (audit.mean(run, dialect), *parts)), []).append(dialect.name)
    return [
        Row(names=tuple(sorted(names)), mean=key[0], parts=tuple(zip(audit.causes, key[1:], strict=True)))
        for key, names in alike.items()
    ]


def _bar(row: Row, base: float, y: float, hues: Mapping[Cause, str], ends: tuple[float, float]) -> Iterator[str]:
    """From the base what lifts goes right, from there, one band lower, what lowers goes left."""
    least = SEEN * max((abs(part) for _, part in row.parts), default=0.0)
    seen = [part for cause, part in row.parts if cause in hues and abs(part) > least]
    both = min(seen, default=0.0) < 0 < max(seen, default=0.0)
    for at, wanted, top in ((base, 1, y - BAND), (base + row.top, -1, y)):
        for cause, part in row.parts:
            if np.sign(part) == wanted:
                low, high = sorted((_across(at, ends), _across(at + part, ends)))
                at += part
                if cause in hues:
                    yield (
                        f'<rect x="{low:.1f}" y="{top if both else y - BAND / 2:.1f}" '
                        f'width="{max(high - low, 0.5):.1f}" height="{BAND}" fill="{hues[cause]}"/>'
                    )


def _labels(row: Row, y: float, ends: tuple[float, float]) -> Iterator[str]:
    """A dot at the mean, the tools' names on the left, the mean on the right."""
    end, names = _across(row.mean, ends), ", ".join(row.names)
    shown = names if len(names) <= 24 else f"{row.names[0]} + {len(row.names) - 1} more"
    if not np.isnan(end):  # a tool that leaves every query out has no mean
        yield f'<circle cx="{end:.1f}" cy="{y:.1f}" r="5" fill="{INK}"/>'
    yield f'<g text-anchor="end" transform="translate(0,{y + 6:.1f})"><title>{escape(names)}</title>'
    yield f'<text x="{LEFT - 16}">{escape(shown)}</text>'
    yield f'<text x="{WIDTH - MARGIN}" font-weight="600">{number(row.mean)}</text></g>'


def _axis(ends: tuple[float, float], bottom: float) -> Iterator[str]:
    for tick in _ticks(ends):
        at = _across(tick, ends)
        yield f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{HEAD}" y2="{bottom}" stroke="#e6e9ed"/>'
        where = f'x="{at:.1f}" y="{bottom + 20:g}" text-anchor="middle" font-size="{TICKS}" fill="{FAINT}"'
        yield f"<text {where}>{tick:g}</text>"


def _ends(audit: Audit, rows: Mapping[str, list[Row]]) -> tuple[float, float]:
    """The least and the most that any bar of any run reaches, and a little more."""
    reached = []
    for run, some in rows.items():
        base = audit.mean(run, audit.base)
        reached += [x for row in some for x in (base, row.mean, base + row.top)]
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
