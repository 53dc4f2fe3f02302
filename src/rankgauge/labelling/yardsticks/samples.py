"""Yardsticks of plain samples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from rankgauge.labelling.board import Stream
from rankgauge.labelling.expansion import expanded
from rankgauge.labelling.streamed import streamed
from rankgauge.labelling.yardstick import JudgedBoard, Standing, Yardstick


def standings_uniform(judged: JudgedBoard, labels: Sequence[int], seed: int) -> Iterator[tuple[Standing, ...]]:
    """The values from the first documents of a random order."""
    order, size = np.random.default_rng(seed).permutation(judged.size), judged.size
    for n in labels:
        both = n * (size - 1) / (size * (n - 1)) if n > 1 else 1.0
        yield tuple(expanded(judged, order[:n], np.full(n, n / size), apart=both))


UNIFORM = Yardstick(
    name="uniform",
    title="A uniform sample of the pool with Horvitz–Thompson weights",
    reference="Horvitz & Thompson, A generalization of sampling without replacement from a finite universe, JASA 1952",
    standings=standings_uniform,
).register()


def standings_uniform_judge(judged: JudgedBoard, labels: Sequence[int], seed: int) -> Iterator[tuple[Standing, ...]]:
    """The estimates of the first labels, all documents being equally likely."""
    return streamed(judged, Stream.of(np.ones(judged.size), seed=seed), labels, seed)


UNIFORM_JUDGE = Yardstick(
    name="uniform+judge",
    title="A uniform sample of the pool, with the judge's grades as beliefs",
    reference="",
    standings=standings_uniform_judge,
    intervals=True,
    judge=True,
).register()


def standings_stratified(judged: JudgedBoard, labels: Sequence[int], seed: int) -> Iterator[tuple[Standing, ...]]:
    """The estimates of the first labels; documents that the judge has not graded are a stratum of their own."""
    _, stratum, sizes = np.unique(judged.said.sum(axis=1), return_inverse=True, return_counts=True)
    return streamed(judged, Stream.of(1.0 / sizes[stratum], seed=seed), labels, seed)


STRATIFIED = Yardstick(
    name="stratified",
    title="A sample with as many documents of each of the judge's grades, and these grades as beliefs",
    reference="Neyman, On the two different aspects of the representative method, J. Royal Statistical Society 1934",
    standings=standings_stratified,
    intervals=True,
    judge=True,
).register()
