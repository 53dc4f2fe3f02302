"""depth: the first document of every list, then the second, and so on."""

from __future__ import annotations

import numpy as np

from rankgauge.active.board.pool import BoardPool
from rankgauge.active.selection import Selection
from rankgauge.numeric import FloatArray, IndexArray


def order(pool: BoardPool, relevant: FloatArray, most: int, rng: np.random.Generator) -> IndexArray:
    """The documents by the best rank that any run gives them, those of one rank at random."""
    return np.lexsort((rng.random(len(pool.documents)), pool.best_rank))


DEPTH = Selection(
    name="depth",
    title="Pooling to a depth: the first documents of every list, then the second, and so on",
    reference="Spärck Jones & van Rijsbergen, Report on the need for and provision of an ideal test collection, 1975",
    order=order,
).register()
