"""LensKit 2025: NDCG whose first two ranks weigh the same, recall of at most n items, AP of at most the list."""

from rankgauge.dialects.dialect import Dialect, prints
from rankgauge.measures.output import FULL
from rankgauge.policies import ABOVE_ZERO, Duplicates, JudgedTwice, Ties

LENSKIT = Dialect(
    name="lenskit",
    title="LensKit 2025, metrics of ranked lists",
    reference="lenskit 2025.8.1, metrics/ranking",
    differs=(
        "AP of a user without test items is an error (here 0); RBP's persistence is 0.85: ask for RBP(p=0.85).",
        "With gain=, an item that the test data has twice has the sum of its gains.",
    ),
    duplicates=Duplicates.COUNT_EACH,
    judged_twice=JudgedTwice.EACH,
    ties=Ties.INPUT,
    gain="binary",
    discount="letor",  # 1 / log2(max(rank, 2))
    rel=ABOVE_ZERO,
    readings={
        "P": {"padded": False},  # / len(list)
        "R": {"out_of": "cutoff"},  # / min(n, test items)
        "AP": {"out_of": "list"},  # / min(test items, len(list))
    },
    empty=0.0,  # RunAnalysis fills NaN with 0
    printed=prints(
        {"NDCG": "nDCG", "AveragePrecision": "AP", "RecipRank": "RR", "Hit": "Success", "RBP": "RBP(p=0.85)"},
        number=FULL,
    ),
    also=("nDCG@k", "DCG", "DCG@k", "P@k", "R@k", "AP@k", "RR@k", "Success@k", "RBP@k"),
).register()
