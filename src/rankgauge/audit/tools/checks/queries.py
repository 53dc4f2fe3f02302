"""Checks of queries: empty, short, of one document, of one grade, not on both sides."""

from __future__ import annotations

import polars as pl

from rankgauge.audit.tools.check import Check, Finding, Subject
from rankgauge.audit.tools.conditions import CUTOFF


def _where(subject: Subject, condition: pl.Expr) -> Finding:
    return Finding.of_queries(subject.queries.filter(condition)["query"], len(subject.queries))


EMPTY = Check(
    name="empty",
    place=10,
    title="queries without a relevant document",
    effect="No ranking of them is good or bad: nDCG is 0/0. LETOR's scripts, RankLib, trec_eval and scikit-learn count "
    "0, RankLib's fork of 2011 counts 0.5, Yahoo, LightGBM, XGBoost and CatBoost count 1, gdeval and ROMIP leave them "
    "out.",
    find=lambda subject: _where(subject, pl.col("relevant") == 0),
).register()

SHORT = Check(
    name="short",
    place=20,
    title=f"lists of fewer than {CUTOFF} documents",
    effect=f"LETOR's and MSLR's scripts count NDCG@{CUTOFF} as 0, however well they are ranked; LETOR 3's counts "
    f"P@{CUTOFF} as 0 as well. RankLib divides P@{CUTOFF} by the length of the list, the others by {CUTOFF}.",
    find=lambda subject: _where(subject, pl.col("listed") < CUTOFF),
).register()

SINGLE = Check(
    name="single",
    place=30,
    title="queries of one judged document",
    effect="Every ranking of them is perfect, so they lift every mean and tell no two runs apart; scikit-learn's "
    "ndcg_score stops with an error.",
    find=lambda subject: _where(subject, pl.col("documents") == 1),
).register()

UNIFORM = Check(
    name="uniform",
    place=40,
    title="queries whose documents all have the same grade above 0",
    effect="Every order of them is ideal: nDCG is 1 in every tool, whatever the run.",
    find=lambda subject: _where(
        subject, (pl.col("lowest") == pl.col("highest")) & (pl.col("lowest") > 0) & (pl.col("documents") > 1)
    ),
).register()

MISSING = Check(
    name="missing",
    place=50,
    title="judged queries that are not in the run",
    effect="trec_eval leaves them out of the mean unless it is called with -c; trec_eval 10 stops without it. A run "
    "that answers only its easy queries looks better that way.",
    find=lambda subject: _where(subject, pl.col("listed").is_null()) if subject.run is not None else None,
).register()


def _strangers(subject: Subject) -> Finding | None:
    if subject.run is None:
        return None
    asked = subject.run.select(pl.col("query").unique(maintain_order=True))
    unknown = asked.join(subject.queries, on="query", how="anti", maintain_order="left")["query"]
    return Finding(count=len(unknown), of=len(asked), things="queries", examples=tuple(unknown[:3]))


STRANGERS = Check(
    name="strangers",
    place=60,
    title="queries of the run that nobody judged",
    effect="Every tool skips them.",
    find=_strangers,
).register()
