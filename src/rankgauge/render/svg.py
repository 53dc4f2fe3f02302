"""The drawing kit: axes, ticks, bars, dots, lines and labels as SVG, for pages, pictures and the judging room.

A drawing is plain SVG that needs nothing from outside. Roles (a grid, a bar, what is up or down) are classes, whose
colours are in `templates/svg.css`; the colours of series are `COLOURS`.
"""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from rankgauge.measures import Measure
from rankgauge.render.numbers import number
from rankgauge.render.passages import Figure

if TYPE_CHECKING:
    from rankgauge.comparison.page import VerdictGrid


COLOURS = (
    *("#1f6f8b", "#c8553d", "#8e6bb0", "#4f9d69", "#d9a441"),
    *("#3c4f9f", "#a0527a", "#7d5a3c", "#5bb0c0", "#7a7f87"),
)
"""Hues that stay apart for colour-blind eyes in the order of their use."""

GREY = "#cdd4db"
"""Series beyond those that have a colour of their own."""

DASHES = (None, "6 3", "2 3")
"""Where there are more series than colours, lines also differ in their dashes."""

WIDTH = 460
"""The width of most charts: a phone shows them at nearly full size."""

LEADING, BREADTH = 1.35, 0.52
"""The distance between lines and the width of a letter, as multiples of the font size."""

Point = tuple[float, float]
Value = float | str | None


def colour(place: int) -> str:
    """Return the colour of the series at that place; the colours repeat."""
    return COLOURS[place % len(COLOURS)]


def ticks(low: float, high: float, *, log: bool = False) -> list[float]:
    """Return four to eight round values in the range; on a logarithmic scale 1, 2 and 5 of each power of ten."""
    if log:
        powers = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 1)
        values = [digit * 10.0**power for power in powers for digit in (1, 2, 5)]
        return [value for value in values if low * 0.999 <= value <= high * 1.001]
    span = (high - low) or 1.0
    power = 10.0 ** math.floor(math.log10(span / 4))
    step = next(power * size for size in (1, 2, 5, 10) if span / (power * size) <= 7)
    return [round(step * k, 10) for k in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]


def apart(wanted: Sequence[float], top: float, bottom: float, gap: float = 17.0) -> list[float]:
    """Places for labels near the wanted ones, no two of them closer than the gap."""
    order = sorted(range(len(wanted)), key=lambda place: wanted[place])
    placed = [max(wanted[place], top) for place in order]
    for n in range(1, len(placed)):
        placed[n] = max(placed[n], placed[n - 1] + gap)
    placed[-1] = min(placed[-1], bottom)
    for n in range(len(placed) - 2, -1, -1):
        placed[n] = max(min(placed[n], placed[n + 1] - gap), top)
    places = dict(zip(order, placed, strict=True))
    return [places[place] for place in range(len(wanted))]


@dataclass(frozen=True, kw_only=True)
class Axis:
    """A scale from low to high on a stretch of the paper."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False
    bounded: bool = True
    """Whether values beyond the ends are drawn at the ends."""

    def __call__(self, value: float) -> float:
        """Return where on the paper the value is."""
        low, high, at = (math.log(max(n, 1e-300)) if self.log else n for n in (self.low, self.high, value))
        share = (at - low) / ((high - low) or 1.0)
        if self.bounded:
            share = min(max(share, 0.0), 1.0)
        return self.start + share * (self.end - self.start)

    def ticks(self) -> list[float]:
        """Round values between the ends."""
        return ticks(self.low, self.high, log=self.log)


def element(tag: str, *inside: str, title: Value = None, **attributes: Value) -> str:
    """Return an element of SVG; `kind` is its class, `text_anchor` is `text-anchor`, and what is None is left out.

    The title is the tooltip of the element.
    """
    named = "".join(
        f' {"class" if name == "kind" else name.replace("_", "-")}="{_text(value)}"'
        for name, value in attributes.items()
        if value is not None
    )
    told = f"<title>{_text(title)}</title>" if title else ""
    content = "".join([told, *inside])
    return f"<{tag}{named}>{content}</{tag}>" if content else f"<{tag}{named}/>"


def _text(value: float | str) -> str:
    return escape(value) if isinstance(value, str) else f"{value:.2f}".rstrip("0").rstrip(".")


class Drawing:
    """A picture: its size, what it shows in words, and its elements."""

    def __init__(self, width: float, height: float, label: str) -> None:
        self.width, self.height, self.label = width, height, label
        self.parts: list[str] = []

    @property
    def wide(self) -> bool:
        """Whether it needs a column of its own."""
        return self.width > 2 * WIDTH

    def add(self, tag: str, *inside: str, **attributes: Value) -> None:
        """An element."""
        self.parts.append(element(tag, *inside, **attributes))

    def line(self, start: Point, end: Point, **attributes: Value) -> None:
        """A straight line."""
        self.add("line", x1=start[0], y1=start[1], x2=end[0], y2=end[1], **attributes)

    def text(self, at: Point, words: str, *, anchor: str | None = None, **attributes: Value) -> None:
        """Words at a place; `anchor` is middle or end where they do not begin there."""
        self.add("text", escape(words), x=at[0], y=at[1], text_anchor=anchor, **attributes)

    def tick(self, at: Point, words: str, anchor: str | None = None) -> None:
        """A value beside an axis."""
        self.text(at, words, anchor=anchor, kind="tick")

    def rect(self, at: Point, width: float, height: float, **attributes: Value) -> None:
        """A rectangle."""
        self.add("rect", x=at[0], y=at[1], width=width, height=height, **attributes)

    def dot(self, at: Point, *, r: float = 2.6, **attributes: Value) -> None:
        """A dot."""
        self.add("circle", cx=at[0], cy=at[1], r=r, **attributes)

    def place(self, other: Drawing, at: Point) -> None:
        """Another drawing as a part of this one."""
        self.parts.append(element("g", *other.parts, transform=f"translate({at[0]:g},{at[1]:g})"))

    def __html__(self) -> str:
        """Return the drawing as a part of a page."""
        return self.without_style(style=f"max-width:{1.39 * self.width:.0f}px")

    def without_style(self, **attributes: Value) -> str:
        """Return the drawing as a part of a page that allows no styles inside elements, such as the judging room's."""
        size = f"0 0 {self.width:.0f} {self.height:.0f}"
        kind = "wide" if self.wide else None
        return element("svg", *self.parts, kind=kind, viewBox=size, **attributes, role="img", aria_label=self.label)

    def file(self) -> str:
        """Return the drawing as a file of its own, on white, with its styles."""
        size = {"width": self.width, "height": self.height}
        return element(
            "svg",
            element("style", _style()),
            element("rect", fill="#ffffff", **size),
            *self.parts,
            xmlns="http://www.w3.org/2000/svg",
            viewBox=f"0 0 {self.width:g} {self.height:g}",
            role="img",
            aria_label=self.label,
            title=self.label,
            **size,
        )


class Plot(Drawing):
    """A drawing between two axes."""

    def __init__(self, label: str, x: Axis, y: Axis, size: Point = (WIDTH, 290)) -> None:
        super().__init__(*size, label)
        self.x, self.y = x, y

    def at(self, point: Point) -> Point:
        """Return where on the paper a pair of values is."""
        return self.x(point[0]), self.y(point[1])

    def grid(self, *, across: Iterable[float] | None = None, shown: str = "{:g}") -> None:
        """Lines at round values of y, with the values of both axes."""
        for level in self.y.ticks():
            self.line((self.x.start, self.y(level)), (self.x.end, self.y(level)), kind="grid")
            self.tick((self.x.start - 6, self.y(level) + 4), f"{level:g}", "end")
        for level in self.x.ticks() if across is None else across:
            self.tick((self.x(level), self.y.start + 17), shown.format(level), "middle")

    def caption(self, words: str) -> None:
        """What the x axis is."""
        self.tick(((self.x.start + self.x.end) / 2, self.height - 8), words, "middle")

    def curve(self, points: Iterable[Point], *, kind: str = "curve", **attributes: Value) -> None:
        """A line through pairs of values, without those that are not defined."""
        known = [self.at(point) for point in points if math.isfinite(point[1])]
        self.add("polyline", kind=kind, points=_path(known), **attributes)

    def band(self, ends: Sequence[tuple[float, float, float]]) -> None:
        """The range from low to high over each x."""
        outline = [(x, high) for x, _, high in ends] + [(x, low) for x, low, _ in reversed(ends)]
        self.add("polygon", kind="band", points=_path(map(self.at, outline)))


def sheet(title: str, charts: Mapping[str, Drawing], keys: Mapping[str, str] | None = None) -> Drawing:
    """Charts with their captions as one picture, two beside each other, below a title and the keys of their colours."""
    margin, gap = 24.0, 28.0
    columns, width = min(2, len(charts)) or 1, max((chart.width for chart in charts.values()), default=WIDTH)
    whole = Drawing(2 * margin + columns * width + (columns - 1) * gap, 0, title)
    top = wrap(whole, title, 34, size=20, weight=600, margin=margin)
    left = margin
    for name, hue in (keys or {}).items():
        length = 22 + 7.2 * len(name)
        if left + length > whole.width - margin:
            left, top = margin, top + 20
        whole.rect((left, top + 12), 11, 11, rx=2, fill=hue)
        whole.text((left + 17, top + 22), name)
        left += length + 14
    top += 54 if keys else 24
    drawn = list(charts.items())
    for start in range(0, len(drawn), columns):
        row = drawn[start : start + columns]
        for place, (caption, chart) in enumerate(row):
            x = margin + place * (width + gap)
            whole.text((x, top), caption, style="font-size:14px;font-weight:600")
            whole.place(chart, (x, top + 10))
        top += max(chart.height for _, chart in row) + 44
    whole.height = top - 12
    return whole


def wrap(drawing: Drawing, words: str, top: float, *, size: int, weight: int = 400, margin: float = 24) -> float:
    """Write a paragraph over the drawing's width; return where it ends."""
    letters = int((drawing.width - 2 * margin) / (size * BREADTH * (1.15 if weight > 400 else 1)))
    lines = textwrap.wrap(words.replace(" %", "\N{NO-BREAK SPACE}%"), letters)
    told = [element("text", escape(line), x=margin, y=top + n * size * LEADING) for n, line in enumerate(lines)]
    drawing.add("g", *told, style=f"font-size:{size}px;font-weight:{weight}", kind="words")
    return top + (len(lines) - 1) * size * LEADING + 6


def _path(points: Iterable[Point]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


@cache
def _style() -> str:
    """The styles of drawings with their colours written out: outside a page there is nothing to look them up in."""
    here = files(__package__ or "") / "templates"
    colours, drawings = ((here / name).read_text(encoding="utf-8") for name in ("colours.css", "svg.css"))
    known = dict(re.findall(r"--([\w-]+): ([^;]+);", colours))
    plain = re.sub(r"var\(--([\w-]+)\)", lambda match: known[match[1]], drawings)
    return re.sub(r"@media.*", "", plain, flags=re.DOTALL)


BARS = ("measure", "run", "mean", "low", "high")
"""What a bar is drawn from."""


LETTER = 8.6
"""The width of a letter on a phone, in the units of a chart."""


def list_drawings(drawings: Mapping[str, Drawing | VerdictGrid]) -> Iterator[Figure]:
    """Return the drawings under their captions."""
    return (Figure(title, drawn) for title, drawn in drawings.items())


def mean_bars(
    rows: Iterable[tuple[Any, ...]],
    measures: Iterable[Measure | str],
    baseline: str | None = None,
    *,
    write: Callable[[float], str] = number,
) -> dict[str, Drawing]:
    """Draw a dot or a bar for each run, by measure or statistic; the rows have the columns `BARS`."""
    listed = list(rows)
    charts = {}
    for measure in map(str, measures):
        bars = [bar for name, *bar in listed if name == measure]
        charts[measure] = _bars(bars, baseline, f"{measure} of each run", write)
    return charts


def _bars(rows: Sequence[Sequence[Any]], base: str | None, title: str, write: Callable[[float], str]) -> Drawing:
    left, step = margin(run for run, *_ in rows), 24
    right = max(66.0, 10 + LETTER * max(len(write(mean)) for _, mean, *_ in rows))
    ends = [end for _, *values in rows for end in values if math.isfinite(end)]
    low, high = min(0.0, *ends, 0.0), max(ends, default=1.0) or 1.0
    across = Axis(low=low, high=high, start=left, end=WIDTH - right)
    bottom = step * len(rows) + 6
    drawn = Drawing(WIDTH, bottom + 20, title)
    for level in ticks(low, high):
        drawn.line((across(level), 0), (across(level), bottom), kind="grid")
        drawn.tick((across(level), bottom + 14), f"{level:g}", "middle")
    for place, (run, mean, least, most) in enumerate(rows):
        y = place * step + 4
        drawn.text((left - 8, y + 13), short(run), anchor="end", title=run)
        is_base = " is-base" * (run == base)
        if math.isfinite(least) and math.isfinite(most):
            drawn.line((across(least), y + 8), (across(most), y + 8), kind="whisker")
            drawn.dot((across(mean), y + 8), r=4.2, kind="dot" if base is None else f"bar{is_base}")
        elif math.isfinite(mean):
            start, end = sorted((across(0.0), across(mean)))
            drawn.rect((start, y), end - start, 16, kind=f"bar{is_base}", rx=2)
        drawn.text((WIDTH - right + 8, y + 13), write(mean), kind="value")
    return drawn


def margin(runs: Iterable[str]) -> float:
    """Room for the longest name in the letters of a phone, which are larger than those of a desk."""
    return 14 + LETTER * max((len(short(run)) for run in runs), default=0)


NAME = 20
"""How many letters of a run's name a chart shows."""


def short(run: str) -> str:
    """Return the run's name, cut where it is long."""
    return run if len(run) <= NAME else run[: NAME - 1] + "…"
