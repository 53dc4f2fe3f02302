"""The dialects that an audit compares by default: those of tools that people use on such files."""

from __future__ import annotations

from typing import Any

from rankgauge import dialects, io
from rankgauge.dialects import Dialect
from rankgauge.io import Kind

SEARCH_ONLY = ("romip", "romip-1+p")
"""Tools of evaluation campaigns whose assessors and tracks a learned ranker's test set does not have."""

NO_TOOL = ("papers",)
"""Definitions that no tool computes by."""

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


def fitting(judgments: Any, run: Any) -> tuple[Dialect, ...]:
    """The dialects that fit the two files; a dialect that a user added fits any."""
    away = {*NO_TOOL, *SEARCH_ONLY, *(() if is_learned(judgments, run) else LEARNED_ONLY)}
    return tuple(dialect for name, dialect in dialects.DIALECTS.items() if name not in away)


def is_learned(judgments: Any, run: Any) -> bool:
    """Whether the files are a learned ranker's test set and its scores."""
    return io.is_path(judgments) and io.is_path(run) and io.detect(run).kind is Kind.COMPANION
