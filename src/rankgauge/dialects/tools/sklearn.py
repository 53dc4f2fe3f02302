"""scikit-learn 1.9, its ndcg_score: `ndcg_score(k=10)` is nDCG@10."""

from rankgauge.dialects.dialect import Dialect, prints
from rankgauge.measures.output import FULL
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
    printed=prints({"ndcg": "nDCG"}, number=FULL),  # k=None, the default: the whole list
).register()
