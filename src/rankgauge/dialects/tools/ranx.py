"""ranx 0.3: `evaluate(qrels, run, "ndcg@10")` is nDCG@10, `ndcg_burges@10` is nDCG(dcg='exp-log2')@10.

`-l2` after a name is rel=2. make_comparable=True is missing=zero.
"""

from rankgauge.dialects.dialect import Dialect, prints
from rankgauge.policies import FractionalGrade, MissingQuery, NegativeGrade, QueryOrder, Ties

RANX = Dialect(
    name="ranx",
    title="ranx 0.3",
    reference="ranx 0.3.21; Bassani, ranx: A blazing-fast Python library for ranking evaluation, ECIR 2022",
    # metrics.py: each name with @k too
    also=(
        *("HitCount@k", "Success@k", "P@k", "R@k", "F@k", "RR@k", "AP@k"),
        *("DCG@k", "DCG(dcg='exp-log2')@k", "nDCG@k", "nDCG(dcg='exp-log2')@k"),
    ),
    differs=(
        "Of a query whose documents were judged all alike, bpref divides by zero.",
        "A run with a query that nobody judged is refused.",
        "make_comparable=True (missing=zero) sorts lists that are sorted already once more: the order of tied "
        "documents is not reproduced then.",
    ),
    fractional=FractionalGrade.REFUSE,  # Qrels: grades are of type int64
    negative=NegativeGrade.ZERO,  # clean_qrels: only grades from rel_lvl on, 1 by default, are kept
    ties=Ties.QUICKSORT,  # sort_dict_by_value: Numba's argsort, which is not stable
    readings={"RBP": {"graded": True}},  # _rank_biased_precision: weighted_hit_list holds the grades
    missing=MissingQuery.REFUSE,  # check_keys: "Qrels and Run query ids do not match"
    query_order=QueryOrder.LEXICAL,  # sort_dict_by_key
    printed=prints(
        {"hits": "HitCount", "hit_rate": "Success", "precision": "SetP", "recall": "SetR", "f1": "SetF"}
        | {"r-precision": "Rprec", "mrr": "RR", "map": "AP", "dcg": "DCG", "dcg_burges": "DCG(dcg='exp-log2')"}
        | {"ndcg": "nDCG", "ndcg_burges": "nDCG(dcg='exp-log2')", "bpref": "Bpref", "rbp.95": "RBP(p=0.95)"}
    ),
).register()
