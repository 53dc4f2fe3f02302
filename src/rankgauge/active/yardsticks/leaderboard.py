"""leaderboard: the board's own stream of single documents, with intervals for each run, for all, and for pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rankgauge.active.yardstick import JudgedBoard, Standing, Yardstick


def standings(judged: JudgedBoard, labels: Sequence[int], seed: int) -> Iterator[tuple[Standing, ...]]:
    """The estimates of the first labels of the stream."""
    stream = judged.board.stream(seed)
    for n in labels:
        readings = judged.board.read(stream, stream.exactly(n), judged.grades, budget=n)
        yield tuple(
            Standing(
                values=found.values,
                own=found.half_widths(),
                joint=found.joint_half_widths(),
                pairs=found.pair_half_widths(),
            )
            for found in judged.board.estimate(readings, seed=seed)
        )


LEADERBOARD = Yardstick(
    name="leaderboard",
    title="One stream of documents in the order of what a label moves on the board",
    reference="",
    standings=standings,
    intervals=True,
).register()
