"""CatBoost 1.2, its NDCG metric: `NDCG:top=10` is nDCG@10, and `type=Exp` is gain=exp."""

from rankgauge.dialects.dialect import Dialect, prints
from rankgauge.measures.output import FULL
from rankgauge.policies import IdealPool, MissingQuery, NegativeGrade, Ties

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
    printed=prints({"NDCG": "nDCG"}, number=FULL),  # top=-1, the default: the whole list
).register()
