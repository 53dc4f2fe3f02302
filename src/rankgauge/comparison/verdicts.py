"""The words for a pair of runs: better, worse, open, equal, cannot tell."""

from __future__ import annotations

from enum import Enum

import numpy as np

from rankgauge.measures import Measure
from rankgauge.numeric import BoolArray, FloatArray


class PairVerdict(Enum):
    """What a test says of the first run of a pair."""

    BETTER = "better"
    WORSE = "worse"
    HIGHER = "higher"  # for a measure of which more is not better
    LOWER = "lower"
    OPEN = "open"  # the difference may be luck
    EQUAL = "equal"  # no query tells them apart
    UNTOLD = "cannot tell"  # too little is judged, or one run much less than the other


def verdicts(
    measure: Measure, mean: FloatArray, separated: BoolArray, alike: BoolArray, untold: BoolArray | None = None
) -> list[str]:
    """The word for each pair; `untold` are those that may be separated only because documents are not judged."""
    better = (PairVerdict.BETTER, PairVerdict.WORSE)
    up, down = better if measure.facts.more_is_better else (PairVerdict.HIGHER, PairVerdict.LOWER)
    words = np.where(separated, np.where(mean > 0, up.value, down.value), PairVerdict.OPEN.value)
    words = words if untold is None else np.where(untold, PairVerdict.UNTOLD.value, words)
    return [str(word) for word in np.where(alike, PairVerdict.EQUAL.value, words)]
