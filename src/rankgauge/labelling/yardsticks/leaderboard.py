"""leaderboard: the board's own stream of single documents, with intervals for each run, for all, and for pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rankgauge.labelling.streamed import streamed
from rankgauge.labelling.yardstick import JudgedBoard, Standing, Yardstick


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
