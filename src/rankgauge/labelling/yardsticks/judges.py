"""Yardsticks that start from a judge: alone, or corrected by labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from rankgauge.labelling.board import Stream
from rankgauge.labelling.board.beliefs import EDGE, Beliefs, Effects
from rankgauge.labelling.board.readings import FOLDS, Readings
from rankgauge.labelling.defaults import LEVEL
from rankgauge.labelling.intervals import half_width
from rankgauge.labelling.yardstick import JudgedBoard, Standing, Yardstick, draw_stream, standings_of
from rankgauge.numeric import IndexArray


def standings_judge(judged: JudgedBoard, labels: Sequence[int], seed: int) -> Iterator[tuple[Standing, ...]]:
    """Yield the same values at every number of labels: none is used."""
    standings = []
    for lists in judged.board.lists:
        by_query, queries = lists.score(judged.said), lists.shape[1]
        error = by_query.std(axis=1, ddof=1) / np.sqrt(queries)
        own = half_width(error, draws=queries, freedom=queries - 1, level=LEVEL)
        standings.append(Standing(values=by_query.mean(axis=1), own=own))
    for _ in labels:
        yield tuple(standings)


JUDGE = Yardstick(
    name="judge",
    title="The judge alone: its grades of the whole pool, and no label",
    reference="",
    standings=standings_judge,
    intervals=True,
    judge=True,
).register()


def standings_ppi(judged: JudgedBoard, labels: Sequence[int], seed: int) -> Iterator[tuple[Standing, ...]]:
    """Yield the estimates of the first labels, all documents being equally likely.

    What is predicted is a + λ·judge for each threshold, by least squares: λ is what PPI++ calls power tuning. Ratios
    and intervals are the board's own, as PPI++ has none for ratios of sums over documents.
    """
    stream = Stream.of(np.ones(judged.size), seed=seed)
    for n in labels:
        sample, chance = stream.exactly(n), stream.chances(n)
        parts = (sample, *(sample[stream.fold[sample] != k] for k in range(FOLDS)))
        believed = (_believe(judged, part) for part in parts)
        readings = Readings.of(sample, judged.reached[sample], chance=chance, fold=stream.fold, believed=believed)
        yield standings_of(judged, readings, seed)


def _believe(judged: JudgedBoard, sample: IndexArray) -> Beliefs:
    """Return the prediction from a sample; how queries differ is as unknown as before the first label."""
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
    standings=standings_ppi,
    intervals=True,
    judge=True,
).register()


def seek_doubt(judged: JudgedBoard, seed: int) -> Stream:
    """Return a stream to the documents of whose grades the judge leaves most doubt before the first label."""
    chance = judged.board.prior.chance
    return Stream.of(np.sqrt((chance * (1.0 - chance)).sum(axis=1)), seed=seed)


ACTIVE_INFERENCE = Yardstick(
    name="active-inference",
    title="Labels where the judge's grades leave the most doubt, and these grades as beliefs",
    reference="Zrnic & Candès, Active statistical inference, ICML 2024",
    standings=draw_stream(seek_doubt),
    intervals=True,
    judge=True,
).register()
