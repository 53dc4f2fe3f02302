"""ragas, its context metrics: precision and recall by ids are SetP and SetR, context precision of verdicts is AP."""

from rankgauge.dialects.dialect import Dialect, prints
from rankgauge.measures.output import FULL
from rankgauge.policies import ABOVE_ZERO, LEAVE_OUT, Duplicates, JudgedTwice, Ties

RAGAS = Dialect(
    name="ragas",
    title="ragas, context precision and recall",
    reference="ragas 0.4.3, metrics/_context_precision.py and _context_recall.py; issue 2909",
    differs=("Context precision divides by the hits plus 1e-10, so that a perfect list has 0.9999999999 (here 1).",),
    duplicates=Duplicates.COUNT_EACH,  # verdicts on every retrieved context
    judged_twice=JudgedTwice.MAX,
    ties=Ties.INPUT,
    rel=ABOVE_ZERO,
    readings={"AP": {"out_of": "found"}},  # / (sum(verdicts) + 1e-10)
    by_measure={
        "SetP": {"duplicates": Duplicates.FIRST, "unanswered": LEAVE_OUT},  # sets of ids; NaN if none was retrieved
        "SetR": {"duplicates": Duplicates.FIRST, "empty": LEAVE_OUT},  # NaN if nothing is relevant
    },
    empty=0.0,
    printed=prints(
        {"id_based_context_precision": "SetP", "id_based_context_recall": "SetR", "context_precision": "AP"},
        number=FULL,
    ),
).register()
