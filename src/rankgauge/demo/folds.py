"""The folds of a learning-to-rank set: what to train, validate and test on.

A folder of LETOR holds either five parts, S1.txt to S5.txt, and perhaps folds.txt, which says how folds are made from
them; or the folds themselves, Fold1 to Fold5, each with train.txt, vali.txt and test.txt.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rankgauge.errors import InputError
from rankgauge.files.formats.letor import FeatureTable, read_features
from rankgauge.files.source import Source

PARTS = 5
CYCLE = tuple(tuple((fold + place) % PARTS + 1 for place in range(PARTS)) for fold in range(PARTS))
"""LETOR's folds: three parts to train, the fourth to validate, the fifth to test; each fold starts one part later."""

HINT = "Give the folder that has S1.txt to S5.txt, or Fold1 to Fold5 with train.txt, vali.txt and test.txt."


@dataclass(frozen=True, kw_only=True, eq=False)
class Fold:
    """The three sets of a fold, with equally many features."""

    name: str
    train: FeatureTable
    validation: FeatureTable
    test: FeatureTable


def read_folds(folder: Path) -> tuple[Fold, ...]:
    """Return the folds in a folder of LETOR."""
    if not (folder / "Fold1").is_dir():
        plan = folder / "folds.txt"
        return folds_of(read_parts(folder), _plan(plan) if plan.is_file() else CYCLE)
    folds = []
    for inner in sorted(folder.glob("Fold[1-9]")):
        paths = [inner / name for name in ("train.txt", "vali.txt", "test.txt")]
        for path in paths:
            if not path.is_file():
                raise InputError("is not there", path=path, hint=HINT)
        train, validation, test = _widen_sets([read_features(Source.of(path)) for path in paths])
        folds.append(Fold(name=inner.name, train=train, validation=validation, test=test))
    return tuple(folds)


def read_parts(folder: Path) -> list[FeatureTable]:
    """Return the five parts in a folder of LETOR: S1 to S5, or what each fold is tested on."""
    inner = "Fold{}/test.txt" if (folder / "Fold1").is_dir() else "S{}.txt"
    names = [inner.format(number) for number in range(1, PARTS + 1)]
    missing = [name for name in names if not (folder / name).is_file()]
    if missing:
        raise InputError(f"has no {missing[0]}", path=folder, hint=HINT)
    return _widen_sets([read_features(Source.of(folder / name)) for name in names])


def folds_of(parts: Sequence[FeatureTable], plan: Sequence[Sequence[int]] = CYCLE) -> tuple[Fold, ...]:
    """Make folds of five parts; the plan lists each fold's parts from 1 on, the last two to validate and to test."""
    wide = _widen_sets(parts)
    return tuple(
        Fold(
            name=f"Fold{number}",
            train=FeatureTable(
                *(np.concatenate(columns) for columns in zip(*(wide[s - 1] for s in trained), strict=True))
            ),
            validation=wide[validated - 1],
            test=wide[tested - 1],
        )
        for number, (*trained, validated, tested) in enumerate(plan, start=1)
    )


def _plan(path: Path) -> tuple[tuple[int, ...], ...]:
    """Return the parts in each line of folds.txt: Fold1  S1, S2, S3  S4  S5."""
    text = path.read_text(encoding="utf-8")
    plans = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not re.match(r"Fold\d", line):
            continue
        parts = tuple(int(part) for part in re.findall(r"\bS(\d+)", line))
        if len(parts) != PARTS or not set(parts) <= set(range(1, PARTS + 1)):
            expected = "expected the parts of a fold: Fold1  S1, S2, S3  S4  S5"
            raise InputError(expected, path=path, line=number, text=line)
        plans.append(parts)
    if not plans:
        raise InputError("has no line that begins with Fold1", path=path, hint="Without folds.txt LETOR's are used.")
    return tuple(plans)


def _widen_sets(sets: Sequence[FeatureTable]) -> list[FeatureTable]:
    """Return the sets with equally many features; those that a set lacks are 0 in it."""
    width = max(part.matrix.shape[1] for part in sets)
    return [part._replace(matrix=np.pad(part.matrix, ((0, 0), (0, width - part.matrix.shape[1])))) for part in sets]
