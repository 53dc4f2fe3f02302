"""gdeval, the script of TREC's web tracks: nDCG with exponential gains, and ERR.

Its option -c is missing=zero, and -k 10 is the cutoff of a measure: nDCG@10. It prints both measures at one cutoff, 20
unless told otherwise. gdeval counts each line of a document that is listed or judged twice; here that is refused.
"""

from rankgauge.dialects.dialect import Dialect, prints
from rankgauge.measures.output import fixed
from rankgauge.policies import LEAVE_OUT, FractionalGrade, HighGrade, MissingQuery, NegativeGrade, QueryOrder, Ties

GDEVAL = Dialect(
    name="gdeval",
    title="gdeval, the script of TREC's web tracks",
    reference="gdeval.pl, TREC 2010–2014 web tracks",
    fractional=FractionalGrade.REFUSE,  # "format error" unless a judgment is /^-?[0-9]+$/
    high=HighGrade.REFUSE,  # the same unless it is at most $MAX_JUDGMENT
    negative=NegativeGrade.ZERO,  # only judgments above 0 are kept
    ties=Ties.DOCID,  # runOrder: equal scores in descending order of docno
    gain="exp",  # dcg: 2**gain − 1
    discount="log2",  # dcg: log (rank + 1); the base is the same above and below the line
    max_grade=4.0,  # $MAX_JUDGMENT
    empty=LEAVE_OUT,  # topicDone: only topics with a positive judgment are counted and printed
    missing=MissingQuery.SKIP,  # without -c only the topics of the run are averaged
    query_order=QueryOrder.NUMERIC,  # runOrder compares topics with <
    printed=prints(
        {f"{label}@{k}": f"{name}@{k}" for k in (5, 10, 20) for label, name in (("ndcg", "nDCG"), ("err", "ERR"))},
        number=fixed(5),
        nothing="0.00000",
    ),
    lists_missing=False,  # with -c a missing topic is in the averages, but has no line
).register()
