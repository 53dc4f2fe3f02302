"""RankLib 2.8, the learning-to-rank library of the Lemur project."""

from dataclasses import replace

from rankgauge.dialects.tools.ranklib import RANKLIB
from rankgauge.measures import parse
from rankgauge.policies import IdealPool, NegativeGrade

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
