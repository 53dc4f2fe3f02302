"""Checks of documents: tied, ranked against their scores, unjudged, spelled otherwise, twice in a query."""

from __future__ import annotations

import polars as pl

from rankgauge.audit.tools.check import Check, Finding, Subject
from rankgauge.files.near_ids import partly_near


def _tied(subject: Subject, score: pl.Expr) -> pl.Series | None:
    """The queries with equal scores; only those that are judged."""
    if subject.run is None:
        return None
    known = subject.run.join(subject.queries, on="query", how="semi", maintain_order="left")
    twice = known.filter(pl.struct("query", score.alias("score")).is_duplicated())
    return twice["query"].unique(maintain_order=True)


def _ties(subject: Subject) -> Finding | None:
    tied = _tied(subject, pl.col("score"))
    return None if tied is None else Finding.of_queries(tied, len(subject.queries))


TIES = Check(
    name="ties",
    place=70,
    title="queries with tied scores",
    effect="Their order is an accident: of the file in LETOR's scripts, RankLib, LightGBM and XGBoost; of the document "
    "ids, descending, in trec_eval and gdeval; the worst one in CatBoost. scikit-learn averages the gains.",
    find=_ties,
).register()


def _precision(subject: Subject) -> Finding | None:
    exact, single = _tied(subject, pl.col("score")), _tied(subject, pl.col("score").cast(pl.Float32))
    if exact is None or single is None:
        return None
    return Finding.of_queries(single.filter(~single.is_in(exact.implode())), len(subject.queries))


PRECISION = Check(
    name="precision",
    place=80,
    title="queries with scores that are equal only as 32-bit numbers",
    effect="trec_eval up to 9 compares 32-bit numbers: there they are tied, and document ids decide.",
    find=_precision,
).register()


def _ranks(subject: Subject) -> Finding | None:
    if subject.ranked is None:
        return None
    known = subject.ranked.join(subject.queries, on="query", how="semi").drop_nulls("rank")
    # Equal ranks, as in a file that has 0 on every line, contradict nothing.
    ordered = known.sort("query", "rank", "score", descending=[False, False, True])
    rises = (pl.col("query") == pl.col("query").shift()) & (pl.col("score") > pl.col("score").shift())
    risen = set(ordered.filter(rises)["query"])
    return Finding.of_queries((one for one in subject.queries["query"] if one in risen), len(subject.queries))


RANKS = Check(
    name="ranks",
    place=90,
    title="queries whose ranks contradict their scores",
    effect="Scores decide and the ranks are ignored, here as in trec_eval and gdeval: the highest score comes first. "
    "If your scores are distances (smaller is better), negate them; if the ranks are right, write 1/rank as the score.",
    find=_ranks,
).register()


def _unjudged(subject: Subject) -> Finding | None:
    if subject.run is None:
        return None
    known = subject.run.join(subject.queries, on="query", how="semi", maintain_order="left")
    rows = known.join(subject.judgments, on=["query", "document"], how="anti", maintain_order="left")
    shown = tuple(f"{document} (query {query})" for query, document in rows.select("query", "document")[:3].iter_rows())
    queries = tuple(rows["query"].unique(maintain_order=True))
    return Finding(count=len(rows), of=len(known), things="documents", examples=shown, queries=queries)


UNJUDGED = Check(
    name="unjudged",
    place=100,
    title="retrieved documents that nobody judged",
    effect="They count as not relevant in trec_eval and gdeval, so a run unlike those that were pooled looks worse "
    "than it is; trec_eval -J takes them out of the list.",
    find=_unjudged,
).register()


def _spelled(subject: Subject) -> Finding | None:
    near = None if subject.run is None else partly_near(subject.judgments, subject.run)
    if near is None:
        return None
    rules = ",".join(rule.value for rule in near.rules)
    shown = (f"{near.run} for {near.judged} (query {near.query}; --ids {rules})",)
    return Finding(count=near.shared, of=near.listed, things="documents", examples=shown)


IDS = Check(
    name="ids",
    place=105,
    title="unjudged documents that are judged under another spelling of their id",
    effect="Every tool takes two spellings for two documents, so that a relevant one counts as not retrieved.",
    find=_spelled,
).register()


def _duplicates(subject: Subject) -> Finding | None:
    if subject.lines is None:
        return None  # the readers of all other formats refuse them
    named = subject.lines.rows.drop_nulls("document")
    twice = named.filter(pl.struct("query", "document").is_duplicated())
    first = twice.unique(["query", "document"], maintain_order=True, keep="first")
    shown = tuple(
        f"{document} (query {query})" for query, document in first.select("query", "document")[:3].iter_rows()
    )
    queries = tuple(twice["query"].unique(maintain_order=True))
    return Finding(count=len(twice) - len(first), of=len(named), things="lines", examples=shown, queries=queries)


DUPLICATES = Check(
    name="duplicates",
    place=110,
    title="lines that repeat a document of their query",
    effect="LETOR 3 and 4 keep the last line, MSLR's script and RankLib keep all of them, trec_eval stops with an "
    "error.",
    find=_duplicates,
).register()
