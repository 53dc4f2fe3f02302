"""The tables of a judge's audit."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from rankgauge.audit.judge import JudgeAudit
from rankgauge.render.numbers import decimal, general, interval, number, p_value, percent, share, signed, thousands
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

two_decimals = partial(decimal, decimals=2)

LONG = ("query", "run's top 10")
"""Divisions with many parts: a terminal shows those that stand out."""


def coverage(audit: JudgeAudit) -> ReportTable:
    """Show what people and each judge graded."""
    columns = (
        Column("judge"),
        Column("graded", format=thousands),
        Column("queries", format=thousands),
        Column("by people too", ("both", "graded"), lambda both, graded: f"{both:,} ({share(both, graded)})"),
        Column("people only", "people_only", thousands),
        Column("grades", ("lowest", "highest"), "{:g} to {:g}".format, left=True),
    )
    return ReportTable(columns=columns, rows=audit.pairs.coverage.rows(named=True), title="What was graded")


def agreement(audit: JudgeAudit) -> ReportTable:
    """Show the coefficients of each judge with their intervals."""
    found = {(row["judge_name"], row["coefficient"]): row for row in audit.agreement.iter_rows(named=True)}
    rows = [(title, *(found[judge, name] for judge in audit.judges)) for name, title in COEFFICIENTS.items()]
    judges = (Column(judge, format=_with_interval) for judge in audit.judges)
    return ReportTable(columns=("", *judges), rows=rows, title="Agreement with people")


def confusion(audit: JudgeAudit, judge: str) -> ReportTable:
    """How often the judge gave which grade, by people's grade."""
    frame = audit.confusion.filter(pl.col("judge_name") == judge)
    levels = frame["people"].unique().sort().to_list()
    cells = {(row["people"], row["judge_grade"]): row for row in frame.iter_rows(named=True)}
    by_people = {grade: [cells[grade, other] for other in levels] for grade in levels}
    totals = {grade: sum(cell["pairs"] for cell in row) for grade, row in by_people.items()}
    rows = [(f"people {grade:g}", *by_people[grade], total) for grade, total in totals.items() if total]
    grades = (Column(f"judge {grade:g}", format=_cell) for grade in levels)
    return ReportTable(columns=("", *grades, Column("pairs", format=thousands)), rows=rows, title=f"Grades of {judge}")


def errors(audit: JudgeAudit, judge: str, *, brief: bool) -> ReportTable:
    """Where the judge errs: the judge's grade less people's, by parts of the pairs."""
    frame = audit.errors.filter(pl.col("judge_name") == judge)
    frame = _outstanding(frame) if brief else frame
    return ReportTable(columns=_parts("error"), rows=frame.rows(named=True), title=f"Where {judge} errs")


def _outstanding(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the parts without those of long divisions that do not stand out most."""
    frame = frame.filter(~pl.col("facet").is_in(LONG) | pl.col("stands_out"))
    parts = [
        part.sort(pl.col("apart").abs(), descending=True).head(SHOWN // 2) if part["facet"][0] in LONG else part
        for part in frame.partition_by("facet", maintain_order=True)
    ]
    return pl.concat(parts or [frame])


def _apart(apart: float, p: float, stands_out: bool) -> str:
    return (signed(apart, 3) if p == p else "") + (MARK if stands_out else "")


def values(audit: JudgeAudit, judge: str, measure: str, *, brief: bool) -> ReportTable:
    """Each run's value by people and by the judge."""
    frame = _of(audit.values, judge, measure).sort("judge", descending=True)
    frame = frame.head(SHOWN) if brief else frame
    modelled = Column(
        "people (model)",
        ("people", "people_low", "people_high"),
        lambda people, low, high: f"{number(people)} {_ends(low, high)}",
    )
    columns = (
        Column("run"),
        modelled if audit.sampled else Column("people", format=number),
        Column("judge", format=number),
        Column("judge − people", "bias", signed),
        Column("95 % interval", ("low", "high"), _ends, left=True),
    )
    return ReportTable(columns=columns, rows=frame.rows(named=True), title=f"{measure} by people and by {judge}")


def orders(audit: JudgeAudit) -> ReportTable:
    """Show how alike the boards of people and judges are."""

    def counted(pairs: float, all_pairs: int) -> str:
        return f"{pairs:.{2 if audit.sampled and all_pairs < 20 else 0}f}"

    winner = ("winner_judge", "winner_people", "winner_chance")
    columns = (
        Column("judge", "judge_name"),
        Column("measure"),
        Column("τ", ("tau", "tau_low", "tau_high"), _correlation),
        Column("τ_AP", ("tau_ap", "tau_ap_low", "tau_ap_high"), _correlation),
        *(Column(name, (name, "pairs"), counted) for name in ("kept", "lost", "found", "reversed")),
        Column("winner", winner, partial(_winner, sampled=audit.sampled), left=True),
    )
    title = "The order of the runs, foretold" if audit.sampled else "The order of the runs"
    return ReportTable(columns=columns, rows=audit.orders.rows(named=True), title=title, prose="winner")


def flips(audit: JudgeAudit, judge: str, measure: str, *, brief: bool) -> ReportTable:
    """The pairs of runs whose verdict changes, the surest first."""
    frame = _of(audit.differences, judge, measure).filter(pl.col("flips") > 0.5)
    frame = frame.sort("flips", pl.col("judge").abs(), descending=True)
    columns = (
        Column("run"),
        Column("other"),
        Column("by the judge", "judge", signed),
        Column("says", "significant", lambda sure: "significant" if sure else "may be luck", left=True),
        Column("by people", "people", signed),
        Column("verdict", ("lost", "found"), _flip, left=True),
        *((Column("chance", "flips", percent),) if audit.sampled else ()),
    )
    title = f"Differences in {measure} that {judge} gets wrong"
    return ReportTable(columns=columns, rows=(frame.head(SHOWN) if brief else frame).rows(named=True), title=title)


def _flip(lost: float, found: float) -> str:
    return "lost" if lost > 0.5 else "found" if found > 0.5 else "reversed"


def combined(audit: JudgeAudit) -> ReportTable:
    """Show the judges and their combinations."""
    board = (Column("τ", "tau", two_decimals), Column("mean bias", "bias", signed))
    columns = (
        Column("judge"),
        Column("AUC", ("auc", "low", "high"), lambda auc, low, high: f"{number(auc)} {_ends(low, high)}"),
        Column("− best judge", ("best", "difference", "difference_low", "difference_high"), _behind),
        *(board if "tau" in audit.combined.columns else ()),
    )
    rows = audit.combined.rows(named=True)
    return ReportTable(columns=columns, rows=rows, title="Judges beside each other, and combined")


def panels(audit: JudgeAudit) -> ReportTable:
    """Show the panels of judges that no cheaper one equals."""
    price = "cost of 1,000 pairs" if set(audit.judges) <= set(audit.costs) else "judges"
    columns = (
        Column("panel", "judge"),
        Column(price, "cost", general),
        Column("AUC", ("auc", "low", "high"), lambda auc, low, high: f"{number(auc)} {_ends(low, high)}"),
        Column("− best judge", ("best", "difference", "difference_low", "difference_high"), _behind),
    )
    return ReportTable(columns=columns, rows=audit.panels.rows(named=True), title="The best panels for their price")


def drift(audit: JudgeAudit) -> ReportTable:
    """Show by how much the judge's grades moved since an earlier session."""
    assert audit.drift is not None
    return ReportTable(
        columns=_parts("change"),
        rows=_outstanding(audit.drift.parts).rows(named=True),
        title="What moved since the earlier grades",
    )


def _behind(best: bool, difference: float, low: float, high: float) -> str:
    return "the best" if best else f"{signed(difference)} {_ends(low, high)}"


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
    """List the runs under suspicion."""
    columns = (
        Column("judge", "judge_name"),
        Column("run"),
        Column("judge − people", "bias", signed),
        Column("others at that value", "expected", signed),
        Column("excess", format=signed),
        Column("t", format=two_decimals),
        Column("p", format=p_value),
    )
    rows = audit.circularity.filter(pl.col("suspected")).rows(named=True)
    return ReportTable(columns=columns, rows=rows, title="Runs that a judge may have made")


def _of(frame: pl.DataFrame, judge: str, measure: str) -> pl.DataFrame:
    return frame.filter(pl.col("judge_name") == judge, pl.col("measure") == measure)


def _with_interval(row: dict[str, Any]) -> str:
    if np.isnan(row["value"]):
        return "not yet"
    return f"{row['value']:.3f} {_ends(row['low'], row['high'], 3)}".strip().replace("-", "−")


def _cell(row: dict[str, Any]) -> str:
    return f"{row['pairs']:,} ({share(row['share'], 1.0)})" if row["pairs"] else "0"


def _ends(low: float, high: float, decimals: int = 3) -> str:
    if np.isnan(low) or np.isnan(high):
        return interval(low, high)
    return f"[{low:.{decimals}f}, {high:.{decimals}f}]".replace("-", "−")


def _correlation(value: float, low: float, high: float) -> str:
    """Write a rank correlation with its interval; a dash for too few runs to have an order."""
    return "–" if np.isnan(value) else f"{two_decimals(value)} {_ends(low, high, 2)}"


def _winner(by_judge: str, by_people: str, chance: float, *, sampled: bool) -> str:
    told = f" ({share(chance, 1.0)})" if sampled else ""
    return f"{by_judge}{told} by both" if by_judge == by_people else f"{by_judge}, by people {by_people}{told}"


def _parts(what: str) -> tuple[Column, ...]:
    """Return the columns of a table of errors, or of changes, by parts of the pairs."""
    return (
        Column("by", "facet"),
        Column("part"),
        Column("pairs", format=thousands),
        Column("same grade", "identical", percent),
        Column(what, "error", lambda error: signed(error, 3)),
        Column("95 % interval", ("low", "high"), _ends, left=True),
        Column("− rest", ("apart", "p", "stands_out"), _apart),
    )
