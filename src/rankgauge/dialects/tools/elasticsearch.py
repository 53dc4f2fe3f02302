"""Elasticsearch and OpenSearch, the ranking evaluation API `_rank_eval`.

The run is what the search returned, in its order; a metric's k is the cutoff, 10 unless told otherwise. Its options are
overrides: relevant_rating_threshold=2 is rel=2, maximum_relevance=4 is max_grade=4, and ignore_unlabeled=true is
unjudged=skip with depth=k. dcg with normalize=true is nDCG. There is no override for unknown_doc_rating: give such
documents a grade.
"""

from rankgauge.dialects.dialect import Dialect, prints
from rankgauge.measures.output import FULL
from rankgauge.policies import FractionalGrade, NegativeGrade, Ties

ELASTICSEARCH = Dialect(
    name="elasticsearch",
    title="Elasticsearch and OpenSearch, _rank_eval",
    reference="Elasticsearch, modules/rank-eval; OpenSearch has the same module",
    fractional=FractionalGrade.REFUSE,  # RatedDocument: rating is an int
    negative=NegativeGrade.KEEP,  # the same, of any sign
    ties=Ties.INPUT,  # joinHitsWithRatings: the order of the hits
    gain="exp",  # computeDCG: 2^rating − 1
    discount="log2",  # the same: ln(rank + 1) / ln 2
    rel=1.0,  # relevant_rating_threshold
    readings={
        "nDCG": {"ideal_depth": "list"},  # allRatings.subList(0, min(hits, ratings)): as many as were returned
        "P": {"padded": False},  # PrecisionAtK: relevant / (true + false positives) of the hits
        "ERR": {"stop": "formula"},  # probabilityOfRelevance: (2^rating − 1) / 2^maximum_relevance, even above 1
    },
    empty=0.0,  # idcg, relevant or retrieved of 0 give 0
    # A search without hits has a value like any other (combine: the mean over all requests): missing=zero.
    printed=prints(
        {
            "precision": "P@10",
            "recall": "R@10",
            "mean_reciprocal_rank": "RR@10",
            "dcg": "DCG@10",
            "normalized_dcg": "nDCG@10",
            "expected_reciprocal_rank": "ERR@10",
        },
        number=FULL,
    ),
).register()
