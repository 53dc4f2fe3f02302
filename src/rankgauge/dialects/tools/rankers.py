"""What libraries of rankers report while they learn: LightGBM, XGBoost, CatBoost and Rax."""

from rankgauge.dialects.dialect import Dialect, listed, prints
from rankgauge.policies import Duplicates, FractionalGrade, IdealPool, MissingQuery, NegativeGrade, Ties

LIGHTGBM = Dialect(
    name="lightgbm",
    title="LightGBM 4, the ndcg metric of its rankers",
    reference="LightGBM 4.7, rank_metric.hpp and dcg_calculator.cpp",
    fractional=FractionalGrade.REFUSE,  # DCGCalculator::CheckLabel: "label should be int type"
    negative=NegativeGrade.REFUSE,  # DCGCalculator::CheckLabel: "Label should be non-negative"
    ties=Ties.INPUT,  # CalDCG: std::stable_sort by score
    ideal=IdealPool.RETRIEVED,  # a query's documents are those of the dataset: nothing is judged but not ranked
    gain="exp",  # DefaultLabelGain: 2^label − 1
    discount="log2",  # DCGCalculator::Init: 1 / log2(2 + position from 0)
    empty=1.0,  # NDCGMetric::Eval: inverse_max_dcgs_ <= 0 counts as 1
    missing=MissingQuery.SKIP,  # a query without documents is no part of a dataset
    # NDCGMetric::GetName; eval_at is 1, 2, 3, 4, 5 by default.
    printed=prints({f"ndcg@{k}": f"nDCG@{k}" for k in range(1, 6)}),
).register()

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
    printed=prints({"ndcg": "nDCG"}),  # ParseMetricName: without @k the whole list
).register()
"""`ndcg@10` is nDCG@10, and `ndcg@10-` the same with empty=0."""

CATBOOST = Dialect(
    name="catboost",
    title="CatBoost 1.2, its NDCG metric",
    reference="CatBoost 1.2, dcg.cpp",
    also=("nDCG@k", "nDCG(gain='exp')", "nDCG(gain='exp')@k"),  # top=, type=Exp
    negative=NegativeGrade.KEEP,  # CalcDcgSorted: the target is the gain, whatever its sign
    ties=Ties.WORST,  # CompareDocs: of equal predictions the lower target comes first
    ideal=IdealPool.RETRIEVED,  # a query's documents are those of the pool: nothing is judged but not ranked
    gain="linear",  # ENdcgMetricType::Base, the default
    discount="log2",  # ENdcgDenominatorType::LogPosition, the default: 1 / log2(2 + position from 0)
    empty=1.0,  # 1 where the ideal is 0, as 1.2.10 computes; CalcNdcg of early versions gave 0
    missing=MissingQuery.SKIP,  # a query without documents is no part of a pool
    printed=prints({"NDCG": "nDCG"}),  # top=-1, the default: the whole list
).register()
"""`NDCG:top=10` is nDCG@10, and `type=Exp` is gain=exp."""

RAX = listed(
    name="rax",
    title="Rax 0.4, metrics of lists",
    reference="rax 0.4.0, _src/metrics.py",
    duplicates=Duplicates.ROWS,  # every item of a list is one
    rel=1.0,
    single_arithmetic=True,
    ideal=IdealPool.RETRIEVED,  # the list holds all there is
    gain="exp",
    readings={"P": {"padded": False}},  # / items in the top n
    missing=MissingQuery.SKIP,
    printed=prints({"ndcg": "nDCG", "precision": "SetP", "recall": "SetR", "ap": "AP", "mrr": "RR"}),
    also=("nDCG@k", "P@k", "R@k", "AP@k", "RR@k"),  # topn=
).register()
