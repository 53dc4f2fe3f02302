"""RankLib of 2011 as a paper's author changed it: a query with nothing relevant has an nDCG of one half.

RankLib of 2011 itself is this dialect with empty=0. Another value is evaluate(…, dialect="ranklib-2011-fork", empty=…).
"""

from dataclasses import replace

from rankgauge.dialects.tools.ranklib import RANKLIB
from rankgauge.policies import Grouping, Ties

RANKLIB_2011_FORK = replace(
    RANKLIB,
    name="ranklib-2011-fork",
    title="RankLib of 2011 as the author of a paper on evaluation tools changed it",
    reference="Busa-Fekete, Szarvas, Éltető & Kégl, An apple-to-apple comparison of learning-to-rank algorithms in "
    "terms of normalized discounted cumulative gain, ECAI 2012",
    grouping=Grouping.QUERY,  # all lines of a query id make one list
    ties=Ties.SELECTION,  # Sorter.sort: a selection sort with swaps
    empty=0.5,  # NDCGScorer: an ideal of 0 gives 0.5
    only_for={"empty": ("nDCG",)},  # the other measures of such a query are 0
).register()
