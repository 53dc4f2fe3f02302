"""The pictures of a pool's reuse: what runs lose by not having contributed, and where new runs may lie."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rankgauge.labelling.pools.left_out import LeftOut
from rankgauge.render.numbers import number, signed
from rankgauge.render.svg import WIDTH, Axis, Drawing, Plot, Point, colour, ticks

SHORT = 22
"""How many letters of a name a chart shows."""


def changes(left: LeftOut, at: int) -> Drawing:
    """A dot for each run that contributed: its value across, its value without its own documents upwards."""
    rows = left.by_run().filter(measure=left.measures[at]).rows(named=True)
    ends = [row[name] for row in rows for name in ("value", "without")]
    low, high = math.floor(10 * min(ends)) / 10, math.ceil(10 * max(ends)) / 10
    high = max(high, low + 0.1)
    x, y = Axis(low=low, high=high, start=44, end=WIDTH - 12), Axis(low=low, high=high, start=318, end=28)
    plot = Plot(f"{left.measures[at]} with and without own documents", x, y, (WIDTH, 362))
    plot.grid()
    plot.caption("with all judgments")
    plot.tick(
        (x.start - 36, y.end - 14),
        "without its own documents" if left.kind == "run" else "without its team's own documents",
    )
    plot.line((x(low), y(low)), (x(high), y(high)), kind="zero", stroke_dasharray="5 4")
    for row in rows:
        words = f"{row['run']}: {number(row['value'])}, without {number(row['without'])} ({signed(row['change'])})"
        plot.dot(plot.at((row["value"], row["without"])), r=4.0, fill=colour(0), fill_opacity=0.7, title=words)
    return plot


def bounds(rows: Sequence[Mapping[str, Any]]) -> Drawing:
    """For each new run a bar from its worst to its best value, its interval, and dots for its value and what is
    expected."""
    left, step = 160.0, 30.0
    known = [row[name] for row in rows for name in ("worst", "best", "value") if math.isfinite(row[name])]
    reach = Axis(low=min([*known, 0.0]), high=beyond(*known, 0.1), start=left, end=WIDTH - 20.0)
    bottom = step * len(rows) + 8
    drawn = Drawing(WIDTH, bottom + 46, "where new runs may lie")
    for level in ticks(reach.low, reach.high):
        drawn.line((reach(level), 0), (reach(level), bottom), kind="grid")
        drawn.tick((reach(level), bottom + 15), f"{level:g}", "middle")
    for place, row in enumerate(rows):
        y = place * step + 18
        name = row["run"] if len(row["run"]) <= SHORT else row["run"][: SHORT - 1] + "…"
        drawn.text((left - 8, y + 4), name, anchor="end", title=row["run"])
        if math.isfinite(row["worst"]):
            words = f"worst {number(row['worst'])}, best {number(row['best'])}"
            width = max(reach(row["best"]) - reach(row["worst"]), 1.0)
            drawn.rect((reach(row["worst"]), y - 5), width, 10, rx=3, kind="bar", title=words)
        if math.isfinite(row["low"]):
            drawn.line((reach(row["low"]), y), (reach(row["high"]), y), stroke=colour(1), style="stroke-width:3")
        drawn.dot((reach(row["value"]), y), r=4.0, fill=colour(0), title=f"as is {number(row['value'])}")
        if math.isfinite(row["expected"]):
            drawn.dot((reach(row["expected"]), y), r=4.0, fill=colour(1), title=f"expected {number(row['expected'])}")
    _key(drawn, rows, (left, bottom + 38))
    return drawn


def beyond(*values: float) -> float:
    """The round value at or above the highest, where a scale may end."""
    high = max(values)
    levels = ticks(0.0, high)
    return levels[-1] if math.isclose(levels[-1], high) else 2 * levels[-1] - levels[-2]


def _key(drawn: Drawing, rows: Sequence[Mapping[str, Any]], at: Point) -> None:
    """What the colours stand for that are there."""
    hues: dict[str, dict[str, str]] = {"as is": {"fill": colour(0)}}
    if any(math.isfinite(row["expected"]) for row in rows):
        hues["expected"] = {"fill": colour(1)}
    if any(math.isfinite(row["worst"]) for row in rows):
        hues["worst to best"] = {"kind": "bar"}
    for place, (words, hue) in enumerate(hues.items()):
        drawn.dot((at[0] - 100 + 130 * place, at[1] - 4), r=4.0, **hue)
        drawn.tick((at[0] - 100 + 130 * place + 9, at[1]), words)
