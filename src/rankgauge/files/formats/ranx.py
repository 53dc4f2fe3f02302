"""ranx, mteb and sentence_transformers: runs and qrels as JSON by query.

The JSON of ranx, BEIR and pytrec_eval's users is {query: {document: number}}, or for a run {query: [documents, the best
first]}. Nothing but the numbers tells qrels from a run: whole numbers are grades in the first place, others scores.

MTEB writes {subset: {split: {query: {document: score}}}} beside the model's name to TASK_predictions.json if it is
given a folder for predictions. Each subset and split is a run of its own; a file that holds several is asked for one,
as in FILE#en/test.

sentence_transformers has predictions of its InformationRetrievalEvaluator, and samples of its reranking evaluators:

    predictions   {"query_id": "q1", "query": "How high is K2?", "results": [{"corpus_id": "d7", "score": 0.8}, …]}
    samples       {"query": "How high is K2?", "positive": ["K2 is …"], "negative": ["Everest …"]}
                  {"query": "How high is K2?", "positive": ["K2 is …"], "documents": ["Everest …", "K2 is …"]}

`write_predictions=True` writes predictions, a run. Samples hold judgments: 1 for positive texts and 0 for negative
ones; `documents` are the order before reranking. The dictionaries of relevant documents are llama_index's. The
evaluator's CSV has the means of each epoch, of which no ranking can be made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from rankgauge.errors import InputError
from rankgauge.files.format import Kind, SampleFile
from rankgauge.files.json_document import JsonShape, Row, has, json_format
from rankgauge.files.query_rows import Cells, Graded, QueryRow, QueryRows, name_text
from rankgauge.files.source import Source

QRELS = '{\n  "q1": {"d1": 2, "d7": 0},\n  "q2": {"d3": 1}\n}\n'
RUN = '{\n  "q1": {"d7": 1.5, "d1": 0.5},\n  "q2": {"d3": 0.25}\n}\n'
LISTS = '{\n  "q1": ["d7", "d1"],\n  "q2": ["d3"]\n}\n'


def _is_nested(document: Any) -> bool:
    """Say whether it is {query: {document: number}}."""
    return _has_numbers(document) and any(document.values())


def _is_graded(document: Any) -> bool:
    """Say whether it is the same with whole numbers only."""
    return _is_nested(document) and all(isinstance(n, int) for nested in document.values() for n in nested.values())


def _is_listed(document: Any) -> bool:
    """Say whether it is {query: [documents]}."""
    return _has_lists(document) and any(document.values())


def _has_numbers(document: Any) -> bool:
    return isinstance(document, dict) and all(
        isinstance(numbers, dict) and all(map(_is_number, numbers.values())) for numbers in document.values()
    )


def _has_lists(document: Any) -> bool:
    return isinstance(document, dict) and all(
        isinstance(names, list) and all(map(_is_id, names)) for names in document.values()
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_id(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool))


def _rows(documents: list[Any], source: Source) -> Iterator[Row]:
    for document in _check_values(documents, source, _has_numbers, "{query: {document: number}}"):
        for query, numbers in document.items():
            yield from ((query, name, number) for name, number in numbers.items())


def _lists(documents: list[Any], source: Source) -> Iterator[Row]:
    for document in _check_values(documents, source, _has_lists, "{query: [documents]}"):
        for query, names in document.items():
            yield from ((query, name, -place) for place, name in enumerate(names, start=1))


def _check_values(documents: list[Any], source: Source, fits: Callable[[Any], bool], shape: str) -> Iterator[Any]:
    """Give the file's JSON values one by one; raise an error for one that is not of the first one's shape."""
    for place, document in enumerate(documents, start=1):
        if not fits(document):
            raise InputError(f"expected {shape} throughout, and JSON value {place} is something else", path=source.name)
        yield document


RANX = json_format(
    name="ranx",
    title="JSON of ranx, BEIR and pytrec_eval: {query: {document: number}}",
    shapes=(
        JsonShape(title="qrels of ranx or BEIR", kind=Kind.JUDGMENTS, fits=_is_graded, rows=_rows, example=QRELS),
        JsonShape(title="a run of ranx, or results of BEIR", kind=Kind.RUN, fits=_is_nested, rows=_rows, example=RUN),
        JsonShape(title="grades with fractions", kind=Kind.JUDGMENTS, fits=_is_nested, rows=_rows),
        JsonShape(title="lists of documents", kind=Kind.RUN, fits=_is_listed, rows=_lists, example=LISTS),
    ),
).register()

META = "mteb_model_meta"
MTEB_PREDICTIONS = """{
  "mteb_model_meta": {"model_name": "example/model", "revision": "1"},
  "default": {"test": {"q1": {"d7": 0.8, "d1": 0.6}, "q2": {"d3": 0.7}}}
}
"""


def _predictions(documents: list[Any], source: Source) -> Iterator[Row]:
    runs = {
        f"{subset}/{split}": lists
        for subset, splits in documents[0].items()
        if subset != META and isinstance(splits, dict)
        for split, lists in splits.items()
        if isinstance(lists, dict)
    }
    for query, scores in source.one_of(runs).items():
        if isinstance(scores, dict):
            yield from ((query, document, score) for document, score in scores.items())


MTEB = json_format(
    name="mteb",
    title="predictions of MTEB",
    holds_several=True,
    shapes=(
        JsonShape(
            title="predictions of MTEB",
            kind=Kind.RUN,
            fits=lambda document: has(document, META),
            rows=_predictions,
            example=MTEB_PREDICTIONS,
        ),
    ),
).register()


PREDICTIONS = (
    '{"query_id": "q1", "query": "How high is K2?", "results": '
    '[{"corpus_id": "d7", "score": 0.8}, {"corpus_id": "d1", "score": 0.6}]}\n'
)
SAMPLES = (
    '{"query": "How high is K2?", "positive": ["K2 is 8611 m high."], '
    '"documents": ["Everest is in Nepal.", "K2 is 8611 m high."]}\n'
)


def _holds(cells: Cells) -> tuple[Kind, ...]:
    if _is_summary(cells):
        return (Kind.RUN, Kind.JUDGMENTS)
    if {"query_id", "results"} <= cells.keys():
        return (Kind.RUN,)
    if not {"query", "positive"} <= cells.keys():
        return ()
    return (Kind.JUDGMENTS, Kind.RUN) if "documents" in cells else (Kind.JUDGMENTS,)


def _is_summary(cells: Cells) -> bool:
    return {"epoch", "steps"} <= cells.keys() and any("NDCG@" in name for name in cells)


def _query(row: QueryRow) -> Any:
    if _is_summary(row.cells):
        raise row.fault(
            "holds the means of each epoch, not the rankings",
            "Give the evaluator write_predictions=True, and read the file …_predictions_….jsonl that it writes.",
        )
    return row.cells.get("query_id", row.cells.get("query"))


def _judgments_of(row: QueryRow) -> Iterator[Graded]:
    positive = [name_text(text) for text in row.items("positive")]
    yield from ((document, 1) for document in positive)
    others = [name_text(text) for name in ("negative", "documents") for text in row.items(name)]
    yield from ((document, 0) for document in others if document not in positive)


def _ranking_of(row: QueryRow) -> Iterator[Any]:
    results = row.items("results")
    yield from (result.get("corpus_id") for result in results if isinstance(result, dict))
    yield from map(name_text, row.items("documents"))


SENTENCE_TRANSFORMERS = QueryRows(holds=_holds, query=_query, judged=_judgments_of, ranked=_ranking_of).register(
    SampleFile(title="predictions of sentence-transformers", kind=Kind.RUN, text=PREDICTIONS),
    SampleFile(title="samples of a reranking evaluator", kind=Kind.JUDGMENTS, text=SAMPLES),
    name="sentence_transformers",
    title="predictions and reranking samples of sentence-transformers",
)
