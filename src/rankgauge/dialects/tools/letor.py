"""The scripts of LETOR 3.0, LETOR 4.0 (MQ2007, MQ2008), MSLR and Yahoo!, which read a file and its scores."""

from dataclasses import replace

from rankgauge.dialects.dialect import Dialect, at_cutoffs, prints
from rankgauge.measures.output import fixed, significant
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
        at_cutoffs(range(1, 17), {"P@": "P"}) | {"MAP": "AP"} | at_cutoffs(range(1, 17), {"NDCG@": "nDCG"}),
        significant(15),  # print "$value": Perl writes a number with 15 significant digits
    ),
    lists_short=False,  # a query's row ends at its length
).register()
"""A query shorter than a cutoff counts 0 in the mean of nDCG and of precision at it, though its own row has no such
value. Busa-Fekete, Szarvas, Éltető & Kégl (ECAI 2012) count the script among those that follow the definition; what it
prints says otherwise."""

LETOR4 = replace(
    LETOR3,
    name="letor4",
    title="Eval-Score-4.0.pl, the script of LETOR 4.0",
    reference="LETOR 4.0, Microsoft Research Asia, 2009",
    only_for={"short": ("nDCG",)},  # nDCG@k of a query shorter than k is 0; precision divides by k whatever the length
    printed=prints(
        at_cutoffs(range(1, 11), {"P@": "P"})
        | {"MAP": "AP"}
        | at_cutoffs(range(1, 11), {"NDCG@": "nDCG"})
        | {"MeanNDCG": "MeanNDCG"},
        fixed(4),  # sprintf("%.4f")
    ),
    lists_short=True,  # a query's row has every cutoff
).register()

MSLR = replace(
    LETOR4,
    name="mslr",
    title="eval_score_mslr.pl, the script of MSLR-WEB10K and MSLR-WEB30K",
    reference="Microsoft Learning to Rank Datasets, Microsoft Research, 2010",
    duplicates=Duplicates.ROWS,  # the files name no documents: each line is one
    max_grade=4.0,  # the table of gains has entries for 0 to 4
    gain="mslr",  # 0, 1, 3, 7, 15
    rel=2.0,  # precision and MAP count labels from 2 on
).register()

YAHOO = Dialect(
    name="yahoo",
    title="evaluate.py, the script of the Yahoo! Learning to Rank Challenge",
    reference="Chapelle & Chang, Yahoo! Learning to Rank Challenge Overview, JMLR 2011",
    fractional=FractionalGrade.REFUSE,  # int('1.0') is a ValueError
    negative=NegativeGrade.REFUSE,  # an assertion fails
    ties=Ties.INPUT,  # ranks are a permutation: there are no ties; of scores, the order of the file
    ideal=IdealPool.RETRIEVED,  # every document of a query has a label and a rank
    gain="yahoo",  # (2^label − 1) / 16
    discount="ln",  # ln(rank + 1); the base is the same above and below the line
    max_grade=4.0,  # ERR: the 16 that 2^label − 1 is divided by
    readings={"ERR": {"stop": "formula"}},  # (2^label − 1) / 16 for any label, even above 1
    empty=1.0,  # an ideal of 0 gives 1
    only_for={"empty": ("nDCG",)},  # ERR of such a query is 0
    # ERR is over the whole list, whatever the cutoff of nDCG.
    printed=prints({"ERR": "ERR", **at_cutoffs((1, 3, 5, 10), {"NDCG@": "nDCG"})}),
).register()
"""It reads labels and ranks. A query with nothing relevant has an nDCG of 1; copies of the script with 0.5 also
circulate: evaluate(…, dialect="yahoo", empty=0.5)."""
