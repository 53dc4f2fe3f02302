"""The pictures of a judge's audit: confusion of grades, errors by part, values by people and by the judge."""

from __future__ import annotations

import math
from collections.abc import Sequence

import polars as pl

from rankgauge.audit.judge import JudgeAudit
from rankgauge.render.numbers import number, share, signed
from rankgauge.render.svg import WIDTH, Axis, Drawing, Plot, colour, ticks

SHORT = 22
"""How many letters of a name a chart shows."""


def heat_map(audit: JudgeAudit, judge: str) -> Drawing:
    """A square for each two grades, the darker the more of the people's grade it holds."""
    frame = audit.confusion.filter(pl.col("judge_name") == judge)
    levels = frame["people"].unique().sort().to_list()
    cell, left, top = min(70.0, 300.0 / len(levels)), 96.0, 30.0
    drawn = Drawing(WIDTH, top + cell * len(levels) + 12, f"grades of people and of {judge}")
    for place, grade in enumerate(levels):
        drawn.text((left + (place + 0.5) * cell, top - 10), f"judge {grade:g}", anchor="middle", kind="tick")
        drawn.text((left - 10, top + (place + 0.5) * cell + 4), f"people {grade:g}", anchor="end")
    at = {grade: place for place, grade in enumerate(levels)}
    for row in frame.iter_rows(named=True):
        part = 0.0 if math.isnan(row["share"]) else row["share"]
        x, y = left + at[row["judge_grade"]] * cell, top + at[row["people"]] * cell
        words = f"people {row['people']:g}, judge {row['judge_grade']:g}: {row['pairs']:,} pairs"
        drawn.rect((x + 1, y + 1), cell - 2, cell - 2, rx=3, fill="#eef2f5")
        drawn.rect((x + 1, y + 1), cell - 2, cell - 2, rx=3, fill=colour(0), fill_opacity=part, title=words)
        ink = "fill:#fff" if part > 0.5 else "fill:#24303b"
        drawn.text((x + cell / 2, y + cell / 2), share(part, 1.0), anchor="middle", style=f"font-weight:600;{ink}")
        drawn.text(
            (x + cell / 2, y + cell / 2 + 16), f"{row['pairs']:,}", anchor="middle", style=f"font-size:11px;{ink}"
        )
    return drawn


def error_bars(audit: JudgeAudit, judge: str, facets: Sequence[str]) -> Drawing:
    """The judge's mean error in each part with its interval; those that stand out in colour."""
    frame = audit.errors.filter(pl.col("judge_name") == judge, pl.col("facet").is_in(list(facets)))
    rows = frame.rows(named=True)
    left, step = 160.0, 22.0
    known = [end for row in rows for end in (row["error"], row["low"], row["high"]) if math.isfinite(end)]
    reach = Axis(low=min([*known, 0.0]), high=max([*known, 0.0]) or 1.0, start=left, end=WIDTH - 60.0)
    bottom = step * len(rows) + 8
    drawn = Drawing(WIDTH, bottom + 22, f"mean error of {judge}")
    for level in ticks(reach.low, reach.high):
        drawn.line((reach(level), 0), (reach(level), bottom), kind="grid" if level else "zero")
        drawn.tick((reach(level), bottom + 15), f"{level:g}".replace("-", "−"), "middle")
    for place, row in enumerate(rows):
        y = place * step + 14
        name = f"{row['facet']} {row['part']}"
        drawn.text((left - 8, y + 4), _short(name), anchor="end", title=name)
        hue = colour(1) if row["stands_out"] else colour(0)
        if math.isfinite(row["low"]):
            drawn.line((reach(row["low"]), y), (reach(row["high"]), y), stroke=hue, style="stroke-width:2")
        if math.isfinite(row["error"]):
            drawn.dot((reach(row["error"]), y), r=3.6, fill=hue, title=f"{row['part']} {signed(row['error'], 3)}")
            drawn.text((WIDTH - 52, y + 4), signed(row["error"], 2), kind="value")
    return drawn


def value_scatter(audit: JudgeAudit, judge: str, measure: str) -> Drawing:
    """A dot for each run: its value by people across, by the judge upwards; on the line the two are the same."""
    frame = audit.values.filter(pl.col("judge_name") == judge, pl.col("measure") == measure)
    rows = frame.rows(named=True)
    ends = [row[name] for row in rows for name in ("people", "judge")]
    low, high = math.floor(10 * min(ends)) / 10, min(1.0, math.ceil(10 * max(ends)) / 10)
    high = max(high, low + 0.1)
    x = Axis(low=low, high=high, start=44, end=WIDTH - 12)
    y = Axis(low=low, high=high, start=318, end=28)
    plot = Plot(f"{measure} by people and by {judge}", x, y, (WIDTH, 362))
    plot.grid()
    plot.caption("by people")
    plot.tick((x.start - 36, y.end - 14), "by the judge")
    plot.line((x(low), y(low)), (x(high), y(high)), kind="zero", stroke_dasharray="5 4")
    for row in rows:
        at = plot.at((row["people"], row["judge"]))
        if math.isfinite(row["people_low"]):
            plot.line(
                (x(row["people_low"]), at[1]), (x(row["people_high"]), at[1]), stroke=colour(0), stroke_opacity=0.35
            )
        suspected = row["run"] in audit.suspects
        title = f"{row['run']}: {number(row['people'])} by people, {number(row['judge'])} by the judge"
        plot.dot(at, r=4.0, fill=colour(1 if suspected else 0), fill_opacity=0.85, title=title)
    return plot


def separations(audit: JudgeAudit) -> Drawing:
    """The AUC of each judge and combination with its interval."""
    rows = audit.combined.rows(named=True)
    left, step = 170.0, 24.0
    known = [end for row in rows for end in (row["auc"], row["low"], row["high"]) if math.isfinite(end)]
    reach = Axis(low=min([*known, 0.5]), high=1.0, start=left, end=WIDTH - 60.0)
    bottom = step * len(rows) + 6
    drawn = Drawing(WIDTH, bottom + 20, "AUC of the judges")
    for level in ticks(reach.low, reach.high):
        drawn.line((reach(level), 0), (reach(level), bottom), kind="grid")
        drawn.tick((reach(level), bottom + 14), f"{level:g}", "middle")
    for place, row in enumerate(rows):
        y, hue = place * step + 13, colour(0 if row["judge"] in audit.judges else 3)
        drawn.text((left - 8, y + 4), _short(row["judge"]), anchor="end", title=row["judge"])
        if math.isfinite(row["low"]):
            drawn.line((reach(row["low"]), y), (reach(row["high"]), y), stroke=hue, style="stroke-width:2")
        if math.isfinite(row["auc"]):
            drawn.dot((reach(row["auc"]), y), r=4.0, fill=hue)
            drawn.text((WIDTH - 52, y + 4), f"{row['auc']:.3f}", kind="value")
    return drawn


def _short(name: str) -> str:
    return name if len(name) <= SHORT else name[: SHORT - 1] + "…"
