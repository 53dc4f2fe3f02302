"""NERR11: as NERR8, by a user who wants some gain."""

from rankgauge.measures.measure import OPEN, Example, Facts, Measure, TieRule
from rankgauge.measures.user_models import ReadsOn, check_gain, lowest_grade, shorthands, wanted_gain
from rankgauge.numeric import FloatArray


class NERR11(ReadsOn, Measure):
    """The gain per document of a user who wants a total gain of T, and goes on less after good documents."""

    facts = Facts(
        title="Nearly expected reciprocal rank, equation 11",
        formula=r"\frac{\sum_r g_r \prod_{i<r} C_i}{\sum_r \prod_{i<r} C_i}, \quad "
        r"C_r = \left(\frac{r + 2T - 1}{r + 2T}\right)^2 (1 - g_r)",
        reference="Azzopardi, Mackenzie & Moffat, ERR is not C/W/L, ICTIR 2021 (equation 11)",
        graded=True,
        ties=TieRule.SAMPLED,
        examples=(
            Example(
                "NERR11(max_grade=2)", (1, 2, 1), missed=(2,), value="(1/2 + (2/3)**2 * 1/2) / (1 + (2/3)**2 * 1/2)"
            ),
            Example("NERR11(T=2, max_rel=4)", (None, 4), missed=(2,), value="(4/5)**2 / (1 + (4/5)**2)"),
        ),
    )
    shorthands = shorthands()

    T: float = wanted_gain()
    min_grade: float = lowest_grade()
    max_grade: float = OPEN

    def __post_init__(self) -> None:
        super().__post_init__()
        check_gain("NERR11", self.T)

    def goes_on(self, ranks: FloatArray, gain: FloatArray, gained: FloatArray) -> FloatArray:
        return ((ranks + 2.0 * self.T - 1.0) / (ranks + 2.0 * self.T)) ** 2 * (1.0 - gain)
