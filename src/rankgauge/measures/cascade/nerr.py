"""nERR: expected reciprocal rank against the ideal order's."""

from rankgauge.measures.cascade.err import ERR
from rankgauge.measures.forms import Form
from rankgauge.measures.measure import Cutoff, Example, Facts
from rankgauge.numeric import FloatArray
from rankgauge.ranking import RankedLists, total


class nERR(ERR):
    """Expected reciprocal rank, divided by that of the ideal order of the judged documents."""

    facts = Facts(
        title="Normalised expected reciprocal rank",
        formula=r"\frac{\mathrm{ERR}@k}{\mathrm{ERR}^*@k}",
        reference="Clarke, Craswell, Soboroff & Ashkan, A comparative analysis of cascade measures for novelty and "
        "diversity, WSDM 2011",
        cutoff=Cutoff.OPTIONAL,
        graded=True,
        attains=True,
        examples=(
            Example(
                "nERR@2", (1, 3, 4), missed=(2,), value="(1/16 + (15/16) * (7/16) / 2) / (15/16 + (1/16) * (7/16) / 2)"
            ),
            Example("nERR(max_grade=2)", (None, 2), missed=(1,), value="((3/4) / 2) / (3/4 + (1/4) * (1/4) / 2)"),
        ),
    )

    def form(self) -> Form | None:
        return None  # the ideal order depends on all grades at once

    def numerator(self) -> Form | None:
        return super().form()

    def ideal(self) -> Form | None:
        return super().form()

    def divisor(self, lists: RankedLists) -> FloatArray:
        return total(self.amounts(lists.ideal_order()))
