"""Eval-Score-3.0.pl, the script of LETOR 3.0.

It reads a LETOR file and the scores of its documents. A query shorter than a cutoff counts 0 in the mean of nDCG and of
precision at it, though its own row has no such value. Busa-Fekete, Szarvas, Éltető & Kégl (ECAI 2012) count the script
among those that follow the definition; what it prints says otherwise.
"""

from rankgauge.dialects.dialect import Dialect, prints
from rankgauge.measures.output import significant
from rankgauge.policies import (
    Duplicates,
    FractionalGrade,
    HighGrade,
    IdealPool,
    NegativeGrade,
    QueryOrder,
    ShortList,
    Ties,
)

LETOR3 = Dialect(
    name="letor3",
    title="Eval-Score-3.0.pl, the script of LETOR 3.0",
    reference="LETOR 3.0, Microsoft Research Asia, 2008",
    duplicates=Duplicates.LAST,  # the hash of a query's documents keeps the last line
    extra_scores=True,  # as many scores are read as there are documents
    fractional=FractionalGrade.REFUSE,  # "Error to parse": a label is \d+
    negative=NegativeGrade.REFUSE,  # the same
    high=HighGrade.ZERO,  # a label of 3 or more has no entry in the table of gains, and is not relevant either
    max_grade=2.0,  # the table of gains has entries for 0, 1 and 2
    ties=Ties.INPUT,  # equal scores in the order of the file
    ideal=IdealPool.RETRIEVED,  # there is nothing beside the documents of the file
    gain="letor",  # 0, 1, 3
    discount="letor",  # ranks 1 and 2 count in full, then 1 / log2(rank)
    rel=1.0,  # labels 1 and 2 are relevant
    empty=0.0,  # a query with nothing relevant has nDCG and MAP of 0
    short=ShortList.ZERO,  # the arrays of a query end at its length, and what is not there adds 0 to the mean
    query_order=QueryOrder.NUMERIC,  # sort {$a <=> $b}
    printed=prints(
        {
            **{f"P@{k}": f"P@{k}" for k in range(1, 17)},
            "MAP": "AP",
            **{f"NDCG@{k}": f"nDCG@{k}" for k in range(1, 17)},
        },
        number=significant(15),  # print "$value": Perl writes a number with 15 significant digits
    ),
    lists_short=False,  # a query's row ends at its length
).register()
