"""uniform+judge: a uniform sample of the pool, read with the judge's grades by the board's own estimator."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from rankgauge.active.board import Stream
from rankgauge.active.streamed import streamed
from rankgauge.active.yardstick import JudgedBoard, Standing, Yardstick


def standings(judged: JudgedBoard, labels: Sequence[int], seed: int) -> Iterator[tuple[Standing, ...]]:
    """The estimates of the first labels, all documents being equally likely."""
    return streamed(judged, Stream.of(np.ones(judged.size), seed=seed), labels, seed)


UNIFORM_JUDGE = Yardstick(
    name="uniform+judge",
    title="A uniform sample of the pool, with the judge's grades as beliefs",
    reference="",
    standings=standings,
    intervals=True,
    judge=True,
).register()
