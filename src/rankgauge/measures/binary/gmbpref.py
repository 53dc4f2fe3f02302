"""GMBpref: binary preference, with a geometric mean over queries."""

from rankgauge.measures.binary.bpref import Bpref
from rankgauge.measures.measure import Aggregate, Example, Facts


class GMBpref(Bpref):
    """Binary preference whose mean over queries is geometric: it rewards a run that fails on no query.

    A query's value is its binary preference; the mean counts it as at least 0.00001.
    """

    facts = Facts(
        title="Geometric mean binary preference",
        formula=r"\exp \frac{1}{|Q|} \sum_{q \in Q} \ln \max(\mathrm{Bpref}_q, 10^{-5})",
        reference="trec_eval 9.0.8, gm_bpref",
        attains=True,
        ignores_unjudged=True,
        examples=(
            Example("GMBpref", (1, 0, 2, 0, 1, 1), value="((1 - 0/2) + (1 - 1/2) + (1 - 2/2) * 2) / 4"),
            Example("GMBpref(rel=2)", (1, None, 2, 0, 1, 3), missed=(1, 2), value="((1 - 1/3) + (1 - 3/3)) / 3"),
        ),
        aggregate=Aggregate.GEOMETRIC,
    )
