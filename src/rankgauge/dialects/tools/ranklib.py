"""RankLib 2.1, the learning-to-rank library of the Lemur project.

It ranks by a model's scores or by a feature, numbers of 32 bits, and prints one measure at a time; `-m all` is what
people ask it for.
"""

from dataclasses import replace

from rankgauge.dialects.dialect import Dialect, at_cutoffs, prints
from rankgauge.measures import parse
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
        at_cutoffs((*range(1, 11), 20), {"NDCG@": "nDCG"})
        | {"NDCG": "nDCG", "DCG@10": "DCG@10", "MAP": "AP", "RR@10": "RR"}  # the cutoff of RR is in its name only
        | at_cutoffs((1, 2, 3, 5, 10, 20), {"ERR@": "ERR", "P@": "P"}),
        java_rounded(4),  # SimpleMath.round(value, 4): floor(x · 10^4 + ½) / 10^4
    ),
).register()

RANKLIB_2011_FORK = replace(
    RANKLIB,
    name="ranklib-2011-fork",
    title="RankLib of 2011 as the first author of a paper on evaluation tools changed it",
    reference="Busa-Fekete, github.com/busarobi/RankLib; his paper (ECAI 2012) says that RankLib counts 0 for a query "
    "with nothing relevant, as this copy did at first",
    grouping=Grouping.QUERY,  # all lines of a query id make one list
    ties=Ties.SELECTION,  # Sorter.sort: a selection sort with swaps
    empty=0.5,  # NDCGScorer: an ideal of 0 gives 0.5, "as the yahoo script does"
    only_for={"empty": ("nDCG",)},  # the other measures of such a query are 0
).register()
"""RankLib of 2011 as Busa-Fekete changed it: a query with nothing relevant has an nDCG of one half.

He is the first author of a paper on evaluation tools (ECAI 2012), which says that RankLib counts such a query as 0.
RankLib of 2011 does, and so did his copy at first: that is this dialect with empty=0. Another value is evaluate(…,
dialect="ranklib-2011-fork", empty=…)."""

RANKLIB_2_8 = replace(
    RANKLIB,
    name="ranklib-2.8",
    title="RankLib 2.8, the learning-to-rank library of the Lemur project",
    reference="RankLib 2.8, The Lemur Project, 2017",
    negative=NegativeGrade.REFUSE,  # DataPoint: "Relevance label cannot be negative. System will now exit."
    ideal=IdealPool.FIRST,  # NDCGScorer: the ideal of a query id's first list is kept for its later ones
    only_for={"ideal": ("nDCG",)},  # no other measure keeps anything
    # ReciprocalRankScorer: a first relevant document past the cutoff gives 0
    printed=tuple(
        replace(printed, measure=parse("RR@10")) if printed.name == "RR@10" else printed for printed in RANKLIB.printed
    ),
).register()
