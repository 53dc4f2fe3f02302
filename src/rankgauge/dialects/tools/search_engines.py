"""Search engines and their workbenches: _rank_eval of Elasticsearch, OpenSearch's workbench, Quepid, pyvespa."""

from rankgauge.dialects.dialect import Dialect, at_cutoffs, listed, prints
from rankgauge.measures.output import fixed
from rankgauge.policies import (
    ABOVE_ZERO,
    LEAVE_OUT,
    Duplicates,
    FractionalGrade,
    JudgedTwice,
    MissingQuery,
    NegativeGrade,
    Ties,
)

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
        {"precision": "P@10", "recall": "R@10", "mean_reciprocal_rank": "RR@10", "dcg": "DCG@10"}
        | {"normalized_dcg": "nDCG@10", "expected_reciprocal_rank": "ERR@10"}
    ),
).register()
"""The run is what the search returned, in its order; a metric's k is the cutoff, 10 unless told otherwise. Its options
are overrides: relevant_rating_threshold=2 is rel=2, maximum_relevance=4 is max_grade=4, and ignore_unlabeled=true is
unjudged=skip with depth=k. dcg with normalize=true is nDCG. There is no override for unknown_doc_rating: give such
documents a grade."""

OPENSEARCH_SRW = listed(
    name="opensearch-srw",
    title="OpenSearch 3.1, Search Relevance Workbench",
    reference="search-relevance 3.1.0, EvaluationMetrics.java; issue 191",
    differs=("Later versions count grades from a threshold of each query's own on as relevant.",),
    duplicates=Duplicates.COUNT_EACH,  # NDCG of 1.31
    judged_twice=JudgedTwice.LAST,
    gain="exp",
    readings={"P": {"padded": False}},  # / min(k, hits)
    decimals=2,
    half_up=True,  # Math.round(100 x) / 100
    printed=prints({"Coverage@10": "Judged@10", "Precision@10": "P@10", "MAP@10": "AP@10", "NDCG@10": "nDCG@10"}),
).register()

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
        {name: name for name in ("nDCG@10", "AP@10", "ERR@10", "P@10", "RR@10", "DCG@10", "CG@10")}, fixed(2)
    ),
).register()
"""A case's score is the mean over its queries."""

PYVESPA = listed(
    name="pyvespa",
    title="pyvespa, VespaEvaluator",
    reference="pyvespa 1.2.9, evaluation.py",
    differs=("Grades must be from 0 to 1 and are used by ndcg only; grades of 0 alone count 0 then (--empty 0).",),
    readings={"AP": {"out_of": "cutoff"}},
    empty=LEAVE_OUT,  # queries without relevant documents are dropped
    printed=prints(
        at_cutoffs((1, 3, 5, 10), {"accuracy@": "Success", "precision@": "P", "recall@": "R"})
        | {"mrr@10": "RR@10", "ndcg@10": "nDCG@10", "map@100": "AP@100"}
    ),
).register()
