"""Judgments of several assessors made one: `combine`, with its rules; `binarise`; `counts`.

An item is a query with a document.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

from rankgauge.errors import InputError, ParameterError
from rankgauge.files import JUDGMENTS, check
from rankgauge.policies import NegativeGrade
from rankgauge.registry import Registered, Registry

ITEM = ("query", "document")
"""The columns that identify what was judged."""

RULES: Registry[Rule] = Registry("rule for several assessors")


@dataclass(frozen=True, kw_only=True)
class Rule(Registered):
    """How the grades of an item become one; `words` explains it in a sentence."""

    registry = RULES

    name: str
    words: str
    reduce: Callable[[pl.Expr], pl.Expr] | None = None
    """What makes one grade of those of an item."""
    panel: Callable[[pl.DataFrame], pl.DataFrame] | None = None
    """What makes one grade of each item from all judgments, where a grade depends on who gave it."""
    binary: bool = False
    """Whether the rule is about relevant or not, and so needs a level."""


def combine(judgments: pl.DataFrame, rule: str | Rule = "mean", *, at: float | None = None) -> pl.DataFrame:
    """One grade for each item, in the order in which the items first appear.

    `at` first makes each assessor's grade binary at that level, so `or` at 1 means "somebody found it relevant" and
    `mean` at 1 is the share of assessors who did. `combine(judgments, "or@1")` means the same. Items may differ in how
    many assessors judged them; see `counts`.
    """
    wanted, level = _parse(rule, at)
    frame = check(judgments, JUDGMENTS, whole=True) if level is None else binarise(judgments, level)
    if wanted.panel is not None:
        return wanted.panel(frame)
    assert wanted.reduce is not None, f"{wanted.name} says how"
    return frame.group_by(ITEM, maintain_order=True).agg(wanted.reduce(pl.col("grade")))


def binarise(
    judgments: pl.DataFrame, level: float = 1.0, *, negative: str | NegativeGrade = NegativeGrade.ZERO
) -> pl.DataFrame:
    """The judgments with 1 for grades of at least `level` and 0 for the others; the assessors stay.

    `negative` says what a grade below 0 means: `zero` makes it 0 like any grade below the level; `unjudged` and `keep`
    leave it for the ranking to interpret.
    """
    policy, frame = NegativeGrade.parse(negative), check(judgments, JUDGMENTS, whole=True)
    if policy is NegativeGrade.REFUSE and (frame["grade"] < 0).any():
        first = frame.filter(pl.col("grade") < 0).row(0, named=True)
        raise InputError(f"query '{first['query']}', document '{first['document']}' has the grade {first['grade']:g}")
    binary = (pl.col("grade") >= level).cast(pl.Float64)
    if policy in (NegativeGrade.UNJUDGED, NegativeGrade.KEEP):
        binary = pl.when(pl.col("grade") < 0).then("grade").otherwise(binary)
    return frame.with_columns(grade=binary)


def counts(judgments: pl.DataFrame) -> pl.DataFrame:
    """How many assessors judged each item: query, document, assessors."""
    grouped = check(judgments, JUDGMENTS, whole=True).group_by(ITEM, maintain_order=True)
    return grouped.agg(assessors=pl.len().cast(pl.Int64))


def level_of(rule: str | Rule) -> float | None:
    """The level at which a rule makes grades binary; None if it keeps their scale."""
    return _parse(rule, None)[1]


def _parse(rule: str | Rule, at: float | None) -> tuple[Rule, float | None]:
    """The rule and its level, which may be part of the name."""
    name, joint, text = rule.partition("@") if isinstance(rule, str) else (rule, "", "")
    wanted = name if isinstance(name, Rule) else RULES.find(name)
    if joint and at is not None:
        raise ParameterError(f"combine with {rule}", "at", "omitted, as the rule's name has a level", at)
    try:
        level = float(text) if joint else at
    except ValueError:
        raise ParameterError(wanted.name, "at", f"a grade, as in {wanted.name}@1", text) from None
    if wanted.binary and level is None:
        raise ParameterError(wanted.name, "at", f"the lowest grade that counts as relevant: {wanted.name}@1", at)
    return wanted, level


_MOST = "the grade that most assessors gave; where several grades lead"

for _name, _words, _reduce, _binary in (
    ("mean", "the mean of the assessors' grades", pl.Expr.mean, False),
    (
        "median",
        "the median of the assessors' grades; of an even number, the mean of the middle two",
        pl.Expr.median,
        False,
    ),
    ("min", "the lowest of the assessors' grades", pl.Expr.min, False),
    ("max", "the highest of the assessors' grades", pl.Expr.max, False),
    ("majority", f"{_MOST}, the lowest of them", lambda grades: grades.mode().min(), False),
    ("majority-high", f"{_MOST}, the highest of them", lambda grades: grades.mode().max(), False),
    ("majority-mean", f"{_MOST}, their mean", lambda grades: grades.mode().mean(), False),
    # ROMIP 2010 publishes its binary tables as and_<level> and or_<level>.
    ("and", "1 where every assessor gave at least the level, else 0", pl.Expr.min, True),
    ("or", "1 where at least one assessor gave at least the level, else 0", pl.Expr.max, True),
):
    Rule(name=_name, words=_words, reduce=_reduce, binary=_binary).register()
