"""What the experiments are run on: queries to train on, a pool whose grades are known, costs, measures and budgets.

The paper has MSLR-WEB30k; here a generated set stands for it. A folder of LETOR can be given instead: a model is
trained on each of its five parts, and the other four parts are its pool.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from rankgauge.datasets import LIKENESSES, generate_learning, learning_rows
from rankgauge.datasets.folds import read_folds
from rankgauge.experiments.papers.active.trials import Effort
from rankgauge.io.formats.letor import Features
from rankgauge.numeric import FloatArray

__all__ = ["Material", "Split", "generated", "given"]

TRAIN, POOL = 220, 4000
"""How many queries of the generated set models are trained on, and how many the pool has."""

DEPTH = 40
"""How deep lists are judged on the sets of LETOR, whose lists are short."""

FOREST: Mapping[str, Any] = {"trees": 50, "min_leaf": 10, "share": 0.1}


@dataclass(frozen=True, kw_only=True, eq=False)
class Split:
    """What models are trained on, and the pool that their rankings are judged on."""

    name: str
    train: Features
    pool: Features
    length: int | None = None
    """The feature, from 1 on, that is a document's length."""

    @property
    def lengths(self) -> FloatArray | None:
        """The lengths of the pool's documents."""
        return None if self.length is None else self.pool.matrix[:, self.length - 1].astype(np.float64)


@dataclass(frozen=True, kw_only=True, eq=False)
class Material:
    """The splits, the measures, what a document costs, and the budgets; savings are counted at the budget `at`."""

    words: str
    key: str
    """What tells it from other material: the same key, the same numbers."""
    splits: tuple[Split, ...]
    measures: Mapping[str, str]
    cost: str
    budgets: tuple[float, ...]
    at: float
    forest: Mapping[str, Any]
    efforts: Mapping[tuple[str, str], Effort] = field(default_factory=dict)
    """What methods are spared, by method and measure."""
    depth: int | None = None
    """How deep lists are judged; None: whole."""


def generated(seed: int, *, train: int = TRAIN, pool: int = POOL) -> Material:
    """The set like MSLR-WEB; documents cost the logarithm of their length, as in the paper."""
    data = generate_learning(rng=np.random.default_rng(seed), like="mslr", queries=train + pool)
    seen = data.queries.astype(np.int64) <= train
    split = Split(
        name="generated",
        train=learning_rows(data, seen),
        pool=learning_rows(data, ~seen),
        length=LIKENESSES["mslr"].length,
    )
    at = min(300.0, round(0.3 * pool))
    return Material(
        words=f"a generated set like MSLR-WEB, {train} queries to train on, {pool:,} in the pool",
        key=f"generated {seed} {train} {pool}",
        splits=(split,),
        measures={"ERR": "ERR", "DCG": "DCG(dcg='exp-log2')"},
        cost="log-length",
        budgets=(float(round(at / 60)), *_budgets(at)),
        at=at,
        forest=FOREST,
        # Walking through half a million documents takes its time, and small budgets are where it saves.
        efforts={
            ("document", "ERR"): Effort(repetitions=0.1, budget=0.06),
            ("document", "DCG"): Effort(repetitions=0.1, budget=0.4),
        },
    )


def given(folder: Path) -> Material:
    """A folder of LETOR: trained on one part, judged on the four others, five times; every document costs the same."""
    parts = [fold.test for fold in sorted(read_folds(folder), key=lambda fold: str(fold.test.queries[0]))]
    splits = []
    for number, part in enumerate(parts):
        rest = [other for place, other in enumerate(parts) if place != number]
        pool = Features(*(np.concatenate(columns) for columns in zip(*rest, strict=True)))
        splits.append(Split(name=f"part {number + 1}", train=part, pool=pool))
    top = max(float(part.grades.max()) for part in parts)
    queries = min(len(set(split.pool.queries)) for split in splits)
    at = min(90.0, round(0.3 * queries))
    return Material(
        words=f"{folder.name}: trained on one of five parts, about {queries} queries in the pool of the four others",
        key=f"{folder.name} {sum(len(part.grades) for part in parts)}",
        splits=tuple(splits),
        measures={"ERR": f"ERR(max_grade={top:g})@{DEPTH}", "DCG": f"DCG(dcg='exp-log2')@{DEPTH}"},
        cost="documents",
        budgets=_budgets(at),
        at=at,
        forest={"trees": 100, "min_leaf": 5, "share": 0.3},
        efforts={("document", "ERR"): Effort(repetitions=0.5), ("document", "DCG"): Effort(repetitions=0.5)},
        depth=DEPTH,
    )


def _budgets(at: float) -> tuple[float, ...]:
    """From a thirtieth of the budget to a third more than it."""
    return tuple(float(round(share * at)) for share in (1 / 30, 1 / 15, 1 / 8, 1 / 4, 1 / 2, 3 / 4, 1, 4 / 3))
