"""Checks of grades: negative, fractional, above the tools' tables."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from rankgauge.audit.tools.check import Check, Finding, Subject


def _graded(condition: pl.Expr) -> Callable[[Subject], Finding]:
    """Finds the judgments whose grades meet the condition."""

    def find(subject: Subject) -> Finding:
        rows = subject.judgments.filter(condition)
        shown = tuple(f"{grade:g} ({query}, {document})" for query, document, grade in rows[:3, :3].iter_rows())
        queries = tuple(rows["query"].unique(maintain_order=True))
        return Finding(count=len(rows), of=len(subject.judgments), things="judgments", examples=shown, queries=queries)

    return find


NEGATIVE = Check(
    name="negative",
    place=120,
    title="negative grades",
    effect="LETOR's scripts and Yahoo's stop with an error, as does RankLib 2.8; RankLib 2.1 takes a negative gain; "
    "trec_eval reads them as unjudged.",
    find=_graded(pl.col("grade") < 0),
).register()

FRACTIONAL = Check(
    name="fractional",
    place=130,
    title="grades that are not whole numbers",
    effect="LETOR's scripts, Yahoo's and gdeval stop with an error; RankLib cuts the fraction off.",
    find=_graded(pl.col("grade") != pl.col("grade").floor()),
).register()


def _spelling(subject: Subject) -> Finding | None:
    if subject.lines is None:
        return None
    rows = subject.lines.rows
    odd = rows.filter(
        pl.col("grade").str.contains(r"[.eE]") & (pl.col("grade").cast(pl.Float64, strict=False) % 1 == 0)
    )
    shown = tuple(f"{grade} (query {query})" for grade, query in odd[:3, :2].iter_rows())
    return Finding(count=len(odd), of=len(rows), things="lines", examples=shown)


SPELLING = Check(
    name="spelling",
    place=140,
    title="whole grades written with a point, such as 1.0",
    effect="LETOR's three scripts, Yahoo's and gdeval stop with an error.",
    find=_spelling,
).register()

ABOVE_LETOR = Check(
    name="above LETOR",
    place=150,
    title="grades of 3 or more",
    effect="LETOR 3 and 4 know the grades 0, 1, 2; a grade of 3 or more gains nothing there, so the best documents "
    "count as the worst.",
    find=_graded(pl.col("grade") >= 3),
).register()

ABOVE_SCALE = Check(
    name="above scale",
    place=160,
    title="grades of 5 or more",
    effect="They gain nothing in MSLR's script, gdeval stops with an error, and ERR's stop probability (2^g − 1)/16 "
    "passes 1 in Yahoo's and RankLib.",
    find=_graded(pl.col("grade") > 4),
).register()
