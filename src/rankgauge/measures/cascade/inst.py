"""INST: gain per document of a user who goes on until the wanted gain is near."""

from rankgauge.measures.measure import OPEN, Example, Facts, Measure, TieRule
from rankgauge.measures.user_models import ReadsOn, check_gain, lowest_grade, shorthands, wanted_gain
from rankgauge.numeric import FloatArray


class INST(ReadsOn, Measure):
    """The gain per document of a user who wants a total gain of T: the less is lacking, the likelier the user stops.

    Users read 1,000 documents at most, as in cwl_eval.
    """

    facts = Facts(
        title="INST",
        formula=r"\frac{\sum_r g_r \prod_{i<r} C_i}{\sum_r \prod_{i<r} C_i}, \quad "
        r"C_r = \left(\frac{r + T + T_r - 1}{r + T + T_r}\right)^2, \quad T_r = T - \sum_{i \le r} g_i",
        reference="Moffat, Bailey, Scholer & Thomas, INST: an adaptive metric for information retrieval evaluation, "
        "ADCS 2015",
        graded=True,
        ties=TieRule.SAMPLED,
        examples=(
            Example("INST(max_grade=1)", (1, None), missed=(1,), value="1 / sum(1 / r**2 for r in range(1, 1001))"),
            Example(
                "INST(T=2, max_rel=2)",
                (1, 2),
                missed=(2,),
                value="(1/2 + (3.5/4.5)**2) / (1 + (3.5/4.5)**2 * sum((3.5 / (r + 1.5))**2 for r in range(2, 1001)))",
            ),
        ),
    )
    shorthands = shorthands()

    T: float = wanted_gain()
    min_grade: float = lowest_grade()
    max_grade: float = OPEN

    def __post_init__(self) -> None:
        super().__post_init__()
        check_gain("INST", self.T)

    def goes_on(self, ranks: FloatArray, gain: FloatArray, gained: FloatArray) -> FloatArray:
        return ((ranks + 2.0 * self.T - gained - 1.0) / (ranks + 2.0 * self.T - gained)) ** 2
