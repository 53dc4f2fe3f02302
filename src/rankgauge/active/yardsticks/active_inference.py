"""active-inference: documents are drawn in proportion to the doubt about their labels, whatever they move."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from rankgauge.active.board import Stream
from rankgauge.active.streamed import streamed
from rankgauge.active.yardstick import JudgedBoard, Standing, Yardstick


def standings(judged: JudgedBoard, labels: Sequence[int], seed: int) -> Iterator[tuple[Standing, ...]]:
    """The estimates of the first labels, by the beliefs that the judge's grades give before the first one."""
    chance = judged.board.prior.chance
    doubt = np.sqrt((chance * (1.0 - chance)).sum(axis=1))
    return streamed(judged, Stream.of(doubt, seed=seed), labels, seed)


ACTIVE_INFERENCE = Yardstick(
    name="active-inference",
    title="Labels where the judge's grades leave the most doubt, and these grades as beliefs",
    reference="Zrnic & Candès, Active statistical inference, ICML 2024",
    standings=standings,
    intervals=True,
    judge=True,
).register()
