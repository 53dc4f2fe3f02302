"""Judgments of several assessors made one: `combine`, with its rules; `binarise`; `counts`.

An item is a query with a document.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from rankgauge.errors import InputError, ParameterError
from rankgauge.judgments.agreement import ITEM, Panel, as_table
from rankgauge.numeric import FloatArray
from rankgauge.policies import NegativeGrade
from rankgauge.registry import Registered, Registry

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


def combine(judgments: Any, rule: str | Rule = "mean", *, at: float | None = None) -> pl.DataFrame:
    """Combine the grades of several assessors into one for each item, in the order in which items first appear.

    `at` first makes each assessor's grade binary at that level, so `or` at 1 means "somebody found it relevant" and
    `mean` at 1 is the share of assessors who did. `combine(judgments, "or@1")` means the same. Items may differ in how
    many assessors judged them; see `counts`.
    """
    wanted, level = _parse(rule, at)
    frame = as_table(judgments) if level is None else binarise(judgments, level)
    if wanted.panel is not None:
        return wanted.panel(frame)
    assert wanted.reduce is not None, f"{wanted.name} says how"
    return frame.group_by(ITEM, maintain_order=True).agg(wanted.reduce(pl.col("grade")))


def binarise(judgments: Any, level: float = 1.0, *, negative: str | NegativeGrade = NegativeGrade.ZERO) -> pl.DataFrame:
    """Make grades binary: 1 for grades of at least `level`, 0 for the others; the assessors stay.

    `negative` says what a grade below 0 means: `zero` makes it 0 like any grade below the level; `unjudged` and `keep`
    leave it for the ranking to interpret.
    """
    policy, frame = NegativeGrade.parse(negative), as_table(judgments)
    if policy is NegativeGrade.REFUSE and (frame["grade"] < 0).any():
        first = frame.filter(pl.col("grade") < 0).row(0, named=True)
        raise InputError(f"query '{first['query']}', document '{first['document']}' has the grade {first['grade']:g}")
    binary = (pl.col("grade") >= level).cast(pl.Float64)
    if policy in (NegativeGrade.UNJUDGED, NegativeGrade.KEEP):
        binary = pl.when(pl.col("grade") < 0).then("grade").otherwise(binary)
    return frame.with_columns(grade=binary)


def counts(judgments: Any) -> pl.DataFrame:
    """Return how many assessors judged each item: query, document, assessors."""
    grouped = as_table(judgments).group_by(ITEM, maintain_order=True)
    return grouped.agg(assessors=pl.len().cast(pl.Int64))


def level_of(rule: str | Rule) -> float | None:
    """Return the level at which a rule makes grades binary; None if it keeps their scale."""
    return _parse(rule, None)[1]


def _parse(rule: str | Rule, at: float | None) -> tuple[Rule, float | None]:
    """Return the rule and its level, which may be part of the name."""
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


ROUNDS, TOLERANCE = 1000, 1e-6
"""The most rounds, and the change of a chance below which they end."""

TINY = 1e-100
"""What stands for a chance of 0, so that its logarithm is finite."""


@dataclass(frozen=True, kw_only=True, eq=False)
class CrowdModel:
    """What the model says of a panel: `chances` (items × grades), `prior` (grades), `confusion` and its `rounds`."""

    panel: Panel
    chances: FloatArray
    prior: FloatArray
    confusion: FloatArray
    """Assessors × true grades × given grades; each row sums to 1, or is 0 where an assessor saw no such item."""
    rounds: int

    @property
    def grades(self) -> FloatArray:
        """The most likely grade of each item; of equals the lowest."""
        return np.asarray(self.panel.grades[np.argmax(self.chances, axis=1)])

    @property
    def confusions(self) -> pl.DataFrame:
        """A row per assessor, true grade and given grade: assessor, true_grade, grade, share; judgments of each."""
        assessor, true, given = (axis.ravel() for axis in np.indices(self.confusion.shape))
        judged = np.bincount(self.panel.assessor, minlength=len(self.panel.assessors))
        return pl.DataFrame(
            {
                "assessor": self.panel.assessors.gather(assessor),
                "judgments": judged[assessor],
                "true_grade": self.panel.grades[true],
                "grade": self.panel.grades[given],
                "share": self.confusion.ravel(),
            }
        )


def dawid_skene(judgments: pl.DataFrame) -> CrowdModel:
    """Return the model of some judgments that name their assessors."""
    return fit_panel(Panel.from_judgments(judgments))


def fit_panel(panel: Panel) -> CrowdModel:
    """Return the model of a panel, when no chance moves any more."""
    levels = len(panel.grades)
    said = np.bincount(panel.item * levels + panel.level, minlength=panel.items * levels)
    chances = said.reshape(panel.items, levels) / np.bincount(panel.item, minlength=panel.items)[:, np.newaxis]
    before, rounds = np.full_like(chances, np.inf), 0
    while True:
        prior, confusion = chances.mean(axis=0), _confusion(panel, chances)
        if rounds == ROUNDS or np.abs(chances - before).max(initial=0.0) < TOLERANCE:
            return CrowdModel(panel=panel, chances=chances, prior=prior, confusion=confusion, rounds=rounds)
        before, chances, rounds = chances, _chances(panel, prior, confusion), rounds + 1


def _confusion(panel: Panel, chances: FloatArray) -> FloatArray:
    """Return the share of each given grade, by assessor and true grade (equation 2.3)."""
    shape = (len(panel.assessors), len(panel.grades))
    cell = panel.assessor * shape[1] + panel.level
    weights = [np.bincount(cell, weights=column, minlength=shape[0] * shape[1]) for column in chances[panel.item].T]
    counts = np.stack(weights).reshape(shape[1], *shape).transpose(1, 0, 2)
    whole = counts.sum(axis=-1, keepdims=True)
    return np.asarray(counts / np.where(whole > 0, whole, 1.0))


def _chances(panel: Panel, prior: FloatArray, confusion: FloatArray) -> FloatArray:
    """Return the chance of each true grade of an item, given what was said of it (equation 2.5)."""
    logs = np.log(np.maximum(confusion, TINY))[panel.assessor, :, panel.level]
    sums = np.stack([np.bincount(panel.item, weights=column, minlength=panel.items) for column in logs.T], axis=1)
    sums += np.log(np.maximum(prior, TINY))
    likely = np.exp(sums - sums.max(axis=1, keepdims=True))
    return np.asarray(likely / likely.sum(axis=1, keepdims=True))


def _likeliest_grades(judgments: pl.DataFrame) -> pl.DataFrame:
    items = judgments.select(ITEM).unique(maintain_order=True)
    return items.with_columns(grade=pl.Series(dawid_skene(judgments).grades, dtype=pl.Float64))


Rule(
    name="dawid-skene",
    words="the grade that is most likely if each assessor errs in his own way (Dawid & Skene 1979)",
    panel=_likeliest_grades,
).register()
