"""BEIR 2, its `EvaluateRetrieval.evaluate`: NDCG@k, MAP@k, Recall@k and P@k by pytrec_eval.

MRR@k is computed otherwise: see beir-mrr.
"""

from dataclasses import replace

from rankgauge.dialects.dialect import prints
from rankgauge.dialects.tools.pytrec_eval import PYTREC_EVAL
from rankgauge.measures.output import python_rounded

CUTOFFS = (1, 3, 5, 10, 100, 1000)
"""EvaluateRetrieval: k_values."""

BEIR = replace(
    PYTREC_EVAL,
    name="beir",
    title="BEIR 2, EvaluateRetrieval.evaluate",
    reference="beir 2.2.0, retrieval/evaluation.py; Thakur et al., BEIR, NeurIPS Datasets and Benchmarks 2021",
    also=(),  # no more than it prints
    differs=("Documents that have the id of their query are taken out of the run first (ignore_identical_ids).",),
    # The mean is over len(scores), the queries that are in the run and in the qrels: missing=skip, as in pytrec_eval.
    printed=prints(
        {
            f"{label}@{k}": f"{name}@{k}"
            for label, name in (("NDCG", "nDCG"), ("MAP", "AP"), ("Recall", "R"), ("P", "P"))
            for k in CUTOFFS
        },
        number=python_rounded(5),
    ),
).register()
