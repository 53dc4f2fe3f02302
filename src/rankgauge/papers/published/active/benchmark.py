"""What the experiments run on: queries to train on, a pool with known grades, costs, measures and budgets.

The paper uses MSLR-WEB30k; we generate a similar set. With a folder of MSLR-WEB or LETOR instead, rankers are trained
on each of its five parts in turn, and the other four parts are the pool.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from rankgauge.demo import LIKENESSES, generate_learning, learning_rows
from rankgauge.demo.folds import read_parts
from rankgauge.files.formats.letor import FeatureTable
from rankgauge.numeric import BoolArray, FloatArray
from rankgauge.papers.published.active.trials import Effort

TRAIN, POOL = 440, 4000
"""How many queries of the generated set are for training, and how many are in the pool."""

LEARN = 0.5
"""The share of the training queries that rankers learn from; parameters are chosen on the others (Section 5.1)."""

TOP = 4
"""The highest grade of MSLR-WEB."""

DEPTH = 40
"""How deep lists are judged on LETOR data, whose lists are short."""

SIZES = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""The shares of the training documents that the forests of Figure 3 learn from: 100,000 to 200,000 in the paper."""

FOREST: Mapping[str, Any] = {"trees": 50, "min_leaf": 10, "share": 0.1}

OWN_EFFORTS: Mapping[tuple[str, str], Effort] = {
    ("document", "ERR"): Effort(most=40, budget=0.06),
    ("document", "DCG"): Effort(most=40, budget=0.4),
    **{(method, measure): Effort(most=400) for method in ("defensive", "greg") for measure in ("ERR", "DCG")},
}
"""How much the methods have to do that are not the paper's own, by method and measure. Drawing from half a million
documents is slow, and the savings of `document` are at small budgets."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Split:
    """What rankers are trained on, the pool on which their rankings are judged, and what parameters are chosen on."""

    name: str
    train: FeatureTable
    pool: FeatureTable
    validation: FeatureTable | None = None
    length: int | None = None
    """The number of the feature, from 1 on, that holds a document's length."""

    @property
    def lengths(self) -> FloatArray | None:
        """The lengths of the pool's documents."""
        return None if self.length is None else self.pool.matrix[:, self.length - 1].astype(np.float64)


@dataclass(frozen=True, kw_only=True, eq=False)
class Benchmark:
    """The splits, the measures, what a document costs, and the budgets."""

    words: str
    key: str
    """Identifies the data: the same key means the same numbers."""
    splits: tuple[Split, ...]
    measures: Mapping[str, str]
    cost: str
    budgets: tuple[float, ...]
    at: float
    """Where savings are measured: on the generated set 300, which the paper names for Figure 1."""
    forest: Mapping[str, Any]
    efforts: Mapping[tuple[str, str], Effort] = field(default_factory=dict)
    """Methods that are not the paper's own get less to do; by method and measure."""
    depth: int | None = None
    """How deep lists are judged; None: all of them."""

    @property
    def third(self) -> float:
        """The budget at which Figure 3 compares training sizes: the paper's 100, a third of its 300."""
        return float(round(self.at / 3))


def generated(seed: int, *, train: int = TRAIN, pool: int = POOL) -> Benchmark:
    """Return a generated set like MSLR-WEB; a document costs the logarithm of its length, as in the paper."""
    data = generate_learning(rng=np.random.default_rng(seed), like="mslr", queries=train + pool)
    seen = data.queries.astype(np.int64) <= train
    learn, validation = halves(learning_rows(data, seen))
    split = Split(
        name="generated",
        train=learn,
        validation=validation,
        pool=learning_rows(data, ~seen),
        length=LIKENESSES["mslr"].length,
    )
    at = min(300.0, round(0.3 * pool))
    return Benchmark(
        words=f"a generated set like MSLR-WEB: {train} queries to train and tune on, {pool:,} in the pool; rankers "
        f"learn from {len(learn.grades):,} documents",
        key=f"generated {seed} {train} {pool}",
        splits=(split,),
        measures={"ERR": f"ERR(max_grade={TOP})", "DCG": "DCG"},
        cost="log-length",
        budgets=(float(round(at / 60)), *_budgets(at)),
        at=at,
        forest=FOREST,
        efforts=OWN_EFFORTS,
    )


def given(folder: Path) -> Benchmark:
    """Return the benchmark of a folder: train on one part, judge on the other four, five times over.

    A folder like MSLR-WEB's has the paper's set-up: a document costs the logarithm of its length, whole lists are
    judged, savings are measured at a budget of 300 and training sizes compared at 100. On another folder of LETOR,
    which has no lengths, every document costs the same, and lists are judged to a depth.
    """
    parts = sorted(read_parts(folder), key=lambda part: str(part.queries[0]))
    top, like = max(float(part.grades.max()) for part in parts), LIKENESSES["mslr"]
    web = parts[0].matrix.shape[1] == like.features and top == TOP
    splits = tuple(_splits(parts, like.length if web else None))
    queries = min(len(set(split.pool.queries)) for split in splits)
    at = min(300.0 if web else 90.0, round(0.3 * queries))
    at_depth = "" if web else f"@{DEPTH}"
    return Benchmark(
        words=f"{folder.name}: trained and tuned on one of five parts; about {queries} queries in the pool of the rest",
        key=f"{folder.name} {sum(len(part.grades) for part in parts)}",
        splits=splits,
        measures={"ERR": f"ERR(max_grade={top:g}){at_depth}", "DCG": f"DCG{at_depth}"},
        cost="log-length" if web else "documents",
        budgets=_budgets(at),
        at=at,
        forest=FOREST if web else {"trees": 100, "min_leaf": 5, "share": 0.3},
        efforts=OWN_EFFORTS
        if web
        else {("document", "ERR"): Effort(most=1000), ("document", "DCG"): Effort(most=1000)},
        depth=None if web else DEPTH,
    )


def _splits(parts: Sequence[FeatureTable], length: int | None) -> Iterator[Split]:
    for number, part in enumerate(parts):
        rest = [other for place, other in enumerate(parts) if place != number]
        pool = FeatureTable(*(np.concatenate(columns) for columns in zip(*rest, strict=True)))
        learn, validation = halves(part)
        yield Split(name=f"part {number + 1}", train=learn, validation=validation, pool=pool, length=length)


def halves(data: FeatureTable) -> tuple[FeatureTable, FeatureTable]:
    """Return the documents of the first half of the queries, to learn from, and of the others, to choose parameters
    on."""
    learn = first_queries(data, LEARN)
    return learning_rows(data, learn), learning_rows(data, ~learn)


def first_queries(data: FeatureTable, share: float) -> BoolArray:
    """Tell which documents belong to the first queries, a share of all."""
    queries = list(dict.fromkeys(data.queries))
    return np.isin(data.queries.astype(str), [str(query) for query in queries[: round(share * len(queries))]])


def forest_of(share: float) -> str:
    """Return the name of the forest that learns from a share of the training documents."""
    return "RF regression" if share == 1 else f"RF regression, {share:.0%}"


def _budgets(at: float) -> tuple[float, ...]:
    """Return budgets from a thirtieth of the budget to four thirds of it."""
    return tuple(float(round(share * at)) for share in (1 / 30, 1 / 15, 1 / 8, 1 / 4, 1 / 2, 3 / 4, 1, 4 / 3))
