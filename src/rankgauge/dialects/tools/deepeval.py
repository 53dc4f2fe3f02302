"""DeepEval, its contextual precision: AP over the relevant contexts that were retrieved."""

from rankgauge.dialects.dialect import Dialect, prints
from rankgauge.measures.output import FULL
from rankgauge.policies import ABOVE_ZERO, Duplicates, JudgedTwice, Ties

DEEPEVAL = Dialect(
    name="deepeval",
    title="DeepEval, contextual precision",
    reference="deepeval 4.3.1, metrics/contextual_precision/contextual_precision.py",
    differs=("strict_mode turns any value below 1 into 0.",),
    duplicates=Duplicates.COUNT_EACH,  # a verdict on every context
    judged_twice=JudgedTwice.MAX,
    ties=Ties.INPUT,
    rel=ABOVE_ZERO,
    readings={"AP": {"out_of": "found"}},
    empty=0.0,
    printed=prints({"contextual_precision": "AP"}, number=FULL),
).register()
