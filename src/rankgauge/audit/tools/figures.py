"""An audit as one picture: each tool's mean, and what leads there from the base, cause by cause; a page's figures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from rankgauge.audit.tools import Audit, Mover, headline
from rankgauge.audit.tools.cause import Cause
from rankgauge.render.numbers import number
from rankgauge.render.passages import Figure, Legend, Passage, Track, Tracks
from rankgauge.render.svg import COLOURS, LEADING, Axis, Drawing, Plot, apart, colour, element, wrap

SHEET_WIDTH, SHEET_LEFT, SHEET_RIGHT, MARGIN = 720, 252, 68, 24
"""Narrow, with large letters: on a phone, where half of the size is left, they can still be read."""
ROW, BAND, HEAD = 34, 10, 50
"""Heights: of a tool's row, of what goes up or down in it, and of what is above the rows of a run."""
TITLE, LETTERS, TICKS = 22, 17, 15
"""The sizes of letters."""
SEEN = 0.01
"""A share of the widest part; what is narrower cannot be seen, and is neither drawn nor explained."""
INK, BOLD = "#1d2733", "font-weight:600"


@dataclass(frozen=True, kw_only=True)
class Bar:
    """Tools that come to the same mean in the same way: their names, the mean, and what each cause adds."""

    names: tuple[str, ...]
    mean: float
    parts: tuple[tuple[Cause, float], ...]

    @property
    def top(self) -> float:
        """What the causes that lift add together."""
        return sum(part for _, part in self.parts if part > 0)


def picture(audit: Audit) -> Drawing:
    """Return the headline, the legend, and each run's tools."""
    drawn = Drawing(SHEET_WIDTH, 0, f"{audit.measure} of {', '.join(audit.scores)} by tool")
    sentence = headline(audit, next(iter(audit.scores)))
    top = wrap(drawn, sentence.gap, 40, size=TITLE, weight=600)
    if sentence.cause:
        top = wrap(drawn, sentence.cause, top + 24, size=LETTERS)
    bars = {run: _bars(audit, run) for run in audit.scores}
    hues = _hues([bar for some in bars.values() for bar in some])
    if hues:
        top = wrap(drawn, f"What leads from {audit.base.name} to each tool", top + 40, size=LETTERS, weight=600)
        conditions = next(iter(audit.conditions.values()))
        squares = (element("rect", x=0, y=-12, width=13, height=13, rx=2, fill=fill) for fill in hues.values())
        top = _legend(drawn, zip(squares, (cause.name_subject(conditions) for cause in hues), strict=True), top)
    usual = "standard: the usual definition" if audit.base.name == "standard" else f"what {audit.base.name} gives"
    line = element("line", x1=6.5, x2=6.5, y1=-15, y2=3, stroke=INK, stroke_width=1.5, stroke_dasharray="3 3")
    dot = element("circle", cx=6.5, cy=-5.5, r=5, fill=INK)
    top = _legend(drawn, ((line, usual), (dot, "what the tool gives")), top)
    across = _across(audit, bars)
    for run in audit.scores:
        top = _run(drawn, audit, run, bars[run], hues, across, top)
    drawn.parts = [element("g", *drawn.parts, kind="words", style=f"font-size:{LETTERS}px")]
    drawn.height = top
    return drawn


def _hues(bars: Iterable[Bar]) -> Mapping[Cause, str]:
    """Return the colours of the causes that can be seen, the widest first."""
    widest: dict[Cause, float] = {}
    for cause, part in (item for bar in bars for item in bar.parts):
        widest[cause] = max(widest.get(cause, 0.0), abs(part))
    least = SEEN * max(widest.values(), default=0.0)
    seen = sorted((cause for cause in widest if widest[cause] > least), key=lambda cause: -widest[cause])
    return {cause: hue(place) for place, cause in enumerate(seen)}


def _legend(drawn: Drawing, keys: Iterable[tuple[str, str]], top: float) -> float:
    """Marks with their words in two columns; words that do not fit into their column begin a line."""
    whole, second, step = SHEET_WIDTH - 2 * MARGIN, 370, LETTERS * LEADING + 3
    place = 0
    for mark, words in keys:
        width = 22 + 0.5 * LETTERS * len(words)
        place += place % 2 and width > whole - second
        x, y = MARGIN + second * (place % 2), top + step * (place // 2 + 1)
        drawn.add("g", mark, element("text", escape(words), x=22), transform=f"translate({x:g},{y:g})")
        place += 2 if width > second else 1
    return top + step * ((place + 1) // 2)


def _run(
    drawn: Drawing, audit: Audit, run: str, bars: list[Bar], hues: Mapping[Cause, str], across: Axis, top: float
) -> float:
    """Draw a run's bars, the highest mean first, beside a line at what the base gives; return where they end."""
    base, head, bottom = audit.mean(run, audit.base), top + HEAD, top + HEAD + ROW * len(bars)
    if audit.several:
        drawn.text((MARGIN, head - 12), run, style=BOLD)
    for tick in across.ticks():
        drawn.line((across(tick), head), (across(tick), bottom), kind="grid")
        drawn.text((across(tick), bottom + 20), f"{tick:g}", anchor="middle", kind="tick", style=f"font-size:{TICKS}px")
    if not np.isnan(base):
        at = across(base)
        drawn.line((at, head - 6), (at, bottom), stroke=INK, stroke_width=1.5, stroke_dasharray="3 3")
        drawn.text((at, head - 12), f"{audit.base.name} {number(base)}", anchor="middle")
    for place, bar in enumerate(bars):
        y = head + ROW * (place + 0.5)
        _bar(drawn, bar, base, y, hues, across)
        if not np.isnan(bar.mean):  # a tool that leaves every query out has no mean
            drawn.dot((across(bar.mean), y), r=5, fill=INK)
        tool = element("text", escape(shorten_list(bar.names, 24)), x=SHEET_LEFT - 16)
        mean = element("text", number(bar.mean), x=SHEET_WIDTH - MARGIN, style=BOLD)
        drawn.add("g", tool, mean, title=", ".join(bar.names), text_anchor="end", transform=f"translate(0,{y + 6:.1f})")
    return bottom + 42


def _bars(audit: Audit, run: str) -> list[Bar]:
    alike: dict[tuple[float, ...], list[str]] = {}
    for dialect in reversed(audit.rank_dialects(run)):
        attribution = audit.attributions[run].get(dialect.name)
        parts = (0.0 if attribution is None else attribution.amount(cause) for cause in audit.causes)
        alike.setdefault(tuple(round(x, 6) for x in (audit.mean(run, dialect), *parts)), []).append(dialect.name)
    return [
        Bar(names=tuple(sorted(names)), mean=key[0], parts=tuple(zip(audit.causes, key[1:], strict=True)))
        for key, names in alike.items()
    ]


def _bar(drawn: Drawing, bar: Bar, base: float, y: float, hues: Mapping[Cause, str], across: Axis) -> None:
    """What lifts goes right from the base; from there what lowers goes left, one band lower."""
    least = SEEN * max((abs(part) for _, part in bar.parts), default=0.0)
    seen = [part for cause, part in bar.parts if cause in hues and abs(part) > least]
    both = min(seen, default=0.0) < 0 < max(seen, default=0.0)
    for at, wanted, top in ((base, 1, y - BAND), (base + bar.top, -1, y)):
        for cause, part in bar.parts:
            if np.sign(part) == wanted:
                low, high = sorted((across(at), across(at + part)))
                at += part
                if cause in hues:
                    place = (low, top if both else y - BAND / 2)
                    drawn.rect(place, max(high - low, 0.5), BAND, fill=hues[cause])


def _across(audit: Audit, bars: Mapping[str, list[Bar]]) -> Axis:
    """From the least to the most that any bar of any run reaches, and a little more."""
    reached = []
    for run, some in bars.items():
        base = audit.mean(run, audit.base)
        reached += [x for bar in some for x in (base, bar.mean, base + bar.top)]
    known = [x for x in reached if not np.isnan(x)] or [0.0, 1.0]
    low, high = min(known), max(known)
    spare = 0.04 * (high - low) or 0.05
    return Axis(low=low - spare, high=high + spare, start=SHEET_LEFT, end=SHEET_WIDTH - SHEET_RIGHT - MARGIN)


WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 1000, 420, 46, 790, 12, 386
"""The line chart's size, and the ends of its axes."""


def hue(place: int) -> str:
    """Return the colour of the thing at that place; the first of all colours is the base's."""
    return colour(1 + place % (len(COLOURS) - 1))


def scores(audit: Audit) -> Iterator[Passage]:
    """Yield a bar for each tool, the highest first, or with several runs dots; tools that refuse the input say why."""
    runs = list(audit.scores)
    means = [audit.mean(run, dialect) for run in runs for dialect in audit.dialects]
    top = max(1.0, *(mean for mean in means if not np.isnan(mean)), 0.0)  # some measures have no upper bound
    rows = []
    for dialect in reversed(audit.rank_dialects(runs[0])):
        heights = [audit.mean(run, dialect) for run in runs]
        places = [100 * _share(mean, top) for mean in heights]
        dots = [(place, hue(n), f"{runs[n]} {number(heights[n])}") for n, place in enumerate(places)]
        bars = [] if audit.several else [(0.0, places[0], "", "")]
        value = " · ".join(map(number, heights))
        shown = dots if audit.several else []
        rows.append(Track(name=dialect.name, value=value, base=dialect == audit.base, bars=bars, dots=shown))
    rows += [Track(name=name, refusal=f"refuses the input: {reason}") for name, reason in audit.refused.items()]
    if audit.several:
        yield Legend({run: hue(place) for place, run in enumerate(runs)})
    yield Tracks(rows)


def strip(mover: Mover) -> Track:
    """Return a query's values under all tools as dots between 0 and 1."""
    known = {name: value for name, value in mover.values.items() if not np.isnan(value)}
    top = max(1.0, *known.values())
    groups: dict[float, list[str]] = {}
    for name, value in known.items():
        groups.setdefault(round(value, 4), []).append(name)
    return Track(
        dots=[(100 * _share(value, top), "", f"{value:.4f}: {', '.join(names)}") for value, names in groups.items()]
    )


def lines(audit: Audit, run: str) -> Figure:
    """Return the measure at each cutoff, a line for each group of tools that agree at all of them to four decimals."""
    depths = [measure.depth for measure in audit.cutoffs]
    alike: dict[tuple[float, ...], list[str]] = {}
    for dialect in reversed(audit.rank_dialects(run)):
        values = tuple(round(audit.mean(run, dialect, measure), 4) for measure in audit.cutoffs)
        alike.setdefault(values, []).append(dialect.name)
    known = [value for row in alike for value in row if not np.isnan(value)]
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
    ends = apart([y(row[-1]) for row in alike], TOP + 6, BOTTOM)
    for place, ((row, names), end) in enumerate(zip(alike.items(), ends, strict=True)):
        base = audit.base.name in names
        stroke = COLOURS[0] if base else hue(place)
        plot.curve(enumerate(row), stroke=stroke, style="stroke-width:3" if base else "stroke-width:1.8")
        if not np.isnan(row[-1]):
            plot.line((last, y(row[-1])), (last + 16, end), stroke=stroke)
            plot.text((last + 20, end + 4), shorten_list(names, 26), title=", ".join(names))
    return Figure(run if audit.several else "", plot)


def shorten_list(names: Sequence[str], letters: int) -> str:
    """Return the names, or if they are too long, the first ones and how many more there are."""
    text = ", ".join(names)
    return text if len(text) <= letters else f"{names[0]} + {len(names) - 1} more"


def _nice(low: float, high: float) -> tuple[float, float]:
    """Round ends of an axis, a little apart where all values are the same."""
    step = 10.0 ** np.floor(np.log10(max(high - low, 0.02) / 2))
    bottom = max(0.0, float(np.floor(low / step) * step))
    return bottom, max(float(np.ceil(high / step) * step), bottom + 5 * step)


def _share(value: float, top: float) -> float:
    return 0.0 if np.isnan(value) else float(np.clip(value / top, 0.0, 1.0))
