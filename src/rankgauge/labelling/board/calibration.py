"""Calibration: what a judge's grades were worth on another collection, as the expectation for this one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from rankgauge import dialects, files
from rankgauge.errors import InputError
from rankgauge.judgments.llm.machine_judge import KEYS, LEVELS, MachineJudge, chances, levels_of, steps
from rankgauge.labelling.board.beliefs import believe
from rankgauge.labelling.board.features import JUDGE_PRECISION, JUDGED, Features, query_prior
from rankgauge.labelling.board.pool import BoardPool
from rankgauge.labelling.board.target import mark_reached
from rankgauge.numeric import FloatArray

FEWEST = 20
"""The documents that people and the judge must both have graded, to learn from them."""


def calibrate(pool: BoardPool, human: Any, judge: Any, *, grades: FloatArray) -> BoardPool:
    """The pool, whose only judge is expected to do as it did elsewhere: on the judgments `human`, with grades `judge`.

    The effects are those of a logistic regression for each threshold in which queries have effects of their own.
    """
    if len(pool.judges) != 1:
        raise InputError(
            f"the pool has {len(pool.judges)} judges: one of them can be calibrated on another collection",
            hint="Give one judge, and its grades of the other collection.",
        )
    known = pool.judges[0]
    people, said = dialects.get("standard").prepare(files.judgments_from(human)), MachineJudge.read(judge, known.name)
    both = people.join(said.frame.select(KEYS), on=KEYS, how="semi", maintain_order="left")
    if len(both) < FEWEST:
        raise InputError(
            f"people and the judge have both graded {len(both)} documents of the other collection",
            hint=f"It takes {FEWEST} or more.",
        )
    scale = np.asarray(grades, dtype=np.float64)
    _check_other(pool, both, scale)
    levels = _shared_levels(known.grades, said)
    return replace(pool, judges=(replace(known, effects=_effects(both, said, scale, levels), levels=levels),))


def _check_other(pool: BoardPool, both: pl.DataFrame, grades: FloatArray) -> None:
    """Raise an error if the other collection is this one, or is judged on another scale."""
    same = len(both.join(pool.ids, on=KEYS, how="semi"))
    if 2 * same > len(both):
        raise InputError(
            f"{same} of the {len(both)} documents that the judge is calibrated on are those of the pool",
            hint="Labels of the pool itself are --judgments.",
        )
    top = float(both["grade"].to_numpy().max())
    if top != grades[-1]:
        raise InputError(
            f"people's highest grade there is {top:g}, here it is {grades[-1]:g}",
            hint="Both collections must be judged on one scale.",
        )


def _shared_levels(here: FloatArray, there: MachineJudge) -> FloatArray | None:
    """Return the levels of the judge's grades in both collections; None where it gives chances, which name them."""
    if chances(there.frame):
        return None
    ours, theirs = np.unique(here[~np.isnan(here)]), np.array(there.grades)
    if max(len(ours), len(theirs)) > LEVELS:
        return levels_of(here)
    every = np.union1d(ours, theirs)
    if 2 * len(np.intersect1d(ours, theirs)) <= len(every):
        shown = [", ".join(f"{grade:g}" for grade in some) for some in (ours, theirs)]
        raise InputError(
            f"the judge's grades are {shown[0]} here and {shown[1]} there",
            hint="The judge must have used one scale for both collections.",
        )
    return np.asarray(every[1:])


def _effects(both: pl.DataFrame, judge: MachineJudge, grades: FloatArray, levels: FloatArray | None) -> FloatArray:
    """Return the intercepts and the effects of the judge's steps on each threshold (thresholds × 1 + levels)."""
    rows = both.sort("query", maintain_order=True)
    x = steps(judge.of(rows.select(KEYS)), levels)
    thresholds, width = len(grades) - 1, x.shape[1]
    intercepts, effects = query_prior(thresholds)
    mean = np.full((thresholds, width + 1), JUDGED / max(width, 1))
    mean[:, 0] = intercepts - mean[:, 1:] @ x.mean(axis=0)
    features = Features(
        sizes=rows.group_by("query", maintain_order=True).len()["len"].to_numpy().astype(np.int64),
        x=np.column_stack([np.ones(len(x)), x]).astype(np.float32),
        w=np.column_stack([np.ones(len(x)), np.zeros(len(x))]),
        mean=mean,
        precision=np.append(0.25, np.full(width, JUDGE_PRECISION)),
        effects=effects,
    )
    labels = mark_reached(rows["grade"].to_numpy().astype(np.float64), grades)
    return believe(features, np.arange(len(rows)), labels).effects.beta
