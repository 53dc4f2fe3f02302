"""trec_eval 10, the successor of trec_eval 9 at the TREC conference."""

from dataclasses import replace

from rankgauge.dialects.tools.trec_eval import TREC_EVAL
from rankgauge.measures import Listed, resolve
from rankgauge.measures.trec_names import NAMES
from rankgauge.policies import MissingQuery

TREC_EVAL_10 = replace(
    TREC_EVAL,
    name="trec_eval-10",
    title="trec_eval 10, the TREC conference's own tool",
    reference="trec_eval 10.0, National Institute of Standards and Technology",
    also=tuple(entry.measure for entry in NAMES.values()),  # measures.c: te_trec_measures
    single_precision=False,  # TEXT_RESULTS.sim is a double
    readings={
        **TREC_EVAL.readings,
        "IPrec": {"rounding": "nearest"},  # m_iprec_at_recall: lround (level * num_rel)
        "IPrecAvg": {"rounding": "nearest"},  # m_11pt_avg: the same
    },
    printed=Listed(lambda: resolve(["all_trec", "rbp", "rbp_resid", "unj"])),  # measures.c: te_trec_measures
    missing=MissingQuery.REFUSE,  # main: without -c a judged topic that the run lacks ends the program
    lists_missing=True,  # main: with -c a missing topic has a line for each measure
).register()
