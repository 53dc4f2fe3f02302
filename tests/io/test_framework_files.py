"""Files of frameworks for RAG, as the packages write them: judgments and a run in one file, a row for each query.

The texts below were written by ragas 0.4.3 (`EvaluationDataset.to_jsonl`, `.to_csv`, `.to_pandas`), LlamaIndex 0.14.25
(`RetrievalEvalResult.model_dump`), Haystack 3.4.0 (`Pipeline.run`, `EvaluationRunResult`), MLflow 3.17.2 (the artifact
eval_results_table.json) and sentence-transformers 6.2.0 (`write_predictions=True`); those of Phoenix, LangSmith,
TruLens, Evidently and recommenders follow their documentation.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankgauge import evaluate, files
from rankgauge.errors import InputError
from rankgauge.files.format import FORMATS, Head, Kind
from rankgauge.files.query_rows import name_text
from rankgauge.files.source import Source
from rankgauge.input_notes import collecting_notes
from tests.examples import examples

LONG = "K2 is 8611 m high, which makes it the second-highest mountain on Earth, after Everest."
ROWS: list[dict[str, Any]] = [
    {
        "user_input": "How high is K2?",
        "retrieved_contexts": ["Everest is in Nepal.", LONG],
        "reference_contexts": [LONG],
        "response": "8611 m",
    },
    {"user_input": "Who climbed it?", "retrieved_contexts": [], "reference_contexts": ["Lacedelli."], "response": "?"},
]
NDCG = (1 / math.log2(2 + 1) + 0) / 2
"""The relevant context is second; the other query has an empty list."""

WRITERS: dict[str, Callable[[Path], object]] = {
    ".jsonl": lambda path: path.write_text("".join(json.dumps(row) + "\n" for row in ROWS)),
    ".csv": lambda path: pd.DataFrame(ROWS).to_csv(path, index=False),
    ".parquet": lambda path: pd.DataFrame(ROWS).to_parquet(path),
    ".json": lambda path: pd.DataFrame(ROWS).to_json(path),
    ".records.json": lambda path: path.write_text(json.dumps(ROWS, indent=2)),
}


EXPECTING_NOTHING = {
    "mlflow": {
        "columns": ["question", "targets", "outputs", "ndcg_at_3/score"],
        "data": [["a", ["d1"], ["d7", "d1"], 0.63], ["b", [], ["d4"], 0.0], ["c", [], [], 1.0]],
    },
    "ragas": [
        {"user_input": "a", "retrieved_context_ids": ["d7", "d1"], "reference_context_ids": ["d1"]},
        {"user_input": "b", "retrieved_context_ids": ["d4"], "reference_context_ids": []},
        {"user_input": "c", "retrieved_context_ids": ["d4"], "reference_context_ids": None},
    ],
}


@pytest.mark.parametrize(
    ("name", "measure", "value"),
    [
        ("mlflow", "nDCG@3", (1 / math.log2(3) + 0 + 1) / 3),  # MLflow's own mean of these rows
        ("ragas", "SetP", (1 / 2 + 0) / 2),  # of c nobody says what is expected
        ("ragas", "SetR", 1.0),  # b is left out
    ],
)
def test_rows_that_expect_nothing(tmp_path: Path, name: str, measure: str, value: float) -> None:
    """An empty list of what is expected is a judged query with nothing relevant, as the framework counts it."""
    path = tmp_path / "rows.json"
    path.write_text(json.dumps(EXPECTING_NOTHING[name]))
    result = evaluate(path, path, measure, dialect=name)
    assert result[measure] == pytest.approx(value, abs=1e-12)
    assert any("of 3 with nothing to find, judged as a query without a relevant document: b" in n for n in result.notes)
    assert result.judged[measure].relevant_only


def test_an_id_that_is_an_object(tmp_path: Path) -> None:
    """A document that is an object is an error in its row, not an id that no other has."""
    path = tmp_path / "rows.jsonl"
    path.write_text('{"user_input": "a", "retrieved_context_ids": [{"id": "x"}], "reference_context_ids": ["x"]}\n')
    with pytest.raises(InputError, match=r"rows.jsonl:1: a document is neither an id nor a text: {'id': 'x'}"):
        evaluate(path, path, "AP")


@pytest.mark.parametrize("header", ["query,document,score", "query,docid,Anna,Ben"])
def test_a_carriage_return_in_a_cell_is_no_crash(tmp_path: Path, header: str) -> None:
    """A row that Python's reader of CSV refuses is no framework's; other formats read it, or say what is wrong."""
    path = tmp_path / "table.csv"
    path.write_bytes(f"{header}\nq1,k\r2,1,2\n".encode())
    with suppress(InputError), collecting_notes():  # any other error fails the test
        files.detect(path)
        files.read_run(path)


def written(folder: Path, content: Any, name: str = "rows.json") -> Path:
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


@pytest.mark.parametrize("ending", WRITERS)
def test_a_ragas_dataset_is_judgments_and_run(tmp_path: Path, ending: str) -> None:
    """In every form that ragas and pandas write; an empty list counts, and a note names it."""
    path = tmp_path / f"dataset{ending}"
    WRITERS[ending](path)
    result = evaluate(path, path, ["nDCG", "R@5"])
    assert result["nDCG"] == pytest.approx(NDCG, abs=1e-12)
    assert result["R@5"] == (1 + 0) / 2
    assert any("1 row of 2 without hits" in said for said in result.notes)


def test_ids_of_contexts_come_before_texts(tmp_path: Path) -> None:
    """Unless another list of the row has texts alone: then texts are compared."""
    ids = {"user_input": "q", "retrieved_context_ids": ["d7", 1], "reference_context_ids": ["1"]}
    path = written(tmp_path, [{**ids, "retrieved_contexts": ["x", "y"], "reference_contexts": ["y"]}])
    assert files.read_run(path)["document"].to_list() == ["d7", "1"]
    mixed = {
        "user_input": "q",
        "retrieved_context_ids": ["d7"],
        "retrieved_contexts": ["y"],
        "reference_contexts": ["y"],
    }
    path = written(tmp_path, [mixed])
    assert files.read_run(path)["document"].to_list() == files.read_judgments(path)["document"].to_list() == ["y"]


@given(text=st.text(max_size=200), other=st.text(max_size=200))
@settings(max_examples=examples(60), deadline=None)
def test_a_long_text_is_called_by_its_beginning_and_a_digest(text: str, other: str) -> None:
    """Names are short, and two texts have one name only if they differ by blanks alone."""
    assert len(name_text(text)) <= 60
    assert (name_text(text) == name_text(other)) == (text.split() == other.split())


def test_a_table_of_mlflow(tmp_path: Path) -> None:
    """Names of columns say which ids are expected; MLflow's own nDCG cuts the ideal at the list."""
    table = {
        "columns": ["question", "gt", "ret", "precision_at_3/score", "recall_at_3/score", "ndcg_at_3/score"],
        "data": [["a", ["d1", "d3"], ["d7", "d1"], 0.5, 0.5, 0.3868528072], ["b", ["d4"], ["d4"], 1.0, 1.0, 1.0]],
    }
    path = written(tmp_path, table, "eval_results_table.json")
    ideal = 1 + 1 / math.log2(3)
    assert evaluate(path, path, "nDCG@3")["nDCG@3"] == pytest.approx((1 / math.log2(3) / ideal + 1) / 2, abs=1e-12)
    table["columns"][1:3] = ["one", "two"]
    with pytest.raises(InputError, match="unknown JSON layout"):
        files.read_run(written(tmp_path, table))
    with pytest.raises(InputError, match=r"row 1: nothing says which column .*: question, one, two"):
        files.read_run(written(tmp_path, table), "mlflow")


def test_llama_index(tmp_path: Path) -> None:
    """A dataset names queries by ids, or by texts where a user says so; results have texts, judgments and run."""
    dataset = {"queries": {"q1": "How high?"}, "corpus": {"d1": "K2"}, "relevant_docs": {"q1": ["d1"]}, "mode": "text"}
    result = {
        "query": "How high?", "expected_ids": ["d1"], "expected_texts": None, "retrieved_ids": ["d7", "d1"],
        "retrieved_texts": ["a", "b"], "mode": "text", "metric_dict": {"mrr": {"score": 0.5, "metadata": {}}},
    }  # fmt: skip
    judged, ranked = written(tmp_path, dataset, "qa.json"), written(tmp_path, [result], "results.json")
    assert files.read_judgments(judged).rows() == [("q1", "d1", 1.0)]
    assert evaluate(ranked, ranked, "RR")["RR"] == 1 / 2
    assert evaluate(judged, ranked, "RR", columns={"query": "text"})["RR"] == 1 / 2
    dictionaries = {"queries": {"q1": "t"}, "corpus": {}, "relevant_docs": {"q1": {"d1": 2, "d2": 0}}}
    assert files.read_judgments(written(tmp_path, dictionaries)).rows() == [("q1", "d1", 2.0), ("q1", "d2", 0.0)]


def test_a_dataset_of_ids_beside_results_of_texts(tmp_path: Path) -> None:
    """The error says how a dataset's queries are called by their texts."""
    dataset = {"queries": {"q1": "How high is K2?"}, "corpus": {}, "relevant_docs": {"q1": ["a"]}}
    judged = written(tmp_path, dataset, "dataset.json")
    results = written(tmp_path, [{"query": "How high is K2?", "expected_ids": ["a"], "retrieved_ids": ["a"]}])
    with pytest.raises(InputError, match=r"by their texts; so does --columns query=text"):
        evaluate(judged, results, "RR")
    assert evaluate(judged, results, "RR", columns="query=text")["RR"] == 1


def test_haystack(tmp_path: Path) -> None:
    """Outputs are responses that do not name their query; results compare contents, and a score is a grade."""
    found = [{"id": "b", "content": "x", "meta": {"f": "1"}}, {"id": "c", "content": "y", "meta": {"f": "2"}}]
    output = written(tmp_path, {"retriever": {"documents": found}}, "K2.json")
    assert files.read_run(output).rows() == [("K2", "b", -1.0), ("K2", "c", -2.0)]
    assert files.read_run(output, columns={"document": "f"})["document"].to_list() == ["1", "2"]
    for told in (
        {"query": "How high?", "retriever": {"documents": found}},
        {"documents": found, "question": "How high?"},
    ):
        assert files.read_run(written(tmp_path, told))["query"].to_list() == ["How high?"] * 2
    inputs = {
        "question": ["q"],
        "ground_truth_documents": [[{"id": "a", "content": "y", "meta": {"f": "2"}, "score": 3.0}]],
        "retrieved_documents": [found],
    }
    for document in ({"run_name": "r", "inputs": inputs, "results": {}}, {**inputs, "ndcg": [0.6]}):
        path = written(tmp_path, document)
        assert files.read_judgments(path).rows() == [("q", "y", 3.0)]
        assert evaluate(path, path, "RR")["RR"] == 1 / 2
    assert files.read_judgments(path, columns={"document": "f"}).rows() == [("q", "2", 3.0)]
    with pytest.raises(InputError, match=r"rows\.csv:2: the cell retrieved_documents is no list"):
        files.read_run(written(tmp_path, "question,retrieved_documents\nq,[Document(id=1)]\n", "rows.csv"))


def test_sentence_transformers(tmp_path: Path) -> None:
    """Predictions are a run, samples judgments; the CSV of means says what to do instead."""
    results = [{"corpus_id": "d7", "score": 0.8}, {"corpus_id": "d1", "score": 0.6}]
    path = written(tmp_path, json.dumps({"query_id": "q1", "query": "t", "results": results}) + "\n", "p.jsonl")
    assert files.read_run(path).rows() == [("q1", "d7", -1.0), ("q1", "d1", -2.0)]
    path = written(tmp_path, [{"query": "t", "positive": ["y"], "negative": ["x", "z"]}])
    assert files.read_judgments(path).rows() == [("t", "y", 1.0), ("t", "x", 0.0), ("t", "z", 0.0)]
    path = written(tmp_path, "epoch,steps,cosine-NDCG@10\n-1,-1,0.5\n", "results.csv")
    with pytest.raises(InputError, match=r"(?s)results\.csv:2: holds the means .*write_predictions=True"):
        files.read_run(path)


def test_spans_of_phoenix(tmp_path: Path) -> None:
    """Flat frames, nested attributes and numbered ones are one run; spans of other kinds are passed over."""
    flat = {
        "name": "r", "span_kind": "RETRIEVER", "context.span_id": "1", "attributes.input.value": "q",
        "attributes.retrieval.documents": [
            {"document.id": "d7", "document.score": 0.1, "document.metadata": {"file": "7.md"}},
            {"document.content": "a text", "document.metadata": {"file": "1.md"}},
        ],
    }  # fmt: skip
    llm = {"name": "llm", "span_kind": "LLM", "context.span_id": "2", "attributes.input.value": "q"}
    nested = {"attributes": {"openinference": {"span": {"kind": "RETRIEVER"}}, "input": {"value": "q"},
              "retrieval": {"documents": [{"document": {"id": "d7"}}, {"document": {"content": "a text"}}]}
    }}  # fmt: skip
    numbered = {"attributes": {"input.value": "q", "retrieval.documents.1.document.content": "a text",
                "retrieval.documents.0.document.id": "d7"}}  # fmt: skip
    for rows in ([llm, flat], [nested], [numbered]):
        path = written(tmp_path, "".join(json.dumps(row) + "\n" for row in rows), "spans.jsonl")
        assert files.read_run(path).rows() == [("q", "d7", -1.0), ("q", "a text", -2.0)]
    path = tmp_path / "spans.parquet"
    pd.DataFrame([llm | dict.fromkeys(flat.keys() - llm.keys()), flat]).to_parquet(path)
    assert files.read_run(path).rows() == [("q", "d7", -1.0), ("q", "a text", -2.0)]
    assert files.read_run(path, columns={"document": "file"})["document"].to_list() == ["7.md", "1.md"]


def test_evaluated_documents_of_phoenix_are_a_table(tmp_path: Path) -> None:
    """`get_retrieved_documents` with an evaluation beside it, whose columns a user names."""
    text = "context.span_id,document_position,input,reference,document_score,score\na,0,q,x,0.9,0\na,1,q,y,0.5,1\n"
    path = written(tmp_path, text, "documents.csv")
    columns = {"query": "input", "document": "reference", "rank": "document_position", "grade": "score"}
    with collecting_notes():
        assert evaluate(path, path, "RR", columns=columns)["RR"] == 1 / 2


def test_a_document_listed_twice_is_named_with_its_line(tmp_path: Path) -> None:
    """By default, as in any run."""
    rows = [{"user_input": "q", "retrieved_contexts": ["a"], "reference_contexts": ["a"]}]
    rows.append({"user_input": "r", "retrieved_contexts": ["b", "b"], "reference_contexts": ["b"]})
    path = written(tmp_path, "".join(json.dumps(row) + "\n" for row in rows), "rows.jsonl")
    with pytest.raises(InputError, match=r"rows\.jsonl:2: "):
        evaluate(path, path, "RR")


def test_runs_of_langsmith(tmp_path: Path) -> None:
    """As JSON lines, in an envelope, and as Parquet, whose inputs and outputs are JSON texts."""
    documents = [
        {"page_content": "a", "metadata": {"id": "d7", "source": "7.md"}},
        {"page_content": "b", "metadata": {}},
    ]
    run = {"id": "1", "run_type": "retriever", "inputs": {"query": "q"}, "outputs": {"documents": documents}}
    chain = {"id": "0", "run_type": "chain", "inputs": {"x": "q"}, "outputs": {"y": "z"}}
    packed = [
        {**one, "inputs": json.dumps(one["inputs"]), "outputs": json.dumps(one["outputs"])} for one in (chain, run)
    ]
    pd.DataFrame(packed).to_parquet(tmp_path / "runs.parquet")
    lines = "\n".join(map(json.dumps, (chain, run)))
    for path in (
        written(tmp_path, lines, "runs.jsonl"),
        written(tmp_path, {"runs": [chain, run]}, "runs.json"),
        tmp_path / "runs.parquet",
    ):
        assert files.read_run(path).rows() == [("q", "d7", -1.0), ("q", "b", -2.0)]


def test_trulens(tmp_path: Path) -> None:
    """Chunks are compared by their texts; a chunk without a score has grade 1."""
    chunks = [{"text": LONG, "expect_score": 2}, {"text": "other"}]
    judged = written(tmp_path, [{"query": "q", "expected_response": "r", "expected_chunks": chunks}], "truth.json")
    span = {"ai.observability.retrieval.query_text": "q", "ai.observability.retrieval.retrieved_contexts": ["x", LONG]}
    root = {"record_attributes": {"ai.observability.span_type": "record_root"}}
    lines = "\n".join(map(json.dumps, (root, {"record_attributes": json.dumps(span)})))
    ranked = written(tmp_path, lines, "records.jsonl")
    assert files.read_judgments(judged)["grade"].to_list() == [2.0, 1.0]
    assert evaluate(judged, ranked, "RR")["RR"] == 1 / 2


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_frames_of_recommenders(tmp_path: Path, ending: str) -> None:
    """A frame of Evidently is judgments and run; predictions 1, 2, 3 … are ranks."""
    frame = pd.DataFrame(
        {"user_id": [1, 1, 2], "item_id": [7, 1, 3], "target": [0, 2, 1], "prediction": [0.9, 0.5, 0.4]}
    )
    path = tmp_path / f"frame{ending}"

    def value(prediction: list[float]) -> float:
        made = frame.assign(prediction=prediction)
        made.to_csv(path, index=False) if ending == ".csv" else made.to_parquet(path)
        return evaluate(path, path, "RR")["RR"]

    assert value([0.9, 0.5, 0.4]) == (1 / 2 + 1) / 2
    assert value([2, 1, 1]) == (1 + 1) / 2
    truth = pd.DataFrame({"userID": ["u"], "itemID": ["i"], "rating": [4.0]})
    truth.to_csv(tmp_path / "truth.csv", index=False)
    assert files.read_judgments(tmp_path / "truth.csv").rows() == [("u", "i", 4.0)]


def test_the_workbench_reads_what_is_written_for_it(tmp_path: Path) -> None:
    """`.srw` is a judgment list of the Search Relevance Workbench; `.json` stays rows."""
    rows = [("red dress", "d1", 3.0), ("red dress", "d7", 0.5), ("jeans", "d3", 1.0)]
    files.write_judgments(rows, tmp_path / "judged.srw")
    ratings = json.loads((tmp_path / "judged.srw").read_text())["judgmentRatings"]
    assert ratings[1] == {"query": "jeans", "ratings": [{"docId": "d3", "rating": "1.0"}]}
    assert files.read_judgments(tmp_path / "judged.srw").rows() == rows
    files.write_judgments(rows, tmp_path / "judged.json")
    assert files.detect(tmp_path / "judged.json").format.name == "jsonl"


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([{"user_input": "q", "retrieved_contexts": ["a"]}, {"user_input": "r", "retrieved_contexts": 7}],
         r"rows\.jsonl:2: the cell retrieved_contexts is no list: '7'"),
        ([{"user_input": "q", "retrieved_contexts": ["a"]}, {"user_input": "q", "retrieved_contexts": ["b"]}],
         r"rows\.jsonl:2: the query 'q' is there twice; first on line 1"),
        ([{"user_input": "q", "retrieved_contexts": ["a"]}, {"user_input": "", "retrieved_contexts": ["b"]}],
         r"(?s)rows\.jsonl:2: there is no query.*--columns query=NAME"),
        ([{"user_input": "q", "retrieved_contexts": ["a"]}, {"user_input": "r", "retrieved_contexts": [None]}],
         r"(?s)rows\.jsonl:2: there is no document.*take out the row"),
        ([{"user_input": "q", "retrieved_context_ids": ["a", None], "reference_context_ids": ["a"]}],
         r"(?s)rows\.jsonl:1: there is no document"),
        ([{"inputs": {"question": ["q"], "ground_truth_documents": [[]], "retrieved_documents": [["a"], ["b"]]}}],
         r"(?s)row 2: there is no query"),
        ([{"user_input": "q", "retrieved_contexts": []}], r"(?s)no run found.*by their ids or texts"),
    ],
)  # fmt: skip
def test_a_bad_row_is_named(tmp_path: Path, rows: list[Any], problem: str) -> None:
    """With its line, and what to do."""
    path = written(tmp_path, "".join(json.dumps(row) + "\n" for row in rows), "rows.jsonl")
    with pytest.raises(InputError, match=problem), collecting_notes():
        files.read_run(path)


def test_the_line_in_a_json_list(tmp_path: Path) -> None:
    """A row of a list that is printed over several lines is named by the line where it begins."""
    rows = [{"query": "q", "expected_ids": ["a"], "retrieved_ids": ["a"]}, {"query": "", "retrieved_ids": ["b"]}]
    text = json.dumps(rows, indent=1)
    line = next(at for at, one in enumerate(text.split("\n"), start=1) if '"query": ""' in one) - 1
    with pytest.raises(InputError, match=rf"rows\.json:{line}: there is no query"):
        files.read_run(written(tmp_path, text))
    with pytest.raises(InputError, match="does not end"):
        files.read_run(written(tmp_path, text[: text.index("}") + 1]), "llama_index-results")


def test_every_sample_is_claimed_by_one_format_of_rows(tmp_path: Path) -> None:
    """No framework's file is taken for another one's, and no other file for a framework's."""
    for name, form in FORMATS.items():
        for sample in form.samples:
            path = written(tmp_path, sample.text, "file.txt")
            sure = {
                one
                for one, other in FORMATS.items()
                if other.sureness == 4 and other.recognise(Head(source=Source.of(path)))
            }
            assert sure <= {name}, sample.title
            assert sample.kind in (Kind.RUN, Kind.JUDGMENTS)
