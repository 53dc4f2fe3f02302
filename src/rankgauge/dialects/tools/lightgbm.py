"""LightGBM 4, the ndcg metric of its rankers."""

from rankgauge.dialects.dialect import Dialect, prints
from rankgauge.measures.output import FULL
from rankgauge.policies import FractionalGrade, IdealPool, MissingQuery, NegativeGrade, Ties

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
    printed=prints({f"ndcg@{k}": f"nDCG@{k}" for k in range(1, 6)}, number=FULL),
).register()
