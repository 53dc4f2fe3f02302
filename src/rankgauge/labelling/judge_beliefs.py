"""Beliefs from a judge's grades, and how far any certainty is believed before a label supports it.

A judge that is sure of a grade is often wrong by one grade, and now and then by more. So a grade of a judge, and any
belief that is certain of one grade, is spread over the scale: a grade that is k places away is believed e^(−1.2 k)
times as much.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from rankgauge.judgments.llm.machine_judge import MachineJudge, chances, placed
from rankgauge.numeric import FloatArray

DECAY = 1.2
"""How fast the belief falls with the distance from the grade that a judge gave."""

CERTAIN = 0.999
"""From here on a belief in one grade is certainty, which no label supports yet."""


def spread(size: int) -> FloatArray:
    """What is believed of each grade of a scale of that size when a judge gave another (given × believed)."""
    away = np.abs(np.subtract.outer(np.arange(size), np.arange(size)))
    weights = np.exp(-DECAY * away)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def softened(beliefs: FloatArray) -> tuple[FloatArray, int]:
    """The beliefs with certainty spread over the scale, and of how many documents it was."""
    certain = beliefs.max(axis=1) >= CERTAIN
    count = int(np.count_nonzero(certain))
    if not count:
        return beliefs, 0
    return np.where(certain[:, np.newaxis], beliefs @ spread(beliefs.shape[1]), beliefs), count


def judge_beliefs(judges: Sequence[MachineJudge], documents: pl.DataFrame, grades: FloatArray) -> FloatArray:
    """What the judges' grades make one believe of these documents (query, document), on average over the judges.

    Nothing is known of a document that no judge has graded.
    """
    found = np.full((len(judges), len(documents), len(grades)), np.nan)
    for place, judge in enumerate(judges):
        said = judge.of(documents)
        known = said["grade"].is_not_null().to_numpy()
        found[place, known] = _given(judge, said.filter(pl.Series(known)), grades) @ spread(len(grades))
    known = ~np.isnan(found)
    mean = np.where(known, found, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    return np.where(known.any(axis=0), mean, 1.0 / len(grades))


def _given(judge: MachineJudge, said: pl.DataFrame, grades: FloatArray) -> FloatArray:
    """The chance of each grade of our scale by the judge's own word (documents × grades)."""
    columns = chances(said)
    plain = np.eye(len(grades))[placed(said["grade"].to_numpy(), np.array(judge.grades), grades)]
    if len(columns) < 2:
        return np.asarray(plain)
    whole = said.select(columns.values()).to_numpy().astype(np.float64)
    found = whole @ np.eye(len(grades))[placed(np.array(list(columns)), np.array(judge.grades), grades)]
    return np.where(np.isnan(found), plain, found)
