"""scikit-learn's ndcg_score and torchmetrics: `ndcg_score(k=10)`, `RetrievalNormalizedDCG(top_k=10)` are nDCG@10."""

from rankgauge.dialects.dialect import Dialect, prints
from rankgauge.policies import IdealPool, MissingQuery, NegativeGrade, Ties

SKLEARN = Dialect(
    name="sklearn",
    title="scikit-learn 1.9, its ndcg_score",
    reference="scikit-learn 1.9, sklearn.metrics.ndcg_score",
    also=("nDCG@k",),  # k=
    negative=NegativeGrade.REFUSE,  # "ndcg_score should not be used on negative y_true values"
    ties=Ties.EXPECTED,  # ignore_ties=False: _tie_averaged_dcg gives tied documents their mean gain
    fewest=2,  # "Computing NDCG is only meaningful when there is more than 1 document"
    ideal=IdealPool.RETRIEVED,  # y_true has the documents of y_score: nothing is judged but not ranked
    gain="linear",  # _dcg_sample_scores: y_true is the gain
    discount="log2",  # the same: 1 / log2(position from 0 + 2)
    empty=0.0,  # _ndcg_sample_scores: gain[all_irrelevant] = 0
    missing=MissingQuery.SKIP,  # a query is a row of scores
    printed=prints({"ndcg": "nDCG"}),  # k=None, the default: the whole list
).register()

TORCHMETRICS = Dialect(
    name="torchmetrics",
    title="torchmetrics 1.9, retrieval",
    reference="torchmetrics 1.9.0, torchmetrics/retrieval and torchmetrics/functional/retrieval",
    also=("AP@k", "RR@k", "nDCG@k", "P@k", "R@k", "Success@k", "FallOut", "FallOut@k"),  # top_k=
    differs=(
        "In AP, RR, P and R a document with a score of 0 or less never counts as relevant.",
        "Measures other than nDCG leave tied documents as torch sorts them, which is in no certain order.",
        "Numbers have 32 bits.",
    ),
    negative=NegativeGrade.KEEP,  # retrieval_normalized_dcg: target is the gain
    ties=Ties.EXPECTED,  # _tie_average_dcg gives tied documents their mean gain
    single_precision=True,  # preds.float()
    ideal=IdealPool.RETRIEVED,  # target has the documents of preds: nothing is judged but not ranked
    gain="linear",  # _dcg_sample_scores: target is the gain
    discount="log2",  # the same: 1 / log2(position from 0 + 2)
    readings={"AP": {"out_of": "found"}},  # retrieval_average_precision: the mean over the positions in the top k
    empty=0.0,  # empty_target_action='neg', the default
    missing=MissingQuery.SKIP,  # a query is an index of predictions
    printed=prints(
        {"RetrievalMAP": "AP", "RetrievalMRR": "RR", "RetrievalNormalizedDCG": "nDCG", "RetrievalPrecision": "SetP"}
        | {"RetrievalRecall": "SetR", "RetrievalHitRate": "Success", "RetrievalRPrecision": "Rprec"}
    ),
).register()
"""empty_target_action='pos' is empty=1, and 'skip' is empty=leave-out."""
