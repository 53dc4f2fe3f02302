"""Beliefs: how likely each grade of each document is before anyone judges it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from rankgauge.errors import InputError, ParameterError
from rankgauge.judgments.llm.machine_judge import MachineJudge, chances, place_on_scale
from rankgauge.labelling.pool_rows import PoolRows, numbers
from rankgauge.numeric import FloatArray

UNIFORM = "uniform"
PREFIX = "p_"

ROUNDED, EXACT = 5e-3, 1e-9
"""How far the beliefs in a table may be from adding up to 1: five grades with three digits each are at most .0025 off.
Beliefs that are closer than the second number are not changed."""


def uniform(documents: int, grades: npt.ArrayLike) -> FloatArray:
    """Uniform beliefs: every grade of the scale is equally likely."""
    scale = np.asarray(grades, dtype=np.float64)
    return np.full((documents, len(scale)), 1.0 / len(scale))


def predict(model: Any, matrix: npt.NDArray[Any], grades: npt.ArrayLike) -> FloatArray:
    """The beliefs of a fitted relevance model (`predict_proba`, `classes_`) on the scale; 0 for grades it never saw."""
    scale, classes = np.asarray(grades, dtype=np.float64), np.asarray(model.classes_, dtype=np.float64)
    strangers = np.setdiff1d(classes, scale)
    if len(strangers):
        raise InputError(
            f"the model knows a grade of {strangers[0]:g}, which the scale {scale.tolist()} lacks",
            hint="Name every grade that the model was trained on.",
        )
    beliefs = np.zeros((len(matrix), len(scale)))
    beliefs[:, np.searchsorted(scale, classes)] = model.predict_proba(matrix)
    return beliefs


def mixture(*beliefs: FloatArray, shares: Sequence[float] | None = None) -> FloatArray:
    """Return the mean of several models' beliefs, weighed by `shares`; used to compare two rankers."""
    if not beliefs or len({belief.shape for belief in beliefs}) > 1:
        raise InputError(f"beliefs of shapes {[belief.shape for belief in beliefs]} have no mixture")
    weights = np.ones(len(beliefs)) if shares is None else np.asarray(shares, dtype=np.float64)
    if weights.shape != (len(beliefs),) or not (weights >= 0).all() or not weights.sum() > 0:
        raise ParameterError("mixture", "shares", f"{len(beliefs)} numbers of 0 or more, not all 0", shares)
    return np.asarray(sum(share * one for share, one in zip(weights / weights.sum(), beliefs, strict=True)))


def scale_of(models: Sequence[Any]) -> FloatArray:
    """Return every grade that one of the models knows, ascending."""
    return np.unique(np.concatenate([np.asarray(model.classes_, dtype=np.float64) for model in models]))


def belief_column(grade: float) -> str:
    """Return the name of the column with the beliefs in a grade: p_0, p_1, p_0.5."""
    return f"{PREFIX}{grade:g}" if float(f"{grade:g}") == grade else f"{PREFIX}{float(grade)!r}"


def beliefs_of(
    rows: PoolRows, grades: npt.ArrayLike | None, beliefs: str | npt.ArrayLike | None
) -> tuple[FloatArray, FloatArray]:
    """Return the scale and the beliefs of a pool's documents: those of the columns, an array's, or uniform ones."""
    scale = None if grades is None else np.asarray(grades, dtype=np.float64).ravel()
    columns = belief_columns(rows.frame)
    if isinstance(beliefs, str) and beliefs != UNIFORM:
        raise ParameterError("a pool", "beliefs", "'uniform' or an array of documents × grades", beliefs)
    if isinstance(beliefs, str) or (beliefs is None and not columns):
        scale = np.array(list(columns)) if scale is None else scale
        if not len(scale):
            raise InputError(
                "the grades of the scale are not known",
                hint="Add beliefs (columns p_0, p_1, …), or name the scale: --grades 0,1,2 (Python: grades=[0, 1, 2]).",
            )
        return scale, uniform(len(rows.frame), scale)
    if beliefs is None:
        return _from_columns(rows, columns, scale)
    given = np.asarray(beliefs, dtype=np.float64)
    if scale is None or given.shape != (rows.read, len(scale)):
        expected = f"of shape ({rows.read}, {0 if scale is None else len(scale)}): the table's rows × grades"
        raise InputError(f"beliefs must be an array {expected}; got {given.shape}", hint="Name the scale as grades=….")
    return scale, given[rows.place]


def belief_columns(frame: pl.DataFrame) -> dict[float, str]:
    """Return the columns with beliefs by their grades, ascending."""
    columns = {}
    for name in frame.columns:
        if name.startswith(PREFIX):
            with suppress(ValueError):
                columns[float(name.removeprefix(PREFIX))] = name
    return {grade: columns[grade] for grade in sorted(filter(np.isfinite, columns))}


def _from_columns(rows: PoolRows, columns: dict[float, str], scale: FloatArray | None) -> tuple[FloatArray, FloatArray]:
    wanted = list(columns) if scale is None else scale.tolist()
    if set(wanted) != set(columns):
        raise InputError(
            f"beliefs in the columns {', '.join(columns.values())}, but the scale is {wanted}",
            hint="Give a column for each grade of the scale, or the scale of the columns.",
        )
    believed = np.column_stack([numbers(rows.frame, columns[grade], "beliefs") for grade in wanted])
    sums = believed.sum(axis=1, keepdims=True)
    # Beliefs that add up already stay as they are, to the last bit.
    near, exact = np.abs(sums - 1.0) <= ROUNDED, np.abs(sums - 1.0) <= EXACT
    return np.array(wanted, dtype=np.float64), np.where(near & ~exact, believed / np.where(near, sums, 1.0), believed)


DECAY = 1.2
"""How fast the belief falls with the distance from the grade that a judge gave."""


def spread(size: int) -> FloatArray:
    """Return what is believed of each grade of a scale of that size when a judge gave another (given × believed)."""
    away = np.abs(np.subtract.outer(np.arange(size), np.arange(size)))
    weights = np.exp(-DECAY * away)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def judge_beliefs(judges: Sequence[MachineJudge], documents: pl.DataFrame, grades: FloatArray) -> FloatArray:
    """Return what the judges' grades make one believe of these documents (query, document), on average over the judges.

    Nothing is known of a document that no judge has graded.
    """
    believed = np.full((len(judges), len(documents), len(grades)), np.nan)
    for place, judge in enumerate(judges):
        said = judge.of(documents)
        known = said["grade"].is_not_null().to_numpy()
        believed[place, known] = _judge_chances(judge, said.filter(pl.Series(known)), grades) @ spread(len(grades))
    known = ~np.isnan(believed)
    mean = np.where(known, believed, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    return np.where(known.any(axis=0), mean, 1.0 / len(grades))


def _judge_chances(judge: MachineJudge, said: pl.DataFrame, grades: FloatArray) -> FloatArray:
    """Return the chance of each grade of our scale by the judge's own word (documents × grades)."""
    columns = chances(said)
    plain = np.eye(len(grades))[place_on_scale(said["grade"].to_numpy(), np.array(judge.grades), grades)]
    if len(columns) < 2:
        return np.asarray(plain)
    whole = said.select(columns.values()).to_numpy().astype(np.float64)
    told = whole @ np.eye(len(grades))[place_on_scale(np.array(list(columns)), np.array(judge.grades), grades)]
    return np.where(np.isnan(told), plain, told)
