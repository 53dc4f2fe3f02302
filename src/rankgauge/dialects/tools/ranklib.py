"""RankLib 2.1, the learning-to-rank library of the Lemur project.

It ranks by a model's scores or by a feature, numbers of 32 bits, and prints one measure at a time; `-m all` is what
people ask it for.
"""

from rankgauge.dialects.dialect import Dialect, prints
from rankgauge.measures.output import java_rounded
from rankgauge.policies import ABOVE_ZERO, Duplicates, Grouping, IdealPool, NegativeGrade, Ties

RANKLIB = Dialect(
    name="ranklib",
    title="RankLib 2.1, the learning-to-rank library of the Lemur project",
    reference="Dang, RankLib 2.1, The Lemur Project, 2012",
    duplicates=Duplicates.ROWS,  # each line is a document
    grouping=Grouping.CHANGE,  # readInput: a new list begins where the query id is not that of the line before
    extra_scores=True,  # it reads no file of scores, so a surplus cannot stop it
    negative=NegativeGrade.KEEP,  # 2^label − 1 of a label below 0 is a negative gain
    ties=Ties.INPUT,  # MergeSorter.sort is stable
    single_precision=True,  # feature values are floats
    ideal=IdealPool.RETRIEVED,  # every document of a list has a label
    gain="ranklib",  # DCGScorer: 2^(int) label − 1
    discount="log2",  # DCGScorer: log2(rank + 1)
    max_grade=4.0,  # ERRScorer: MAX = 16
    rel=ABOVE_ZERO,  # getLabel() > 0.0
    readings={
        "P": {"padded": False},  # PrecisionScorer: a list shorter than k is divided by its length
        "RR": {"ruler": "single"},  # ReciprocalRankScorer: 1.0f / firstRank
        "ERR": {"stop": "whole"},  # ERRScorer: (2^(int) label − 1) / 16, whatever the label
    },
    empty=0.0,  # NDCGScorer: an ideal of 0 gives 0
    printed=prints(
        {
            **{f"NDCG@{k}": f"nDCG@{k}" for k in (*range(1, 11), 20)},
            "NDCG": "nDCG",
            "DCG@10": "DCG@10",
            "MAP": "AP",
            "RR@10": "RR",  # the cutoff is in the name only
            **{f"ERR@{k}": f"ERR@{k}" for k in (1, 2, 3, 5, 10, 20)},
            **{f"P@{k}": f"P@{k}" for k in (1, 2, 3, 5, 10, 20)},
        },
        number=java_rounded(4),  # SimpleMath.round(value, 4): floor(x · 10^4 + ½) / 10^4
    ),
).register()
