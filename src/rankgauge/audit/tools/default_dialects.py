"""The dialects that an audit compares by default: those of tools that people use on such files."""

from __future__ import annotations

from typing import Any

from rankgauge import dialects, files
from rankgauge.dialects import Dialect
from rankgauge.files import Kind
from rankgauge.policies import JudgmentKind

CAMPAIGNS = ("ndeval", "romip", "romip-1+p")
"""Tools of evaluation campaigns, whose assessors and tracks other judgments do not have."""

SEARCH_ONLY = ("elasticsearch", "quepid", "ranx")
"""Tools for the results of a search, which nobody uses on a learned ranker's test set."""

NO_TOOL = ("papers",)
"""Definitions that no tool computes by."""

WRAPPERS = (
    "beir",
    "beir-mrr",
    "ir-measures",
    "mteb",
    "pytrec_eval",
    "torchmetrics",
)
"""Libraries that compute as trec_eval, gdeval or scikit-learn do, but for queries that are not in the run: beside these
they would be the same numbers again."""

LEARNED_ONLY = (
    "catboost",
    "letor3",
    "letor4",
    "lightgbm",
    "mslr",
    "ranklib",
    "ranklib-2.8",
    "ranklib-2011-fork",
    "xgboost",
    "yahoo",
)
"""Tools that need a grade for every ranked document, and so cannot read pooled judgments and a run."""


def fitting(judgments: Any, run: Any, kind: JudgmentKind = JudgmentKind.GRADES) -> tuple[Dialect, ...]:
    """The dialects that fit the two files; a dialect that a user added fits any.

    For judgments that say more of a document than its grade, they are those of tools that read such.
    """
    if kind is not JudgmentKind.GRADES:
        tools = (one for one in dialects.DIALECTS.values() if one.printed and computes(one, kind))
        return (dialects.get("standard"), *tools)
    away = {*NO_TOOL, *CAMPAIGNS, *WRAPPERS, *(SEARCH_ONLY if is_learned(judgments, run) else LEARNED_ONLY)}
    return tuple(dialect for name, dialect in dialects.DIALECTS.items() if name not in away)


def computes(dialect: Dialect, kind: JudgmentKind) -> bool:
    """Whether the tool prints a measure of such judgments, or nobody says what it prints."""
    printed = {one.measure.facts.judgments for one in dialect.printed}
    return not printed or kind in printed


def is_learned(judgments: Any, run: Any) -> bool:
    """Whether the files are a learned ranker's test set and its scores."""
    return files.is_path(judgments) and files.is_path(run) and files.detect(run).kind is Kind.COMPANION
