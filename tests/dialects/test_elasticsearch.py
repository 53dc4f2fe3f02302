"""elasticsearch: the arithmetic of its module rank-eval, written out from its source, on random cases.

The method evaluate of DiscountedCumulativeGain, ExpectedReciprocalRank, MeanReciprocalRank, PrecisionAtK, RecallAtK in
github.com/elastic/elasticsearch, modules/rank-eval; OpenSearch took the module over as it was.
"""

from __future__ import annotations

from collections.abc import Callable
from math import log

import numpy as np
import pytest

from rankgauge import evaluate
from tests.peers.cases import Cases, cases

K = 10
TOP = 4
Ratings = list[int | None]


def dcg(ratings: Ratings) -> float:
    """Unrated hits keep their rank and add nothing: unknown_doc_rating is null."""
    return sum((2**one - 1) / (log(rank + 1) / log(2)) for rank, one in enumerate(ratings, 1) if one is not None)


def ndcg(hits: Ratings, rated: list[int]) -> float:
    """The ideal is as long as the hits are."""
    ideal = dcg(sorted(rated, reverse=True)[: min(len(hits), len(rated))])
    return dcg(hits) / ideal if ideal != 0 else 0.0


def err(hits: Ratings, rated: list[int]) -> float:
    """Each rated hit stops a user with (2^rating − 1) / 2^maximum_relevance."""
    reached, found = 1.0, 0.0
    for rank, rating in enumerate(hits, 1):
        if rating is not None:
            stop = (2**rating - 1) / 2**TOP
            found, reached = found + reached * stop / rank, reached * (1 - stop)
    return found


def reciprocal_rank(hits: Ratings, rated: list[int]) -> float:
    """1 / the first rank with a rating of at least 1."""
    return next((1 / rank for rank, rating in enumerate(hits, 1) if rating is not None and rating >= 1), 0.0)


def precision(hits: Ratings, rated: list[int]) -> float:
    """The share of the hits, however few; unrated ones are false positives."""
    return sum(rating is not None and rating >= 1 for rating in hits) / len(hits) if hits else 0.0


def labelled_precision(hits: Ratings, rated: list[int]) -> float:
    """The same with ignore_unlabeled=true."""
    known = [rating for rating in hits if rating is not None]
    return sum(rating >= 1 for rating in known) / len(known) if known else 0.0


def recall(hits: Ratings, rated: list[int]) -> float:
    """The share of the rated documents that are relevant."""
    relevant = sum(rating >= 1 for rating in rated)
    return sum(rating is not None and rating >= 1 for rating in hits) / relevant if relevant else 0.0


def hits_of(case: Cases, query: str) -> Ratings:
    """The ratings of the first k hits; equal scores stay in the order of the response."""
    listed = case.run.get(query, {})
    ranked = sorted(listed, key=lambda document: -listed[document])[:K]
    return [case.judgments[query].get(document) for document in ranked]


METRICS: dict[str, Callable[[Ratings, list[int]], float]] = {
    "dcg": lambda hits, rated: dcg(hits),
    "normalized_dcg": ndcg,
    "expected_reciprocal_rank": err,
    "mean_reciprocal_rank": reciprocal_rank,
    "precision": precision,
    "recall": recall,
}


@pytest.mark.parametrize("name", METRICS)
def test_random_cases(name: str) -> None:
    """Each metric with its default k of 10: ties, unrated hits, empty queries, searches without hits."""
    case = cases(ties=True, missing=True)
    result = evaluate(case.judgments, case.run, name, dialect="elasticsearch", max_grade=TOP)
    theirs = [METRICS[name](hits_of(case, query), list(case.judgments[query].values())) for query in result.names]
    assert len(theirs) == len(case.judgments)
    np.testing.assert_allclose(result.matrix[:, 0], theirs, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ["dcg", "mean_reciprocal_rank", "precision", "recall"])
def test_ratings_below_zero(name: str) -> None:
    """A rating below 0 is a rating: it takes from DCG and is not relevant."""
    case = cases(ties=True, lowest=-1)
    result = evaluate(case.judgments, case.run, name, dialect="elasticsearch")
    theirs = [METRICS[name](hits_of(case, query), list(case.judgments[query].values())) for query in result.names]
    np.testing.assert_allclose(result.matrix[:, 0], theirs, rtol=0, atol=1e-12)


def test_ignore_unlabeled() -> None:
    """ignore_unlabeled=true is unjudged=skip with depth=k: of the first k hits, the rated ones."""
    case = cases(ties=True, missing=True)
    changes = {"unjudged": "skip", "depth": K}
    result = evaluate(case.judgments, case.run, "precision", dialect="elasticsearch", **changes)
    theirs = [labelled_precision(hits_of(case, query), []) for query in result.names]
    np.testing.assert_allclose(result.matrix[:, 0], theirs, rtol=0, atol=1e-12)
