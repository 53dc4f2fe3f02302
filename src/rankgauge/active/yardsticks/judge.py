"""judge: nobody is asked; the judge's own grades, taken for the truth, with the interval that queries give."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from rankgauge.active.defaults import LEVEL
from rankgauge.active.intervals import half_width
from rankgauge.active.yardstick import JudgedBoard, Standing, Yardstick


def standings(judged: JudgedBoard, labels: Sequence[int], seed: int) -> Iterator[tuple[Standing, ...]]:
    """The same values at every number of labels: none is used."""
    found = []
    for by_query in judged.by_query(judged.said):
        queries = by_query.shape[1]
        error = by_query.std(axis=1, ddof=1) / np.sqrt(queries)
        own = half_width(error, draws=queries, freedom=queries - 1, level=LEVEL)
        found.append(Standing(values=by_query.mean(axis=1), own=own))
    for _ in labels:
        yield tuple(found)


JUDGE = Yardstick(
    name="judge",
    title="The judge alone: its grades of the whole pool, and no label",
    reference="",
    standings=standings,
    intervals=True,
    judge=True,
).register()
