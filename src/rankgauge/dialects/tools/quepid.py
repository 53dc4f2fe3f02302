"""Quepid, the scorers that come with it: nDCG@10, AP@10, ERR@10, P@10, RR@10, DCG@10, CG@10.

A case's score is the mean over its queries.
"""

from rankgauge.dialects.dialect import Dialect, prints
from rankgauge.measures.output import fixed
from rankgauge.policies import ABOVE_ZERO, MissingQuery, NegativeGrade, Ties

QUEPID = Dialect(
    name="quepid",
    title="Quepid, the scorers that come with it",
    reference="Quepid 8, db/scorers and ScorerFactory.js, github.com/o19s/quepid",
    differs=(
        "Of a query without a relevant document AP is 0/0 (here 0).",
        "DCG and CG of a list with an unrated document are no number (here it adds nothing).",
    ),
    negative=NegativeGrade.KEEP,  # a rating is the number that it is
    ties=Ties.INPUT,  # eachDoc: the order of the results
    gain="exp",  # DCG: Math.pow(2, rating) − 1
    discount="log2",  # DCG: Math.log2(i + 2)
    rel=ABOVE_ZERO,  # docRating(i) > 0
    max_grade=3.0,  # err: max, the top of the scorer's scale; ERR@10 has 0 to 3
    readings={
        "nDCG": {"ideal_depth": "all"},  # DCG(ideal, ideal.length): every rated document, whatever k is
        "P": {"padded": False},  # count / total: of as many documents as there are
        "ERR": {"stop": "formula"},
        "CG": {"gain": "linear"},  # score += docRating(i)
    },
    empty=0.0,  # nDCG: d ? n / d : 0
    missing=MissingQuery.SKIP,  # scoreAll: a query with zero search results ('zsr') is no part of the case's score
    printed=prints(
        {name: name for name in ("nDCG@10", "AP@10", "ERR@10", "P@10", "RR@10", "DCG@10", "CG@10")},
        number=fixed(2),
    ),
).register()
