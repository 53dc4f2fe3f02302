"""BEIR 2, its `EvaluateRetrieval.evaluate_custom`: MRR@k and Accuracy@k, which is Success@k here.

Other than NDCG, MAP, Recall and P of BEIR, they keep tied documents in the order of the run, and count judged queries
that the run does not answer.
"""

from rankgauge.dialects.dialect import Dialect, prints
from rankgauge.dialects.tools.beir import CUTOFFS
from rankgauge.measures.output import python_rounded
from rankgauge.policies import ABOVE_ZERO, MissingQuery, Ties

BEIR_MRR = Dialect(
    name="beir-mrr",
    title="BEIR 2, EvaluateRetrieval.evaluate_custom: MRR and Accuracy",
    reference="beir 2.2.0, retrieval/custom_metrics.py; Thakur et al., BEIR, NeurIPS Datasets and Benchmarks 2021",
    ties=Ties.INPUT,  # sorted(doc_scores.items(), key=lambda item: item[1], reverse=True), which is stable
    rel=ABOVE_ZERO,  # qrels[query_id][doc_id] > 0
    missing=MissingQuery.ZERO,  # the sum over the run's queries is divided by len(qrels)
    printed=prints(
        {f"{label}@{k}": f"{name}@{k}" for label, name in (("MRR", "RR"), ("Accuracy", "Success")) for k in CUTOFFS},
        number=python_rounded(5),
    ),
).register()
