"""BPM: gain per document of a user who stops with enough gain, or at rank k."""

import numpy as np

from rankgauge.measures.measure import OPEN, Cutoff, Example, Facts, Measure, TieRule
from rankgauge.measures.user_models import ReadsOn, check_gain, lowest_grade, shorthands, wanted_gain
from rankgauge.numeric import FloatArray


class BPM(ReadsOn, Measure):
    """The gain per document of a user who reads until the gain is T, but no further than rank k."""

    facts = Facts(
        title="Bejewelled player model",
        formula=r"\frac{\sum_r g_r \prod_{i<r} C_i}{\sum_r \prod_{i<r} C_i}, \quad "
        r"C_r = [\sum_{i \le r} g_i < T]",
        reference="Zhang, Liu, Li, Zhang, Xu & Ma, Evaluating web search with a Bejeweled player model, SIGIR 2017 "
        "(static)",
        cutoff=Cutoff.REQUIRED,
        graded=True,
        improves=False,  # a better document higher up may be enough, and the user misses a still better one
        better=True,
        ties=TieRule.SAMPLED,
        examples=(
            Example("BPM(max_grade=2)@5", (1, None, 2, 2), missed=(2,), value="(1/2 + 1) / 3"),
            Example("BPM(T=2, max_rel=2)@2", (1, 2, 2), value="(1/2 + 1) / 2"),
        ),
    )
    shorthands = shorthands()

    cutoff: int = OPEN
    T: float = wanted_gain()
    min_grade: float = lowest_grade()
    max_grade: float = OPEN

    def __post_init__(self) -> None:
        super().__post_init__()
        check_gain("BPM", self.T)

    def goes_on(self, ranks: FloatArray, gain: FloatArray, gained: FloatArray) -> FloatArray:
        return (gained < self.T).astype(np.float64)
