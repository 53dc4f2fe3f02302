"""maxmean: the runs of a query are the arms of a bandit, and the one that did best so far gives the next document."""

from __future__ import annotations

import numpy as np

from rankgauge.active.selection import RunChoice, Selection, by_run
from rankgauge.numeric import BoolArray, FloatArray


class MaxMean(RunChoice):
    """The posterior mean of a run's chance of a relevant document: Beta(1, 1) before the first label.

    A label counts for every run that retrieves the document.
    """

    def __init__(self, runs: int) -> None:
        super().__init__(runs)
        self._relevant, self._judged = np.ones(runs), np.full(runs, 2.0)

    def priority(self) -> FloatArray:
        return np.asarray(self._relevant / self._judged)

    def learn(self, run: int, holders: BoolArray, *, relevant: bool) -> None:
        self._judged += holders
        if relevant:
            self._relevant += holders


MAXMEAN = Selection(
    name="maxmean",
    title="MaxMean: the next document of the run with the highest share of relevant ones so far",
    reference="Losada, Parapar & Barreiro, Feeling lucky? Multi-armed bandits for ordering judgements in pooling-based "
    "evaluation, SAC 2016",
    order=by_run(MaxMean),
    unjudged="counts as not relevant until it is judged, so that the run that was read least comes next",
).register()
