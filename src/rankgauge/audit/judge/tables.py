"""The tables and the pictures of a judge's audit."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from rankgauge.audit.judge import JudgeAudit
from rankgauge.render.numbers import decimal, general, interval, number, p_value, percent, share, thousands, with_sign
from rankgauge.render.svg import WIDTH, Axis, Drawing, Plot, colour, margin, short, ticks
from rankgauge.render.table import Column, ReportTable

SHOWN = 10
"""How many runs, pairs of runs or documents a terminal shows."""

MARK = "*"
"""What marks a part that differs from the rest by more than luck."""

COEFFICIENTS = {
    "identical": "same grade",
    "kappa": "kappa",
    "kappa_linear": "kappa, linear",
    "kappa_quadratic": "kappa, quadratic",
    "alpha": "alpha, ordinal",
    "auc": "AUC",
}
"""The coefficients, and what they are called in tables."""

LONG = ("query", "run's top 10")
"""Divisions with many parts: a terminal shows those that stand out."""

two_decimals, three_decimals = partial(decimal, decimals=2), partial(decimal, decimals=3)


def _ends(low: float, high: float, decimals: int = 3) -> str:
    return interval(low, high, partial(decimal, decimals=decimals))


def _value_with_ends(value: float, low: float, high: float) -> str:
    return f"{number(value)} {_ends(low, high)}"


def _behind(best: bool, difference: float, low: float, high: float) -> str:
    return "the best" if best else f"{with_sign(difference)} {_ends(low, high)}"


AUC = Column("AUC", ("auc", "low", "high"), _value_with_ends)
BEHIND = Column("− best judge", ("best", "difference", "difference_low", "difference_high"), _behind)
ENDS = Column("95 % interval", ("low", "high"), _ends, left=True)


def rows_of(frame: pl.DataFrame, judge: str, measure: str | None = None) -> pl.DataFrame:
    """Return the rows of a judge, and of a measure if it is named."""
    frame = frame.filter(pl.col("judge_name") == judge)
    return frame if measure is None else frame.filter(pl.col("measure") == measure)


def coverage(audit: JudgeAudit) -> ReportTable:
    """Show what people and each judge graded."""
    columns = (
        Column("judge"),
        Column("graded", format=thousands),
        Column("queries", format=thousands),
        Column("by people too", ("both", "graded"), lambda both, graded: f"{both:,} ({share(both, graded)})"),
        Column("people only", "people_only", thousands),
        Column(
            "grades", ("lowest", "highest"), lambda *ends: "{:g} to {:g}".format(*ends).replace("-", "−"), left=True
        ),
    )
    return ReportTable(columns=columns, rows=audit.pairs.coverage.rows(named=True), title="What was graded")


def agreement(audit: JudgeAudit) -> ReportTable:
    """Show the coefficients of each judge with their intervals."""

    def write(row: dict[str, Any]) -> str:
        if math.isnan(row["value"]):
            return "not yet"
        return f"{three_decimals(row['value'])} {_ends(row['low'], row['high'])}"

    cells = {(row["judge_name"], row["coefficient"]): row for row in audit.agreement.iter_rows(named=True)}
    rows = [(title, *(cells[judge, name] for judge in audit.judges)) for name, title in COEFFICIENTS.items()]
    judges = (Column(judge, format=write) for judge in audit.judges)
    return ReportTable(columns=("", *judges), rows=rows, title="Agreement with people")


def confusion(audit: JudgeAudit, judge: str) -> ReportTable:
    """Return how often the judge gave which grade, by people's grade."""

    def write(cell: dict[str, Any]) -> str:
        return f"{cell['pairs']:,} ({share(cell['share'], 1.0)})" if cell["pairs"] else "0"

    grades = rows_of(audit.confusion, judge).partition_by("people", maintain_order=True)
    rows = [
        (f"people {cells['people'][0]:g}", *cells.rows(named=True), total)
        for cells in grades
        if (total := cells["pairs"].sum())
    ]
    columns = (Column(f"judge {grade:g}", format=write) for grade in grades[0]["judge_grade"])
    return ReportTable(columns=("", *columns, Column("pairs", format=thousands)), rows=rows, title=f"Grades of {judge}")


def _parts(what: str, frame: pl.DataFrame, title: str) -> ReportTable:
    """Return a table of errors, or of changes, by parts of the pairs."""

    def write_apart(apart: float, p: float, stands_out: bool) -> str:
        return ("" if math.isnan(p) else with_sign(apart, 3)) + (MARK if stands_out else "")

    columns = (
        Column("by", "facet"),
        Column("part"),
        Column("pairs", format=thousands),
        Column("same grade", "identical", percent),
        Column(what, "error", partial(with_sign, decimals=3)),
        ENDS,
        Column("− rest", ("apart", "p", "stands_out"), write_apart),
    )
    return ReportTable(columns=columns, rows=frame.rows(named=True), title=title)


def errors(audit: JudgeAudit, judge: str, *, brief: bool) -> ReportTable:
    """Return where the judge errs: the judge's grade less people's, by parts of the pairs."""
    frame = rows_of(audit.errors, judge)
    return _parts("error", _outstanding(frame) if brief else frame, f"Where {judge} errs")


def drift(parts: pl.DataFrame) -> ReportTable:
    """Show by how much the judge's grades moved since an earlier session."""
    return _parts("change", _outstanding(parts), "What moved since the earlier grades")


def _outstanding(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the parts without those of long divisions that do not stand out most."""
    frame = frame.filter(~pl.col("facet").is_in(LONG) | pl.col("stands_out"))
    parts = [
        part.sort(pl.col("apart").abs(), descending=True).head(SHOWN // 2) if part["facet"][0] in LONG else part
        for part in frame.partition_by("facet", maintain_order=True)
    ]
    return pl.concat(parts or [frame])


def values(audit: JudgeAudit, judge: str, measure: str, *, brief: bool) -> ReportTable:
    """Return each run's value by people and by the judge."""
    frame = rows_of(audit.values, judge, measure).sort("judge", descending=True)
    modelled = Column("people (model)", ("people", "people_low", "people_high"), _value_with_ends)
    columns = (
        Column("run"),
        modelled if audit.sampled else Column("people", format=number),
        Column("judge", format=number),
        Column("judge − people", "bias", with_sign),
        ENDS,
    )
    rows = (frame.head(SHOWN) if brief else frame).rows(named=True)
    return ReportTable(columns=columns, rows=rows, title=f"{measure} by people and by {judge}")


def orders(audit: JudgeAudit) -> ReportTable:
    """Show how alike the boards of people and judges are."""

    def correlation(value: float, low: float, high: float) -> str:  # too few runs have no order
        return "–" if math.isnan(value) else f"{two_decimals(value)} {_ends(low, high, 2)}"

    def shorten_count(pairs: float, all_pairs: int) -> str:
        return f"{pairs:.{2 if audit.sampled and all_pairs < 20 else 0}f}"

    def winner(by_judge: str, by_people: str, chance: float) -> str:
        told = f" ({share(chance, 1.0)})" if audit.sampled else ""
        return f"{by_judge}{told} by both" if by_judge == by_people else f"{by_judge}, by people {by_people}{told}"

    columns = (
        Column("judge", "judge_name"),
        Column("measure"),
        Column("τ", ("tau", "tau_low", "tau_high"), correlation),
        Column("τ_AP", ("tau_ap", "tau_ap_low", "tau_ap_high"), correlation),
        *(Column(name, (name, "pairs"), shorten_count) for name in ("kept", "lost", "found", "reversed")),
        Column("winner", ("winner_judge", "winner_people", "winner_chance"), winner, left=True),
    )
    title = "The order of the runs, foretold" if audit.sampled else "The order of the runs"
    return ReportTable(columns=columns, rows=audit.orders.rows(named=True), title=title, prose="winner")


def flips(audit: JudgeAudit, judge: str, measure: str, *, brief: bool) -> ReportTable:
    """Return the pairs of runs whose verdict changes, the surest first."""

    def verdict(lost: float, gained: float) -> str:
        return "lost" if lost > 0.5 else "found" if gained > 0.5 else "reversed"

    frame = rows_of(audit.differences, judge, measure).filter(pl.col("flips") > 0.5)
    frame = frame.sort("flips", pl.col("judge").abs(), descending=True)
    columns = (
        Column("run"),
        Column("other"),
        Column("by the judge", "judge", with_sign),
        Column("says", "significant", lambda sure: "significant" if sure else "may be luck", left=True),
        Column("by people", "people", with_sign),
        Column("verdict", ("lost", "found"), verdict, left=True),
        *((Column("chance", "flips", percent),) if audit.sampled else ()),
    )
    title = f"Differences in {measure} that {judge} gets wrong"
    return ReportTable(columns=columns, rows=(frame.head(SHOWN) if brief else frame).rows(named=True), title=title)


def combinations(audit: JudgeAudit) -> ReportTable:
    """Show the judges and their combinations."""
    board = (Column("τ", "tau", two_decimals), Column("mean bias", "bias", with_sign))
    columns = (Column("judge"), AUC, BEHIND, *(board if "tau" in audit.combined.columns else ()))
    rows = audit.combined.rows(named=True)
    return ReportTable(columns=columns, rows=rows, title="Judges beside each other, and combined")


def panels(audit: JudgeAudit) -> ReportTable:
    """Show the panels of judges that no cheaper one equals."""
    price = "cost of 1,000 pairs" if set(audit.judges) <= set(audit.costs) else "judges"
    columns = (Column("panel", "judge"), Column(price, "cost", general), AUC, BEHIND)
    return ReportTable(columns=columns, rows=audit.panels.rows(named=True), title="The best panels for their price")


def first_documents(frame: pl.DataFrame, judges: Sequence[str]) -> ReportTable:
    """List the documents to show people first."""
    columns = (
        Column("query"),
        Column("document"),
        *(Column(f"by {name}", format=general) for name in judges),
        Column("expected", format=two_decimals),
        Column("doubt", format=two_decimals),
        Column("worth", format="{:.2f} %".format),
    )
    return ReportTable(columns=columns, rows=frame.rows(named=True), title="Documents to show people first")


def circularity(audit: JudgeAudit) -> ReportTable:
    """List the runs that the judge may favour, because it or a model like it took part in them."""
    columns = (
        Column("judge", "judge_name"),
        Column("run"),
        Column("judge − people", "bias", with_sign),
        Column("others at that value", "expected", with_sign),
        Column("excess", format=with_sign),
        Column("t", format=two_decimals),
        Column("p", format=p_value),
    )
    rows = audit.circularity.filter(pl.col("suspected")).rows(named=True)
    return ReportTable(columns=columns, rows=rows, title="Runs that a judge may have made")


def draw_confusion(audit: JudgeAudit, judge: str) -> Drawing:
    """Draw a square for each two grades, the darker the more of the people's grade it holds."""
    frame = rows_of(audit.confusion, judge)
    levels = frame["people"].unique().sort().to_list()
    cell, left, top = min(70.0, 300.0 / len(levels)), 96.0, 30.0
    drawn = Drawing(WIDTH, top + cell * len(levels) + 12, f"grades of people and of {judge}")
    for place, grade in enumerate(levels):
        drawn.text((left + (place + 0.5) * cell, top - 10), f"judge {grade:g}", anchor="middle", kind="tick")
        drawn.text((left - 10, top + (place + 0.5) * cell + 4), f"people {grade:g}", anchor="end")
    for row in frame.iter_rows(named=True):
        part = 0.0 if math.isnan(row["share"]) else row["share"]
        x, y = left + levels.index(row["judge_grade"]) * cell, top + levels.index(row["people"]) * cell
        words = f"people {row['people']:g}, judge {row['judge_grade']:g}: {row['pairs']:,} pairs"
        drawn.rect((x + 1, y + 1), cell - 2, cell - 2, rx=3, fill="#eef2f5")
        drawn.rect((x + 1, y + 1), cell - 2, cell - 2, rx=3, fill=colour(0), fill_opacity=part, title=words)
        ink, middle = "fill:#fff" if part > 0.75 else "fill:#24303b", (x + cell / 2, y + cell / 2)
        drawn.text(middle, share(part, 1.0), anchor="middle", style=f"font-weight:600;{ink}")
        below = (middle[0], middle[1] + 16)
        drawn.text(below, f"{row['pairs']:,}", anchor="middle", style=f"font-size:11px;{ink}")
    return drawn


def draw_errors(audit: JudgeAudit, judge: str, facets: Sequence[str]) -> Drawing:
    """Draw the judge's mean error in each part with its interval; those that stand out in colour."""
    frame = rows_of(audit.errors, judge).filter(pl.col("facet").is_in(list(facets)))
    rows = [
        (f"{row['facet']} {row['part']}", row["error"], row["low"], row["high"], 1 if row["stands_out"] else 0)
        for row in frame.iter_rows(named=True)
    ]
    return _draw_dots(f"mean error of {judge}", rows, (0.0, 0.0), partial(with_sign, decimals=2))


def draw_separations(audit: JudgeAudit) -> Drawing:
    """Draw the AUC of each judge and combination with its interval."""
    rows = [
        (row["judge"], row["auc"], row["low"], row["high"], 0 if row["judge"] in audit.judges else 3)
        for row in audit.combined.iter_rows(named=True)
    ]
    return _draw_dots("AUC of the judges", rows, (0.5, 1.0), three_decimals)


def _draw_dots(
    title: str,
    rows: Sequence[tuple[str, float, float, float, int]],
    least: tuple[float, float],
    write: Callable[[float], str],
) -> Drawing:
    """Draw a dot with its interval for each row (name, value, low, high, colour), on an axis of at least that reach."""
    left, step = margin(name for name, *_ in rows), 23.0
    known = [end for row in rows for end in row[1:4] if math.isfinite(end)]
    reach = Axis(low=min([*known, least[0]]), high=max([*known, least[1]]) or 1.0, start=left, end=WIDTH - 60.0)
    bottom = step * len(rows) + 8
    drawn = Drawing(WIDTH, bottom + 22, title)
    for level in ticks(reach.low, reach.high):
        drawn.line((reach(level), 0), (reach(level), bottom), kind="grid" if level else "zero")
        drawn.tick((reach(level), bottom + 15), f"{level:g}".replace("-", "−"), "middle")
    for place, (name, value, low, high, hue) in enumerate(rows):
        y = place * step + 14
        drawn.text((left - 8, y + 4), short(name), anchor="end", title=name)
        if math.isfinite(low):
            drawn.line((reach(low), y), (reach(high), y), stroke=colour(hue), style="stroke-width:2")
        if math.isfinite(value):
            drawn.dot((reach(value), y), r=3.8, fill=colour(hue), title=f"{name} {write(value)}")
            drawn.text((WIDTH - 52, y + 4), write(value), kind="value")
    return drawn


def draw_values(audit: JudgeAudit, judge: str, measure: str) -> Drawing:
    """Draw a dot for each run: its value by people across, by the judge upwards; on the line the two are the same."""
    frame = rows_of(audit.values, judge, measure)
    ends = frame.select("people", "people_low", "people_high", "judge").to_numpy()
    low, high = math.floor(10 * np.nanmin(ends)) / 10, min(1.0, math.ceil(10 * np.nanmax(ends)) / 10)
    high = max(high, low + 0.1)
    x = Axis(low=low, high=high, start=44, end=WIDTH - 12)
    y = Axis(low=low, high=high, start=318, end=28)
    plot = Plot(f"{measure} by people and by {judge}", x, y, (WIDTH, 362))
    plot.grid()
    plot.caption("by people")
    plot.tick((x.start - 36, y.end - 14), "by the judge")
    plot.line((x(low), y(low)), (x(high), y(high)), kind="zero", stroke_dasharray="5 4")
    for row in frame.iter_rows(named=True):
        at = plot.at((row["people"], row["judge"]))
        if math.isfinite(row["people_low"]):
            across = (x(row["people_low"]), at[1]), (x(row["people_high"]), at[1])
            plot.line(*across, stroke=colour(0), stroke_opacity=0.35)
        title = f"{row['run']}: {number(row['people'])} by people, {number(row['judge'])} by the judge"
        plot.dot(at, r=4.0, fill=colour(1 if row["run"] in audit.suspects else 0), fill_opacity=0.85, title=title)
    return plot
