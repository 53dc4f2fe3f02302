"""Ids of judgments and run that are the same but for their spelling: blanks, case, 1 and 001, http:// and a slash."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from rankgauge.files.spelling import Spelling
from rankgauge.policies import SameId

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
    """The fewest rules that make most ids of the run those of judgments; None if none does.

    `of` says which ids: "query", or "document" for the documents of the same query.
    """
    keys = KEYS[: KEYS.index(of) + 1]
    left, right = (frame.select(keys).unique(maintain_order=True) for frame in (run, judgments))
    plain = _shared(left, right, ())
    whole = _shared(left, right, tuple(SameId))
    if len(whole) <= len(plain):
        return None
    rules = tuple(SameId)
    for rule in SameId:
        fewer = tuple(one for one in rules if one is not rule)
        if fewer and len(_shared(left, right, fewer)) == len(whole):
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
    """The same for the documents of a run of which others are judged as they are spelled; None if there are none.

    Looked at are unjudged documents and judged ones that the run lacks: one that is in both is no other's spelling.
    """
    left, right = (frame.select(KEYS).unique(maintain_order=True) for frame in (run, judgments))
    unjudged = left.join(right.select("query").unique(), on="query", how="semi", maintain_order="left")
    unjudged = unjudged.join(right, on=KEYS, how="anti", maintain_order="left")
    unlisted = right.join(left, on=KEYS, how="anti", maintain_order="left")
    return near_ids(unlisted, unjudged, of="document")


def _example(shared: pl.DataFrame, keys: Sequence[str]) -> tuple[str, dict[str, Any]]:
    """The first row that is spelled differently and the key that is: a document, or a query if no document is."""
    for key in reversed(keys):
        different = shared.filter(pl.col(key) != pl.col(f"{key}_judged"))
        if len(different):
            return key, different.row(0, named=True)
    raise AssertionError("more rows are shared by the rules than without them")


def _shared(left: pl.DataFrame, right: pl.DataFrame, rules: Sequence[SameId]) -> pl.DataFrame:
    """The ids on the left that are on the right by the rules, each with the one it is there."""
    spelling, keys = Spelling(ids=tuple(rules)), left.columns
    same = [spelling.same(name).alias(f"same_{name}") for name in keys]
    return left.with_columns(same).join(
        right.with_columns(same).unique([f"same_{name}" for name in keys], keep="first", maintain_order=True),
        on=[f"same_{name}" for name in keys],
        how="inner",
        suffix="_judged",
        maintain_order="left",
    )
