"""Libraries of recommenders: Microsoft's recommenders, LensKit, implicit, RecBole, Evidently, ignite."""

from rankgauge.dialects.dialect import Dialect, listed, prints
from rankgauge.measures.output import python_rounded
from rankgauge.policies import ABOVE_ZERO, LEAVE_OUT, Duplicates, IdealPool, JudgedTwice, MissingQuery, Ties

RECOMMENDERS = Dialect(
    name="recommenders",
    title="Microsoft recommenders, python_evaluation",
    reference="recommenders 1.2.1, evaluation/python_evaluation.py; issues 1749, 2309",
    differs=(
        "Items that a list or the truth holds twice are multiplied by a merge: NDCG may be 3 (here they are an error).",
        "map is AP at k over all relevant items; r_precision is Rprec with depth=k, over users with a hit.",
    ),
    ties=Ties.INPUT,
    gain="binary",  # score_type; raw is linear, exp is exp
    discount="ln",  # discfun loge
    rel=ABOVE_ZERO,
    readings={"AP": {"out_of": "cutoff"}},  # map_at_k
    by_measure={name: {"unanswered": LEAVE_OUT} for name in ("P", "R", "AP")},  # users that both frames have
    empty=LEAVE_OUT,  # not a user of the truth
    printed=prints({"precision_at_k": "P@10", "recall_at_k": "R@10", "ndcg_at_k": "nDCG@10", "map_at_k": "AP@10"}),
).register()

LENSKIT = listed(
    name="lenskit",
    title="LensKit 2025, metrics of ranked lists",
    reference="lenskit 2025.8.1, metrics/ranking",
    differs=(
        "AP of a user without test items is an error (here 0); RBP's persistence is 0.85: ask for RBP(p=0.85).",
        "With gain=, an item that the test data has twice has the sum of its gains.",
    ),
    judged_twice=JudgedTwice.EACH,
    gain="binary",
    discount="letor",  # 1 / log2(max(rank, 2))
    readings={
        "P": {"padded": False},  # / len(list)
        "R": {"out_of": "cutoff"},  # / min(n, test items)
        "AP": {"out_of": "list"},  # / min(test items, len(list))
    },
    empty=0.0,  # RunAnalysis fills NaN with 0
    printed=prints(
        {"NDCG": "nDCG", "AveragePrecision": "AP", "RecipRank": "RR", "Hit": "Success", "RBP": "RBP(p=0.85)"}
    ),
    also=("nDCG@k", "DCG", "DCG@k", "P@k", "R@k", "AP@k", "RR@k", "Success@k", "RBP@k"),
).register()

IMPLICIT = listed(
    name="implicit",
    title="implicit, ranking_metrics_at_k",
    reference="implicit 0.7.3, evaluation.pyx; issues 158, 412, 713",
    differs=(
        "precision is the sum of hits over the sum of min(K, R) of all users (here the mean of the users' shares).",
        "auc depends on the size of the catalogue and is not computed.",
    ),
    gain="binary",
    readings={"AP": {"out_of": "cutoff"}},
    empty=LEAVE_OUT,  # users without test items are skipped
    printed=prints({"precision": "RelativeP@10", "map": "AP@10", "ndcg": "nDCG@10"}),
).register()

RECBOLE = listed(
    name="recbole",
    title="RecBole, top-k metrics",
    reference="recbole 1.2.1, evaluator/metrics.py",
    gain="binary",
    readings={"AP": {"out_of": "cutoff"}},
    empty=LEAVE_OUT,  # users without positives are not evaluated
    printed=prints(
        {"recall": "R@10", "mrr": "RR@10", "ndcg": "nDCG@10", "hit": "Success@10", "precision": "P@10", "map": "AP@10"},
        number=python_rounded(4),
    ),
).register()

EVIDENTLY = listed(
    name="evidently",
    title="Evidently, ranking metrics",
    reference="evidently 0.7.23, legacy/calculations/recommender_systems.py",
    differs=(
        "The report labels NDCG and MRR one rank too high: 4 is the value at 3.",
        "MAP at k past the end of a list counts the last row again, and rows out of rank order give another MAP.",
        "Tied rows have the whole part of their mean rank.",
    ),
    duplicates=Duplicates.ROWS,  # every row is an item
    ideal=IdealPool.RETRIEVED,
    gain="linear",  # target
    readings={"P": {"padded": False}},
    empty=LEAVE_OUT,  # no_feedback_users=False
    missing=MissingQuery.SKIP,
    printed=prints(
        {"PrecisionTopK": "P@10", "RecallTopK": "R@10", "NDCG": "nDCG@10"}
        | {"MRR": "RR@10", "HitRate": "Success@10", "MAP": "AP@10"}
    ),
).register()

IGNITE = listed(
    name="ignite",
    title="PyTorch Ignite, metrics of recommenders",
    reference="pytorch-ignite 0.5.5, metrics/rec_sys",
    differs=("A grade below relevance_threshold (1) gains nothing; here a grade between 0 and 1 gains 2^g − 1.",),
    duplicates=Duplicates.ROWS,
    rel=1.0,  # relevance_threshold
    single_arithmetic=True,
    ideal=IdealPool.RETRIEVED,  # of the row of scores and grades
    gain="exp",  # relevance_type; linear_rank is linear
    empty=LEAVE_OUT,  # ignore_zero_hits
    missing=MissingQuery.SKIP,
    printed=prints({"NDCG": "nDCG@10", "HitRate": "Success@10"}),
    also=("nDCG",),
).register()
