"""Standings of a judged board from any stream of its documents, with the board's own estimator and intervals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rankgauge.labelling.board import BoardEstimate, Stream
from rankgauge.labelling.board.readings import Readings
from rankgauge.labelling.yardstick import JudgedBoard, Standing


def streamed(judged: JudgedBoard, stream: Stream, labels: Sequence[int], seed: int) -> Iterator[tuple[Standing, ...]]:
    """The estimates of the first labels of a stream."""
    for n in labels:
        readings = judged.board.read(stream, stream.exactly(n), judged.grades, budget=n)
        yield standings_of(judged, readings, seed)


def standings_of(judged: JudgedBoard, readings: Readings, seed: int) -> tuple[Standing, ...]:
    """What readings say by each measure."""
    return tuple(_standing(found) for found in judged.board.estimate(readings, seed=seed))


def _standing(found: BoardEstimate) -> Standing:
    return Standing(
        values=found.values,
        own=found.half_widths(),
        joint=found.joint_half_widths(),
        pairs=found.pair_half_widths(),
    )
