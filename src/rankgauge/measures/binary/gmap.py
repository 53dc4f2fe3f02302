"""GMAP: average precision, with a geometric mean over queries."""

from rankgauge.measures.binary.ap import AP
from rankgauge.measures.measure import Aggregate, Cutoff, Example, Facts


class GMAP(AP):
    """Average precision whose mean over queries is geometric: it rewards a run that fails on no query.

    A query's value is its average precision; the mean counts it as at least 0.00001.
    """

    facts = Facts(
        title="Geometric mean average precision",
        formula=r"\exp \frac{1}{|Q|} \sum_{q \in Q} \ln \max(AP_q, 10^{-5})",
        reference="Robertson, On GMAP and other transformations, CIKM 2006",
        cutoff=Cutoff.OPTIONAL,
        examples=(
            Example("GMAP", (1, 0, 2, None, 1), missed=(1,), value="(1/1 + 2/3 + 3/5) / 4"),
            Example("GMAP(rel=2)@3", (1, 2, 0, 2), missed=(2,), value="(1/2) / 3"),
        ),
        aggregate=Aggregate.GEOMETRIC,
    )
