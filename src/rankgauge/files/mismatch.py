"""Why next to nothing of a run is judged, where it looks like a mistake: ids of another form, queries out of order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

import polars as pl

from rankgauge.files.spelling import Spelling
from rankgauge.policies import SameId

MOSTLY = 0.2
"""Ids match under another form if this share of the run's does."""

ELSEWHERE = 0.2
"""Queries may be in the wrong order if this share of the documents that could be judged are judged for others."""

TWICE = 2
"""A list is rather another query's if half of its first documents, and so many times more than for its own query, are
judged for that one, and `CLEARLY` more than for any third query: where all have a few documents in common, the best of
many queries has half of any list by chance."""

CLEARLY = 2

TOP = 10

LONGEST = 40
"""How long a text before ids is looked for."""

SHOWN = 3

ORDER = "Are the queries in the order in which they were asked (--queries), and their ids those of the judgments?"


def mismatch(judgments: pl.DataFrame, run: pl.DataFrame, *, hits: int) -> str:
    """Say what is odd about a run of which `hits` documents are judged, and what to look at."""
    judgments, listed = _judged_documents(judgments, run)
    return (
        _elsewhere(judgments, listed, hits)
        or _explain_affixes(judgments["document"].unique(), listed["document"].unique(maintain_order=True))
        or f"the run has {_some(listed['document'])}, the judgments {_some(judgments['document'])}: are both of the "
        "same collection, with ids written alike (--ids knows some ways)? `rankgauge audit lint` looks at both files"
    )


def mistake(judgments: pl.DataFrame, run: pl.DataFrame) -> str | None:
    """Say which mistake would leave documents unjudged for these queries of a run, if there is a sign of one."""
    if near := spelled_otherwise(judgments, run):
        return near
    mine = judgments.join(run.select("query").unique(), on="query", how="semi")
    judgments, listed = _judged_documents(judgments, run)
    ids = listed["document"].unique(maintain_order=True)
    return _elsewhere(judgments, listed, 0) or _explain_affixes(mine["document"].cast(pl.String).unique(), ids)


def explain_misplaced(judgments: pl.DataFrame, run: pl.DataFrame) -> str | None:
    """Say that lists of a run are rather other queries', if over a third are, each that of a query of its own."""
    judgments, listed = _judged_documents(judgments, run.sort("score", descending=True, maintain_order=True))
    top = listed.group_by("query", maintain_order=True).head(TOP)
    judged = judgments.join(top, on="document", how="semi").unique().rename({"query": "judged_for"})
    counts = top.join(judged, on="document").group_by("query", "judged_for").len()
    is_own = pl.col("query") == pl.col("judged_for")
    others = counts.filter(~is_own).sort("len", "judged_for", descending=[True, False])
    best = others.group_by("query", maintain_order=True).agg(
        pl.first("judged_for", "len"), third=pl.col("len").get(1, null_on_oob=True)
    )
    best = best.join(counts.filter(is_own).select("query", own="len"), on="query", how="left").fill_null(0)
    lists = top.group_by("query").agg(half=pl.len() / 2)
    best = best.join(lists, on="query").sort("query")
    enough = pl.max_horizontal(TWICE * pl.col("own"), CLEARLY + pl.col("third"), "half", SHOWN)
    best = best.filter(pl.col("len") >= enough)
    if best["judged_for"].n_unique() < max(len(lists) / 3, SHOWN):
        return None
    first = best.row(0, named=True)
    return (
        f"for {len(best)} of {len(lists)} queries the first documents are rather those of another one: "
        f"{first['len']} of those listed for {first['query']} are judged for {first['judged_for']}, "
        f"and {first['own']} for {first['query']} itself. {ORDER}"
    )


def spelled_otherwise(judgments: pl.DataFrame, run: pl.DataFrame) -> str | None:
    """Say how many documents of the run are judged under another spelling, if any is, and what makes them the same."""
    near = near_ids(judgments, run, of="document")
    if near is None:
        return None
    sharing = f"{near.shared} of {near.listed} documents are judged under this or another spelling"
    return f"{sharing}, such as {near.run!r} for {near.judged!r}: {near.option} makes them the same"


def _judged_documents(judgments: pl.DataFrame, run: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the judgments, and the documents of the run's queries that are judged."""
    judgments, run = (frame.select(pl.col("query", "document").cast(pl.String)) for frame in (judgments, run))
    return judgments, run.join(judgments.select("query").unique(), on="query", how="semi", maintain_order="left")


def _elsewhere(judgments: pl.DataFrame, listed: pl.DataFrame, hits: int) -> str | None:
    """Say that documents of the run are judged for other queries, if so many are that the order may be wrong."""
    judged = judgments.select("document", judged_for="query").unique("document", keep="first", maintain_order=True)
    known = listed.join(judged, on="document", how="inner", maintain_order="left")
    other = known.join(judgments.select("query", "document").unique(), on=["query", "document"], how="anti")
    if len(other) < max(ELSEWHERE * min(len(listed), len(judgments)), 2 * hits, 1):
        return None
    first = other.row(0, named=True)
    return (
        f"{len(other)} of its {len(listed)} documents are judged, but for other queries: {first['document']} is listed "
        f"for query {first['query']} and judged for {first['judged_for']}. {ORDER}"
    )


def _explain_affixes(judged: pl.Series, listed: pl.Series) -> str | None:
    """Say that ids match once what all of them begin with is taken away, on either side."""
    for where, ids, others in (("the run", listed, judged), ("the judgments", judged, listed)):
        common = _shared_start(ids.min(), ids.max())[:LONGEST]
        counts = {
            prefix: int(ids.str.strip_prefix(prefix).is_in(others.implode()).sum())
            for prefix in (common[:length] for length in range(1, len(common) + 1))
        }
        best = max(counts, key=lambda prefix: counts[prefix], default="")
        if counts.get(best, 0) >= max(MOSTLY * min(len(ids), len(others)), 1):
            return (
                f"ids match without the {best!r} that those of {where} begin with, as in {ids[0]!r}: write them alike, "
                f"e.g. with sed 's/{best}//'"
            )
    return None


def _shared_start(first: object, last: object) -> str:
    """Return what the first and the last of sorted ids begin with, and so all of them."""
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(str(first), str(last), strict=False))
    return "".join(one for one, _ in pairs)


def _some(ids: pl.Series) -> str:
    unique = ids.unique(maintain_order=True)
    return ", ".join(unique[:SHOWN].to_list()) + (", …" if len(unique) > SHOWN else "")


KEYS = ["query", "document"]


@dataclass(frozen=True, kw_only=True)
class NearIds:
    """By which rules ids of a run become those of judgments, how many of them, and an example of each spelling."""

    rules: tuple[SameId, ...]
    shared: int
    listed: int
    run: str
    judged: str
    query: str
    """The query of the example."""

    @property
    def option(self) -> str:
        """What to say so that they are the same."""
        rules = ",".join(rule.value for rule in self.rules)
        return f"--ids {rules}, or ids='{rules}' in Python"


def near_ids(judgments: pl.DataFrame, run: pl.DataFrame, *, of: str) -> NearIds | None:
    """Return the fewest rules that make most ids of the run those of judgments; None if none does.

    `of` says which ids: "query", or "document" for the documents of the same query.
    """
    keys = KEYS[: KEYS.index(of) + 1]
    left, right = (frame.select(keys).unique(maintain_order=True) for frame in (run, judgments))
    plain = _shared_ids(left, right, ())
    whole = _shared_ids(left, right, tuple(SameId))
    if len(whole) <= len(plain):
        return None
    rules = tuple(SameId)
    for rule in SameId:
        fewer = tuple(one for one in rules if one is not rule)
        if fewer and len(_shared_ids(left, right, fewer)) == len(whole):
            rules = fewer
    key, first = _example(whole, keys)
    return NearIds(
        rules=rules,
        shared=len(whole),
        listed=len(left),
        run=first[key],
        judged=first[f"{key}_judged"],
        query=first["query"],
    )


def partly_near(judgments: pl.DataFrame, run: pl.DataFrame) -> NearIds | None:
    """Find rules for those documents of a run that are not judged, where others are; None if there are none.

    Looked at are unjudged documents and judged ones that the run lacks: one that is in both is no other's spelling.
    """
    left, right = (frame.select(KEYS).unique(maintain_order=True) for frame in (run, judgments))
    unjudged = left.join(right.select("query").unique(), on="query", how="semi", maintain_order="left")
    unjudged = unjudged.join(right, on=KEYS, how="anti", maintain_order="left")
    unlisted = right.join(left, on=KEYS, how="anti", maintain_order="left")
    return near_ids(unlisted, unjudged, of="document")


def _example(shared: pl.DataFrame, keys: Sequence[str]) -> tuple[str, dict[str, Any]]:
    """Find the first row that is spelled differently, and its key: the document, or else the query."""
    for key in reversed(keys):
        different = shared.filter(pl.col(key) != pl.col(f"{key}_judged"))
        if len(different):
            return key, different.row(0, named=True)
    raise AssertionError("more rows are shared by the rules than without them")


def _shared_ids(left: pl.DataFrame, right: pl.DataFrame, rules: Sequence[SameId]) -> pl.DataFrame:
    """Return the ids on the left that are on the right by the rules, each with the one it is there."""
    spelling, keys = Spelling(ids=tuple(rules)), left.columns
    same = [spelling.same(name).alias(f"same_{name}") for name in keys]
    return left.with_columns(same).join(
        right.with_columns(same).unique([f"same_{name}" for name in keys], keep="first", maintain_order=True),
        on=[f"same_{name}" for name in keys],
        how="inner",
        suffix="_judged",
        maintain_order="left",
    )
