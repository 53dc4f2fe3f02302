"""mtf: move-to-front pooling, which reads a run as long as it gives relevant documents."""

from __future__ import annotations

import numpy as np

from rankgauge.active.selection import RunChoice, Selection, by_run
from rankgauge.numeric import BoolArray, FloatArray


class MoveToFront(RunChoice):
    """Priorities begin equal, and that of a run falls by 1 with each document of it that is not relevant."""

    def __init__(self, runs: int) -> None:
        super().__init__(runs)
        self._priority = np.zeros(runs)

    def priority(self) -> FloatArray:
        return self._priority

    def learn(self, run: int, holders: BoolArray, *, relevant: bool) -> None:
        self._priority[run] -= not relevant


MTF = Selection(
    name="mtf",
    title="Move-to-front pooling: a run is read as long as it gives relevant documents",
    reference="Cormack, Palmer & Clarke, Efficient construction of large test collections, SIGIR 1998",
    order=by_run(MoveToFront),
    unjudged="counts as not relevant until it is judged, so that runs take turns",
).register()
