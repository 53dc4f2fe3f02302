"""ERR: expected reciprocal rank."""

from rankgauge.measures.forms import Form, Shape
from rankgauge.measures.gains import STOPS, reciprocal, stop_probability
from rankgauge.measures.measure import OPEN, Cutoff, Example, Facts, Measure, choice
from rankgauge.numeric import FloatArray
from rankgauge.ranking import RankedLists


class ERR(Measure):
    """The expected reciprocal of the rank at which a user stops, if a document of grade g satisfies the user with
    probability (2^g − 1) / 2^max_grade.

    The Graded Mean Reciprocal Rank of ROMIP 2010 is ERR(max_grade=3). A grade above the scale is refused, unless `stop`
    applies the formula as is ('formula') or to the grade's whole part ('whole'), as Yahoo and RankLib do.
    """

    facts = Facts(
        title="Expected reciprocal rank",
        formula=r"\sum_{r=1}^{k} \frac{1}{r}\, p_r \prod_{i<r} (1 - p_i), \quad p = \frac{2^g - 1}{2^{g_{max}}}",
        reference="Chapelle, Metzler, Zhang & Grinspan, Expected reciprocal rank for graded relevance, CIKM 2009",
        cutoff=Cutoff.OPTIONAL,
        graded=True,
        examples=(
            Example("ERR@3", (1, None, 3, 4), missed=(4,), value="1/16 + (15/16) * (7/16) / 3"),
            Example("ERR(max_grade=2)", (0, 2, 1), value="(3/4) / 2 + (1/4) * (1/4) / 3"),
            Example(
                "ERR(max_grade=4, stop='formula')@2", (5, 2, 1), missed=(3,), value="31/16 + (1 - 31/16) * (3/16) / 2"
            ),
            Example("ERR(max_grade=4, stop='whole')", (2.5, 1), value="3/16 + (13/16) * (1/16) / 2"),
        ),
    )
    cutoff: int | None = None
    max_grade: float = OPEN
    stop: str | None = choice("rule for stopping", STOPS)

    def form(self) -> Form | None:
        return Form(shape=Shape.CASCADE, worth=self._stops, weight=reciprocal, cutoff=self.cutoff)

    def _stops(self, lists: RankedLists) -> FloatArray:
        return stop_probability(lists, self.max_grade, self.stop)
