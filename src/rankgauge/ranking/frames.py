"""Tables → hits: the general path, for any run that is a frame."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from rankgauge.errors import InputError, JudgmentsError, RepeatedError
from rankgauge.input_notes import note
from rankgauge.lazy_polars import pl
from rankgauge.numeric import BoolArray, FloatArray, IndexArray
from rankgauge.policies import Duplicates, JudgedTwice, NegativeGrade, RunOrder, Ties
from rankgauge.ranking.facets import FACET, STRATUM, Facets, split_facets
from rankgauge.ranking.hits import (
    Found,
    Hits,
    Ranking,
    apply_negative,
    arrange,
    comparable_scores,
    tie_groups,
    tied_by_rounding,
)
from rankgauge.ranking.lists import UNJUDGED
from rankgauge.ranking.sorts import SORTS
from rankgauge.records import entity

WORTHLESS = (Duplicates.FIRST_HOLE, Duplicates.COUNT_ONCE)
"""The choices by which a copy keeps its place and adds nothing."""

ROWS = (Duplicates.ROWS, Duplicates.ROWS_RELEVANT)
"""The choices by which a copy is a judged document of its own."""


@entity
class RepeatedDocuments:
    """The rows of lists in rank order, and those among them that repeat a document above them.

    `later` marks these, None if there are none or they were taken out; `number` counts them in both cases.
    """

    rows: pl.DataFrame
    how: Duplicates
    later: BoolArray | None = None
    number: int = 0

    @classmethod
    def among(
        cls, rows: pl.DataFrame, how: Duplicates, sort: Callable[[pl.DataFrame], pl.DataFrame]
    ) -> RepeatedDocuments:
        """Put the rows in order and find the copies among them; take these out where the choice says so."""
        twice = rows.select("code", "document").is_duplicated()
        if not twice.any():
            return cls(rows=sort(rows), how=how)
        if how is Duplicates.REFUSE:
            row = rows.filter(twice).row(0, named=True)
            raise RepeatedError(row["query"], row["document"])
        key = pl.struct("code", "document")
        if how is Duplicates.LAST:  # of the file, as in a table of scores by document
            kept = rows.filter(key.is_last_distinct())
            return cls(rows=sort(kept), how=how, number=len(rows) - len(kept))
        rows = sort(rows)
        later = rows.select(~key.is_first_distinct()).to_series().to_numpy()
        if how is Duplicates.FIRST:
            return cls(rows=rows.filter(~later), how=how, number=int(later.sum()))
        return cls(rows=rows, how=how, later=later, number=int(later.sum()))

    @property
    def holes(self) -> BoolArray:
        """Which rows are places that stay empty."""
        hole = self.how is Duplicates.FIRST_HOLE and self.later is not None
        return self.later if hole and self.later is not None else np.zeros(len(self.rows), dtype=bool)

    def count_retrieved(self, code: IndexArray) -> IndexArray:
        """Count the documents of each list; an empty place holds none."""
        counts = np.bincount(code)
        return counts if self.later is None else counts - np.bincount(code[self.holes], minlength=len(counts))

    def credit_rows(self, grades: FloatArray) -> tuple[FloatArray, BoolArray]:
        """Return the grades that rows count with, from those of their documents, and which of the rows are hits."""
        if self.later is not None and self.how in WORTHLESS:
            grades = np.where(self.later, np.nan, grades)
        if self.later is not None and self.how is Duplicates.ROWS_RELEVANT:
            grades = np.where(self.later, np.fmax(grades, 1.0), grades)
        return grades, ~np.isnan(grades)

    def again(self, hit: BoolArray) -> BoolArray | None:
        """Return which of the hits are copies that count as documents of their own; None if copies do not."""
        return self.later[hit] if self.later is not None and self.how in ROWS else None


def name_copies(rows: pl.DataFrame, how: Duplicates) -> pl.DataFrame:
    """Give copies among rows of query, document and score names of their own; leave out copies that do not count."""
    key = pl.struct("query", "document")
    if not rows.select("query", "document").is_duplicated().any():
        return rows
    if how is Duplicates.LAST:
        return rows.filter(key.is_last_distinct())
    ranked = rows.sort("score", descending=True, maintain_order=True).with_columns(again=~key.is_first_distinct())
    if how is Duplicates.FIRST:
        return ranked.filter(~pl.col("again")).drop("again")
    number = pl.int_range(1, pl.len() + 1).over("query", "document").cast(pl.String)
    copy = pl.concat_str("document", pl.lit(" (copy "), number, pl.lit(")"))
    return ranked.with_columns(document=pl.when("again").then(copy).otherwise("document")).drop("again")


INFINITE = (
    "some scores are infinite: inf ranks first, -inf last, equal ones are tied; if they overflowed, write ranks instead"
)
"""What is said of a run with such scores, which may come from an overflow."""


def rank(run: pl.DataFrame, judgments: pl.DataFrame, how: Ranking) -> Hits:
    """Return the judged hits of a run, in rank order."""
    return rank_stream([run], judgments, how)


def order_lists(run: pl.DataFrame, how: Ranking) -> pl.DataFrame:
    """The run's lists themselves, judged or not: each document with the first rank and the size of its tie group.

    Where a policy gives tied documents an order, no groups are left, except for one that depends on their grades.
    """
    queries = run["query"].unique(maintain_order=True)
    codes = pl.DataFrame({"query": queries, "code": np.arange(len(queries), dtype=np.int64)})
    known = run.join(codes, on="query", maintain_order="left")
    copies = RepeatedDocuments.among(known, how.duplicates, partial(_sort_rows, how=how))
    rows = copies.rows
    code, ranks = rows["code"].to_numpy(), _ranks(rows["code"].to_numpy())
    first, size = tie_groups(code, comparable_scores(rows["score"].to_numpy(), how), ranks)
    depth = np.inf if how.depth is None else how.depth
    whole = (first + size - 1 <= depth) & (how.ties in (Ties.EXPECTED, Ties.BEST, Ties.WORST))
    placed = {"first": np.where(whole, first, ranks), "size": np.where(whole, size, 1.0)}
    placed_rows = rows.drop("code", "score").with_columns(**{name: pl.Series(place) for name, place in placed.items()})
    return placed_rows.filter(pl.Series((ranks <= depth) & ~copies.holes))


def rank_stream(batches: Iterable[pl.DataFrame], judgments: pl.DataFrame, how: Ranking) -> Hits:
    """Return the judged hits of a run that comes in batches of whole queries; only hits are kept of each."""
    facets: Facets | None = None
    sampled = STRATUM in judgments.columns
    if sampled:  # a grade below 0 is a document that was not drawn, whatever a tool makes of it
        judgments, how = judgments.rename({STRATUM: FACET}), replace(how, negative=NegativeGrade.POOLED)
    if FACET in judgments.columns:
        _refuse_negative(judgments, how.negative)
        judgments, facets = split_facets(judgments, how.negative, levels=how.levels)
        facets = replace(facets, sampled=sampled)
    kept = ("document", "grade") if facets is None else ("document", "grade", "place")
    pool = _pool(judgments, how.negative)
    queries = pool["query"].unique(maintain_order=True)
    codes = pl.DataFrame({"query": queries, "code": np.arange(len(queries), dtype=np.int64)})
    pool = pool.join(codes, on="query", how="left", maintain_order="left").select("code", *kept)
    pool = pool.sort("code", maintain_order=True)
    known = pool if how.negative is NegativeGrade.POOLED else pool.filter(pl.col("grade") > UNJUDGED)
    judged = known.sort("code", "grade", descending=[False, True])
    if how.judged_twice is JudgedTwice.EACH:  # a retrieved document still has one grade
        pool = pool.sort("code", "grade", descending=[False, True], maintain_order=True)
        pool = pool.unique(["code", "document"], keep="first", maintain_order=True)
    hits = Hits.gather(
        _once(queries, (_find_hits(batch, *_judgments_for(batch, codes, pool), how) for batch in batches)),
        names=queries.to_list(),
        pool_query=judged["code"].to_numpy(),
        pool_grade=judged["grade"].to_numpy(),
        most=len(pool),
        facets=facets,
    )
    return arrange(hits, how)


def _judgments_for(batch: pl.DataFrame, codes: pl.DataFrame, pool: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the part of the judgments that a batch needs: joining all of them with every batch would be slow."""
    asked = batch["query"].unique()
    if 2 * len(asked) > len(codes):
        return codes, pool
    few = codes.filter(pl.col("query").is_in(asked.implode()))
    if not len(few):
        return few, pool.clear()
    # Codes rise in the pool, and most runs have the queries in the order of the judgments: those of a batch are near.
    low, high = few["code"][0], few["code"][-1]
    start, end = pool["code"].search_sorted(low, "left"), pool["code"].search_sorted(high, "right")
    return few, pool[start:end].filter(pl.col("code").is_in(few["code"].implode()))


def _find_hits(batch: pl.DataFrame, codes: pl.DataFrame, pool: pl.DataFrame, how: Ranking) -> Found:
    """Return the judged hits of the lists that are in the batch."""
    if how.order is RunOrder.RANK and "rank" in batch.columns:
        batch = _by_rank(batch)
    known = batch.join(codes, on="query", maintain_order="left")
    copies = RepeatedDocuments.among(known, how.duplicates, partial(_sort_rows, how=how))
    rows = copies.rows
    if np.isinf(rows["score"].to_numpy()).any():
        note(INFINITE)
    code, score = rows["code"].to_numpy(), comparable_scores(rows["score"].to_numpy(), how)
    counts, ranks = copies.count_retrieved(code), _ranks(code)
    first, size = tie_groups(code, score, ranks)
    judged = rows.join(pool, on=["code", "document"], how="left", maintain_order="left")
    grades, hit = copies.credit_rows(judged["grade"].to_numpy())
    again = copies.again(hit)
    if again is not None and "place" in pool.columns:
        raise InputError(
            f"--duplicates {how.duplicates} needs one grade for each document; these have grades in several respects",
            hint="Choose another: --duplicates first, count-once or count-each.",
        )
    listed = np.flatnonzero(counts)
    return Found(
        listed=listed,
        retrieved=counts[listed].astype(np.float64),
        query=code[hit],
        rank=ranks[hit],
        grade=grades[hit],
        first=first[hit],
        size=size[hit],
        copies=copies.number,
        again=again,
        strangers=_strangers(batch, codes) if len(rows) < len(batch) else (),
        rounded=tied_by_rounding(known["code"].to_numpy(), known["score"].to_numpy(), how),
        place=judged["place"].to_numpy()[hit].astype(np.int64) if "place" in pool.columns else None,
    )


def _ranks(code: IndexArray) -> FloatArray:
    """Return the rank of each row in its list, from 1."""
    counts = np.bincount(code)
    return np.asarray(np.arange(len(code)) - (np.cumsum(counts) - counts)[code] + 1.0)


def _by_rank(batch: pl.DataFrame) -> pl.DataFrame:
    """Return the lines with the falling rank as their score."""
    odd = batch.filter(pl.col("rank").is_null() | pl.struct("query", "rank").is_duplicated())
    if len(odd):
        row = odd.row(0, named=True)
        what = "has no rank" if row["rank"] is None else f"shares rank {row['rank']} with another one"
        raise InputError(
            f"document {row['document']} of query {row['query']} {what}, and ranks order the run here",
            hint="Order the run by its scores: order='score' in Python, --order score on the command line.",
        )
    return batch.with_columns(score=-pl.col("rank").cast(pl.Float64))


def _strangers(batch: pl.DataFrame, codes: pl.DataFrame) -> tuple[str, ...]:
    """Return the queries of the batch that nobody judged."""
    asked = batch.select(pl.col("query").unique(maintain_order=True))
    return tuple(asked.join(codes, on="query", how="anti", maintain_order="left")["query"])


def _once(queries: pl.Series, parts: Iterable[Found]) -> Iterator[Found]:
    """Yield the parts; a query whose list is spread over two of them is an error."""
    seen = np.zeros(len(queries), dtype=bool)
    for part in parts:
        again = part.listed[seen[part.listed]]
        if len(again):
            raise InputError(
                f"the documents of query {queries[int(again[0])]} are not together in the run",
                hint="Sort the run by query, or read it as a whole.",
            )
        seen[part.listed] = True
        yield part


def _pool(judgments: pl.DataFrame, negative: NegativeGrade) -> pl.DataFrame:
    _refuse_negative(judgments, negative)
    return judgments.with_columns(pl.Series("grade", apply_negative(judgments["grade"].to_numpy(), negative)))


def _refuse_negative(judgments: pl.DataFrame, negative: NegativeGrade) -> None:
    below = judgments.filter(pl.col("grade") < 0) if negative is NegativeGrade.REFUSE else judgments.clear()
    if len(below):
        row = below.row(0, named=True)
        raise JudgmentsError(
            f"negative grade {row['grade']:g} of document {row['document']} in query {row['query']}",
            hint="'rankgauge evaluate' has --negative unjudged, zero or keep, which says what they mean.",
        )


def _sort_rows(rows: pl.DataFrame, how: Ranking) -> pl.DataFrame:
    """Return the rows by query, falling score and, if the policy asks for it, falling document id."""
    if how.single_precision:
        rows = rows.with_columns(pl.col("score").cast(pl.Float32).cast(pl.Float64))
    code, score = rows["code"].to_numpy(), rows["score"].to_numpy()
    same = code[1:] == code[:-1]
    grouped = not (code[1:] < code[:-1]).any()
    falling = grouped and not (same & (score[1:] > score[:-1])).any()
    if falling and not (same & (score[1:] == score[:-1])).any():  # compared, as the difference of infinities is NaN
        return rows
    if how.ties in (Ties.DOCID, Ties.ASCENDING):
        descending = [False, True, how.ties is Ties.DOCID]
        return rows.sort("code", "score", "document", descending=descending, maintain_order=True)
    if how.ties in SORTS:
        return _sorted_by(SORTS[how.ties], rows.sort("code", maintain_order=True))
    if falling:
        return rows
    return rows.sort("code", "score", descending=[False, True], maintain_order=True)


def _sorted_by(sort: Callable[[FloatArray], list[int]], rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows, sorted by query, each list as the sort leaves it."""
    score = rows["score"].to_numpy()
    counts = np.bincount(rows["code"].to_numpy())
    starts = np.cumsum(counts) - counts
    orders = [sort(score[start : start + n]) for start, n in zip(starts, counts, strict=True)]
    return rows[np.repeat(starts, counts) + np.concatenate(orders).astype(np.int64)]
