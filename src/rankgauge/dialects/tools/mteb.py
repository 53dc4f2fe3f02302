"""MTEB 2, retrieval: ndcg_at_10, map_at_10, recall_at_10, precision_at_10, hit_rate_at_10 and mrr_at_10.

All but mrr are pytrec_eval's.
"""

from dataclasses import replace

from rankgauge.dialects.dialect import prints
from rankgauge.dialects.tools.pytrec_eval import PYTREC_EVAL
from rankgauge.measures.output import python_rounded

CUTOFFS = (1, 3, 5, 10, 20, 100, 1000)
"""AbsTaskRetrieval: k_values."""

LABELS = {
    "ndcg": "nDCG",
    "map": "AP",
    "recall": "R",
    "precision": "P",
    "mrr": "RR",  # sorted by (score, id), reverse: ties as in pytrec_eval
    "hit_rate": "Success",
}

MTEB = replace(
    PYTREC_EVAL,
    name="mteb",
    title="MTEB 2, retrieval",
    reference="mteb 2.26, _evaluators/retrieval_metrics.py; Muennighoff et al., MTEB, EACL 2023",
    also=(),  # no more than it prints
    differs=("mrr_at_k compares scores of 64 bits, the others of 32; here all compare 32.",),
    printed=prints(
        {f"{label}_at_{k}": f"{name}@{k}" for label, name in LABELS.items() for k in CUTOFFS},
        number=python_rounded(5),
    ),
).register()
