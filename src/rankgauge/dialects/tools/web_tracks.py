"""gdeval and ndeval, the tools of TREC's web tracks."""

from rankgauge.dialects.dialect import ALL, Dialect, at_cutoffs, prints
from rankgauge.measures import Listed
from rankgauge.measures.output import fixed
from rankgauge.policies import (
    LEAVE_OUT,
    FractionalGrade,
    HighGrade,
    MissingQuery,
    NegativeGrade,
    QueryOrder,
    RunOrder,
    Ties,
)

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
        fixed(5),
        nothing="0.00000",
    ),
    lists_missing=False,  # with -c a missing topic is in the averages, but has no line
).register()
"""-c is missing=zero, and -k 10 is the cutoff of a measure: nDCG@10. It prints both measures at one cutoff, 20 unless
told otherwise. gdeval counts each line of a document that is listed or judged twice; here that is refused."""

_CASCADES = {"ERR-IA@": "ERR_IA", "nERR-IA@": "nERR_IA", "alpha-DCG@": "alpha_DCG", "alpha-nDCG@": "alpha_nDCG"}
LABELS = {
    **at_cutoffs((5, 10, 20), _CASCADES),
    **{"NRBP": "NRBP", "nNRBP": "nNRBP", "MAP-IA": "AP_IA"},
    **at_cutoffs((5, 10, 20), {"P-IA@": "P_IA", "strec@": "StRecall"}),
}
"""What outputMeasures prints, in its order."""

NDEVAL = Dialect(
    name="ndeval",
    title="ndeval 4.5, the tool of TREC's web tracks for diversity",
    reference="ndeval.c, version 4.5, TREC 2013 web track",
    also=tuple(LABELS.values()),
    differs=(
        "For a topic without relevant documents, and with alpha=0 and beta=1, nNRBP is -nan.",
        "Topics are numbers, so that 001 is 1, and a run may have the task's name before them (wt09-1).",
        "Topics and subtopics that are no numbers, negative ranks and runs of five fields are refused.",
        "A line of the qrels that is there twice counts twice in MAP-IA.",
        "Qrels with the same subtopic in every line are read as such without being told.",
        "A run of which no topic is judged has zeros, and -nan as their mean.",
    ),
    fractional=FractionalGrade.REFUSE,  # naturalNumber: a judgment has digits only
    negative=NegativeGrade.REFUSE,  # the same
    order=RunOrder.RANK,  # resultSortByRank, unless -traditional
    ties=Ties.DOCID,  # resultCompareByScore, with -traditional: equal scores in descending order of docno
    readings={
        "alpha_DCG": {"undivided_first": True},  # computeDCG: the division begins with the second rank
        "ERR_IA": {"undivided_first": True},  # computeERR: the same
    },
    missing=MissingQuery.SKIP,  # without -c only the topics of the run are averaged
    query_order=QueryOrder.NUMERIC,  # topics are numbers
    printed=Listed(lambda: prints(LABELS, fixed(6))),
    usual=ALL,  # plain measures do not even read diversity qrels
    lists_missing=False,  # with -c a missing topic is in the averages, but has no line
).register()
"""Its options are overrides: -traditional is order=score, -c is missing=zero, -M 8 is depth=8. -alpha 0.2 and -beta 0.8
are parameters of the measures, as in alpha_nDCG(alpha=0.2)@10, or for all that it prints --set alpha=0.2, in Python
readings={"alpha_nDCG": {"alpha": 0.2}, …}. -baseline and -riskAlpha are --baseline and --risk of `compare`."""
