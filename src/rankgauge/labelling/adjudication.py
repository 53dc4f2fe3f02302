"""Adjudication: documents are judged in an order that may follow their grades, and the rest counts as not relevant.

It finds many relevant documents with few labels, but what it has not judged biases its values, and nothing says by how
much.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from rankgauge.labelling.selection import SELECTIONS
from rankgauge.labelling.yardstick import JudgedBoard, Standing, Yardstick


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
