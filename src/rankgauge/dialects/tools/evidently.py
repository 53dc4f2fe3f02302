"""Evidently, its ranking metrics: of the rows of users and items alone, so that what has no row is not missed."""

from rankgauge.dialects.dialect import Dialect, prints
from rankgauge.measures.output import FULL
from rankgauge.policies import ABOVE_ZERO, LEAVE_OUT, Duplicates, IdealPool, JudgedTwice, MissingQuery, Ties

EVIDENTLY = Dialect(
    name="evidently",
    title="Evidently, ranking metrics",
    reference="evidently 0.7.23, legacy/calculations/recommender_systems.py",
    differs=(
        "The report labels NDCG and MRR one rank too high: 4 is the value at 3.",
        "MAP at k past the end of a list counts the last row again, and rows out of rank order give another MAP.",
        "Tied rows have the whole part of their mean rank.",
    ),
    duplicates=Duplicates.ROWS,  # every row is an item
    judged_twice=JudgedTwice.MAX,
    ties=Ties.INPUT,
    ideal=IdealPool.RETRIEVED,
    gain="linear",  # target
    rel=ABOVE_ZERO,
    readings={"P": {"padded": False}},
    empty=LEAVE_OUT,  # no_feedback_users=False
    missing=MissingQuery.SKIP,
    printed=prints(
        {
            "PrecisionTopK": "P@10",
            "RecallTopK": "R@10",
            "NDCG": "nDCG@10",
            "MRR": "RR@10",
            "HitRate": "Success@10",
            "MAP": "AP@10",
        },
        number=FULL,
    ),
).register()
