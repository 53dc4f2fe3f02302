"""Frameworks for retrieval-augmented generation: MLflow, LlamaIndex, Haystack, ragas, DeepEval, TruLens, Phoenix."""

from dataclasses import replace

from rankgauge.dialects.dialect import listed, prints
from rankgauge.policies import LEAVE_OUT, Duplicates, IdealPool, JudgedTwice

MLFLOW = listed(
    name="mlflow",
    title="MLflow 3, metrics of retrievers",
    reference="mlflow 3.17.2, metrics/metric_definitions.py; issues 24541 (short lists), 25965, 12361 (duplicates)",
    differs=(
        "It also prints the variance and the 90th percentile of the queries' values.",
        "A copy whose new id, such as d1_bc574ae_2, is that of another document counts as that document.",
    ),
    gain="binary",  # ids of relevant documents, no grades
    readings={
        "nDCG": {"ideal_depth": "list"},  # ndcg_score(k=len(retrieved)): the ideal ends where the list ends
        "P": {"padded": False},  # / len(retrieved)
    },
    by_measure={
        "nDCG": {"duplicates": Duplicates.ROWS, "vacant": 1.0},  # _expand_duplicate_retrieved_docs
        "R": {"duplicates": Duplicates.COUNT_ONCE, "vacant": 1.0},
    },
    printed=prints({"ndcg_at_3": "nDCG@3", "precision_at_3": "P@3", "recall_at_3": "R@3"}),
).register()

MLFLOW_2_9 = replace(
    MLFLOW,
    name="mlflow-2.9",
    title="MLflow 2.9 to 2.13, metrics of retrievers",
    reference="mlflow 2.9.2, metrics/metric_definitions.py; issue 12361",
    by_measure={**MLFLOW.by_measure, "nDCG": {"duplicates": Duplicates.ROWS_RELEVANT, "vacant": 1.0}},
).register()
"""MLflow 2.9 to 2.13: as MLflow 3, but in ndcg_at_k a copy of any document is relevant, of an irrelevant one too."""

LLAMAINDEX = listed(
    name="llamaindex",
    title="LlamaIndex, retrieval metrics",
    reference="llama-index-core 0.14.25, evaluation/retrieval/metrics.py; pull requests 17126, 22683",
    differs=(
        "A list or a set of expected ids that is empty is an error (here the query is left out).",
        "The granular hit rate is SetR with every copy and every expected id counted: --duplicates count-each "
        "--judged-twice each. The granular MRR, the mean of 1/rank over what was found, is not computed.",
    ),
    gain="binary",  # docid in expected_set
    readings={"nDCG": {"ideal_depth": "all"}},  # range(len(expected_ids)), however short the list is
    by_measure={
        "nDCG": {"judged_twice": JudgedTwice.EACH},  # an id that is expected twice is twice in the ideal
        "SetP": {"duplicates": Duplicates.FIRST},  # sets of ids
        "SetR": {"duplicates": Duplicates.FIRST},
    },
    empty=LEAVE_OUT,
    unanswered=LEAVE_OUT,
    printed=prints(
        {"hit_rate": "Success", "mrr": "RR", "precision": "SetP", "recall": "SetR", "ap": "AP", "ndcg": "nDCG"}
    ),
).register()

LLAMAINDEX_0_12_1 = replace(
    LLAMAINDEX,
    name="llamaindex-0.12.1",
    title="LlamaIndex until 0.12.1, retrieval metrics",
    reference="llama-index-core 0.12.1, evaluation/retrieval/metrics.py; issue 17070",
    readings={"nDCG": {"ideal_depth": "filled"}},  # idcg: range(1, len(retrieved_ids) + 1)
).register()
"""LlamaIndex until 0.12.1: as today, but ndcg's ideal has a relevant document in every place of the list."""

HAYSTACK = listed(
    name="haystack",
    title="Haystack 3, document evaluators",
    reference="haystack-ai 3.4.0, components/evaluators; pull requests 11959, 12255",
    differs=("Documents are compared by their content unless document_comparison_field says otherwise.",),
    duplicates=Duplicates.COUNT_ONCE,
    gain="linear",  # the score of the ground-truth document
    readings={"nDCG": {"ideal_depth": "all"}},  # calculate_idcg: every ground-truth document, no cutoff
    printed=prints(
        {"ndcg": "nDCG", "map": "AP", "mrr": "RR", "recall_multi_hit": "SetR", "recall_single_hit": "Success"}
    ),
).register()

HAYSTACK_2 = replace(
    HAYSTACK,
    name="haystack-2",
    title="Haystack until August 2026, document evaluators",
    reference="haystack-ai 2.10.0, components/evaluators; pull requests 11959, 12255",
    differs=("Recall of a query with nothing relevant is an error (here 0).",),
    duplicates=Duplicates.COUNT_EACH,
    readings={**HAYSTACK.readings, "AP": {"out_of": "found"}},  # average_precision / relevant_documents
    by_measure={
        "nDCG": {"judged_twice": JudgedTwice.EACH},
        "SetR": {"duplicates": Duplicates.FIRST, "judged_twice": JudgedTwice.EACH},
    },
).register()
"""Haystack 2, its document evaluators: MAP is divided by the relevant documents found, and every copy is credited."""

RAGAS = listed(
    name="ragas",
    title="ragas, context precision and recall",
    reference="ragas 0.4.3, metrics/_context_precision.py and _context_recall.py; issue 2909",
    differs=("Context precision divides by the hits plus 1e-10, so that a perfect list has 0.9999999999 (here 1).",),
    duplicates=Duplicates.COUNT_EACH,  # verdicts on every retrieved context
    readings={"AP": {"out_of": "found"}},  # / (sum(verdicts) + 1e-10)
    by_measure={
        "SetP": {"duplicates": Duplicates.FIRST, "unanswered": LEAVE_OUT},  # sets of ids; NaN if none was retrieved
        "SetR": {"duplicates": Duplicates.FIRST, "empty": LEAVE_OUT},  # NaN if nothing is relevant
    },
    printed=prints(
        {"id_based_context_precision": "SetP", "id_based_context_recall": "SetR", "context_precision": "AP"}
    ),
).register()

DEEPEVAL = listed(
    name="deepeval",
    title="DeepEval, contextual precision",
    reference="deepeval 4.3.1, metrics/contextual_precision/contextual_precision.py",
    differs=("strict_mode turns any value below 1 into 0.",),
    duplicates=Duplicates.COUNT_EACH,  # a verdict on every context
    readings={"AP": {"out_of": "found"}},
    printed=prints({"contextual_precision": "AP"}),
).register()

TRULENS = listed(
    name="trulens",
    title="TruLens 2, GroundTruthAgreement",
    reference="trulens-feedback 2.16.0, groundtruth.py; issue 2746, pull request 2747",
    differs=(
        "ndcg_at_k without a k ends the ideal where the list ends: ask for nDCG(ideal_depth='list').",
        "A golden chunk with expect_score 0 counts as relevant but in ndcg_at_k (here it does not).",
        "With relevance_scores, precision and recall take everything that is tied with the k-th chunk.",
    ),
    duplicates=Duplicates.COUNT_ONCE,
    judged_twice=JudgedTwice.FIRST,
    gain="linear",  # expect_score, 1 unless given
    readings={"P": {"padded": False}},  # / len(top k)
    by_measure={"P": {"duplicates": Duplicates.COUNT_EACH, "unanswered": LEAVE_OUT}},  # NaN if nothing was retrieved
    empty=LEAVE_OUT,  # NaN without golden chunks
    printed=prints(
        {"ndcg_at_3": "nDCG@3", "precision_at_3": "P@3", "recall_at_3": "R@3", "mrr": "RR", "ir_hit_rate": "Success@3"}
    ),
).register()

TRULENS_BEFORE_2747 = replace(
    TRULENS,
    name="trulens-before-2747",
    title="TruLens before August 2026, GroundTruthAgreement",
    reference="trulens-feedback 1.2.0 (all but ndcg_at_k); issue 2746: recall 2.0, ndcg 1.63",
    duplicates=Duplicates.COUNT_EACH,
    by_measure={},
).register()
"""TruLens before pull request 2747 of August 2026: recall_at_k and ndcg_at_k credit every copy of a chunk."""

PHOENIX = listed(
    name="phoenix",
    title="Arize Phoenix, RetrievalMetrics",
    reference="arize-phoenix, metrics/retrieval_metrics.py, read in its source",
    differs=("A span with an evaluation that is no number has no value.",),
    duplicates=Duplicates.ROWS,
    ideal=IdealPool.RETRIEVED,  # sklearn's ndcg_score on the evaluations of the retrieved documents
    printed=prints({"ndcg": "nDCG@10", "precision": "P@10", "reciprocal_rank": "RR", "hit": "Success"}),
    also=("nDCG",),
).register()
