"""RankLib of 2011 as Busa-Fekete changed it: a query with nothing relevant has an nDCG of one half.

He is the first author of a paper on evaluation tools (ECAI 2012), which says that RankLib counts such a query as 0.
RankLib of 2011 does, and so did his copy at first: that is this dialect with empty=0. Another value is evaluate(…,
dialect="ranklib-2011-fork", empty=…).
"""

from dataclasses import replace

from rankgauge.dialects.tools.ranklib import RANKLIB
from rankgauge.policies import Grouping, Ties

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
