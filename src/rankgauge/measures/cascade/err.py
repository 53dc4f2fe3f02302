"""ERR: expected reciprocal rank, and against the ideal order's."""

from functools import partial

from rankgauge.measures.forms import Form, Shape
from rankgauge.measures.gains import STOPS, reciprocal, stop_probability
from rankgauge.measures.measure import OPEN, Facts, Measure, choice, read_examples
from rankgauge.numeric import FloatArray
from rankgauge.ranking import RankedLists, total


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
        graded=True,
        examples=read_examples("""
            ERR@3 of 1 - 3 4 | 4 = 1/16 + (15/16) * (7/16) / 3
            ERR(max_grade=2) of 0 2 1 = (3/4) / 2 + (1/4) * (1/4) / 3
            ERR(max_grade=4, stop='formula')@2 of 5 2 1 | 3 = 31/16 + (1 - 31/16) * (3/16) / 2
            ERR(max_grade=4, stop='whole') of 2.5 1 = 3/16 + (13/16) * (1/16) / 2
        """),
    )
    cutoff: int | None = None
    max_grade: float = OPEN
    stop: str | None = choice("rule for stopping", STOPS)

    def form(self) -> Form | None:
        stops = partial(stop_probability, max_grade=self.max_grade, rule=self.stop)
        return Form(shape=Shape.CASCADE, worth=stops, weight=reciprocal, cutoff=self.cutoff)


class nERR(ERR):
    """Expected reciprocal rank, divided by that of the ideal order of the judged documents."""

    facts = Facts(
        title="Normalised expected reciprocal rank",
        formula=r"\frac{\mathrm{ERR}@k}{\mathrm{ERR}^*@k}",
        reference="Clarke, Craswell, Soboroff & Ashkan, A comparative analysis of cascade measures for novelty and "
        "diversity, WSDM 2011",
        graded=True,
        attains=True,
        examples=read_examples("""
            nERR@2 of 1 3 4 | 2 = (1/16 + (15/16) * (7/16) / 2) / (15/16 + (1/16) * (7/16) / 2)
            nERR(max_grade=2) of - 2 | 1 = ((3/4) / 2) / (3/4 + (1/4) * (1/4) / 2)
        """),
    )

    def form(self) -> Form | None:
        return None  # the ideal order depends on all grades at once

    def numerator(self) -> Form | None:
        return super().form()

    def ideal(self) -> Form | None:
        return super().form()

    def divisor(self, lists: RankedLists) -> FloatArray:
        return total(self.amounts(lists.ideal_order()))
