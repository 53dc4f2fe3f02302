"""stratified: as many labels from each of the judge's grades, read by the board's own estimator."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from rankgauge.active.board import Stream
from rankgauge.active.streamed import streamed
from rankgauge.active.yardstick import JudgedBoard, Standing, Yardstick


def standings(judged: JudgedBoard, labels: Sequence[int], seed: int) -> Iterator[tuple[Standing, ...]]:
    """The estimates of the first labels; documents that the judge has not graded are a stratum of their own."""
    _, stratum, sizes = np.unique(judged.said.sum(axis=1), return_inverse=True, return_counts=True)
    return streamed(judged, Stream.of(1.0 / sizes[stratum], seed=seed), labels, seed)


STRATIFIED = Yardstick(
    name="stratified",
    title="A sample with as many documents of each of the judge's grades, and these grades as beliefs",
    reference="Neyman, On the two different aspects of the representative method, J. Royal Statistical Society 1934",
    standings=standings,
    intervals=True,
    judge=True,
).register()
