"""The tables and pictures of a pool's reuse."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from rankgauge.labelling.pools import Reuse
from rankgauge.labelling.pools.reuse import LeftOut
from rankgauge.render.numbers import interval, number, percent, signed, thousands
from rankgauge.render.svg import WIDTH, Axis, Drawing, Plot, Point, colour, ticks
from rankgauge.render.table import Column, ReportTable

SHOWN = 10
"""How many runs or teams a terminal shows: those whose values change most."""

NOT_YET, NOT_KNOWN = "not yet", "not known"
"""What is known with more runs, and what no number of runs tells."""


def by_measure(left: LeftOut) -> ReportTable:
    """A row per measure: the change of values and ranks."""
    columns = (
        Column("measure"),
        Column("change", format=signed),
        Column("of the value", "relative", _per_cent),
        Column("largest", ("most", "most_run"), lambda most, run: f"{signed(most)} ({run})", left=True),
        Column("ranks", "fall", "{:.1f}".format),
        Column("largest fall", ("most_fall", "most_fall_run"), _largest_fall, left=True),
        Column("lowest τ", "tau", _tau),
        Column("τ of all", "own_tau", _tau),
    )
    return ReportTable(columns=columns, rows=left.by_measure().rows(named=True), title=f"Without a {left.kind}")


def _largest_fall(fall: int, run: str) -> str:
    return f"{fall} ({run})" if fall > 0 else "0"


def by_group(left: LeftOut, *, brief: bool) -> ReportTable:
    """A row per run or team that contributed: what its own runs lose by each measure, most by the last one first."""
    frame = left.by_group()
    parts = {measure: frame.filter(pl.col("measure") == measure).rows(named=True) for measure in left.measures}
    first = parts[left.measures[0]]
    order = np.argsort([max(-parts[one][at]["change"] for one in left.measures) for at in range(len(first))])[::-1]
    rows = [
        {
            **first[at],
            "changes": {measure: parts[measure][at]["change"] for measure in left.measures},
            "fall": max(parts[measure][at]["falls"] for measure in left.measures),
            "tau": min(parts[measure][at]["tau"] for measure in left.measures),
        }
        for at in order.tolist()
    ]
    columns = (
        Column(left.kind, "left_out"),
        *((Column("runs", format=str),) if left.kind == "team" else ()),
        Column("unique", format=thousands),
        Column("relevant", "unique_relevant", thousands),
        *(Column(measure, "changes", partial(_change, measure)) for measure in left.measures),
        Column("fall", format=str),
        Column("lowest τ", "tau", _tau),
    )
    shown = rows[:SHOWN] if brief else rows
    return ReportTable(columns=columns, rows=shown, title=f"Each {left.kind} that contributed")


def _change(measure: str, changes: Mapping[str, float]) -> str:
    return signed(changes[measure])


def calibration(reuse: Reuse) -> ReportTable:
    """How well values of runs that did not contribute are foretold: a row per measure."""
    found = reuse.expectations
    rows = []
    for at, measure in enumerate(found.measures):
        plain, model = found.plain[at] - found.truth[at], found.expected[at] - found.truth[at]
        half = found.factor(at) * found.deviation[at].mean()
        biases = (plain.mean(), _rms(plain), model.mean(), _rms(model))
        rows.append((measure, *biases, half, math.nan if math.isnan(half) else found.coverage(at)))
    columns = (
        Column("measure"),
        Column("bias as is", format=signed),
        Column("error as is", format=number),
        Column("bias", format=signed),
        Column("error", format=number),
        Column("interval", format=lambda half: NOT_YET if math.isnan(half) else f"±{half:.4f}"),
        Column("holds", format=lambda share: NOT_YET if math.isnan(share) else percent(share)),
    )
    return ReportTable(columns=columns, rows=rows, title="Runs that were left out, foretold")


def new_runs(reuse: Reuse) -> ReportTable:
    """List the new runs by measure."""
    assert reuse.new_runs is not None
    columns = (
        Column("run"),
        Column("measure"),
        Column("unjudged", format=lambda share: f"{100 * share:.1f} %"),
        Column("value", format=number),
        Column("worst to best", ("worst", "best"), partial(_known, NOT_KNOWN)),
        Column("expected", format=lambda value: NOT_YET if math.isnan(value) else number(value)),
        Column("95 % interval", ("low", "high"), partial(_known, NOT_YET)),
    )
    return ReportTable(columns=columns, rows=reuse.new_runs.frame().rows(named=True), title="New runs")


def _known(lacking: str, low: float, high: float) -> str:
    return lacking if math.isnan(low) else interval(low, high)


def _rms(errors: Sequence[float]) -> float:
    return float(np.sqrt(np.mean(np.square(errors))))


def _per_cent(share: float) -> str:
    return "–" if math.isnan(share) else signed(100 * share, 1) + " %"


def _tau(tau: float) -> str:
    return "–" if math.isnan(tau) else f"{tau:.3f}".replace("-", "−")


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
