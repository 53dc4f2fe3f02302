"""ppi++: a uniform sample that corrects the judge's grades, each of which counts as far as it goes with people's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from rankgauge.active.board import Stream
from rankgauge.active.board.beliefs import EDGE, Beliefs, Effects
from rankgauge.active.board.readings import Readings
from rankgauge.active.streamed import standings_of
from rankgauge.active.yardstick import JudgedBoard, Standing, Yardstick
from rankgauge.numeric import IndexArray


def standings(judged: JudgedBoard, labels: Sequence[int], seed: int) -> Iterator[tuple[Standing, ...]]:
    """The estimates of the first labels, all documents being equally likely.

    What is predicted is a + λ·judge for each threshold, by least squares: λ is what PPI++ calls power tuning. Ratios
    and intervals are the board's own, as PPI++ has none for ratios of sums over documents.
    """
    stream = Stream.of(np.ones(judged.size), seed=seed)
    for n in labels:
        readings = Readings.told(
            stream.exactly(n),
            judged.reached,
            chance=stream.chances(n),
            fold=stream.fold,
            believe=lambda sample: _beliefs(judged, sample),
        )
        yield standings_of(judged, readings, seed)


def _beliefs(judged: JudgedBoard, sample: IndexArray) -> Beliefs:
    """The prediction from a sample; how queries differ is as unknown as before the first label."""
    people, said = judged.reached[sample], judged.said
    middle, known = people.mean(axis=0), said[sample].mean(axis=0)
    spread = np.mean((said[sample] - known) ** 2, axis=0)
    together = np.mean((said[sample] - known) * (people - middle), axis=0)
    tuned = np.clip(np.where(spread > 0, together / np.where(spread > 0, spread, 1.0), 0.0), 0.0, 1.0)
    predicted = np.clip(middle + tuned * (said - known), EDGE, 1.0 - EDGE)
    return Beliefs(chance=np.minimum.accumulate(predicted, axis=1), effects=Effects.prior(judged.board.features))


PPI = Yardstick(
    name="ppi++",
    title="A uniform sample that corrects the judge's grades, which count as far as they go with people's",
    reference="Angelopoulos, Duchi & Zrnic, PPI++: efficient prediction-powered inference, 2023",
    standings=standings,
    intervals=True,
    judge=True,
).register()
