"""XGBoost 3, its ndcg metric: `ndcg@10` is nDCG@10, and `ndcg@10-` the same with empty=0."""

from rankgauge.dialects.dialect import Dialect, prints
from rankgauge.measures.output import FULL
from rankgauge.policies import FractionalGrade, IdealPool, MissingQuery, NegativeGrade, Ties

XGBOOST = Dialect(
    name="xgboost",
    title="XGBoost 3, its ndcg metric",
    reference="XGBoost 3.2, rank_metric.cc and ranking_utils.h",
    also=("nDCG@k",),
    fractional=FractionalGrade.REFUSE,  # CheckNDCGLabels: label_is_integer
    negative=NegativeGrade.REFUSE,  # the same: a label is "either 0 or positive integer"
    ties=Ties.INPUT,  # MakeRankOnCPU: a stable sort by score
    single_precision=True,  # predictions are of type bst_float
    ideal=IdealPool.RETRIEVED,  # a query's documents are those of the DMatrix: nothing is judged but not ranked
    gain="exp",  # CalcDCGGain with ndcg_exp_gain, its default: 2^label − 1
    discount="log2",  # CalcDCGDiscount: 1 / log2(position from 0 + 2)
    empty=1.0,  # EvalNDCG: 1 where the ideal is 0; 0 where the metric's name ends in a minus
    missing=MissingQuery.SKIP,  # a query without documents is no part of a DMatrix
    printed=prints({"ndcg": "nDCG"}, number=FULL),  # ParseMetricName: without @k the whole list
).register()
