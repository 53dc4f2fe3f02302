"""The charts of an audit's page: what each tool gives, how it changes with the cutoff, and the queries that matter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from rankgauge.audit.tools import Audit, Mover
from rankgauge.audit.tools import movers as furthest
from rankgauge.audit.tools import tables as tables
from rankgauge.render.numbers import number
from rankgauge.render.passages import Figure, Legend, Paragraph, Passage, ReportTable, Track, Tracks
from rankgauge.render.svg import COLOURS, Axis, Plot, apart, colour

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 1000, 420, 46, 790, 12, 386
"""The line chart's size, and the ends of its axes."""


def hue(place: int) -> str:
    """The colour of the thing at that place; the first of all colours is the base's."""
    return colour(1 + place % (len(COLOURS) - 1))


def scores(audit: Audit) -> Iterator[Passage]:
    """A bar for each tool, the highest first, or with several runs dots; tools that refuse the input say why."""
    runs = list(audit.scores)
    means = [audit.mean(run, dialect) for run in runs for dialect in audit.dialects]
    top = max(1.0, *(mean for mean in means if not np.isnan(mean)), 0.0)  # some measures have no upper bound
    rows = []
    for dialect in reversed(audit.ranked(runs[0])):
        found = [audit.mean(run, dialect) for run in runs]
        places = [100 * _share(mean, top) for mean in found]
        dots = [(place, hue(n), f"{runs[n]} {number(found[n])}") for n, place in enumerate(places)]
        bars = [] if audit.several else [(0.0, places[0], "", "")]
        value = " · ".join(map(number, found))
        shown = dots if audit.several else []
        rows.append(Track(name=dialect.name, value=value, base=dialect == audit.base, bars=bars, dots=shown))
    rows += [Track(name=name, refusal=f"refuses the input: {reason}") for name, reason in audit.refused.items()]
    if audit.several:
        yield Legend({run: hue(place) for place, run in enumerate(runs)})
    yield Tracks(rows)


def movers(audit: Audit, run: str) -> ReportTable | Paragraph:
    """The queries on which the tools are furthest apart, with a dot for what they give."""
    found = furthest(audit, run, most=12)
    if not found:
        return Paragraph("None: every query has one value.")
    table = tables.moving(found)
    header = (*table.header[:4], "0 to 1", *table.header[4:])
    rows = [(*row[:4], _strip(mover), *row[4:]) for row, mover in zip(table.rows, found, strict=True)]
    return replace(table, header=header, rows=rows, prose=header[-1])


def _strip(mover: Mover) -> Track:
    """A query's values under all tools as dots between 0 and 1."""
    known = {name: value for name, value in mover.values.items() if not np.isnan(value)}
    top = max(1.0, *known.values())
    groups: dict[float, list[str]] = {}
    for name, value in known.items():
        groups.setdefault(round(value, 4), []).append(name)
    return Track(
        dots=[(100 * _share(value, top), "", f"{value:.4f}: {', '.join(names)}") for value, names in groups.items()]
    )


def lines(audit: Audit, run: str) -> Figure:
    """The measure at each cutoff, a line for each group of tools that agree at all of them."""
    depths, groups = [measure.depth for measure in audit.cutoffs], _alike(audit, run)
    known = [value for row in groups.values() for value in row if not np.isnan(value)]
    low, high = _nice(min(known), max(known)) if known else (0.0, 1.0)
    y = Axis(low=low, high=high, start=BOTTOM, end=TOP, bounded=False)
    x = Axis(low=0, high=max(len(depths) - 1, 1), start=LEFT, end=RIGHT)
    plot = Plot(f"{audit.measure.facts.name} of {run} by cutoff", x, y, (WIDTH, HEIGHT))
    for step in np.linspace(low, high, 6):
        plot.line((LEFT, y(step)), (RIGHT, y(step)), kind="grid")
        plot.tick((LEFT - 8, y(step) + 4), f"{step:.2f}", "end")
    for place, depth in enumerate(depths):
        plot.tick((x(place), HEIGHT - 12), f"@{depth}", "middle")
    last = x(len(depths) - 1)
    ends = apart([y(row[-1]) for row in groups.values()], TOP + 6, BOTTOM)
    for place, ((names, row), end) in enumerate(zip(groups.items(), ends, strict=True)):
        base = audit.base.name in names
        stroke = COLOURS[0] if base else hue(place)
        plot.curve(enumerate(row), stroke=stroke, style="stroke-width:3" if base else "stroke-width:1.8")
        if not np.isnan(row[-1]):
            plot.line((last, y(row[-1])), (last + 16, end), stroke=stroke)
            plot.text((last + 20, end + 4), listed(names, 26), title=", ".join(names))
    return Figure(run if audit.several else "", plot)


def _alike(audit: Audit, run: str) -> dict[tuple[str, ...], list[float]]:
    """The tools with the same values at every cutoff, to four decimals, and these."""
    groups: dict[tuple[float, ...], list[str]] = {}
    for dialect in reversed(audit.ranked(run)):
        values = tuple(round(audit.mean(run, dialect, measure), 4) for measure in audit.cutoffs)
        groups.setdefault(values, []).append(dialect.name)
    return {tuple(names): list(values) for values, names in groups.items()}


def listed(names: Sequence[str], letters: int) -> str:
    """The names, or if they are too long, the first ones and how many more there are."""
    text = ", ".join(names)
    return text if len(text) <= letters else f"{names[0]} + {len(names) - 1} more"


def _nice(low: float, high: float) -> tuple[float, float]:
    """Round ends of an axis, a little apart where all values are the same."""
    step = 10.0 ** np.floor(np.log10(max(high - low, 0.02) / 2))
    bottom = max(0.0, float(np.floor(low / step) * step))
    return bottom, max(float(np.ceil(high / step) * step), bottom + 5 * step)


def _share(value: float, top: float) -> float:
    return 0.0 if np.isnan(value) else float(np.clip(value / top, 0.0, 1.0))
