"""The checks of a data set: documents, queries, grades and files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import polars as pl

from rankgauge.audit.tools.check import Check, Finding, Subject
from rankgauge.audit.tools.scores import CUTOFF, contrary_queries
from rankgauge.files.mismatch import partly_near


def _keep_judged(subject: Subject) -> Any:
    """Return the run's documents of judged queries."""
    return subject.run.join(subject.queries, on="query", how="semi", maintain_order="left")


def _find_tied_queries(subject: Subject, score: pl.Expr) -> Any:
    """Return the queries with equal scores; only those that are judged."""
    known = _keep_judged(subject)
    return known.filter(pl.struct("query", score.alias("score")).is_duplicated())["query"].unique(maintain_order=True)


def _precision(subject: Subject) -> Finding:
    exact, single = (_find_tied_queries(subject, pl.col("score").cast(kind)) for kind in (pl.Float64, pl.Float32))
    return Finding.of_queries(single.filter(~single.is_in(exact.implode())), len(subject.queries))


def _ranks(subject: Subject) -> Finding:
    known = subject.ranked.join(subject.queries, on="query", how="semi")
    return _where(subject, pl.col("query").is_in(contrary_queries(known).implode()))


def _find_unjudged(subject: Subject) -> Finding:
    known = _keep_judged(subject)
    rows = known.join(subject.judgments, on=["query", "document"], how="anti", maintain_order="left")
    return Finding.of_rows(rows, len(known), "documents", "{document} (query {query})")


def _find_other_spellings(subject: Subject) -> Finding | None:
    near = partly_near(subject.judgments, subject.run)
    if near is None:
        return None
    rules = ",".join(rule.value for rule in near.rules)
    shown = (f"{near.run} for {near.judged} (query {near.query}; --ids {rules})",)
    return Finding(count=near.shared, of=near.listed, things="documents", examples=shown)


def _duplicates(subject: Subject) -> Finding:
    """Return the repeated lines; the readers of all other formats refuse them."""
    named = subject.lines.drop_nulls("document")
    again = named.filter(~pl.struct("query", "document").is_first_distinct())
    once = again.unique(["query", "document"], maintain_order=True)
    return replace(Finding.of_rows(once, len(named), "lines", "{document} (query {query})"), count=len(again))


def _where(subject: Subject, condition: pl.Expr) -> Finding:
    return Finding.of_queries(subject.queries.filter(condition)["query"], len(subject.queries))


def _strangers(subject: Subject) -> Finding:
    asked = subject.run.select(pl.col("query").unique(maintain_order=True))
    unknown = asked.join(subject.queries, on="query", how="anti", maintain_order="left")["query"]
    return Finding(count=len(unknown), of=len(asked), things="queries", examples=tuple(unknown[:3]))


def _find_grades(condition: pl.Expr, subject: Subject) -> Finding:
    """Return the judgments whose grades meet the condition."""
    rows = subject.judgments.filter(condition)
    return Finding.of_rows(rows, len(subject.judgments), "judgments", "{grade:g} ({query}, {document})")


def _spelling(subject: Subject) -> Finding:
    rows, grade = subject.lines, pl.col("grade")
    odd = rows.filter(grade.str.contains(r"[.eE]") & (grade.cast(pl.Float64, strict=False) % 1 == 0))
    return Finding.of_rows(odd, len(rows), "lines", "{grade} (query {query})", moves=False)


def _torn(subject: Subject) -> Finding:
    query = subject.lines["query"]
    opened = query.filter((query != query.shift(1)).fill_null(True))
    torn = opened.filter(opened.is_duplicated()).unique(maintain_order=True)
    return Finding.of_queries(torn, opened.n_unique())


def _features(condition: pl.Expr, subject: Subject) -> Finding:
    names = subject.features.filter(condition)["feature"]
    return Finding(count=len(names), of=len(subject.features), things="features", examples=tuple(map(str, names[:10])))


USUAL: tuple[tuple[str, str, str, str, Callable[[Subject], Finding | None]], ...] = (
    (
        "empty",
        "judgments",
        "queries without a relevant document",
        "No ranking of them is good or bad: nDCG is 0/0. LETOR's scripts, RankLib, trec_eval and scikit-learn "
        "count 0, RankLib's fork of 2011 counts 0.5, Yahoo, LightGBM, XGBoost and CatBoost count 1, gdeval and "
        "ROMIP leave them out.",
        lambda subject: _where(subject, pl.col("relevant") == 0),
    ),
    (
        "short",
        "judgments",
        f"lists of fewer than {CUTOFF} documents",
        f"LETOR's and MSLR's scripts count NDCG@{CUTOFF} as 0, however well they are ranked; LETOR 3's counts "
        f"P@{CUTOFF} as 0 as well. RankLib divides P@{CUTOFF} by the length of the list, the others by {CUTOFF}.",
        lambda subject: _where(subject, pl.col("listed") < CUTOFF),
    ),
    (
        "single",
        "judgments",
        "queries of one judged document",
        "Every ranking of them is perfect, so they lift every mean and tell no two runs apart; scikit-learn's "
        "ndcg_score stops with an error.",
        lambda subject: _where(subject, pl.col("documents") == 1),
    ),
    (
        "uniform",
        "judgments",
        "queries whose documents all have the same grade above 0",
        "Every order of them is ideal: nDCG is 1 in every tool, whatever the run.",
        lambda subject: _where(
            subject, (pl.col("lowest") == pl.col("highest")) & (pl.col("lowest") > 0) & (pl.col("documents") > 1)
        ),
    ),
    (
        "missing",
        "run",
        "judged queries that are not in the run",
        "trec_eval leaves them out of the mean unless it is called with -c; trec_eval 10 stops without it. A run "
        "that answers only its easy queries looks better that way.",
        lambda subject: _where(subject, pl.col("listed").is_null()),
    ),
    (
        "strangers",
        "run",
        "queries of the run that nobody judged",
        "Every tool skips them.",
        _strangers,
    ),
    (
        "ties",
        "run",
        "queries with tied scores",
        "Their order is an accident: of the file in LETOR's scripts, RankLib, LightGBM and XGBoost; of the "
        "document ids, descending, in trec_eval and gdeval; the worst one in CatBoost. scikit-learn averages the "
        "gains.",
        lambda subject: Finding.of_queries(_find_tied_queries(subject, pl.col("score")), len(subject.queries)),
    ),
    (
        "precision",
        "run",
        "queries with scores that are equal only as 32-bit numbers",
        "trec_eval up to 9 compares 32-bit numbers: there they are tied, and document ids decide.",
        _precision,
    ),
    (
        "ranks",
        "ranked",
        "queries whose ranks contradict their scores",
        "Scores decide and the ranks are ignored, here as in trec_eval and gdeval: the highest score comes first. "
        "If your scores are distances (smaller is better), negate them; if the ranks are right, write 1/rank as "
        "the score.",
        _ranks,
    ),
    (
        "unjudged",
        "run",
        "retrieved documents that nobody judged",
        "They count as not relevant in trec_eval and gdeval, so a run unlike those that were pooled looks worse "
        "than it is; trec_eval -J takes them out of the list.",
        _find_unjudged,
    ),
    (
        "ids",
        "run",
        "unjudged documents that are judged under another spelling of their id",
        "Every tool takes two spellings for two documents, so that a relevant one counts as not retrieved.",
        _find_other_spellings,
    ),
    (
        "duplicates",
        "lines",
        "lines that repeat a document of their query",
        "LETOR 3 and 4 keep the last line, MSLR's script and RankLib keep all of them, trec_eval stops with an error.",
        _duplicates,
    ),
    (
        "negative",
        "judgments",
        "negative grades",
        "LETOR's scripts and Yahoo's stop with an error, as does RankLib 2.8; RankLib 2.1 takes a negative gain; "
        "trec_eval reads them as unjudged.",
        partial(_find_grades, pl.col("grade") < 0),
    ),
    (
        "fractional",
        "judgments",
        "grades that are not whole numbers",
        "LETOR's scripts, Yahoo's and gdeval stop with an error; RankLib and trec_eval cut the fraction off.",
        partial(_find_grades, pl.col("grade") != pl.col("grade").floor()),
    ),
    (
        "spelling",
        "lines",
        "whole grades written with a point, such as 1.0",
        "LETOR's three scripts, Yahoo's and gdeval stop with an error.",
        _spelling,
    ),
    (
        "above LETOR",
        "judgments",
        "grades of 3 or more",
        "LETOR 3 and 4 know the grades 0, 1, 2; a grade of 3 or more gains nothing there, so the best documents "
        "count as the worst.",
        partial(_find_grades, pl.col("grade") >= 3),
    ),
    (
        "above scale",
        "judgments",
        "grades of 5 or more",
        "They gain nothing in MSLR's script, gdeval stops with an error, and ERR's stop probability (2^g − 1)/16 "
        "passes 1 in Yahoo's and RankLib.",
        partial(_find_grades, pl.col("grade") > 4),
    ),
    (
        "torn",
        "lines",
        "queries whose lines are not together",
        "RankLib begins a new list at each change of the query, so one query counts as several; the others collect"
        " its lines.",
        _torn,
    ),
    (
        "constant",
        "features",
        "features with one value in the whole file",
        "They tell no documents apart; a ranker that is scored by one of them ties everything.",
        partial(_features, pl.col("low") == pl.col("high")),
    ),
    (
        "idle",
        "features",
        "features that never differ within a query",
        "They describe the query, not the document: alone they rank nothing.",
        partial(_features, (pl.col("low") < pl.col("high")) & ~pl.col("moves")),
    ),
)
"""Each check's name, what it needs, its title, what it does to which tool's scores, and how it is found."""

for _place, (_name, _needs, _title, _effect, _find) in enumerate(USUAL):
    Check(name=_name, needs=_needs, title=_title, effect=_effect, find=_find, place=10 * _place).register()
