"""NERR10: as NERR8, by a user of some persistence."""

from dataclasses import field

from rankgauge.errors import ParameterError
from rankgauge.measures.measure import OPEN, Example, Facts, Measure, TieRule
from rankgauge.measures.user_models import ReadsOn, lowest_grade, shorthands
from rankgauge.numeric import FloatArray


class NERR10(ReadsOn, Measure):
    """The gain per document of a user who goes on with probability p, and less after good documents."""

    facts = Facts(
        title="Nearly expected reciprocal rank, equation 10",
        formula=r"\frac{\sum_r g_r \prod_{i<r} C_i}{\sum_r \prod_{i<r} C_i}, \quad "
        r"C_r = p\,(1 - g_r)",
        reference="Azzopardi, Mackenzie & Moffat, ERR is not C/W/L, ICTIR 2021 (equation 10)",
        graded=True,
        ties=TieRule.SAMPLED,
        examples=(
            Example("NERR10(p=0.5, max_grade=2)", (1, 2, 1), missed=(2,), value="(1/2 + 1/4 * 1) / (1 + 1/4)"),
            Example("NERR10(max_rel=4)", (None, 4), missed=(2,), value=".9 / (1 + .9)"),
        ),
    )
    shorthands = shorthands()

    p: float = field(default=0.9, metadata={"words": "how likely the user goes on after a document that gains nothing"})
    min_grade: float = lowest_grade()
    max_grade: float = OPEN

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.p < 1:
            raise ParameterError("NERR10", "p", "between 0 and 1", self.p)

    def goes_on(self, ranks: FloatArray, gain: FloatArray, gained: FloatArray) -> FloatArray:
        return self.p * (1.0 - gain)
