"""What the experiments run on: queries to train on, a pool with known grades, costs, measures, budgets and scenarios.

The paper uses MSLR-WEB30k; we generate a similar set. With a folder of MSLR-WEB or LETOR instead, rankers are trained
on each of its five parts in turn, and the other four parts are the pool.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import polars as pl

from rankgauge.demo import LIKENESSES, generate_learning, learning_rows
from rankgauge.demo.folds import read_parts
from rankgauge.files.formats.letor import FeatureTable
from rankgauge.labelling.pool import Pool
from rankgauge.numeric import BoolArray, FloatArray
from rankgauge.papers.published.active.trials import Effort

if TYPE_CHECKING:
    from rankgauge.papers.published.active.rankers import Predictions


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


def generate_set(seed: int, *, train: int = TRAIN, pool: int = POOL) -> Benchmark:
    """Return a generated set like MSLR-WEB; a document costs the logarithm of its length, as in the paper."""
    data = generate_learning(rng=np.random.default_rng(seed), like="mslr", queries=train + pool)
    seen = data.queries.astype(np.int64) <= train
    learn, validation = halves(learning_rows(data, seen))
    pool_rows, length = learning_rows(data, ~seen), LIKENESSES["mslr"].length
    split = Split(name="generated", train=learn, validation=validation, pool=pool_rows, length=length)
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


def read_benchmark(folder: Path) -> Benchmark:
    """Return the benchmark of a folder: train on one part, judge on the other four, five times over.

    A folder like MSLR-WEB's has the paper's set-up: a document costs the logarithm of its length, whole lists are
    judged, savings are measured at a budget of 300 and training sizes compared at 100. On another folder of LETOR,
    which has no lengths, every document costs the same, and lists are judged to a depth.
    """
    parts = sorted(read_parts(folder), key=lambda part: str(part.queries[0]))
    top, like = max(float(part.grades.max()) for part in parts), LIKENESSES["mslr"]
    web = parts[0].matrix.shape[1] == like.features and top == TOP
    splits = []
    for number, part in enumerate(parts):
        rest = [other for place, other in enumerate(parts) if place != number]
        pool = FeatureTable(*(np.concatenate(columns) for columns in zip(*rest, strict=True)))
        learn, validation = halves(part)
        length = like.length if web else None
        split = Split(name=f"part {number + 1}", train=learn, validation=validation, pool=pool, length=length)
        splits.append(split)
    queries = min(len(set(split.pool.queries)) for split in splits)
    at = min(300.0 if web else 90.0, round(0.3 * queries))
    at_depth = "" if web else f"@{DEPTH}"
    return Benchmark(
        words=f"{folder.name}: trained and tuned on one of five parts; about {queries} queries in the pool of the rest",
        key=f"{folder.name} {sum(len(part.grades) for part in parts)}",
        splits=tuple(splits),
        measures={"ERR": f"ERR(max_grade={top:g}){at_depth}", "DCG": f"DCG{at_depth}"},
        cost="log-length" if web else "documents",
        budgets=_budgets(at),
        at=at,
        forest=FOREST if web else {"trees": 100, "min_leaf": 5, "share": 0.3},
        efforts=OWN_EFFORTS if web else {("document", label): Effort(most=1000) for label in ("ERR", "DCG")},
        depth=None if web else DEPTH,
    )


def halves(data: FeatureTable) -> tuple[FeatureTable, FeatureTable]:
    """Return the documents of the first half of the queries, to learn from, and the others, to choose parameters."""
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


ONE = {"Random Forest": "RF regression", "ordered logit": "ordered logit"}
"""The rankers of Figure 1, by the titles of the scenarios."""

PAIRS = {
    "RF regression − RF classification": ("RF regression", "RF classification"),
    "ordered logit − RankSVM": ("ordered logit", "RankSVM"),
    "ordered logit − Random Forest": ("ordered logit", "RF regression"),
}
"""The pairs of Figure 2."""

REMOVED = 0.1
"""The share of each list that the outdated index of Figure 3 lacks."""

DOCUMENTS = 200_000
"""The documents that the paper's larger forest learns from; all of ours take their place."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Scenario:
    """The scores of one or two rankers for a pool's documents (NaN: not retrieved), and the beliefs about grades."""

    title: str
    figure: str
    scores: tuple[FloatArray, ...]
    beliefs: FloatArray
    scale: FloatArray


def scenarios(predictions: Predictions, seed: int) -> dict[str, Scenario]:
    """Return all scenarios over budgets by title, in the order of the figures.

    Two rankers are compared with the mixture of their beliefs. The paper mixes those of ordered logit and Random
    Forest; for the other pairs it does not say. Its larger training set has 200,000 documents, the smaller one half.
    """
    sizes = (forest_of(1.0), forest_of(0.5))
    known = [
        *(_scenario(predictions, title, "figure-1", ranker) for title, ranker in ONE.items()),
        *(_scenario(predictions, title, "figure-2", *pair) for title, pair in PAIRS.items()),
        index_update(predictions, seed),
        _scenario(predictions, "training size", "figure-3", *sizes),
    ]
    return {scenario.title: scenario for scenario in known}


def index_update(predictions: Predictions, seed: int) -> Scenario:
    """Figure 3, left: the Random Forest's lists against those of an outdated index, which lacks a tenth of each."""
    now = _scenario(predictions, "index update", "figure-3", "RF regression")
    (scores,) = now.scores
    gone = lacking(predictions.split.pool.queries, np.random.default_rng([seed, 1]))
    return replace(now, scores=(scores, np.where(gone, np.nan, scores)))


def lacking(queries: npt.NDArray[Any], rng: np.random.Generator) -> BoolArray:
    """Return which documents are removed at random: a tenth of each list, but never all of it.

    A tenth of n documents is rounded up or down at random so that it is a tenth on average.
    """
    _, place, sizes = np.unique(queries.astype(str), return_inverse=True, return_counts=True)
    count = np.minimum(np.floor(REMOVED * sizes + rng.random(len(sizes))), sizes - 1)
    order = np.lexsort((rng.random(len(place)), place))
    number = np.empty(len(place))
    number[order] = np.arange(len(place)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.asarray(number < count[place])


def training_sizes(predictions: Predictions) -> dict[int, Scenario]:
    """Figure 3, right: forests of more documents against that of half of them; by the documents in the paper."""
    return {
        (size := round(share * DOCUMENTS)): _scenario(
            predictions, f"{size:,} documents", "figure-3-right", forest_of(share), forest_of(0.5)
        )
        for share in SIZES[1:]
    }


def _scenario(predictions: Predictions, title: str, figure: str, *rankers: str) -> Scenario:
    scores = tuple(predictions.scores[name] for name in rankers)
    return Scenario(
        title=title, figure=figure, scores=scores, beliefs=predictions.mixture(*rankers), scale=predictions.scale
    )


def pool_of(scenario: Scenario, split: Split, *, cost: str, depth: int | None = None) -> Pool:
    """Return the pool of a scenario, judged down to a depth, with costs in units of a query's mean cost."""
    names = ("score",) if len(scenario.scores) == 1 else ("score_1", "score_2")
    columns = {name: pl.Series(scores).fill_nan(None) for name, scores in zip(names, scenario.scores, strict=True)}
    frame = pl.DataFrame({"query": split.pool.queries, "document": split.pool.documents, **columns})
    if split.lengths is not None:
        frame = frame.with_columns(pl.Series("length", split.lengths))
    return Pool.of(frame, grades=scenario.scale, beliefs=scenario.beliefs, cost=cost, depth=depth).scale_costs()


def known_grades(pool: Pool, split: Split) -> FloatArray:
    """Return the true grades of the pool's documents."""
    known = split.pool
    return pool.find(pl.DataFrame({"query": known.queries, "document": known.documents, "grade": known.grades}))
