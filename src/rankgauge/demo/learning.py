"""Learning-to-rank sets shaped like MQ2008 and MSLR-WEB: seeded, of any size.

A document has hidden factors. Its worth is partly a weighted sum of them, partly nonlinear (products, thresholds, an
optimum in the middle), partly its query's ease, and partly noise. Features are noisy, nonlinear views of the factors,
few of them strong. Grades cut the worth so that each grade has its share in the real set.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from rankgauge.errors import UnknownNameError
from rankgauge.files.format import numbers
from rankgauge.files.formats.letor import FeatureTable
from rankgauge.numeric import FloatArray, IndexArray

FACTORS = 12
BLOCK = 1 << 15
"""How many documents are made at a time, to save memory."""


@dataclass(frozen=True, kw_only=True)
class Likeness:
    """What a generated set has in common with a real one."""

    queries: int
    features: int
    shares: tuple[float, ...]
    """The share of each grade from 0 on."""
    empty: float
    """The share of queries without a relevant document."""
    sizes: Callable[[np.random.Generator, int], IndexArray]
    ease: float
    """The query's share of the worth's variance."""
    linear: float
    bent: float
    """The shares that features can explain: linearly, and only otherwise."""
    fall: float
    """The weight of each factor in the sum relative to the one before it."""
    constant: int
    """How many features are always 0."""
    shared: int
    """How many features are the same for every document of a query."""
    length: int | None
    """The number (from 1) of the feature that is the document's length in words."""
    normalised: bool
    """Whether each feature goes from 0 to 1 in each query."""


def _mq2008_sizes(rng: np.random.Generator, queries: int) -> IndexArray:
    """43 % of the lists have exactly 8 documents, 8 % have 5 to 7, the others up to 121."""
    kind = rng.permutation(np.arange(queries) / queries)
    longer = np.clip(np.round(9.0 + rng.lognormal(2.1, 1.3, size=queries)), 9, 121)
    few = rng.integers(5, 8, size=queries)
    return np.select([kind < 0.082, kind < 0.514], [few, 8], longer).astype(np.int64)


def _mslr_sizes(rng: np.random.Generator, queries: int) -> IndexArray:
    """Return about 120 documents, mostly 40 to 230."""
    return np.clip(np.round(rng.gamma(4.6, 26.0, size=queries)), 8, 900).astype(np.int64)


LIKENESSES: Mapping[str, Likeness] = {
    "mq2008": Likeness(
        queries=784,
        features=46,
        shares=(0.8072, 0.1316, 0.0612),
        empty=0.2806,
        sizes=_mq2008_sizes,
        ease=0.15,
        linear=0.40,
        bent=0.05,
        fall=0.55,
        constant=6,
        shared=0,
        length=None,
        normalised=True,
    ),
    "mslr": Likeness(
        queries=2000,
        features=136,
        shares=(0.52, 0.32, 0.13, 0.02, 0.01),
        empty=0.02,
        sizes=_mslr_sizes,
        ease=0.16,
        linear=0.13,
        bent=0.12,
        fall=0.8,
        constant=0,
        shared=5,
        length=15,
        normalised=False,
    ),
}
"""The real sets that a generated one can resemble."""


def generate_learning(*, rng: np.random.Generator, like: str = "mslr", queries: int | None = None) -> FeatureTable:
    """Return a set with `queries` queries, by default as many as the real one; ids are 1, 2, … and 1-1, 1-2, …

    The same seed, likeness and number of queries give the same set.
    """
    if like not in LIKENESSES:
        raise UnknownNameError("likeness", like, LIKENESSES)
    kind = LIKENESSES[like]
    sizes = kind.sizes(rng, queries or kind.queries)
    query = np.repeat(np.arange(len(sizes)), sizes)
    tastes = rng.standard_normal((len(sizes), FACTORS))
    factors = rng.standard_normal((len(query), FACTORS)) * np.sqrt(0.8) + (tastes * np.sqrt(0.2))[query]
    ease = rng.standard_normal(len(sizes))
    linear = factors @ kind.fall ** np.arange(FACTORS)
    bent = factors[:, 0] * factors[:, 1] + 1.5 * np.maximum(factors[:, 2], 0.5) - 0.7 * factors[:, 3] ** 2
    bent += np.where(factors[:, 1] > 0, factors[:, 4], 0.0)
    noise = rng.standard_normal(len(query))
    parts = ((ease[query], kind.ease), (linear, kind.linear), (bent, kind.bent))
    told = sum(np.sqrt(share) * (part - part.mean()) / part.std() for part, share in parts)
    worth = np.asarray(told + np.sqrt(1.0 - sum(share for _, share in parts)) * noise)
    grades = _grades(worth, query, sizes, kind, rng)
    matrix = _matrix(factors, np.column_stack([ease, tastes])[query], kind, rng)
    if kind.normalised:  # to 0..1 in each query, 0 if it is the same for all documents
        starts, ends = np.cumsum(sizes) - sizes, (np.minimum, np.maximum)
        low, high = (np.repeat(end.reduceat(matrix, starts, axis=0), sizes, axis=0) for end in ends)
        matrix = np.round((matrix - low) / np.where(high > low, high - low, 1.0), 6)
    names = (query + 1).astype(str)
    place = np.arange(len(query)) - np.repeat(np.cumsum(sizes) - sizes, sizes) + 1
    documents = np.strings.add(np.strings.add(names, "-"), place.astype(str))
    # Objects, as polars gives them: reading the written files gives the same arrays.
    return FeatureTable(grades, names.astype(object), documents.astype(object), matrix)


def learning_parts(data: FeatureTable, parts: int = 5) -> list[FeatureTable]:
    """Return the set cut into parts with equally many queries, if possible: S1 to S5 of LETOR."""
    starts = np.flatnonzero(np.concatenate([[True], data.queries[1:] != data.queries[:-1]]))
    edges = [*(starts[share[0]] for share in np.array_split(np.arange(len(starts)), parts)), len(data.queries)]
    return [learning_rows(data, slice(low, high)) for low, high in pairwise(edges)]


def learning_rows(data: FeatureTable, rows: Any) -> FeatureTable:
    """Return some documents of a set, by a slice, a mask or their numbers."""
    return FeatureTable(*(column[rows] for column in data))


def _grades(
    worth: FloatArray, query: IndexArray, sizes: IndexArray, kind: Likeness, rng: np.random.Generator
) -> FloatArray:
    """Return grades with the set's shares; a share of the queries has no relevant document, the others at least one."""
    hard = np.bincount(query, worth) / sizes + np.log(sizes) / 4 + rng.gumbel(0.0, 0.3, size=len(sizes))
    empty = np.zeros(len(sizes), dtype=bool)
    empty[np.argsort(hard)[: round(kind.empty * len(sizes))]] = True
    best = np.zeros(len(worth), dtype=bool)
    order = np.lexsort((worth, query))
    best[order[np.cumsum(sizes) - 1]] = True
    raised = np.where(empty[query], -np.inf, np.where(best, worth + 1e3, worth))
    rest = np.where(best, raised - 1e3, raised)
    cuts = np.quantile(raised, np.cumsum(kind.shares)[:-1], method="lower")
    grades = (raised > cuts[0]).astype(np.float64)
    for share in np.cumsum(kind.shares)[1:-1]:
        grades += rest > np.quantile(rest, share, method="lower")
    return np.asarray(grades)


def _matrix(factors: FloatArray, traits: FloatArray, kind: Likeness, rng: np.random.Generator) -> FloatArray:
    """Return the features, block by block: each sees a strong and a weak factor with noise, through a shape."""
    said = kind.features - kind.constant - kind.shared - (kind.length is not None)
    # How strongly each feature depends on each factor: features get weaker and weaker.
    strength = 0.85 * np.exp(-np.arange(said) / (0.45 * said))
    loadings = np.zeros((FACTORS, said))
    loadings[np.arange(said) % FACTORS, np.arange(said)] = strength
    loadings[rng.integers(FACTORS, size=said), np.arange(said)] += 0.3 * strength
    shapes = rng.integers(len(SHAPES), size=said)
    scales = np.exp(rng.normal(0.0, 1.0, size=said)) if not kind.normalised else np.ones(said)
    places = rng.permutation(kind.features)  # constant features are left over at the end
    places = places if kind.length is None else places[places != kind.length - 1]
    hints = rng.standard_normal((traits.shape[1], kind.shared)) * 0.5 + np.eye(traits.shape[1], kind.shared)
    matrix = np.zeros((len(factors), kind.features))
    for low in range(0, len(factors), BLOCK):
        rows = slice(low, low + BLOCK)
        seen = factors[rows] @ loadings
        seen += rng.standard_normal(seen.shape) * np.sqrt(np.maximum(1.0 - (loadings**2).sum(axis=0), 0.0))
        for number, shape in enumerate(SHAPES):
            columns = shapes == number
            seen[:, columns] = shape(seen[:, columns])
        matrix[rows, places[:said]] = np.round(seen * scales, 6)
        matrix[rows, places[said : said + kind.shared]] = np.round(traits[rows] @ hints, 6)
        if kind.length is not None:
            words = 6.1 + 1.1 * rng.standard_normal(len(seen)) + 0.3 * factors[rows, 0]
            matrix[rows, kind.length - 1] = np.maximum(np.round(np.exp(words)), 3.0)
    return matrix


SHAPES: tuple[Callable[[FloatArray], FloatArray], ...] = (
    lambda seen: seen,
    lambda seen: np.asarray(np.exp(0.8 * seen)),
    lambda seen: np.asarray(np.maximum(seen, 0.0)),
    lambda seen: np.asarray(np.round(np.exp(seen + 0.5)), dtype=np.float64),
    lambda seen: np.asarray(-np.exp(-0.6 * seen) * 5.0),
)
"""The shapes of features: linear, heavy-tailed, mostly 0, counts, log-likelihoods."""


def write_learning(data: FeatureTable, path: Path) -> Path:
    """Write the set into one file: grade, qid, features; documents are named by position, so they need no comment."""
    features = [str(number) for number in range(1, data.matrix.shape[1] + 1)]
    told = [pl.format(f"{name}:{{}}", numbers(name)) for name in features]
    line = pl.concat_str([numbers("grade"), pl.format("qid:{}", "query"), *told], separator=" ")
    with path.open("wb") as file:
        for low in range(0, len(data.grades), BLOCK):
            some = learning_rows(data, slice(low, low + BLOCK))
            grades, queries = pl.Series("grade", some.grades), pl.Series("query", some.queries.astype(str))
            lines = pl.DataFrame(some.matrix, schema=features).with_columns(grades, queries).select(line)
            lines.write_csv(file, include_header=False, quote_style="never")
    return path


def write_parts(data: FeatureTable, folder: Path, parts: int = 5) -> list[Path]:
    """Write the set as S1.txt, S2.txt, … into the folder, as in LETOR."""
    folder.mkdir(parents=True, exist_ok=True)
    numbered = enumerate(learning_parts(data, parts), start=1)
    return [write_learning(part, folder / f"S{number}.txt") for number, part in numbered]
