"""uniform: a simple random sample of the pool, each label standing for as many documents as the sampling rate says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from rankgauge.active.expansion import expanded
from rankgauge.active.yardstick import JudgedBoard, Standing, Yardstick


def standings(judged: JudgedBoard, labels: Sequence[int], seed: int) -> Iterator[tuple[Standing, ...]]:
    """The values from the first documents of a random order."""
    order, size = np.random.default_rng(seed).permutation(judged.size), judged.size
    for n in labels:
        both = n * (size - 1) / (size * (n - 1)) if n > 1 else 1.0
        yield tuple(expanded(judged, order[:n], np.full(n, n / size), apart=both))


UNIFORM = Yardstick(
    name="uniform",
    title="A uniform sample of the pool with Horvitz–Thompson weights",
    reference="Horvitz & Thompson, A generalization of sampling without replacement from a finite universe, JASA 1952",
    standings=standings,
).register()
