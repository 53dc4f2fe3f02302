"""The tables of a judge's audit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from rankgauge.audit.judge import JudgeAudit
from rankgauge.render.numbers import interval, number, p_value, share, signed
from rankgauge.render.passages import ReportTable

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


def coverage(audit: JudgeAudit) -> ReportTable:
    """What people and each judge graded."""
    rows = [
        (
            row["judge"],
            f"{row['graded']:,}",
            f"{row['queries']:,}",
            f"{row['both']:,} ({share(row['both'], row['graded'])})",
            f"{row['people_only']:,}",
            f"{row['lowest']:g} to {row['highest']:g}",
        )
        for row in audit.pairs.coverage.iter_rows(named=True)
    ]
    header = ("judge", "graded", "queries", "by people too", "people only", "grades")
    return ReportTable(header=header, rows=rows, numbers=header[1:5], title="What was graded")


def agreement(audit: JudgeAudit) -> ReportTable:
    """The coefficients of each judge with their intervals."""
    found = {(row["judge_name"], row["coefficient"]): row for row in audit.agreement.iter_rows(named=True)}
    rows = [
        (title, *(_with_interval(found[judge, name]) for judge in audit.judges)) for name, title in COEFFICIENTS.items()
    ]
    return ReportTable(header=("", *audit.judges), rows=rows, numbers=audit.judges, title="Agreement with people")


def confusion(audit: JudgeAudit, judge: str) -> ReportTable:
    """How often the judge gave which grade, by people's grade."""
    frame = audit.confusion.filter(pl.col("judge_name") == judge)
    levels = frame["people"].unique().sort().to_list()
    cells = {(row["people"], row["judge_grade"]): row for row in frame.iter_rows(named=True)}
    rows = []
    for grade in levels:
        if any(cells[grade, other]["pairs"] for other in levels):
            shown = [_cell(cells[grade, other]) for other in levels]
            rows.append((f"people {grade:g}", *shown, f"{sum(cells[grade, other]['pairs'] for other in levels):,}"))
    header = ("", *(f"judge {grade:g}" for grade in levels), "pairs")
    return ReportTable(header=header, rows=rows, numbers=header[1:], title=f"Grades of {judge}")


def errors(audit: JudgeAudit, judge: str, *, brief: bool) -> ReportTable:
    """Where the judge errs: the judge's grade less people's, by parts of the pairs."""
    frame = audit.errors.filter(pl.col("judge_name") == judge)
    if brief:
        frame = frame.filter(~pl.col("facet").is_in(LONG) | pl.col("stands_out"))
        frame = pl.concat(
            [
                part.sort(pl.col("apart").abs(), descending=True).head(SHOWN // 2) if part["facet"][0] in LONG else part
                for part in frame.partition_by("facet", maintain_order=True)
            ]
            or [frame]
        )
    rows = [
        (
            row["facet"],
            row["part"],
            f"{row['pairs']:,}",
            share(row["identical"], 1.0),
            signed(row["error"], 3),
            _ends(row["low"], row["high"]),
            (signed(row["apart"], 3) if row["p"] == row["p"] else "") + (MARK if row["stands_out"] else ""),
        )
        for row in frame.iter_rows(named=True)
    ]
    header = ("by", "part", "pairs", "same grade", "error", "95 % interval", "− rest")
    return ReportTable(
        header=header, rows=rows, numbers=("pairs", "same grade", "error", "− rest"), title=f"Where {judge} errs"
    )


def values(audit: JudgeAudit, judge: str, measure: str, *, brief: bool) -> ReportTable:
    """Each run's value by people and by the judge."""
    frame = _of(audit.values, judge, measure).sort("judge", descending=True)
    frame = frame.head(SHOWN) if brief else frame
    people = "people (model)" if audit.sampled else "people"
    rows = []
    for row in frame.iter_rows(named=True):
        shown = number(row["people"])
        shown += f" {_ends(row['people_low'], row['people_high'])}" if audit.sampled else ""
        rows.append((row["run"], shown, number(row["judge"]), signed(row["bias"]), _ends(row["low"], row["high"])))
    header = ("run", people, "judge", "judge − people", "95 % interval")
    return ReportTable(header=header, rows=rows, numbers=header[1:4], title=f"{measure} by people and by {judge}")


def orders(audit: JudgeAudit) -> ReportTable:
    """How alike the boards of people and judges are."""
    rows = [
        (
            row["judge_name"],
            row["measure"],
            *(_correlation(row, name) for name in ("tau", "tau_ap")),
            *(
                f"{row[name]:.{2 if audit.sampled and row['pairs'] < 20 else 0}f}"
                for name in ("kept", "lost", "found", "reversed")
            ),
            _winner(row, sampled=audit.sampled),
        )
        for row in audit.orders.iter_rows(named=True)
    ]
    header = ("judge", "measure", "τ", "τ_AP", "kept", "lost", "found", "reversed", "winner")
    title = "The order of the runs, foretold" if audit.sampled else "The order of the runs"
    return ReportTable(header=header, rows=rows, numbers=header[2:8], title=title, prose="winner")


def flips(audit: JudgeAudit, judge: str, measure: str, *, brief: bool) -> ReportTable:
    """The pairs of runs whose verdict changes, the surest first."""
    frame = _of(audit.differences, judge, measure).filter(pl.col("flips") > 0.5)
    frame = frame.sort("flips", pl.col("judge").abs(), descending=True)
    rows = [
        (
            row["run"],
            row["other"],
            signed(row["judge"]),
            "significant" if row["significant"] else "may be luck",
            signed(row["people"]),
            "lost" if row["lost"] > 0.5 else "found" if row["found"] > 0.5 else "reversed",
            share(row["flips"], 1.0),
        )
        for row in (frame.head(SHOWN) if brief else frame).iter_rows(named=True)
    ]
    header = ("run", "other", "by the judge", "says", "by people", "verdict", "chance")
    kept = header if audit.sampled else header[:-1]
    title = f"Differences in {measure} that {judge} gets wrong"
    return ReportTable(
        header=kept,
        rows=[row[: len(kept)] for row in rows],
        numbers=("by the judge", "by people", "chance"),
        title=title,
    )


def combined(audit: JudgeAudit) -> ReportTable:
    """The judges and their combinations."""
    board = "tau" in audit.combined.columns
    rows = []
    for row in audit.combined.iter_rows(named=True):
        apart = (
            "the best"
            if row["best"]
            else f"{signed(row['difference'])} {_ends(row['difference_low'], row['difference_high'])}"
        )
        more = (_decimals(row["tau"], 2), signed(row["bias"])) if board else ()
        rows.append((row["judge"], f"{number(row['auc'])} {_ends(row['low'], row['high'])}", apart, *more))
    header = ("judge", "AUC", "− best judge", *(("τ", "mean bias") if board else ()))
    return ReportTable(header=header, rows=rows, numbers=header[1:], title="Judges beside each other, and combined")


def first_documents(frame: pl.DataFrame, judges: Sequence[str]) -> ReportTable:
    """The documents to show people first."""
    rows = [
        (
            row["query"],
            row["document"],
            *(f"{row[f'by {name}']:g}" for name in judges),
            f"{row['expected']:.2f}",
            f"{row['doubt']:.2f}",
            f"{row['worth']:.2f} %",
        )
        for row in frame.iter_rows(named=True)
    ]
    header = ("query", "document", *(f"by {name}" for name in judges), "expected", "doubt", "worth")
    return ReportTable(header=header, rows=rows, numbers=header[2:], title="Documents to show people first")


def circularity(audit: JudgeAudit) -> ReportTable:
    """The runs under suspicion."""
    frame = audit.circularity.filter(pl.col("suspected"))
    rows = [
        (
            row["judge_name"],
            row["run"],
            signed(row["bias"]),
            signed(row["expected"]),
            signed(row["excess"]),
            _decimals(row["t"], 2),
            p_value(row["p"]),
        )
        for row in frame.iter_rows(named=True)
    ]
    header = ("judge", "run", "judge − people", "others at that value", "excess", "t", "p")
    return ReportTable(header=header, rows=rows, numbers=header[2:], title="Runs that a judge may have made")


def _of(frame: pl.DataFrame, judge: str, measure: str) -> pl.DataFrame:
    return frame.filter(pl.col("judge_name") == judge, pl.col("measure") == measure)


def _with_interval(row: dict[str, Any]) -> str:
    if np.isnan(row["value"]):
        return "not yet"
    return f"{row['value']:.3f} {_ends(row['low'], row['high'], 3)}".strip()


def _cell(row: dict[str, Any]) -> str:
    return f"{row['pairs']:,} ({share(row['share'], 1.0)})" if row["pairs"] else "0"


def _ends(low: float, high: float, decimals: int = 3) -> str:
    if np.isnan(low) or np.isnan(high):
        return interval(low, high)
    return f"[{low:.{decimals}f}, {high:.{decimals}f}]".replace("-", "−")


def _decimals(value: float, decimals: int) -> str:
    return "–" if np.isnan(value) else f"{value:.{decimals}f}".replace("-", "−")


def _correlation(row: dict[str, Any], name: str) -> str:
    """A rank correlation with its interval; a dash for too few runs to have an order."""
    if np.isnan(row[name]):
        return "–"
    return f"{_decimals(row[name], 2)} {_ends(row[f'{name}_low'], row[f'{name}_high'], 2)}"


def _winner(row: dict[str, Any], *, sampled: bool) -> str:
    chance = f" ({share(row['winner_chance'], 1.0)})" if sampled else ""
    if row["winner_judge"] == row["winner_people"]:
        return f"{row['winner_judge']}{chance} by both"
    return f"{row['winner_judge']}, by people {row['winner_people']}{chance}"
