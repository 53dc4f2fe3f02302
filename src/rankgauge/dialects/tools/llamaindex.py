"""LlamaIndex, its retrieval metrics: hit_rate, mrr, precision, recall, ap and ndcg of whole lists."""

from rankgauge.dialects.dialect import Dialect, prints
from rankgauge.measures.output import FULL
from rankgauge.policies import ABOVE_ZERO, LEAVE_OUT, Duplicates, JudgedTwice, Ties

LLAMAINDEX = Dialect(
    name="llamaindex",
    title="LlamaIndex, retrieval metrics",
    reference="llama-index-core 0.14.25, evaluation/retrieval/metrics.py; pull requests 17126, 22683",
    differs=(
        "A list or a set of expected ids that is empty is an error (here the query is left out).",
        "The granular hit rate is R with every copy credited and the granular MRR the mean of 1/rank over what was "
        "found; neither is computed.",
    ),
    duplicates=Duplicates.COUNT_EACH,
    judged_twice=JudgedTwice.MAX,
    ties=Ties.INPUT,
    gain="binary",  # docid in expected_set
    rel=ABOVE_ZERO,
    readings={"nDCG": {"ideal_depth": "all"}},  # range(len(expected_ids)), however short the list is
    by_measure={
        "nDCG": {"judged_twice": JudgedTwice.EACH},  # an id that is expected twice is twice in the ideal
        "SetP": {"duplicates": Duplicates.FIRST},  # sets of ids
        "SetR": {"duplicates": Duplicates.FIRST},
    },
    empty=LEAVE_OUT,
    unanswered=LEAVE_OUT,
    printed=prints(
        {"hit_rate": "Success", "mrr": "RR", "precision": "SetP", "recall": "SetR", "ap": "AP", "ndcg": "nDCG"},
        number=FULL,
    ),
).register()
