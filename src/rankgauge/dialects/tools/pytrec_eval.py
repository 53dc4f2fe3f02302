"""pytrec_eval 0.5, trec_eval's code as a Python library: `RelevanceEvaluator(qrels, {"ndcg"}, relevance_level=2)`.

relevance_level=2 is rel=2, and judged_docs_only_flag=1 is unjudged=skip. pytrec_eval gives a value for each query; the
mean is its caller's, usually over the queries that it returned.

BEIR and MTEB compute all by it but what their own docstrings say.
"""

from dataclasses import replace

from rankgauge.dialects.dialect import Dialect, at_cutoffs, prints
from rankgauge.dialects.tools.trec_eval import TREC_EVAL
from rankgauge.measures import Listed, resolve
from rankgauge.measures.output import FULL, python_rounded
from rankgauge.policies import ABOVE_ZERO, FractionalGrade, MissingQuery, QueryOrder, Ties

PYTREC_EVAL = replace(
    TREC_EVAL,
    name="pytrec_eval",
    title="pytrec_eval 0.5, trec_eval's code as a Python library",
    reference="pytrec_eval-terrier 0.5.11, pytrec_eval.cpp; Van Gysel & de Rijke, SIGIR 2018",
    fractional=FractionalGrade.REFUSE,  # "Expected relevance to be integer."
    missing=MissingQuery.SKIP,  # evaluate: a query has a value if it is in the run and in the qrels
    query_order=QueryOrder.APPEARANCE,  # a dict of queries
    printed=Listed(lambda: (replace(one, number=FULL) for one in resolve(["all_trec"]))),
).register()

BEIR_CUTOFFS = (1, 3, 5, 10, 100, 1000)
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
        at_cutoffs(BEIR_CUTOFFS, {"NDCG@": "nDCG", "MAP@": "AP", "Recall@": "R", "P@": "P"}), python_rounded(5)
    ),
).register()

BEIR_MRR = Dialect(
    name="beir-mrr",
    title="BEIR 2, EvaluateRetrieval.evaluate_custom: MRR and Accuracy",
    reference="beir 2.2.0, retrieval/custom_metrics.py; Thakur et al., BEIR, NeurIPS Datasets and Benchmarks 2021",
    ties=Ties.INPUT,  # sorted(doc_scores.items(), key=lambda item: item[1], reverse=True), which is stable
    rel=ABOVE_ZERO,  # qrels[query_id][doc_id] > 0
    missing=MissingQuery.ZERO,  # the sum over the run's queries is divided by len(qrels)
    printed=prints(at_cutoffs(BEIR_CUTOFFS, {"MRR@": "RR", "Accuracy@": "Success"}), python_rounded(5)),
).register()
"""BEIR 2, its `EvaluateRetrieval.evaluate_custom`: MRR@k and Accuracy@k, which is Success@k here.

Other than NDCG, MAP, Recall and P of BEIR, they keep tied documents in the order of the run, and count judged queries
that the run does not answer."""

LABELS = {
    **{"ndcg_at_": "nDCG", "map_at_": "AP", "recall_at_": "R", "precision_at_": "P"},
    "mrr_at_": "RR",  # sorted by (score, id), reverse: ties as in pytrec_eval
    "hit_rate_at_": "Success",
}

MTEB = replace(
    PYTREC_EVAL,
    name="mteb",
    title="MTEB 2, retrieval",
    reference="mteb 2.26, _evaluators/retrieval_metrics.py; Muennighoff et al., MTEB, EACL 2023",
    also=(),  # no more than it prints
    differs=("mrr_at_k compares scores of 64 bits, the others of 32; here all compare 32.",),
    printed=prints(at_cutoffs((1, 3, 5, 10, 20, 100, 1000), LABELS), python_rounded(5)),  # AbsTaskRetrieval: k_values
).register()
"""ndcg_at_10, map_at_10, recall_at_10, precision_at_10, hit_rate_at_10 and mrr_at_10: all but mrr are pytrec_eval's."""
