"""Yardsticks that judge a sample, or the first of an order, and know of no judge.

Judging in the order of a selection finds many relevant documents with few labels, but what is not judged biases values,
and nothing says by how much.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from rankgauge.labelling.board import Stream
from rankgauge.labelling.selection import SELECTIONS
from rankgauge.labelling.yardstick import JudgedBoard, Standing, Yardstick, expanded, streamed


def standings(judged: JudgedBoard, labels: Sequence[int], seed: int) -> Iterator[tuple[Standing, ...]]:
    """The estimates of the first labels of the stream."""
    return streamed(judged, judged.board.stream(seed), labels, seed)


LEADERBOARD = Yardstick(
    name="leaderboard",
    title="One stream of documents in the order of what a label moves on the board",
    reference="",
    standings=standings,
    intervals=True,
).register()


def adjudicated(name: str) -> Yardstick:
    """The yardstick that judges documents in the order of a selection; what it has not judged counts as not
    relevant."""
    selection = SELECTIONS[name]

    def standings(judged: JudgedBoard, labels: Sequence[int], seed: int) -> Iterator[tuple[Standing, ...]]:
        rng, relevant = np.random.default_rng(seed), judged.relevant.astype(np.float64)
        first = selection.order(judged.board.pool, relevant, max(labels), rng)
        for n in labels:
            known = np.zeros_like(judged.reached)
            known[first[:n]] = judged.reached[first[:n]]
            yield tuple(Standing(values=values) for values in judged.plugged(known))

    return Yardstick(name=name, title=selection.title, reference=selection.reference, standings=standings)


DEPTH = adjudicated("depth").register()


MTF = adjudicated("mtf").register()


MAXMEAN = adjudicated("maxmean").register()


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
