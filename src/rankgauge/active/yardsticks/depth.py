"""depth: the first documents of every list are judged, then the second, and so on until the labels are spent."""

from __future__ import annotations

import numpy as np

from rankgauge.active.adjudication import adjudicated
from rankgauge.active.yardstick import JudgedBoard, Yardstick
from rankgauge.numeric import IndexArray


def order(judged: JudgedBoard, most: int, rng: np.random.Generator) -> IndexArray:
    """The documents by the best rank that any run gives them, those of one rank at random."""
    return np.lexsort((rng.random(judged.size), judged.best_rank))


DEPTH = Yardstick(
    name="depth",
    title="Pooling to a depth: the first documents of every list, then the second, and so on",
    reference="Spärck Jones & van Rijsbergen, Report on the need for and provision of an ideal test collection, 1975",
    standings=adjudicated(order),
).register()
