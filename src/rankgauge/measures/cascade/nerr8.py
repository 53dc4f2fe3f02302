"""NERR8: gain per document of a user whom good documents stop, to a depth."""

from rankgauge.measures.measure import OPEN, Cutoff, Example, Facts, Measure, TieRule
from rankgauge.measures.user_models import ReadsOn, lowest_grade, shorthands
from rankgauge.numeric import FloatArray


class NERR8(ReadsOn, Measure):
    """The gain per document of a user who stops at a document with the chance of its gain, and at rank k."""

    facts = Facts(
        title="Nearly expected reciprocal rank, equation 8",
        formula=r"\frac{\sum_r g_r \prod_{i<r} C_i}{\sum_r \prod_{i<r} C_i}, \quad "
        r"C_r = 1 - g_r",
        reference="Azzopardi, Mackenzie & Moffat, ERR is not C/W/L, ICTIR 2021 (equation 8)",
        cutoff=Cutoff.REQUIRED,
        graded=True,
        ties=TieRule.SAMPLED,
        examples=(
            Example("NERR8(max_grade=2)@2", (1, 2, 2), missed=(2,), value="(1/2 + 1/2 * 1) / (1 + 1/2)"),
            Example("NERR8(max_rel=4)@3", (None, 4, 4, 2), value="1 / (1 + 1)"),
        ),
    )
    shorthands = shorthands()

    cutoff: int = OPEN
    min_grade: float = lowest_grade()
    max_grade: float = OPEN

    def goes_on(self, ranks: FloatArray, gain: FloatArray, gained: FloatArray) -> FloatArray:
        return 1.0 - gain
