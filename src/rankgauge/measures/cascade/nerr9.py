"""NERR9: as NERR8, by a user who tires."""

from rankgauge.measures.measure import OPEN, Cutoff, Example, Facts, Measure, TieRule
from rankgauge.measures.user_models import ReadsOn, lowest_grade, shorthands
from rankgauge.numeric import FloatArray


class NERR9(ReadsOn, Measure):
    """The gain per document of a user who tires with the rank, and stops at good documents and at rank k."""

    facts = Facts(
        title="Nearly expected reciprocal rank, equation 9",
        formula=r"\frac{\sum_r g_r \prod_{i<r} C_i}{\sum_r \prod_{i<r} C_i}, \quad "
        r"C_r = \frac{r}{r + 1}(1 - g_r)",
        reference="Azzopardi, Mackenzie & Moffat, ERR is not C/W/L, ICTIR 2021 (equation 9)",
        cutoff=Cutoff.REQUIRED,
        graded=True,
        ties=TieRule.SAMPLED,
        examples=(
            Example("NERR9(max_grade=2)@2", (1, 2, 2), missed=(2,), value="(1/2 + 1/4 * 1) / (1 + 1/4)"),
            Example("NERR9(max_rel=4)@3", (None, 4, 4, 2), value="(1/2) / (1 + 1/2)"),
        ),
    )
    shorthands = shorthands()

    cutoff: int = OPEN
    min_grade: float = lowest_grade()
    max_grade: float = OPEN

    def goes_on(self, ranks: FloatArray, gain: FloatArray, gained: FloatArray) -> FloatArray:
        return ranks / (ranks + 1.0) * (1.0 - gain)
