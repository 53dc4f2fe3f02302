"""The check of judgments by subtopic or group: every row names its own, and every subtopic has one probability."""

from __future__ import annotations

import polars as pl

from rankgauge.errors import JudgmentsError
from rankgauge.policies import JudgmentKind

KEY = ["query", "subtopic"]
NAMES = {JudgmentKind.SUBTOPICS: "subtopic", JudgmentKind.GROUPS: "group", JudgmentKind.PREFERENCES: "group"}
"""What the column `subtopic` names, by what the judgments are read for."""


def check_subtopics(judgments: pl.DataFrame, kind: JudgmentKind) -> None:
    """An error for judgments that do not name their subtopic, and for probabilities that make no sense."""
    if kind not in NAMES or "subtopic" not in judgments.columns:
        return
    unnamed = judgments.filter(pl.col("subtopic").is_null() | (pl.col("subtopic") == ""))
    if len(unnamed):
        row = unnamed.row(0, named=True)
        raise JudgmentsError(
            f"the judgment of document {row['document']} of query {row['query']} names no {NAMES[kind]}",
            hint=f"Name the {NAMES[kind]} in every row, or leave such rows out.",
        )
    if kind is JudgmentKind.SUBTOPICS and "probability" in judgments.columns:
        check_probabilities(judgments)


def check_probabilities(judgments: pl.DataFrame) -> None:
    """An error for a subtopic without a probability, with one below 0 or with several, and for a query with only 0."""
    known = judgments.group_by(KEY, maintain_order=True).agg(pl.col("probability").unique(maintain_order=True))
    single = known.with_columns(pl.col("probability").list.first())
    several = known.filter(pl.col("probability").list.len() > 1)
    if len(several):
        query, subtopic, found = several.row(0)
        listed = " and ".join("none" if one is None else f"{one:g}" for one in found)
        raise JudgmentsError(
            f"subtopic {subtopic} of query {query} has several probabilities: {listed}",
            hint="Give the same one in all rows of a subtopic.",
        )
    _refuse(
        single.filter(pl.col("probability").is_null()),
        "subtopic {1} of query {0} has no probability",
        "Give one for every subtopic that is judged, 0 if it does not count.",
    )
    refuse_negative(single)
    _refuse(
        single.filter((pl.col("probability") == 0).all().over("query")),
        "all judged subtopics of query {0} have the probability 0",
        "Give one above 0 to at least one of them, or leave the query out.",
    )


def refuse_negative(known: pl.DataFrame) -> None:
    """An error for a probability that is below 0 or not finite."""
    _refuse(
        known.select(*KEY, "probability").filter(~(pl.col("probability") >= 0) | ~pl.col("probability").is_finite()),
        "the probability of subtopic {1} of query {0} is {2:g}",
        "Give a number from 0 on for each subtopic; they need not add up to 1.",
    )


def _refuse(rows: pl.DataFrame, problem: str, hint: str) -> None:
    """An error on the first of the rows, if there is one."""
    if len(rows):
        raise JudgmentsError(problem.format(*rows.row(0)), hint=hint)
