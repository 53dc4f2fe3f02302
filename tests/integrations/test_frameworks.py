"""Drop-ins for RAG and ML frameworks, tried in the packages themselves where they are installed.

The lists of ids that they share are tried here always. The packages are large, so that these tests are studies, and are
skipped where a package is missing: pip install mlflow haystack-ai llama-index-core sentence-transformers pytorch-ignite
torchmetrics and, in an environment of its own, ragas "langchain-community<0.4" (0.4 breaks the import of ragas 0.4.3).
"""

from __future__ import annotations

import asyncio
import math
import pickle
from pathlib import Path
from typing import Any

import pytest

from rankgauge import evaluate
from rankgauge.errors import ParameterError
from rankgauge.integrations.id_lists import ListValues

EXPECTED, RETRIEVED = ["d1", "d3"], ["d7", "d1"]
NDCG = (1 / math.log2(3)) / (1 + 1 / math.log2(3))
"""The first of two relevant documents is second, the other is missed."""


def needs(name: str) -> Any:
    return pytest.importorskip(name, reason=f"{name} is not installed", exc_type=ImportError)


def test_lists_of_ids() -> None:
    """Binary and graded, with empty lists on either side; the dialect says what 0/0 is."""
    lists = ListValues("nDCG@10")
    assert lists.value(EXPECTED, RETRIEVED) == pytest.approx(NDCG, abs=1e-12)
    graded = lists.value({"d1": 2, 3: 1}, [3, "d1"])
    assert graded == pytest.approx((1 + 2 / math.log2(3)) / (2 + 1 / math.log2(3)), abs=1e-12)
    assert lists.values([(EXPECTED, []), ([], RETRIEVED), ([], [])]) == [0, 0, 0]
    assert math.isnan(ListValues("nDCG@10", empty="leave-out").value([], RETRIEVED))
    assert ListValues("R@5", duplicates="count-once").value(["a", "b"], ["a", "a"]) == 1 / 2
    assert [ListValues(name).name for name in ("nDCG@10", "AP(rel=2)", "RR")] == ["ndcg_at_10", "ap_rel_2", "rr"]


def test_lists_one_by_one_need_the_top_of_the_scale() -> None:
    """ERR of a list whose best grade is 1 is no ERR on its own scale of 0 and 1, where others have grades of 3."""
    from rankgauge.integrations.torch import ignite_metric

    for make in (ListValues.one_by_one, ignite_metric):
        with pytest.raises(ParameterError, match=r"as in ERR\(max_grade=3\)"):
            make("ERR@10")
    assert ListValues.one_by_one("ERR(max_grade=3)@10").value({"a": 1}, ["a"]) == 1 / 8
    assert ListValues.one_by_one("ERR@10", max_grade=3).value({"a": 1}, ["a"]) == 1 / 8
    assert ListValues("ERR@10").values([({"a": 1}, ["a"]), ({"b": 3}, ["b"])]) == [1 / 8, 7 / 8]


def test_the_mean_of_lists_has_an_interval() -> None:
    """The same mean and interval as `evaluate` gives; values that are left out do not count."""
    judgments = {str(n): {"a": 1} for n in range(6)}
    run = {str(n): [f"x{at}" for at in range(n)] + ["a"] for n in range(6)}
    lists = ListValues("RR")
    mean = lists.mean([*lists.values((judgments[query], run[query]) for query in run), math.nan])
    row = evaluate(judgments, run, "RR").summary.row(0, named=True)
    assert (mean["mean"], mean["low"], mean["high"]) == pytest.approx((row["mean"], row["low"], row["high"]), abs=1e-12)
    assert math.isnan(lists.mean([])["mean"])


@pytest.mark.study
def test_llama_index() -> None:
    """A `BaseRetrievalMetric` in the library's own evaluator, beside one of the library's."""
    needs("llama_index.core")
    from llama_index.core.base.base_retriever import BaseRetriever
    from llama_index.core.evaluation import RetrieverEvaluator
    from llama_index.core.evaluation.retrieval.metrics import MRR
    from llama_index.core.schema import NodeWithScore, TextNode

    from rankgauge.integrations.llama_index import RetrievalMetric

    class Fixed(BaseRetriever):
        def _retrieve(self, query_bundle: Any) -> list[Any]:
            return [NodeWithScore(node=TextNode(id_=one, text=one), score=1.0) for one in RETRIEVED]

    evaluator = RetrieverEvaluator(
        metrics=[RetrievalMetric("nDCG@10"), RetrievalMetric("RR"), MRR()], retriever=Fixed()
    )
    found = asyncio.run(evaluator.aevaluate("question", EXPECTED)).metric_vals_dict
    assert found == pytest.approx({"ndcg_at_10": NDCG, "rr": 0.5, "mrr": 0.5}, abs=1e-12)


@pytest.mark.study
def test_haystack() -> None:
    """A component in a pipeline, which can be stored and loaded, and agrees with Haystack's own evaluators."""
    haystack = needs("haystack")
    from haystack.components.evaluators import DocumentMRREvaluator

    from rankgauge.integrations.haystack import MeasureEvaluator

    documents = {name: haystack.Document(content=name, meta={"file": f"{name}.md"}) for name in ("d1", "d3", "d7")}
    expected, retrieved = ([[documents[name] for name in names]] for names in (EXPECTED, RETRIEVED))
    pipeline = haystack.Pipeline()
    pipeline.add_component("ndcg", MeasureEvaluator("nDCG@10", field="meta.file"))
    pipeline.add_component("rr", MeasureEvaluator("RR"))
    pipeline.add_component("mrr", DocumentMRREvaluator())
    pipeline = haystack.Pipeline.loads(pipeline.dumps(), allowed_modules=["rankgauge.*"])
    data = {"ground_truth_documents": expected * 2, "retrieved_documents": retrieved * 2}
    found = pipeline.run(dict.fromkeys(("ndcg", "rr", "mrr"), data))
    assert found["ndcg"]["individual_scores"] == pytest.approx([NDCG, NDCG], abs=1e-12)
    assert found["ndcg"]["low"] == pytest.approx(found["ndcg"]["score"], abs=1e-12)
    assert found["rr"]["score"] == found["mrr"]["score"] == 0.5


@pytest.mark.study
@pytest.mark.filterwarnings("ignore")
def test_ragas() -> None:
    """A metric in `ragas.evaluate`, on ids and on texts, without a language model."""
    ragas = needs("ragas")
    from rankgauge.integrations.ragas import metric

    ids = {"user_input": "q", "retrieved_context_ids": RETRIEVED, "reference_context_ids": EXPECTED}
    texts = {"user_input": "q", "retrieved_contexts": RETRIEVED, "reference_contexts": EXPECTED}
    for row in (ids, texts):
        dataset = ragas.EvaluationDataset.from_list([row, row])
        found = ragas.evaluate(dataset, metrics=[metric("nDCG@5")], show_progress=False)["ndcg_at_5"]
        assert found == pytest.approx([NDCG, NDCG], abs=1e-12)


@pytest.mark.study
@pytest.mark.filterwarnings("ignore")
def test_mlflow(tmp_path: Path) -> None:
    """An extra metric beside MLflow's own, and a scorer: both give a value for each row."""
    mlflow = needs("mlflow")
    import pandas as pd

    from rankgauge.integrations.mlflow import metric, scorer

    mlflow.set_tracking_uri(f"sqlite:///{tmp_path}/mlflow.db")
    mlflow.set_experiment(experiment_id=mlflow.create_experiment("e", artifact_location=str(tmp_path / "artifacts")))
    frame = pd.DataFrame({"question": ["a", "b"], "gt": [EXPECTED, ["d4"]], "ret": [RETRIEVED, ["d4"]]})
    with mlflow.start_run():
        found = mlflow.models.evaluate(
            data=frame, targets="gt", predictions="ret", evaluators="default",
            extra_metrics=[metric("nDCG@10"), mlflow.metrics.recall_at_k(3)],
        )  # fmt: skip
    assert list(found.tables["eval_results_table"]["ndcg_at_10/score"]) == pytest.approx([NDCG, 1], abs=1e-9)
    assert found.metrics["ndcg_at_10/mean"] == pytest.approx((NDCG + 1) / 2, abs=1e-12)
    assert {"ndcg_at_10/low", "ndcg_at_10/high", "recall_at_3/mean"} <= found.metrics.keys()
    rows = [{"inputs": {"q": "a"}, "outputs": RETRIEVED, "expectations": {"expected_document_ids": EXPECTED}}]
    table = mlflow.genai.evaluate(data=rows, scorers=[scorer("nDCG@10")]).metrics
    assert table["ndcg_at_10/mean"] == pytest.approx(NDCG, abs=1e-12)


@pytest.mark.study
@pytest.mark.filterwarnings("ignore")
def test_sentence_transformers() -> None:
    """An evaluator whose binary nDCG is the library's own, with graded judgments, intervals and groups beside."""
    needs("sentence_transformers")
    import torch
    from sentence_transformers.sentence_transformer.evaluation import InformationRetrievalEvaluator

    from rankgauge.integrations.sentence_transformers import RankGaugeEvaluator

    class Letters:
        """A model that counts letters: enough to rank texts."""

        similarity_fn_name = "cosine"

        class model_card_data:
            set_evaluation_metrics = staticmethod(lambda *args: None)

        @staticmethod
        def similarity(one: Any, other: Any) -> Any:
            return torch.nn.functional.normalize(one) @ torch.nn.functional.normalize(other).T

        def encode_query(self, texts: list[str], **_: Any) -> Any:
            return torch.tensor([[float(text.count(one)) + 0.01 * len(text) for one in "abcdefgh"] for text in texts])

        encode_document = encode = encode_query

    queries = {f"q{n}": "abcdefgh"[n % 8] * 3 + "abcdefgh"[(3 * n) % 8] for n in range(12)}
    corpus = {f"d{n}": "abcdefgh"[n % 8] * (n % 5) + "hgfedcba"[n % 7] * 2 for n in range(40)}
    relevant = {query: {f"d{(5 * n) % 40}", f"d{(7 * n) % 40}", f"d{n}"} for n, query in enumerate(queries)}
    theirs = InformationRetrievalEvaluator(queries, corpus, relevant, write_csv=False)(Letters())
    by = {query: "even" if int(query[1:]) % 2 == 0 else "odd" for query in queries}
    evaluator = RankGaugeEvaluator(queries, corpus, relevant, ["nDCG@10", "R@5"], by=by, ties="ascending", name="dev")
    ours = evaluator(Letters())
    assert ours["dev_cosine_nDCG@10"] == pytest.approx(theirs["cosine_ndcg@10"], abs=1e-9)
    assert ours["dev_cosine_R@5"] == pytest.approx(theirs["cosine_recall@5"], abs=1e-9)
    assert ours["dev_cosine_nDCG@10_low"] < ours["dev_cosine_nDCG@10"] < ours["dev_cosine_nDCG@10_high"]
    halves = (ours["dev_cosine_nDCG@10[even]"] + ours["dev_cosine_nDCG@10[odd]"]) / 2
    assert halves == pytest.approx(ours["dev_cosine_nDCG@10"], abs=1e-9)
    assert evaluator.primary_metric == "dev_cosine_nDCG@10"
    graded = {query: dict.fromkeys(documents, 2) | {"d39": 1} for query, documents in relevant.items()}
    assert RankGaugeEvaluator(queries, corpus, graded)(Letters())["cosine_nDCG@10"] != ours["dev_cosine_nDCG@10"]


@pytest.mark.study
@pytest.mark.filterwarnings("ignore")
def test_metrics_of_pytorch() -> None:
    """torchmetrics, and so Lightning, gathers batches by query; ignite takes a row for each query."""
    torch = needs("torch")
    needs("torchmetrics")
    needs("ignite")
    from ignite.engine import Engine
    from torchmetrics.retrieval import RetrievalNormalizedDCG

    from rankgauge.integrations.torch import ignite_metric, torch_metric

    made = torch.Generator().manual_seed(0)
    scores, grades = torch.rand((8, 6), generator=made), torch.randint(0, 3, (8, 6), generator=made)
    queries = torch.arange(8).repeat_interleave(6).reshape(8, 6)
    ours, theirs = torch_metric("nDCG@5"), RetrievalNormalizedDCG(top_k=5)
    for batch in (slice(0, 3), slice(3, 8)):
        for metric in (ours, theirs):
            metric.update(scores[batch].flatten(), grades[batch].flatten(), indexes=queries[batch].flatten())
    assert ours.compute().item() == pytest.approx(theirs.compute().item(), abs=1e-6)
    sent = pickle.loads(pickle.dumps(ours))  # as Lightning sends it to processes that it spawns
    assert sent.clone().compute().item() == ours.compute().item()
    ours.reset()
    engine = Engine(lambda engine, batch: batch)
    ignite_metric("nDCG@5").attach(engine, "nDCG@5")
    state = engine.run([(scores[:3], grades[:3]), (scores[3:], grades[3:])])
    assert state.metrics["nDCG@5"] == pytest.approx(theirs.compute().item(), abs=1e-6)
