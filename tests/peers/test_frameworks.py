"""Frameworks' own metrics on drawn lists, live: each list's values under the framework's dialect.

The packages are large, so that these tests are studies, and are skipped where a package is missing: pip install mlflow
haystack-ai llama-index-core sentence-transformers and, in an environment of its own, ragas "langchain-community<0.4".
What other versions printed is in tests/golden/frameworks.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rankgauge import evaluate

pytestmark = [pytest.mark.study, pytest.mark.filterwarnings("ignore")]

Values = dict[str, float]
Lists = list[tuple[list[str], list[str]]]
"""What is relevant to a query, and what was retrieved for it."""


def drawn() -> Lists:
    """Lists with copies, and some that are empty or have nothing to find."""
    rng = np.random.default_rng(32)
    lists = []
    for _ in range(120):
        relevant = [f"d{one}" for one in rng.choice(9, int(rng.integers(0, 6)), replace=False)]
        lists.append((relevant, [f"d{one}" for one in rng.integers(0, 9, int(rng.integers(0, 9)))]))
    return lists


def needs(name: str) -> Any:
    return pytest.importorskip(name, reason=f"{name} is not installed", exc_type=ImportError)


def llamaindex() -> Callable[[list[str], list[str]], Values]:
    needs("llama_index.core")
    from llama_index.core.evaluation.retrieval import metrics

    known = {
        "Success": metrics.HitRate(),
        "RR": metrics.MRR(),
        "SetP": metrics.Precision(),
        "SetR": metrics.Recall(),
        "AP": metrics.AveragePrecision(),
        "nDCG": metrics.NDCG(),
    }

    def values(relevant: list[str], retrieved: list[str]) -> Values:
        if not relevant or not retrieved:  # an error there
            return dict.fromkeys(known, math.nan)
        found = {name: one.compute(expected_ids=relevant, retrieved_ids=retrieved) for name, one in known.items()}
        return {name: float(one.score) for name, one in found.items()}

    return values


def haystack() -> Callable[[list[str], list[str]], Values]:
    package = needs("haystack")
    from haystack.components import evaluators

    known = {
        "nDCG": evaluators.DocumentNDCGEvaluator(),
        "AP": evaluators.DocumentMAPEvaluator(),
        "RR": evaluators.DocumentMRREvaluator(),
        "SetR": evaluators.DocumentRecallEvaluator(mode="multi_hit"),
        "Success": evaluators.DocumentRecallEvaluator(mode="single_hit"),
    }

    def values(relevant: list[str], retrieved: list[str]) -> Values:
        lists = [[[package.Document(content=one) for one in side]] for side in (relevant, retrieved)]
        found = {name: one.run(*lists)["individual_scores"] for name, one in known.items()}
        return {name: float(scores[0]) for name, scores in found.items()}

    return values


def mlflow() -> Callable[[list[str], list[str]], Values]:
    package = needs("mlflow")
    import pandas as pd

    known = {"nDCG": package.metrics.ndcg_at_k, "P": package.metrics.precision_at_k, "R": package.metrics.recall_at_k}

    def values(relevant: list[str], retrieved: list[str]) -> Values:
        frames = pd.Series([retrieved]), pd.Series([relevant])
        return {f"{name}@{k}": one(k).eval_fn(*frames).scores[0] for name, one in known.items() for k in (1, 3, 5)}

    return values


def ragas() -> Callable[[list[str], list[str]], Values]:
    package = needs("ragas")
    from ragas.metrics import IDBasedContextPrecision, IDBasedContextRecall

    known = {"SetP": IDBasedContextPrecision(), "SetR": IDBasedContextRecall()}

    def values(relevant: list[str], retrieved: list[str]) -> Values:
        sample = package.SingleTurnSample(retrieved_context_ids=retrieved, reference_context_ids=relevant)
        return {name: float(asyncio.run(one.single_turn_ascore(sample))) for name, one in known.items()}

    return values


@pytest.mark.parametrize("tool", [llamaindex, haystack, mlflow, ragas], ids=lambda tool: tool.__name__)
def test_every_list(tool: Callable[[], Callable[[list[str], list[str]], Values]]) -> None:
    """Each drawn list has the framework's value under its dialect; NaN is a query that it leaves out."""
    theirs = tool()
    for relevant, retrieved in drawn():
        expected = theirs(relevant, retrieved)
        # A query has to be judged, and a run to have documents: those of another.
        judgments = {"q": dict.fromkeys(relevant, 1) or {"-": 0}, "other": {"x": 1}}
        run = {"other": ["x"]} | ({"q": retrieved} if retrieved else {})
        values = evaluate(judgments, run, list(expected), dialect=tool.__name__).values.filter(query="q")
        own = dict(values.select("measure", "value").iter_rows())
        for name, value in expected.items():
            found = own.get(name, math.nan)
            assert found == pytest.approx(value, abs=1e-9, nan_ok=True), (name, relevant, retrieved)


def test_sentence_transformers() -> None:
    """The means of its evaluator, which leaves out queries without relevant documents."""
    needs("sentence_transformers")
    from sentence_transformers.sentence_transformer.evaluation import InformationRetrievalEvaluator

    lists = {f"q{at}": one for at, one in enumerate(drawn())}
    relevant = {query: set(found) for query, (found, _) in lists.items()}
    texts = {f"d{at}": "" for at in range(9)}
    evaluator = InformationRetrievalEvaluator(dict.fromkeys(lists, ""), texts, relevant, map_at_k=[5], mrr_at_k=[5])
    hits = [
        [{"corpus_id": one, "score": -float(at)} for at, one in enumerate(lists[query][1])]
        for query in evaluator.queries_ids
    ]
    theirs = evaluator.compute_metrics(hits)
    judgments = {query: dict.fromkeys(found, 1) for query, found in relevant.items() if found}
    run = {query: retrieved for query, (_, retrieved) in lists.items() if retrieved and query in judgments}
    names = {"ndcg@k": "nDCG@10", "mrr@k": "RR@5", "map@k": "AP@5", "precision@k": "P@3", "recall@k": "R@5"}
    own = evaluate(judgments, run, list(names.values()), dialect="sentence-transformers")
    for key, name in names.items():
        assert own[name] == pytest.approx(theirs[key][int(name.partition("@")[2])], abs=1e-9)
