"""The checks of a data set: documents, queries, grades and files."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from rankgauge.audit.tools.check import Check, Finding, Subject
from rankgauge.audit.tools.conditions import CUTOFF
from rankgauge.files.mismatch import partly_near


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
    effect="LETOR's scripts, Yahoo's and gdeval stop with an error; RankLib and trec_eval cut the fraction off.",
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


def _torn(subject: Subject) -> Finding | None:
    if subject.lines is None:
        return None
    query = subject.lines.rows["query"]
    opened = query.filter((query != query.shift(1)).fill_null(True))
    torn = opened.filter(opened.is_duplicated()).unique(maintain_order=True)
    return Finding.of_queries(torn, opened.n_unique())


TORN = Check(
    name="torn",
    place=170,
    title="queries whose lines are not together",
    effect="RankLib begins a new list at each change of the query, so one query counts as several; the others collect "
    "its lines.",
    find=_torn,
).register()


def _features(subject: Subject, names: tuple[int, ...]) -> Finding:
    assert subject.lines is not None
    shown = tuple(str(name) for name in names[:10])
    return Finding(count=len(names), of=len(subject.lines.features), things="features", examples=shown)


CONSTANT = Check(
    name="constant",
    place=180,
    title="features with one value in the whole file",
    effect="They tell no documents apart; a ranker that is scored by one of them ties everything.",
    find=lambda subject: None if subject.lines is None else _features(subject, subject.lines.constant),
).register()

IDLE = Check(
    name="idle",
    place=190,
    title="features that never differ within a query",
    effect="They describe the query, not the document: alone they rank nothing.",
    find=lambda subject: None if subject.lines is None else _features(subject, subject.lines.idle),
).register()
